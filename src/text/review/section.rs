//! The section of a role's report that lists its patterns.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::block::{find_verdict, without_verdicts};
use super::line::strip_bullets;
use super::passage::{Passage, passages};
use super::{normalise, plain_saying};
use crate::fit::{single_spaced, visible};
use crate::injection::find_injection;

/// The most patterns that one text adds.
pub const MOST_SAYINGS: usize = 10;

/// Whether a text is long enough to say something and short enough to be one pattern.
#[must_use]
pub fn is_saying(text: &str) -> bool {
    (12..=400).contains(&plain_saying(text).chars().count())
}

/// A pattern that a role reports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reported {
    /// What it says, on one line, with the tag of its kind and without what cannot be seen.
    pub saying: String,
    /// The ids of the report's findings that it is drawn from.
    pub findings: Vec<String>,
}

/// The patterns that a role reports: what the items of its sections of that name say.
#[must_use]
pub fn accumulated_patterns(text: &str) -> Vec<String> {
    reported_patterns(text).into_iter().map(|reported| reported.saying).collect()
}

/// The patterns that a role reports, with the findings that they name: `(J1)` or `J1:` before them, or `(J1)` behind them.
///
/// Items of lists within lists are patterns too. A blank line, a heading, a fence or a comment ends an item. What says that there
/// is nothing to say, what is said twice, what gives orders to whoever reads it, and blocks that the role was shown and repeats are left
/// out.
#[must_use]
pub fn reported_patterns(text: &str) -> Vec<Reported> {
    let seen = visible(text);
    let told = without_verdicts(&seen);
    let passages = passages(&told);
    let items: Vec<&Passage<'_>> = section_ranges(&passages).into_iter().flat_map(|range| &passages[range]).collect();
    let ids: Vec<String> = if items.is_empty() { Vec::new() } else { issue_ids(text) };
    let mut reported: Vec<Reported> = Vec::new();
    let mut known: Vec<String> = Vec::new();
    for (saying, findings) in items.into_iter().filter_map(item).map(|saying| without_findings(&saying, &ids)) {
        let form = normalise(&saying);
        if !is_saying(&saying) || is_denial(&form) || find_injection(&saying).is_some() {
            continue;
        }
        if let Some(place) = known.iter().position(|known| *known == form) {
            reported[place].findings.extend(findings);
            continue;
        }
        if reported.len() == MOST_SAYINGS {
            break;
        }
        reported.push(Reported { saying, findings });
        known.push(form);
    }
    reported
}

/// Whether a text has the section, whatever stands in it.
#[must_use]
pub fn has_section(text: &str) -> bool {
    let seen = visible(text);
    let told = without_verdicts(&seen);
    passages(&told).iter().any(|passage| matches!(passage, Passage::Heading { title, .. } if is_title(title)))
}

fn issue_ids(text: &str) -> Vec<String> {
    find_verdict(text).map(|block| block.issues.into_iter().map(|issue| issue.id).collect()).unwrap_or_default()
}

/// A saying without the ids of findings around it, and these ids. What only looks like an id is a part of the saying.
fn without_findings(saying: &str, ids: &[String]) -> (String, Vec<String>) {
    const ID: &str = r"#?[A-Za-z]{0,8}[-_ ]?[0-9]{1,4}";
    static AROUND: LazyLock<Option<[Regex; 2]>> = LazyLock::new(|| {
        let list = format!(r"({ID}(?:\s*(?:,|;|/|&|and)\s*{ID})*)");
        let before = Regex::new(&format!(r"^[*_`]*(?:\[{list}\]|\({list}\)|{list}[*_`]*(?::|\s[–—-]\s))[*_`]*:?\s*")).ok()?;
        let behind =
            Regex::new(&format!(r"\s*[\[(](?:(?i:from|see|finding|findings|ref|cf\.?|re)\b:?\s*)?{list}[\])]\s*[.;]?$")).ok()?;
        Some([before, behind])
    });
    let plain = plain_saying(saying);
    let (mut tag, mut text) = (saying[..saying.len() - plain.len()].to_owned(), plain);
    let mut found: Vec<String> = Vec::new();
    for (place, form) in AROUND.iter().flatten().enumerate() {
        let Some(captures) = form.captures(text) else { continue };
        let list = captures.iter().skip(1).flatten().next().map_or("", |list| list.as_str());
        let named = named_ids(list, ids);
        if named.is_empty() {
            continue;
        }
        found.extend(named);
        let whole = captures.get_match();
        text = if place == 0 { &text[whole.end()..] } else { &text[..whole.start()] };
    }
    if found.is_empty() {
        return (saying.to_owned(), found);
    }
    if plain_saying(text).len() < text.len() {
        // The tag of the kind stood behind the id.
        tag.clear();
    }
    (format!("{tag}{text}"), found)
}

