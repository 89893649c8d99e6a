//! What Devflow has learned from transcripts: the rows of its log as `observation` events that say what is known of them, its manifest
//! as `artifact` events, and its counts of citations beside the rows that they are about.
//!
//! What it rendered stays where it is. Its hashes are not taken over: they are of another kind.

mod memory;
mod row;

pub use memory::{Account, Memory, import_memory};
