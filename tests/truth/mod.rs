//! Whether it helps: from logged coins to published verdicts, through the real cycle.

mod fixture;
mod law;
mod publish;
mod task;
mod world;
