//! Where a text speaks of something.

use super::block::{find_verdict, without_verdicts};
use super::line::strip_bullets;
use super::passage::{Passage, passages};
use super::section::{plain_id, section_ranges};
use super::wording::normalise;
use crate::fit::{single_spaced, visible};
use crate::word::{Tokens, reaches};

/// When two texts speak of the same thing without the same words.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Likeness {
    /// The least part of the shorter text's words that the other one holds too.
    pub overlap: f64,
    /// How many words they share at least: nearly every line holds a text of two words.
    pub shared: usize,
}

impl Default for Likeness {
    fn default() -> Self {
        Self { overlap: 0.60, shared: 3 }
    }
}

impl Likeness {
    /// Whether two texts speak of the same thing.
    #[must_use]
    pub fn is_alike(&self, one: &Tokens, other: &Tokens) -> bool {
        one.shared(other) >= self.shared && reaches(one.overlap(other), self.overlap)
    }
}

/// The line of a text that speaks of something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Located {
    /// The line, or the item of a list with the lines that continue it.
    pub line: String,
    /// Whether it says so word for word.
    pub is_exact: bool,
}

/// The line that speaks of something: the first that says it word for word, else the one that is most alike.
///
/// Case, white space, marks of lists and what ends a sentence do not count. A single word must stand by itself, so that `J1` is
/// not found in `J12`. Lines of code count; comments and blocks that the role was shown do not, and neither do verdicts, which
/// list what was found: only where nothing else speaks of it, the summary of the text's verdict does.
#[must_use]
pub fn locate(needle: &str, text: &str) -> Option<Located> {
    locate_alike(needle, text, Likeness::default())
}

/// As [`locate`], by another measure of what is alike.
#[must_use]
pub fn locate_alike(needle: &str, text: &str, likeness: Likeness) -> Option<Located> {
    locate_finding(needle, None, text, likeness)
}

/// The line that speaks of a finding, which may have an id. A line that names the id and shares enough of its words is the one that is
/// meant. What stands in the section of patterns is drawn from findings: it is looked at last.
#[must_use]
pub fn locate_finding(needle: &str, id: Option<&str>, text: &str, likeness: Likeness) -> Option<Located> {
    let needle = visible(needle);
    let (form, stems) = (normalise(&needle), Tokens::stems(&needle));
    if Tokens::of(&needle).is_empty() {
        return None;
    }
    let seen = visible(text);
    let told = without_verdicts(&seen);
    let passages = passages(&told);
    let sections = section_ranges(&passages);
    let is_inside = |place: &usize| sections.iter().any(|section| section.contains(place));
    let (inside, outside): (Vec<usize>, Vec<usize>) = (0..passages.len()).partition(is_inside);
    let [inside, outside] = [inside, outside].map(|places| places.iter().map(|place| &passages[*place]).collect::<Vec<_>>());
    let exact = |line: String| Located { line, is_exact: true };
    let exactly = |passage: &Passage<'_>| find_exact(&form, passage).map(exact);
    let said = outside.iter().find_map(|passage| exactly(passage));
    let named = || find_named(&stems, id?, &outside);
    let found = said.or_else(named).or_else(|| find_alike(&stems, &outside, likeness));
    let found = found.or_else(|| inside.iter().find_map(|passage| exactly(passage)));
    found.or_else(|| find_alike(&stems, &inside, likeness)).or_else(|| find_summary(&form, text))
}

/// The line that names an id and shares the most words, at least half of them.
fn find_named(stems: &Tokens, id: &str, passages: &[&Passage<'_>]) -> Option<Located> {
    let is_named = |unit: &String| {
        let words = unit.split(|sign: char| !(sign.is_alphanumeric() || matches!(sign, '-' | '_')));
        words.into_iter().any(|word| !word.is_empty() && plain_id(word) == plain_id(id))
    };
    let lines = passages.iter().flat_map(|passage| units(passage)).filter(is_named);
    let shared =
        lines.map(|line| (Tokens::stems(&line).shared(stems), line)).filter(|(shared, _)| shared * 2 >= stems.len().max(2));
    let best = shared.reduce(|best, next| if next.0 > best.0 { next } else { best });
    best.map(|(_, line)| Located { line, is_exact: false })
}

fn find_exact(form: &str, passage: &Passage<'_>) -> Option<String> {
    let found = units(passage).into_iter().find(|unit| holds(unit, form));
    found.or_else(|| match passage {
        // A sentence may go on over the end of its line.
        Passage::Paragraph(lines) if lines.len() > 1 => Some(single_spaced(&lines.join(" "))).filter(|joined| holds(joined, form)),
        _ => None,
    })
}

fn find_alike(tokens: &Tokens, passages: &[&Passage<'_>], likeness: Likeness) -> Option<Located> {
    let mut best: Option<(f64, usize, String)> = None;
    for unit in passages.iter().flat_map(|passage| units(passage)) {
        let words = Tokens::stems(&unit);
        // Of all words, not of the shorter text's: a short generic line holds few of its own.
        let (part, shared) = (words.likeness(tokens), words.shared(tokens));
        let is_better = best.as_ref().is_none_or(|(most, many, _)| (part, shared) > (*most, *many));
        if is_better && likeness.is_alike(&words, tokens) {
            best = Some((part, shared, unit));
        }
    }
    best.map(|(_, _, line)| Located { line, is_exact: false })
}

fn find_summary(form: &str, text: &str) -> Option<Located> {
    let issues = find_verdict(text)?.issues;
    let summary = issues.iter().map(|issue| single_spaced(&visible(&issue.summary))).find(|summary| holds(summary, form))?;
    Some(Located { line: summary, is_exact: true })
}

/// The lines of a passage, each as what it says by itself.
fn units(passage: &Passage<'_>) -> Vec<String> {
    match passage {
        Passage::Heading { line, .. } | Passage::Code(line) => vec![single_spaced(line)],
        Passage::Item(lines) => vec![strip_bullets(&single_spaced(&lines.join(" "))).to_owned()],
        Passage::Paragraph(lines) => lines.iter().map(|line| single_spaced(line)).collect(),
    }
}

fn holds(text: &str, form: &str) -> bool {
    let text = normalise(text);
    if form.contains(' ') {
        return text.contains(form);
    }
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let stands_alone =
        |(start, found): (usize, &str)| !text[..start].ends_with(is_word) && !text[start + found.len()..].starts_with(is_word);
    text.match_indices(form).any(stands_alone)
}
