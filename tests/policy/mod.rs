//! What finished runs say: worked numbers, laws, and the way from recorded runs to published policies.

mod curation;
mod export;
mod fold;
mod generation;
mod history;
mod oracle;
mod replay;
mod rounding;
mod scene;
mod worked;
