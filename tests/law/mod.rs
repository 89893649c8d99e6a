//! The laws: published bytes are a function of the log, the settings and the instant, and of nothing else.

mod cadence;
mod definition;
mod horizon;
pub mod lab;
mod naive;
mod order;
pub mod world;
