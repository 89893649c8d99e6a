//! Which patterns an agent is shown: those that fit it and its task, the most useful first, within its budget.

mod budget;
mod entry;
mod filter;
mod holdout;
mod order;
mod question;
mod score;
mod selection;
mod similarity;
mod task;
mod token;
mod tool;

pub use budget::{Fit, Reach, TokenCounter, characters_as_tokens, fit_lines};
pub use entry::{Entry, items, list, words_to_find};
pub use filter::short_name;
pub use holdout::{Tossed, Tosser, is_doubtful};
pub use question::{Prune, Purpose, Question};
pub use score::{Context, Record, plain_path, score_entry, weight};
pub use selection::{Candidate, Selection};
pub use similarity::{Similarities, blend};
pub use task::{TaskWords, files_in};
pub use token::{cl100k_tokens, o200k_tokens};
pub use tool::{READER, ToolMatcher, ToolUse};
