//! What other systems wrote into their own files, as events of ours.
//!
//! Pure: the bytes and their times come from the caller, the events go back to it.

pub mod closedloop;
pub mod codekit;
pub mod devflow;
mod imported;
pub mod jkz;
mod line;
mod time;

pub use imported::{Counts, Imported, Odd, Place};
