//! Which patterns belong beside the use of a tool.

use std::collections::HashSet;

use super::entry::{Entry, items};
use crate::learn::relevance::{is_stopword, split_words};
use crate::setting::{InjectSettings, TagMatch};

/// Shorter words of a command say nothing.
const LEAST_CHARACTERS: usize = 4;

/// A tool that is about to be used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ToolUse<'u> {
    /// The tool.
    pub name: &'u str,
    /// The command that it runs.
    pub command: Option<&'u str>,
    /// The file that it touches.
    pub path: Option<&'u str>,
}

/// Tells patterns that belong beside a tool's use from others.
#[derive(Debug)]
pub struct ToolMatcher {
    matching: TagMatch,
    /// Tags, each as the words that it consists of.
    tags: Vec<Vec<String>>,
    words: HashSet<String>,
    command: Option<String>,
}

impl ToolMatcher {
    /// A matcher for one use of a tool.
    #[must_use]
    pub fn new(tool: ToolUse<'_>, settings: &InjectSettings, matching: TagMatch) -> Self {
        let ending = tool.path.and_then(|path| path.rsplit('/').next()?.rsplit_once('.')).map(|(_, ending)| ending);
        let mut tags = settings.tags_of_tool(tool.name);
        tags.extend(ending.filter(|_| !tags.is_empty()).map(|ending| settings.tags_of_ending(ending)).unwrap_or_default());
        let parts = |tag: &String| match matching {
            TagMatch::Word => words_of(tag),
            TagMatch::Substring => vec![tag.to_lowercase()],
        };
        Self {
            matching,
            tags: tags.iter().map(parts).filter(|parts| !parts.is_empty()).collect(),
            words: tool.command.map(|command| telling_words(command).collect()).unwrap_or_default(),
            command: tool.command.map(str::to_lowercase),
        }
    }

    /// Whether nothing can belong beside this use.
    #[must_use]
    pub const fn is_idle(&self) -> bool {
        self.tags.is_empty()
    }

    /// Whether a pattern belongs beside the use: it names a tag, or a word of the command.
    #[must_use]
    pub fn is_beside(&self, entry: &Entry<'_>) -> bool {
        if self.is_idle() {
            return false;
        }
        match self.matching {
            TagMatch::Word => self.shares_word(entry),
            TagMatch::Substring => self.shares_letters(entry),
        }
    }

    fn shares_word(&self, entry: &Entry<'_>) -> bool {
        let mut text = words_of(&entry.summary);
        let has_command_word = || text.iter().any(|word| self.words.contains(word));
        if has_command_word() {
            return true;
        }
        for tag in items(entry.tags) {
            text.extend(words_of(&tag));
        }
        self.tags.iter().any(|tag| text.windows(tag.len()).any(|window| window == tag.as_slice()))
    }

    /// As the original does: any tag anywhere in the text, or any longer word of the summary anywhere in the command.
    fn shares_letters(&self, entry: &Entry<'_>) -> bool {
        let summary = entry.summary.to_lowercase();
        let text = format!("{summary} {}", items(entry.tags).join("|").to_lowercase());
        let words = || summary.split(|letter: char| !letter.is_ascii_alphanumeric());
        self.tags.iter().flatten().any(|tag| text.contains(tag))
            || self
                .command
                .as_ref()
                .is_some_and(|command| words().any(|word| word.chars().count() >= LEAST_CHARACTERS && command.contains(word)))
    }
}

fn words_of(text: &str) -> Vec<String> {
    split_words(text).into_iter().map(str::to_lowercase).collect()
}

fn telling_words(command: &str) -> impl Iterator<Item = String> {
    let words = split_words(command).into_iter().map(str::to_lowercase);
    words.filter(|word| {
        word.chars().count() >= LEAST_CHARACTERS && !is_stopword(word) && !word.bytes().all(|byte| byte.is_ascii_digit())
    })
}
