//! Citations: the places in files that agents give as evidence, and whether they hold.

mod claim;
mod judgement;
mod place;

pub use claim::{Claim, parse_evidence};
pub use judgement::{ChangeIndex, Facts, Judgement, judge};
pub use place::{Place, parse_citations};
