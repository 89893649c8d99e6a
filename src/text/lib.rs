//! Words, days, times, digests, diagnostics, reviews and the sanitiser: the vocabulary that every other crate shares. Nothing is read or written here.

pub mod day;
pub mod diagnostic;
pub mod digest;
pub mod fit;
pub mod injection;
pub mod key;
pub mod limit;
pub mod near;
pub mod program;
pub mod review;
pub mod script;
pub mod time;
pub mod word;