/// The ids of a list, each as it is known; none if one of them is unknown.
fn named_ids(list: &str, ids: &[String]) -> Vec<String> {
    let parts =
        list.split([',', ';', '/', '&']).flat_map(|part| part.split(" and ")).map(str::trim).filter(|part| !part.is_empty());
    let known = parts.map(|part| ids.iter().find(|id| plain_id(id) == plain_id(part)).cloned());
    known.collect::<Option<Vec<String>>>().unwrap_or_default()
}

/// An id as it is compared: `J1`, `j-1`, `#J1` and `J-01` are one.
#[must_use]
pub fn plain_id(id: &str) -> String {
    let mut plain = String::with_capacity(id.len());
    let mut letters = id.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_uppercase).peekable();
    while let Some(letter) = letters.next() {
        let is_padding = letter == '0'
            && !plain.ends_with(|last: char| last.is_ascii_digit())
            && letters.peek().is_some_and(char::is_ascii_digit);
        if !is_padding {
            plain.push(letter);
        }
    }
    plain
}

/// What stands below each heading of the section, up to the next heading that is not below it. Of several headings with the same words
/// the last one counts, since a role may repeat its report; a report of several roles has a section for each.
pub(super) fn section_ranges(passages: &[Passage<'_>]) -> Vec<Range<usize>> {
    let mut titles: Vec<String> = Vec::new();
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for (start, passage) in passages.iter().enumerate().rev() {
        let Passage::Heading { level: own, title, .. } = passage else { continue };
        let form = normalise(title);
        if !is_title(title) || titles.contains(&form) {
            continue;
        }
        titles.push(form);
        let behind = &passages[start + 1..];
        let is_end =
            |passage: &Passage<'_>| matches!(passage, Passage::Heading { level, title, .. } if level <= own || is_title(title));
        let end = behind.iter().position(is_end);
        ranges.push(start + 1..start + 1 + end.unwrap_or(behind.len()));
    }
    ranges.reverse();
    ranges
}

/// Whether a heading is the section's, as people write it: with a number, an emoji or the role in brackets before it, with the role in
/// brackets, behind a dash or as `for judge` after it.
pub(super) fn is_title(title: &str) -> bool {
    static FORM: LazyLock<Option<Regex>> = LazyLock::new(|| {
        const BEFORE: &str = r"^(?:[^\p{L}\p{N}]|[\[(][\p{L}][^\])]{0,40}[\])]|(?:[0-9]+|[A-Za-z]|[IVXivx]+)(?:\.[0-9]+)*[.):]|(?:(?i:section|part|step) )?[0-9]+(?:\.[0-9]+)*\b)*";
        const BEHIND: &str = r"[^\p{L}\p{N}]*(?:[(\[{:–—|/-].*| (?i:for|of|by|from) (?:the )?[\p{L}][\p{L}\p{N}_-]{0,30})?$";
        Regex::new(&format!(r"{BEFORE}(?i:(?:new |my |our |the )?accumulated patterns?){BEHIND}")).ok()
    });
    FORM.as_ref().is_some_and(|form| form.is_match(&single_spaced(title)))
}

fn item(passage: &Passage<'_>) -> Option<String> {
    match passage {
        Passage::Item(lines) => Some(undecorated(strip_bullets(&single_spaced(&lines.join(" ")))).to_owned()),
        _ => None,
    }
}

/// A saying behind the pictures and arrows that people put before it.
fn undecorated(saying: &str) -> &str {
    let is_picture = |sign: char| matches!(sign, '\u{2190}'..='\u{2bff}' | '\u{fe0f}' | '\u{200d}' | '\u{1f000}'..='\u{1faff}');
    saying.trim_start_matches(|sign: char| is_picture(sign) || sign.is_whitespace())
}

/// Whether a text only says that there is nothing to say.
fn is_denial(form: &str) -> bool {
    static NOTHING: LazyLock<Option<Regex>> = LazyLock::new(|| {
        const SUBJECT: &str = r"(?:none|n/a|nothing|no (?:new |further |other |additional |accumulated )*patterns?)";
        const REST: &str = r"(?:new|yet|so far|found|seen|observed|identified|detected|recorded|noted|(?:to|in|from|for) (?:this |the )?\w+|this \w+)";
        Regex::new(&format!("^{SUBJECT}(?: (?:were |was )?{REST})*$")).ok()
    });
    let form = form.trim_matches(|sign: char| !sign.is_alphanumeric());
    NOTHING.as_ref().is_some_and(|nothing| nothing.is_match(form))
}
