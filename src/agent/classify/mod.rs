//! What captured lessons are: their scope, category, repository and wording, or why they do not become patterns.
//!
//! Two classifiers decide: rules of the program, or a command of the workspace that gets JSON and answers with JSON. Either
//! way the answer is an event, so that working patterns out anew never asks a model.

mod answer;
mod builtin;
mod classification;
mod configuration;
mod gate;
mod keyword;
mod lesson;
mod marker;
mod occasion;
mod place;
mod request;
mod run;
mod wording;

pub use answer::{Answer, parse_answer};
pub use builtin::classify;
pub use classification::{Classification, Scope};
pub use gate::{GateFault, judge_quality};
pub use lesson::{PendingLesson, parse_pending};
pub use marker::find_marker;
pub use request::{PROTOCOL, render_request};
pub use run::{Classified, PURPOSE, Task, classify_all};
pub use wording::reworded;
