//! What is found out about one iteration, as events: changes, relevance, citations, builds, captured lessons.

mod capture;
mod change;
mod citation;
mod project;

pub use capture::{Capture, Origin, capture, learnings_of, make_learnings, name_repository};
pub use change::{BuildResult, Turn, build_file_line, build_line, change_lines, parse_build_result, relevance_lines};
pub use citation::{Claim, Summary, citation_lines, claims_of_inbox, claims_of_log};
pub use project::{DEFAULT_PROJECT, known_project, name_folder, name_project, name_session_project, remember_project};
