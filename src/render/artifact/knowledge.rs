//! A knowledge file, read line by line: one parser for all who look at decisions and pitfalls.

use std::ops::Range;

use event::field::ObservationType;
use text::digest::sha256;

/// How many of the last entries the summary names.
const KEY_ENTRIES: usize = 5;
/// The line that sums a file up begins so.
const SUMMARY: &str = "<!-- TL;DR:";

/// What a knowledge file is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Topic {
    /// What was decided, and why.
    Decisions,
    /// What went wrong, and where.
    Pitfalls,
}

impl Topic {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Decisions, Self::Pitfalls];

    /// The topic of a type of observation.
    #[must_use]
    pub const fn of_type(observation_type: ObservationType) -> Option<Self> {
        match observation_type {
            ObservationType::Decision => Some(Self::Decisions),
            ObservationType::Pitfall => Some(Self::Pitfalls),
            ObservationType::Workflow | ObservationType::Procedural => None,
        }
    }

    /// The topic and the number of an anchor.
    #[must_use]
    pub fn of_anchor(anchor: &str) -> Option<(Self, u64)> {
        let (prefix, digits) = anchor.split_once('-')?;
        let topic = Self::ALL.into_iter().find(|topic| topic.prefix() == prefix)?;
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        Some((topic, digits.parse().ok().filter(|_| is_number)?))
    }

    /// The type of its observations.
    #[must_use]
    pub const fn observation_type(self) -> ObservationType {
        match self {
            Self::Decisions => ObservationType::Decision,
            Self::Pitfalls => ObservationType::Pitfall,
        }
    }

    /// The status of an entry as it is rendered.
    #[must_use]
    pub const fn first_status(self) -> &'static str {
        match self {
            Self::Decisions => "Accepted",
            Self::Pitfalls => "Active",
        }
    }

    /// The file, from the project's folder on.
    #[must_use]
    pub const fn path(self) -> &'static str {
        match self {
            Self::Decisions => ".memory/knowledge/decisions.md",
            Self::Pitfalls => ".memory/knowledge/pitfalls.md",
        }
    }

    /// How its anchors begin.
    #[must_use]
    pub const fn prefix(self) -> &'static str {
        match self {
            Self::Decisions => "ADR",
            Self::Pitfalls => "PF",
        }
    }

    /// What its entries are called.
    #[must_use]
    pub const fn noun(self) -> &'static str {
        match self {
            Self::Decisions => "decisions",
            Self::Pitfalls => "pitfalls",
        }
    }

    /// What stands above the first entry.
    #[must_use]
    pub fn header(self) -> String {
        let (title, note) = match self {
            Self::Decisions => {
                ("Architectural Decisions", "Decisions and their reasons. Change an entry's status instead of removing it.")
            }
            Self::Pitfalls => ("Known Pitfalls", "Known problems, where they occur, and how to avoid them."),
        };
        format!("{SUMMARY} 0 {}. Key: -->\n# {title}\n\n{note}\n", self.noun())
    }
}

/// The anchor of a number: `ADR-001`.
#[must_use]
pub fn anchor(topic: Topic, number: u64) -> String {
    format!("{}-{number:03}", topic.prefix())
}

/// The hash of a section or a file that stays the same when only line ends, blanks at the ends of lines or blank lines at the end
/// differ: editors and git change these without a person's doing.
#[must_use]
pub fn canonical_hash(text: &str) -> String {
    let lines: Vec<&str> = text.trim_start_matches('\u{feff}').lines().map(str::trim_end).collect();
    let end = lines.iter().rposition(|line| !line.is_empty()).map_or(0, |last| last + 1);
    sha256((lines[..end].join("\n") + "\n").as_bytes())
}

/// An entry of a knowledge file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// Its anchor: `ADR-001`.
    pub anchor: String,
    pub title: String,
    /// Its status, as written.
    pub status: Option<String>,
    /// The area it is about.
    pub area: Option<String>,
    /// What goes wrong.
    pub issue: Option<String>,
    /// Its date, as written.
    pub date: Option<String>,
    /// Where it comes from, as written.
    pub source: Option<String>,
    range: Range<usize>,
    /// The bullet that holds the status.
    status_range: Option<Range<usize>>,
}

