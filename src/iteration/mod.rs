//! What is found out about one iteration, as events: changes, relevance, citations, builds, captured lessons.

mod change;
mod citation;
mod label;
mod turn;

pub use change::change_lines;
pub use citation::{Claim, Summary, citation_lines, claims_of_log};
pub use turn::Turn;
