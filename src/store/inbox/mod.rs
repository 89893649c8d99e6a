//! Where events land: appended durably by `record`, or by any program that writes whole lines.

mod reader;
mod recorder;
mod source;

pub use reader::{Block, Line, LineReader};
pub use recorder::{Appended, Recorded, Recorder, append};
pub use source::{Problem, Source, Survey, fingerprint, survey};
