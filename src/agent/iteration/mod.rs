//! What is found out about one iteration, as events: changes, relevance, citations, builds, captured lessons.

mod build;
mod capture;
mod change;
mod citation;
mod inbox;
mod label;
mod project;
mod relevance;
mod turn;

pub use build::{BuildResult, build_file_line, build_line, parse_build_result};
pub use capture::{Capture, Origin, capture, learnings_of};
pub use change::change_lines;
pub use citation::{Claim, Summary, citation_lines, claims_of_log};
pub use inbox::claims_of_inbox;
pub use project::{known_project, name_project, name_session_project, project_of, remember_project};
pub use relevance::relevance_lines;
pub use turn::Turn;
