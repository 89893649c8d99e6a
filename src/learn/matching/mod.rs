//! Finding the pattern that a trigger means: by its text, in four tiers from the same bytes to most of the same words.

pub mod definition;

mod containment;
mod index;
mod lexicon;
mod overlap;
mod phrase;
mod phrasebook;
mod rows;
mod tier;

pub use index::Index;
pub use phrase::{Looseness, Phrase};
pub use tier::{Match, Tier};
