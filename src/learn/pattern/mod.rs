//! The pattern book: a fold of the lessons and of people's decisions, in the order in which they landed.

mod book;
mod category;
mod detail;
mod fold;
mod kinship;
mod lesson;
mod observation;
mod place;
mod role;
mod tool;

pub use book::{Book, Pattern, Prior, Sighting, State, VoidDecision, pattern_id, pattern_number};
pub use category::Category;
pub use detail::{detail_fields, find_detail};
pub use fold::{FoldRule, fold_book};
pub use lesson::{Action, Decision, Entry, Lesson, Source, parse_lessons};
pub use observation::{ObservationBook, ObservationEntry, ObservationPlace, Sighted, is_observation_id, normalise_pattern};
pub use place::{normalise_path, parse_files};
pub use role::{Place, RoleBook, RoleGroup, TextPlace, closest, role_pattern_id, role_pattern_place};
pub use tool::{ToolLesson, fold_tool_lessons, is_tool_scope};
