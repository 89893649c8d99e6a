//! Transcripts of agents' sessions: one line becomes an accepted turn or nothing, and the turns of a session its channels.
//!
//! Pure: lines come from whoever has them. What people said counts, and what the agent said before it; results of tools, notes
//! of the host and what its agents told each other do not.

pub mod json;
mod line;
mod row;
mod session;
mod turn;

pub use line::{Line, Lines};
pub use row::{Message, Row, visit_blocks};
pub use session::{Channels, Exchange, MOST_LINE_BYTES, MOST_TURNS, Pair, Reading, Transcript, read_transcript};
pub use turn::{LEAST_UNITS, MOST_UNITS, Speaker, Turn, accept};
