//! The pattern registry: a fold of the lessons and of people's decisions, in the order in which they landed.

mod registry;
mod category;
mod fold;
mod kinship;
mod lesson;
mod place;
mod tool;

pub use registry::{Registry, Pattern, Prior, Sighting, State, VoidDecision, pattern_id, pattern_number};
pub use category::Category;
pub use fold::{FoldRule, fold_lessons};
pub use lesson::{Decision, Entry, Lesson, Source, parse_lessons};
pub use place::{normalise_path, parse_files};
pub use tool::{ToolLesson, fold_tool_lessons, is_tool_scope};
