//! What other systems wrote into their own files, as events of ours.
//!
//! Pure: the bytes and their times come from the caller, the events go back to it. Which members of a foreign object are fields, and
//! under which spellings, the table of kinds says; an importer only names what it translates.

pub mod closedloop;
pub mod codekit;
pub mod devflow;
mod imported;
pub mod jkz;
mod member;
mod value;

pub use imported::{Counts, Imported, Odd, Place};
