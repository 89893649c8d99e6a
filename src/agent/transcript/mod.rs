//! Transcripts of agents' sessions: a line tells words of a person, words and acts of the agent, or nothing.
//!
//! Pure: lines come from whoever has them. What people said counts, with where it comes from, and what the agent said before it;
//! results of tools, notes of the host and what its agents told each other do not.

mod backlog;
mod block;
pub mod json;
mod line;
mod paste;
mod prompt;
mod provenance;
mod row;
mod session;
mod turn;

pub use block::visit_blocks;
pub use line::{Line, Lines};
pub use provenance::{Foreign, ForeignCounts, Provenance};
pub use row::{Message, Row};
pub use session::{
    Channels, Exchange, Fate, MOST_LINE_BYTES, MOST_TURNS, Mentions, Pair, Ran, Reading, Transcript, read_transcript,
};
pub use turn::MOST_UNITS;
