//! Where events land: appended durably by `record`, or by any program that writes whole lines.

mod append;
mod reader;
mod recorder;
mod source;

pub(crate) use append::append_to;
pub use append::{Appended, append};
pub use reader::{Block, Line, LineReader};
pub use recorder::{Recorded, Recorder, RefusedRecord};
pub use source::{Problem, Source, Survey, fingerprint, survey};
