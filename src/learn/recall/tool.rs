//! Which patterns belong beside the use of a tool.

use std::collections::BTreeSet;

use aho_corasick::AhoCorasick;

use super::entry::{Entry, items, spaced};
use super::score::plain_path;
use crate::relevance::{is_stopword, split_words};
use setting::{InjectSettings, TagMatch};
use text::fit;

/// What stands further behind in a command says no more about it.
const MOST_COMMAND_BYTES: usize = 16 << 10;
/// The tool that reads a file. Only what was learned at the file belongs beside its use.
pub const READER: &str = "Read";
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
pub enum ToolMatcher {
    /// By whole words, those of tags and those of the command; or by the file, if the pattern was learned at it.
    Words {
        words: Option<AhoCorasick>,
        /// The file, from the top of its repository.
        path: Option<String>,
    },
    /// As the original does: any tag anywhere in the text, or any longer word of the summary anywhere in the command.
    Letters {
        /// The tags in small letters.
        tags: Vec<String>,
        /// The command in small letters.
        command: String,
    },
    /// Nothing belongs beside this use.
    Nothing,
}

impl ToolMatcher {
    /// A matcher for one use of a tool.
    #[must_use]
    pub fn new(tool: ToolUse<'_>, settings: &InjectSettings, matching: TagMatch) -> Self {
        let mut tags = settings.tags_of_tool(tool.name);
        let path = tool.path.map(|path| plain_path(path).to_owned());
        if tags.is_empty() {
            let is_read = tool.name == READER && matching == TagMatch::Word;
            return if is_read { Self::Words { words: None, path } } else { Self::Nothing };
        }
        let ending = tool.path.and_then(|path| path.rsplit('/').next()?.rsplit_once('.')).map(|(_, ending)| ending);
        tags.extend(ending.map(|ending| settings.tags_of_ending(ending)).unwrap_or_default());
        let command = fit::cut(tool.command.unwrap_or_default(), MOST_COMMAND_BYTES);
        if matching == TagMatch::Substring {
            return Self::Letters { tags: tags.iter().map(|tag| tag.to_lowercase()).collect(), command: command.to_lowercase() };
        }
        let sought = tags.iter().map(|tag| spaced(tag)).chain(telling_words(command)).filter(|words| !words.is_empty());
        let sought: BTreeSet<String> = sought.map(|words| format!(" {words}")).collect();
        Self::Words { words: AhoCorasick::new(sought).ok(), path }
    }

    /// Whether a pattern belongs beside the use: it names a tag, or a word of the command, or was learned at the file.
    #[must_use]
    pub fn is_beside(&self, entry: &Entry<'_>) -> bool {
        match self {
            Self::Words { words, path } => {
                words.as_ref().is_some_and(|words| words.is_match(&*entry.words))
                    || path.as_ref().is_some_and(|path| items(&entry.files).any(|file| plain_path(file) == path))
            }
            Self::Letters { tags, command } => shares_letters(entry, tags, command),
            Self::Nothing => false,
        }
    }
}

fn shares_letters(entry: &Entry<'_>, tags: &[String], command: &str) -> bool {
    let summary = entry.summary.to_lowercase();
    let text = format!("{summary} {}", items(&entry.tags).collect::<Vec<_>>().join("|").to_lowercase());
    let mut words = summary.split(|letter: char| !letter.is_ascii_alphanumeric());
    tags.iter().any(|tag| text.contains(tag)) || words.any(|word| word.len() >= LEAST_CHARACTERS && command.contains(word))
}

/// The words of a command that say what it is about, each with a blank behind it.
fn telling_words(command: &str) -> impl Iterator<Item = String> {
    let words = split_words(command).into_iter().map(str::to_lowercase);
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    words
        .filter(move |word| word.chars().count() >= LEAST_CHARACTERS && !is_stopword(word) && !is_number(word))
        .map(|word| word + " ")
}
