//! What lessons, patterns of roles and observations share: ids, decisions, transitions. What differs stands with each of them.

mod decision;
mod id;
mod transition;

pub use decision::{Action, Decision, VoidDecision, note_of};
pub use id::Series;
pub use transition::{Transition, Watch, Watched};
