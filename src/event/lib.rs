//! The typed events: one line of JSONL becomes an [`Event`], or a [`Rejection`] with its reason and remedy.
//!
//! Pure: no clock, no files. The table of kinds ([`Kind::fields`]) knows every field and all its spellings; the recorder and the
//! importers of other systems' files ask it.

pub mod cell;
pub mod codec;
pub mod column;
mod detail;
mod draft;
pub mod field;
mod holds;
mod key;
mod kind;
mod member;
mod parse;
pub mod redact;
mod refused;
mod rejection;
pub mod row;
mod rule;
mod scan;
mod vocabulary;

#[doc(hidden)]
pub use arrow;
pub use draft::{Draft, Utterance, name_event};
pub use field::{AgentVerdict, Holds};
pub use kind::{
    Aftermath, Application, Artifact, Assignment, Body, Build, Change, Citation, Classification, Curation, Deliberation, ENVELOPE,
    Embedding, FieldSpec, Gate, Goal, Kind, Learning, Observation, Relevance, Run, Summary, Timing, Touch, VerdictGiven,
};
pub use parse::{Event, Latest, Parser, Stamp, digest_of, hash_run, parse_time};
pub use refused::Refused;
pub use rejection::{Code, Rejection};