impl Section {
    /// The observation that it was rendered from.
    #[must_use]
    pub fn observation_id(&self) -> Option<&str> {
        self.source.as_deref()?.strip_prefix("self-learning:").map(str::trim).filter(|id| !id.is_empty())
    }

    /// Whether it holds: nobody deprecated it or put another in its place.
    #[must_use]
    pub fn is_active(&self) -> bool {
        !matches!(self.status_word(), Some("Deprecated" | "Superseded"))
    }

    /// The first word of its status, in the spelling of the vocabulary. None of what is not in it.
    #[must_use]
    pub fn status_word(&self) -> Option<&'static str> {
        let word = self.status.as_deref()?.split(|letter: char| !letter.is_alphanumeric()).next()?;
        ["Accepted", "Active", "Proposed", "Deprecated", "Superseded"].into_iter().find(|known| known.eq_ignore_ascii_case(word))
    }
}

/// A knowledge file with its entries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    topic: Topic,
    text: String,
    sections: Vec<Section>,
    highest: u64,
    summary: Option<Range<usize>>,
}

impl Document {
    /// Reads a file. A section begins with a heading such as `## ADR-001: title` and ends at the next heading of its level; what
    /// stands in code fences is neither.
    #[must_use]
    pub fn parse(topic: Topic, text: impl Into<String>) -> Self {
        let text = text.into();
        let mut document = Self { topic, sections: Vec::new(), highest: 0, summary: None, text: String::new() };
        let mut is_open = false;
        let mut start = 0;
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        for (line, is_code) in lines.iter().zip(fenced(&lines)) {
            let shown = line.trim_end();
            if !is_code && shown.starts_with("## ") {
                is_open = document.open_section(shown, start);
            } else if !is_code && is_open {
                document.read_bullet(shown, start);
            } else if !is_code && document.summary.is_none() && shown.starts_with(SUMMARY) && shown.ends_with("-->") {
                document.summary = Some(start..start + shown.len());
            }
            start += line.len();
            if let Some(section) = document.sections.last_mut().filter(|_| is_open) {
                section.range.end = start;
            }
        }
        document.text = text;
        document
    }

    /// Begins a section if the heading is one of an entry. Every number that a heading bears is taken.
    fn open_section(&mut self, heading: &str, start: usize) -> bool {
        let Some(behind) = heading.strip_prefix("## ").and_then(|rest| rest.strip_prefix(self.topic.prefix())?.strip_prefix('-'))
        else {
            return false;
        };
        let digits = &behind[..behind.bytes().take_while(u8::is_ascii_digit).count()];
        let Ok(number) = digits.parse::<u64>() else { return false };
        self.highest = self.highest.max(number);
        let title = behind[digits.len()..].strip_prefix(": ").map_or("", str::trim);
        if title.is_empty() {
            return false;
        }
        self.sections.push(Section {
            anchor: format!("{}-{digits}", self.topic.prefix()),
            title: title.to_owned(),
            status: None,
            area: None,
            issue: None,
            date: None,
            source: None,
            range: start..start,
            status_range: None,
        });
        true
    }

    /// Takes what a bullet says of the last section. The first of a key counts.
    fn read_bullet(&mut self, line: &str, start: usize) {
        let Some((key, value)) = line.strip_prefix("- **").and_then(|rest| rest.split_once("**:")) else { return };
        let Some(section) = self.sections.last_mut() else { return };
        if key == "Status" {
            section.status_range.get_or_insert(start..start + line.len());
        }
        let slot = match key {
            "Status" => &mut section.status,
            "Area" => &mut section.area,
            "Issue" => &mut section.issue,
            "Date" => &mut section.date,
            "Source" => &mut section.source,
            _ => return,
        };
        slot.get_or_insert_with(|| value.trim().to_owned());
    }

    /// What it is about.
    #[must_use]
    pub const fn topic(&self) -> Topic {
        self.topic
    }

    /// The whole text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Its entries, in their order.
    #[must_use]
    pub fn sections(&self) -> &[Section] {
        &self.sections
    }

    /// The text of an entry, from its heading on.
    #[must_use]
    pub fn text_of(&self, section: &Section) -> &str {
        self.text.get(section.range.clone()).unwrap_or_default().trim_end()
    }

    /// The hash of an entry.
    #[must_use]
    pub fn hash_of(&self, section: &Section) -> String {
        canonical_hash(self.text_of(section))
    }

