//! How relevant a pattern is to what was changed, by the tags that the changed paths earn and the words that they share.

mod keyword;
mod path;
mod rater;
mod tag;

pub(super) use keyword::is_stopword;
pub(super) use path::split_words;
pub use rater::{METHOD, Rater, Relevance};
