//! The agents' hooks: what is shown to an agent, what it says about that, and what becomes an event.

mod acknowledgment;
mod claim;
mod fold;
mod mention;
mod quotation;
mod transcript;
mod verdict;

pub use acknowledgment::{Acknowledgment, Shown, Use, parse_acknowledgment};
pub use fold::fold;
pub use transcript::{find_last_words, last_words};
pub use verdict::{build_verdict, says_nothing_learned};
