//! What captured lessons are: their scope, category, repository and wording, or why they do not become patterns.
//!
//! Two classifiers decide: rules of the program, or a command of the workspace that gets JSON and answers with JSON. Either
//! way the answer is an event, so that working patterns out anew never asks a model.

mod answer;
mod builtin;
mod gate;
mod keyword;
mod lesson;
mod place;
mod run;
mod wording;

pub use answer::{Answer, PROTOCOL, parse_answer, render_request};
pub use builtin::classify;
pub use gate::{GateFault, find_marker, judge_quality};
pub use lesson::{Classification, PendingLesson, Scope, parse_pending};
pub use run::{Classified, PURPOSE, Task, classify_all};
pub use wording::reworded;
