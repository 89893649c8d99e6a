//! Correction: what a validator's verdict says of what a role said, as events. Nothing is counted here; the cycle does.

mod correction;
mod finding;
mod speech;
mod witness;

pub use correction::{Correction, Evidence, Kept, Pair, Place, correct, keep};
pub use finding::Finding;
pub use speech::{Speech, load_speech, parse_speech};
pub use witness::stands_in_repository;
