//! When two sayings are the same, when they are alike, and what sort of saying one is.

use std::sync::LazyLock;

use regex::{Regex, RegexSet};
use serde::{Deserialize, Serialize};
use unicode_normalization::{UnicodeNormalization as _, is_nfc};

use crate::fit::single_spaced;

/// What sort of saying a pattern is. Later ones say more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    Observation,
    Causal,
    /// What must or must not be done.
    Rule,
}

impl std::fmt::Display for Kind {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.pad(self.name())
    }
}

impl Kind {
    /// All kinds, the least first.
    pub const ALL: [Self; 3] = [Self::Observation, Self::Causal, Self::Rule];

    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Observation => "observation",
            Self::Causal => "causal",
            Self::Rule => "rule",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The kind of a saying: as its tag says, else by its words.
    pub fn of(saying: &str) -> Self {
        let (tag, text) = untagged(saying);
        tag.unwrap_or_else(|| Self::by_words(text))
    }

    fn by_words(text: &str) -> Self {
        static SETS: LazyLock<Option<RegexSet>> = LazyLock::new(|| {
            const RULE: &str = r"\b(?i-u:always|never|must|do not|requires?|required|forbid|forbidden)\b";
            const CAUSAL: &str =
                r"\b(?i-u:because|causes|leads to|results in|due to|therefore)\b|\b(?i-u:if)\b.*\b(?i-u:then)\b|->|=>|[→⇒⟶⟹]";
            RegexSet::new([RULE, CAUSAL]).ok()
        });
        // Whoever breaks a line between two words still means them.
        let text = single_spaced(text);
        let found = SETS.as_ref().map(|sets| sets.matches(&text));
        match found {
            Some(found) if found.matched(0) => Self::Rule,
            Some(found) if found.matched(1) => Self::Causal,
            _ => Self::Observation,
        }
    }
}

/// A saying without the marks of a list and of its kind.
pub fn plain_saying(saying: &str) -> &str {
    untagged(saying).1
}

/// The kind that a saying's tag names, and the saying without the marks of a list and of its kind.
fn untagged(saying: &str) -> (Option<Kind>, &str) {
    static MARKS: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"^\s*(?:(?:[-*+•]|[0-9]{1,9}[.)])\s+)?(?:\[((?i-u:rule|causal|observation))\]:?\s*)?").ok());
    let Some(marks) = MARKS.as_ref().and_then(|marks| marks.captures(saying)) else { return (None, saying.trim()) };
    let kind = marks.get(1).and_then(|tag| Kind::from_name(&tag.as_str().to_lowercase()));
    (kind, saying[marks.get_match().end()..].trim())
}

/// A saying as it is compared: composed, in small letters, with single blanks, without marks at its beginning and at its end.
pub fn normalise(saying: &str) -> String {
    let composed = if is_nfc(saying) { saying.to_owned() } else { saying.nfc().collect() };
    let lowered = plain_saying(&composed).to_lowercase();
    let mut text = String::with_capacity(lowered.len());
    for word in lowered.split_whitespace() {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(word);
    }
    text.truncate(text.trim_end_matches(['.', ';', ',', ':', '!', ' ']).len());
    text
}
