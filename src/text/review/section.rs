//! The section of a role's report that lists its patterns.

use std::sync::LazyLock;

use regex::Regex;

use super::block::without_verdicts;
use super::line::strip_bullets;
use super::passage::{Passage, passages};
use super::{normalise, plain_saying};
use crate::fit::{single_spaced, visible};

/// The most patterns that one text adds.
pub const MOST_SAYINGS: usize = 10;

/// What the section is called.
const TITLE: [&str; 2] = ["accumulated", "patterns"];

/// Whether a text is long enough to say something and short enough to be one pattern.
#[must_use]
pub fn is_saying(text: &str) -> bool {
    (12..=400).contains(&plain_saying(text).chars().count())
}

/// The patterns that a role reports: the items of its last section of that name, each on one line, with the
/// tag of its kind and without what cannot be seen.
///
/// Items of lists within lists are patterns too. A blank line, a heading, a fence or a comment ends an item. What says that there
/// is nothing to say, what is said twice, and blocks that the role was shown and repeats are left out.
#[must_use]
pub fn accumulated_patterns(text: &str) -> Vec<String> {
    let seen = visible(text);
    let told = without_verdicts(&seen);
    let mut sayings = Vec::new();
    let mut known: Vec<String> = Vec::new();
    for saying in section(&passages(&told)).iter().filter_map(item).filter(|saying| is_saying(saying)) {
        let form = normalise(&saying);
        if is_denial(&form) || known.contains(&form) {
            continue;
        }
        sayings.push(saying);
        known.push(form);
        if sayings.len() == MOST_SAYINGS {
            break;
        }
    }
    sayings
}

/// What stands below the section's last heading, up to the next heading that is not below it.
fn section<'p, 'a>(passages: &'p [Passage<'a>]) -> &'p [Passage<'a>] {
    let headed = passages.iter().enumerate().rev().find_map(|(index, passage)| match passage {
        Passage::Heading { level, title, .. } if is_title(title) => Some((index, *level)),
        _ => None,
    });
    let Some((start, own)) = headed else { return &[] };
    let behind = &passages[start + 1..];
    let end = behind.iter().position(|passage| matches!(passage, Passage::Heading { level, .. } if *level <= own));
    &behind[..end.unwrap_or(behind.len())]
}

fn is_title(title: &str) -> bool {
    let mut words = title.split_whitespace();
    TITLE.iter().all(|wanted| words.next().is_some_and(|word| word.eq_ignore_ascii_case(wanted))) && words.next().is_none()
}

fn item(passage: &Passage<'_>) -> Option<String> {
    match passage {
        Passage::Item(lines) => Some(strip_bullets(&single_spaced(&lines.join(" "))).to_owned()),
        _ => None,
    }
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
