//! What a text is made of: headings, items of lists, paragraphs and lines of code; and the section that lists patterns.

use std::sync::LazyLock;

use regex::Regex;

use super::block::without_verdicts;
use super::line::{Line, Part, lines, strip_bullet, strip_bullets};
use super::{normalise, plain_saying};
use crate::fit::{single_spaced, visible};

/// The most patterns that one text adds.
pub const MOST_SAYINGS: usize = 10;

/// What the section is called.
const TITLE: [&str; 2] = ["accumulated", "patterns"];

/// Whether a text is long enough to say something and short enough to be one pattern.
pub fn is_saying(text: &str) -> bool {
    (12..=400).contains(&plain_saying(text).chars().count())
}

/// The patterns that a role reports: the items of its last section of that name, each on one line, with the
/// tag of its kind and without what cannot be seen.
///
/// Items of lists within lists are patterns too. A blank line, a heading, a fence or a comment ends an item. What says that there
/// is nothing to say, what is said twice, and blocks that the role was shown and repeats are left out.
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

/// The level of a line in bold that stands for a heading: below all others.
const BOLD_LEVEL: usize = 7;

/// A part of a text that says one thing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Passage<'a> {
    Heading {
        /// 1 is the highest.
        level: usize,
        line: &'a str,
        /// Its text without marks.
        title: &'a str,
    },
    /// An item of a list: its line without its mark, and those that continue it.
    Item(Vec<&'a str>),
    /// Lines without a blank one among them.
    Paragraph(Vec<&'a str>),
    /// A line inside of a fence.
    Code(&'a str),
}

/// The passages of a text, without blocks that were shown to the role and without comments. Whoever wants to leave out verdicts takes
/// them away before: their JSON may hold what looks like the end of a comment.
pub(super) fn passages(text: &str) -> Vec<Passage<'_>> {
    let lines = lines(text);
    let last_end = lines.iter().rposition(|line| line.text.contains("-->"));
    let mut gathered = Gathered::default();
    let mut is_comment = false;
    for (index, line) in lines.iter().enumerate() {
        // A comment that nobody ends is none, so that one sign does not hide the rest of a text.
        is_comment |= line.part == Part::Prose && line.text.trim_start().starts_with("<!--") && last_end >= Some(index);
        if is_comment {
            gathered.is_open = false;
            is_comment = !line.text.contains("-->");
        } else {
            gathered.add(line);
        }
    }
    gathered.passages
}

#[derive(Default)]
struct Gathered<'a> {
    passages: Vec<Passage<'a>>,
    /// Whether the next line may continue the last passage.
    is_open: bool,
}

impl<'a> Gathered<'a> {
    fn add(&mut self, line: &Line<'a>) {
        let text = line.text.trim();
        match line.part {
            Part::Code if !text.is_empty() => self.push(Passage::Code(line.text), false),
            Part::Prose if !text.is_empty() => self.add_prose(line.text, text),
            _ => self.is_open = false,
        }
    }

    fn add_prose(&mut self, line: &'a str, text: &'a str) {
        if let Some((level, title)) = heading(line) {
            self.push(Passage::Heading { level, line: text, title }, false);
        } else if let Some(item) = strip_bullet(line) {
            self.push(Passage::Item(vec![item.trim_end()]), true);
        } else if let (true, Some(Passage::Item(lines) | Passage::Paragraph(lines))) = (self.is_open, self.passages.last_mut()) {
            lines.push(text);
        } else {
            self.push(Passage::Paragraph(vec![text]), true);
        }
    }

    fn push(&mut self, passage: Passage<'a>, is_open: bool) {
        self.passages.push(passage);
        self.is_open = is_open;
    }
}

/// The level and the text of a heading. A line that is all in bold is one too.
fn heading(line: &str) -> Option<(usize, &str)> {
    let text = line.trim_start_matches(' ');
    if line.len() - text.len() > 3 {
        return None;
    }
    let behind = text.trim_start_matches('#');
    let level = text.len() - behind.len();
    if (1..=6).contains(&level) && (behind.is_empty() || behind.starts_with([' ', '\t'])) {
        return Some((level, title(behind)));
    }
    is_bold(text).then(|| (BOLD_LEVEL, title(text)))
}

fn is_bold(text: &str) -> bool {
    let text = text.trim_end().trim_end_matches(':');
    ["**", "__"].into_iter().any(|mark| {
        let inside = text.strip_prefix(mark).and_then(|inside| inside.strip_suffix(mark));
        inside.is_some_and(|inside| inside.contains(char::is_alphanumeric) && !inside.contains(mark))
    })
}

fn title(text: &str) -> &str {
    text.trim_matches(|sign: char| sign.is_whitespace() || matches!(sign, '#' | '*' | '_' | ':'))
}
