//! What a text is made of: headings, items of lists, paragraphs and lines of code.

use super::line::{Line, Part, lines, strip_bullet};
use super::section::is_title;

/// The level of a line in bold that stands for a heading: below all others.
const BOLD_LEVEL: usize = 7;

/// A part of a text that says one thing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Passage<'a> {
    Heading {
        /// 1 is the highest.
        level: usize,
        /// The line.
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
    /// Whether numbered lines in bold are headings.
    are_numbered: bool,
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
        if let Some(level) = underline(text)
            && let (true, Some(Passage::Paragraph(lines))) = (self.is_open, self.passages.last())
        {
            // The last line of what stands above is the heading.
            let heading = lines.last().copied().unwrap_or_default();
            let is_alone = lines.len() == 1;
            match self.passages.last_mut() {
                Some(Passage::Paragraph(lines)) if !is_alone => drop(lines.pop()),
                _ => drop(self.passages.pop()),
            }
            return self.push(Passage::Heading { level, line: heading, title: title(heading) }, false);
        }
        if let Some((level, title)) = heading(line) {
            self.push(Passage::Heading { level, line: text, title }, false);
        } else if let Some(bold) = self.numbered_heading(line) {
            self.push(Passage::Heading { level: BOLD_LEVEL, line: text, title: title(bold) }, false);
        } else if text.trim_end().ends_with(':') && is_title(title(text)) && strip_bullet(line).is_none() {
            self.push(Passage::Heading { level: BOLD_LEVEL, line: text, title: title(text) }, false);
        } else if let Some(item) = strip_bullet(line) {
            self.push(Passage::Item(vec![item.trim_end()]), true);
        } else if let (true, Some(Passage::Item(lines) | Passage::Paragraph(lines))) = (self.is_open, self.passages.last_mut()) {
            lines.push(text);
        } else {
            self.push(Passage::Paragraph(vec![text]), true);
        }
    }

    /// The text of a numbered line in bold, where such lines are headings: from the one on that heads the section of patterns.
    fn numbered_heading(&mut self, line: &'a str) -> Option<&'a str> {
        let bold = strip_bullet(line)
            .map(str::trim)
            .filter(|item| line.starts_with(|sign: char| sign.is_ascii_digit()) && is_bold(item))?;
        self.are_numbered |= is_title(title(bold));
        self.are_numbered.then_some(bold)
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

/// The level of the heading whose line stands above this one, if this one underlines it.
fn underline(text: &str) -> Option<usize> {
    let is_all = |sign: char| text.len() >= 3 && text.chars().all(|letter| letter == sign);
    if is_all('=') { Some(1) } else { is_all('-').then_some(2) }
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
