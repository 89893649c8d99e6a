//! Texts as vectors, so that what means the same is found in other words. A command of the workspace makes them; each answer is an
//! event, so that no text is asked about twice.

mod answer;
mod request;
mod run;

pub use answer::parse_vectors;
pub use request::{PROTOCOL, render_request};
pub use run::{Embedded, PURPOSE, Task, Text, embed_all, embed_one};
