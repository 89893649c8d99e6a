//! The pattern registry: a fold of the lessons and of people's decisions, in the order in which they landed.

mod category;
mod fold;
mod kinship;
mod lesson;
mod place;
mod registry;
mod tool;

pub use category::Category;
pub use fold::{FoldRule, fold_lessons};
pub use lesson::{Decision, Entry, Lesson, Source, parse_lessons};
pub use place::{normalise_path, parse_files};
pub use registry::{Pattern, Prior, Registry, Sighting, State, VoidDecision, pattern_id, pattern_number};
pub use tool::{ToolLesson, fold_tool_lessons, is_tool_scope};
