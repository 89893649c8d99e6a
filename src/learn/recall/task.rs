//! What a task is about, by its own words: which patterns share them, and which files it names.

use std::collections::BTreeSet;
use std::collections::HashSet;

use crate::relevance::{is_stopword, split_words};
use text::fit;

/// What stands further behind in a task says little more about it.
const MOST_BYTES: usize = 16 << 10;
/// The most files that are taken from a text.
const MOST_FILES: usize = 50;
/// The longest path, in bytes.
const MOST_PATH_BYTES: usize = 1024;
/// Shorter words say nothing.
const LEAST_CHARACTERS: usize = 3;
/// The longest ending of a file's name, in bytes.
const MOST_ENDING_BYTES: usize = 8;

/// The words of a task that say what it is about.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TaskWords(HashSet<String>);

impl TaskWords {
    /// The words of a text; none if none of them says anything.
    #[must_use]
    pub fn new(text: &str) -> Option<Self> {
        let words = split_words(fit::cut(text, MOST_BYTES)).into_iter().map(str::to_lowercase);
        let words: HashSet<String> = words.filter(|word| is_telling(word)).map(|word| stem(&word).to_owned()).collect();
        (!words.is_empty()).then_some(Self(words))
    }

    /// The part of a pattern's telling words that the task uses too, from 0 to 1. The words come as the index holds them.
    #[must_use]
    pub fn share(&self, words: &str) -> f64 {
        // Most patterns share nothing, and looking at each of their words takes longer than looking them up.
        if !words.split(' ').any(|word| self.0.contains(stem(word))) {
            return 0.0;
        }
        let (mut all, mut common) = (0_u32, 0_u32);
        for word in words.split(' ').filter(|word| is_telling(word)) {
            all += 1;
            common += u32::from(self.0.contains(stem(word)));
        }
        if all == 0 { 0.0 } else { f64::from(common) / f64::from(all) }
    }
}

/// The files that a text names, each once, without the lines that follow some of them.
#[must_use]
pub fn files_in(text: &str) -> Vec<String> {
    let is_edge = |letter: char| !letter.is_alphanumeric() && !matches!(letter, '/' | '.' | '_' | '~');
    let mut seen = BTreeSet::new();
    let words = fit::cut(text, MOST_BYTES).split(|letter: char| letter.is_whitespace() || matches!(letter, ',' | ';' | '|'));
    let paths = words.map(|word| {
        let word = word.trim_matches(is_edge).trim_end_matches(['.', '/']);
        let word = word.trim_start_matches("./");
        // A line, and perhaps a column, may follow.
        word.split_once(':').map_or(word, |(path, _)| path)
    });
    paths.filter(|path| is_file(path) && seen.insert((*path).to_owned())).take(MOST_FILES).map(str::to_owned).collect()
}

/// Whether a word reads as the path of a file: a name with an ending that has a letter. An address of the web is none, nor is a
/// version, nor an abbreviation.
fn is_file(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or(word);
    let Some((stem, ending)) = name.rsplit_once('.') else { return false };
    let is_ending = ending.len() <= MOST_ENDING_BYTES
        && ending.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && ending.bytes().any(|byte| byte.is_ascii_alphabetic());
    let is_long = stem.chars().count() > 1 || word.contains('/');
    word.len() <= MOST_PATH_BYTES && !word.contains("//") && is_ending && is_long
}

fn is_telling(word: &str) -> bool {
    let is_long = word.len() >= LEAST_CHARACTERS && word != "|";
    is_long && !is_stopword(word) && !word.bytes().all(|byte| byte.is_ascii_digit())
}

/// A word without the sign of a plural.
fn stem(word: &str) -> &str {
    word.strip_suffix('s').filter(|rest| rest.len() >= LEAST_CHARACTERS && !rest.ends_with('s')).unwrap_or(word)
}

#[cfg(test)]
#[expect(clippy::expect_used, clippy::format_collect, reason = "a test may fail loudly")]
mod tests {
    use super::super::entry::words_to_find;
    use super::*;

    #[test]
    fn a_pattern_fits_by_the_part_of_its_words_that_the_task_uses() {
        let task = TaskWords::new("Fix the rounding of invoices in src/billing/invoice.rs, then run all tests").expect("words");
        let share = |summary: &str, tags: &[&str]| {
            let tags: Vec<String> = tags.iter().map(|tag| (*tag).to_owned()).collect();
            task.share(&words_to_find(summary, &tags))
        };
        assert!((share("Round an invoice at its end", &[]) - 1.0 / 4.0).abs() < 1e-9, "invoice, of round, invoice, its, end");
        assert!((share("Test billing", &["billing"]) - 1.0).abs() < 1e-9);
        assert!(share("Water the plants at noon", &["garden"]) < 1e-9);
        assert!(share("", &[]) < 1e-9);
        assert_eq!(TaskWords::new("the of and 12 345 !?"), None);
    }

    #[test]
    fn files_are_found_in_a_text() {
        let text = "Look at `src/a.rs:10`, (lib/b.test.ts) and \"docs/x y.md\". Not e.g. this, v1.2.3, 3.5, or https://example.com/a.html; \
                    ./Makefile.am and src/a.rs again. See conf.d/.";
        assert_eq!(files_in(text), ["src/a.rs", "lib/b.test.ts", "Makefile.am", "conf.d"]);
        assert!(files_in(&"x/y.rs ".repeat(100_000)).len() == 1);
        let many: String = (0..1000).map(|number| format!("f{number}.rs ")).collect();
        assert_eq!(files_in(&many).len(), 50);
    }
}
