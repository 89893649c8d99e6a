//! `org-patterns.toon`: one table that TOON decoders and ClosedLoop's own readers read alike.

mod closedloop;
mod official;
mod read;
mod write;

pub use closedloop::render_closedloop;
pub use read::{Dialect, Document, Located, OddLine, parse_toon};
pub use text::fit::cell_text;
pub use write::{Row, render_toon};
