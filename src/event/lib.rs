//! The typed events: one line of JSONL becomes an [`Event`], or a [`Rejection`] with its reason and remedy.
//!
//! Pure: no clock, no files. Aliases in other systems' spelling are accepted here and nowhere else.

pub mod cell;
mod detail;
mod draft;
pub mod field;
mod kind;
mod member;
mod name;
mod parse;
pub mod redact;
mod rejection;
pub mod row;
mod rule;
mod saying;
mod scan;
mod utterance;
mod vector;
mod vocabulary;

#[doc(hidden)]
pub use arrow;
pub use draft::Draft;
pub use kind::{
    Aftermath, Application, Artifact, Body, Build, Change, Citation, Classification, Curation, Deliberation, Embedding, Gate, Goal,
    Kind, Learning, Observation, Relevance, Run, Summary, Timing, VerdictGiven,
};
pub use parse::{Event, Latest, Parser, digest_of, parse_time};
pub use rejection::{Code, Rejection};
pub use utterance::{Utterance, name_event};
