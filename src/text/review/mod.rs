//! Parses a role's report: its patterns, its verdict and its evidence level. Pure; texts in, findings out.

mod block;
mod evidence;
mod line;
mod location;
mod section;
mod wording;

pub use crate::word::Tokens;
pub use block::{Issue, VerdictBlock, find_verdict};
pub use evidence::{Level, Quotation, evidence_level, evidence_level_where};
pub use location::{Likeness, Located, locate, locate_alike};
pub use section::{MOST_SAYINGS, accumulated_patterns, is_saying};
pub use wording::{Kind, normalise, plain_saying};
