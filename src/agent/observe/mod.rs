//! What recurs in the transcripts of sessions: workflows, ways of doing something, decisions with their reason, pitfalls.
//!
//! Sessions that ended wait in a queue. Rules of the program read them, or a command of the workspace does that gets a request
//! and answers with JSON. Either way what was seen becomes events, so that working everything out anew reads no transcript.

mod answer;
mod asking;
mod concept;
mod decision;
mod entity;
mod extract;
mod landing;
mod language;
mod likeness;
mod meaning;
mod memory;
mod pitfall;
mod plain;
mod procedural;
mod queue;
mod quotation;
mod request;
mod routine;
mod run;
mod sighting;
mod source;
mod speech;
mod title;
mod workflow;

pub(crate) use answer::parse_details;
pub use answer::{Answer, parse_answer};
pub(crate) use entity::{calls_program, entities as named_things};
pub use extract::extract;
pub(crate) use meaning::forbids;
pub use queue::{Pending, Queue};
pub use request::{PROTOCOL, render_request};
pub use run::{Cite, Mention, Observed, PURPOSE, Seen, Task, observe_now, observe_queued};
pub use sighting::{Known, Sighting, normal_form};
pub use source::{Source, fault_of, find_transcripts, is_possible, load_agents_mentions, load_session};
