//! Which patterns an agent is shown: those that fit it and its task, the most useful first, within its budget.

mod budget;
mod entry;
mod filter;
mod holdout;
mod order;
mod score;
mod token;
mod tool;

pub use budget::{Fit, Reach, TokenCounter, characters_as_tokens, fit_lines};
pub use entry::{Entry, items, list};
pub use filter::short_name;
pub use holdout::is_withheld;
pub use order::{Candidate, Purpose, Question, recall};
pub use score::{Context, score_entry};
pub use token::{cl100k_tokens, o200k_tokens};
pub use tool::{ToolMatcher, ToolUse};
