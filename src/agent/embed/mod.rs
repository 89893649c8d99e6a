//! Texts as vectors, so that what means the same is found in other words. A command of the workspace makes them; each answer is an
//! event, so that no text is asked about twice.

mod run;

pub use run::{Embedded, PROTOCOL, PURPOSE, Task, Text, embed_all, embed_one, parse_vectors, render_request};
