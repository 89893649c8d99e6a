//! The outcomes that Code Kit Ultra recorded as `run` events: those of its governance, of its adapters, and of plain logs.
//!
//! What that system derived from them (profiles, policies, patterns, overlays) is worked out anew and not read.

mod document;
mod gathering;
mod record;
mod settlement;

pub use gathering::{Gathering, Repeats, Source};
pub use settlement::Gathered;