    /// The highest number that a heading bears.
    #[must_use]
    pub const fn highest(&self) -> u64 {
        self.highest
    }

    /// How many entries hold.
    #[must_use]
    pub fn active(&self) -> usize {
        self.sections.iter().filter(|section| section.is_active()).count()
    }

    /// The file with one more entry, and a summary that knows of it.
    #[must_use]
    pub fn append(&self, entry: &str) -> Self {
        let mut text = self.text.clone();
        if text.is_empty() {
            text = self.topic.header();
        } else if !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(entry);
        Self::parse(self.topic, text).summarise()
    }

    /// The file with another status of an entry, and a summary that knows of it. None where there is no such entry, or it has no status.
    #[must_use]
    pub fn with_status(&self, anchor: &str, status: &str) -> Option<Self> {
        let section = self.sections.iter().find(|section| section.anchor == anchor)?;
        let range = section.status_range.clone()?;
        let mut text = self.text.clone();
        text.replace_range(range, &format!("- **Status**: {status}"));
        Some(Self::parse(self.topic, text).summarise())
    }

    /// The file with another text of an entry; what stands around it stays. None where there is no such entry.
    #[must_use]
    pub fn with_text(&self, anchor: &str, entry: &str) -> Option<Self> {
        let section = self.sections.iter().find(|section| section.anchor == anchor)?;
        let start = section.range.start;
        let mut text = self.text.clone();
        text.replace_range(start..start + self.text_of(section).len(), entry.trim());
        Some(Self::parse(self.topic, text).summarise())
    }

    /// The file without some entries, and a summary that knows of it. What stands between entries stays.
    #[must_use]
    pub fn without(&self, anchors: &[&str]) -> Self {
        let mut text = self.text.clone();
        for section in self.sections.iter().rev().filter(|section| anchors.contains(&&*section.anchor)) {
            text.replace_range(section.range.clone(), "");
        }
        Self::parse(self.topic, text).summarise()
    }

    /// The file with a summary that holds. A file without one gets none.
    #[must_use]
    pub fn summarise(self) -> Self {
        let Some(range) = self.summary.clone() else { return self };
        let active: Vec<&str> =
            self.sections.iter().filter(|section| section.is_active()).map(|section| &*section.anchor).collect();
        let mut line = format!("{SUMMARY} {} {}. Key:", active.len(), self.topic.noun());
        for (place, anchor) in active[active.len().saturating_sub(KEY_ENTRIES)..].iter().enumerate() {
            line.push_str(if place == 0 { " " } else { ", " });
            line.push_str(anchor);
        }
        line.push_str(" -->");
        if self.text.get(range.clone()) == Some(&line) {
            return self;
        }
        let mut text = self.text;
        text.replace_range(range, &line);
        Self::parse(self.topic, text)
    }
}

/// Which lines stand in code fences, those that open and close one included. A fence that nobody closes is none: what people
/// write below it would be lost to everybody.
fn fenced(lines: &[&str]) -> Vec<bool> {
    let mut is_code = vec![false; lines.len()];
    // From this length on nobody closes a fence of the sign, as is known from an earlier one.
    let mut hopeless = [usize::MAX; 2];
    let mut place = 0;
    while place < lines.len() {
        let opening = fence(lines[place]).filter(|(sign, length, _)| *length < hopeless[usize::from(*sign == '~')]);
        let Some((sign, length, _)) = opening.filter(|(sign, _, info)| *sign == '~' || !info.contains('`')) else {
            place += 1;
            continue;
        };
        let closes =
            |line: &&str| fence(line).is_some_and(|(other, long, info)| other == sign && long >= length && info.is_empty());
        if let Some(behind) = lines[place + 1..].iter().position(closes) {
            let end = place + 1 + behind;
            is_code[place..=end].fill(true);
            place = end + 1;
        } else {
            hopeless[usize::from(sign == '~')] = length;
            place += 1;
        }
    }
    is_code
}

/// The sign of a fence, how often it stands there, and what follows it.
fn fence(line: &str) -> Option<(char, usize, &str)> {
    let unindented = line.trim_start_matches(' ');
    let sign = unindented.chars().next().filter(|sign| matches!(sign, '`' | '~'))?;
    let rest = unindented.trim_start_matches(sign);
    let length = unindented.len() - rest.len();
    (line.len() - unindented.len() <= 3 && length >= 3).then_some((sign, length, rest.trim()))
}
