//! What recurs in transcripts: how sure it is, how far it has come, and what became of what was rendered from it.

mod score;

pub use score::ObservationScore;
