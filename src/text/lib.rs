//! Words, days, digests, diagnostics and reviews: the vocabulary that every other crate shares. Nothing is read or written here.

pub mod day;
pub mod diagnostic;
pub mod digest;
pub mod fit;
pub mod limit;
pub mod program;
pub mod review;
pub mod word;
