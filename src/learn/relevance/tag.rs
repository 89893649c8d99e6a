//! The tags that a path earns.

use super::path::{ending, file_name, split_words};
use setting::{RelevanceSettings, TagMatch, TagRule};

/// The word that opens the name of a hook and is an ordinary word anywhere else.
const HOOK_WORD: &str = "use";

/// All tags, ready to be looked for in paths.
#[derive(Debug)]
pub(super) struct Tags {
    matching: TagMatch,
    tags: Vec<Tag>,
}

#[derive(Debug)]
struct Tag {
    name: String,
    path: Vec<Sought>,
    file_name: Vec<Sought>,
    endings: Vec<String>,
}

/// A word of a rule: as a whole, and parted as the words of a path are.
#[derive(Debug)]
struct Sought {
    whole: String,
    parts: Vec<String>,
}

/// A path as the rules look at it.
struct Place<'p> {
    lowered: String,
    words: Vec<String>,
    file_name: &'p str,
    file_words: Vec<String>,
}

impl Tags {
    pub(super) fn new(settings: &RelevanceSettings) -> Self {
        let tags = settings.all_tags().into_iter().map(|(name, rule)| Tag::new(&name, &rule)).collect();
        Self { matching: settings.matching, tags }
    }

    /// The tags that a path earns.
    pub(super) fn earned<'s>(&'s self, path: &str) -> impl Iterator<Item = &'s str> {
        let place = Place::new(path);
        let matching = self.matching;
        self.tags.iter().filter(move |tag| tag.is_earned(&place, matching)).map(|tag| &*tag.name)
    }
}

impl Tag {
    fn new(name: &str, rule: &TagRule) -> Self {
        let sought = |words: &[String]| words.iter().filter(|word| !word.is_empty()).map(|word| Sought::new(word)).collect();
        Self {
            name: name.to_lowercase(),
            path: sought(&rule.path),
            file_name: sought(&rule.name),
            endings: rule.ending.iter().map(|ending| ending.to_lowercase()).collect(),
        }
    }

    fn is_earned(&self, place: &Place<'_>, matching: TagMatch) -> bool {
        let lowered_name = file_name(&place.lowered);
        ending(lowered_name).is_some_and(|ending| self.endings.iter().any(|known| known == ending))
            || match matching {
                TagMatch::Substring => {
                    self.path.iter().any(|word| place.lowered.contains(&word.whole))
                        || self.file_name.iter().any(|word| lowered_name.contains(&word.whole))
                }
                TagMatch::Word => {
                    self.path.iter().any(|word| word.is_among(&place.words))
                        || self.file_name.iter().any(|word| word.is_in_name(place))
                }
            }
    }
}

impl Sought {
    fn new(word: &str) -> Self {
        Self { whole: word.to_lowercase(), parts: lowered_words(word) }
    }

    /// Whether a file is named by the word.
    fn is_in_name(&self, place: &Place<'_>) -> bool {
        if self.whole == HOOK_WORD { is_hook_name(place.file_name) } else { self.is_among(&place.file_words) }
    }

    /// Whether the parts stand among the words, one behind the other; the last one may be a plural.
    fn is_among(&self, words: &[String]) -> bool {
        let Some((last, before)) = self.parts.split_last() else { return false };
        words.windows(self.parts.len()).any(|window| {
            window.split_last().is_some_and(|(found, found_before)| found_before == before && is_word_or_plural(found, last))
        })
    }
}

impl<'p> Place<'p> {
    fn new(path: &'p str) -> Self {
        let file_name = file_name(path);
        Self { lowered: path.to_lowercase(), words: lowered_words(path), file_name, file_words: lowered_words(file_name) }
    }
}

/// Whether a name reads as that of a hook: `useAuth.ts` and `use-auth.ts`, but neither `user.py` nor `UseCase.java`.
fn is_hook_name(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or(name);
    let words = split_words(stem);
    words.len() > 1 && words.first() == Some(&HOOK_WORD)
}

fn is_word_or_plural(found: &str, word: &str) -> bool {
    found.strip_prefix(word).is_some_and(|rest| match rest {
        "" | "s" => true,
        "es" => word.ends_with(['s', 'x', 'z']) || word.ends_with("ch") || word.ends_with("sh"),
        _ => false,
    })
}

fn lowered_words(text: &str) -> Vec<String> {
    split_words(text).into_iter().map(str::to_lowercase).collect()
}
