//! Parses a role's report: its patterns, its verdict and its evidence level. Pure; texts in, findings out.

mod block;
mod evidence;
mod execution;
mod line;
mod location;
mod output;
mod passage;
mod section;
mod wording;

pub use crate::word::Tokens;
pub use block::{Issue, VerdictBlock, find_fault, find_verdict};
pub use evidence::{Level, Quotation, evidence_level, evidence_level_where};
pub use execution::{Ran, find_cited};
pub use location::{Likeness, Located, locate, locate_alike, locate_finding};
pub use section::{MOST_SAYINGS, Reported, accumulated_patterns, has_section, is_saying, plain_id, reported_patterns};
pub use wording::{Kind, normalise, plain_saying};
