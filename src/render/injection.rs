//! The injection index: what is read when patterns are shown to an agent. One line a pattern, its cells parted by tabs: thousands of
//! them are read in the time that a process takes to start, and any tool that reads tables can read them.

use std::borrow::Cow;
use std::fmt::Write as _;

use jiff::Timestamp;

use crate::diagnostic::Outcome;
use crate::engine::Rows;
use crate::learn::Score;
use crate::learn::recall::{Entry, list, words_to_find};

/// What the first line begins with.
const FORMAT: &str = "# outerloop injection 1";

/// The names of the cells.
const COLUMNS: [&str; 22] = [
    "id",
    "category",
    "confidence",
    "flag",
    "state",
    "repo",
    "project",
    "role",
    "applies_to",
    "tags",
    "files",
    "phases",
    "seen",
    "rate",
    "successes",
    "failures",
    "validated",
    "ignored",
    "reinforced",
    "used_micros",
    "words",
    "summary",
];

/// A set of patterns in a few words, made before it was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// The hash of the set.
    pub set: String,
    /// The words.
    pub text: String,
}

/// Reads the rows of `sql/summary.sql`.
pub fn parse_summaries(rows: &Rows) -> Outcome<Vec<Summary>> {
    let mut summaries = Vec::with_capacity(rows.count());
    for part in rows.parts() {
        let (sets, texts) = (part.texts("set_hash")?, part.texts("text")?);
        let summary = |row| Summary { set: sets.value(row).to_owned(), text: texts.value(row).to_owned() };
        summaries.extend((0..part.len()).map(summary));
    }
    Ok(summaries)
}

/// Renders the index of some patterns, in the order of the pattern file.
pub fn render_index<'s>(scores: impl ExactSizeIterator<Item = &'s Score>, summaries: &[Summary]) -> String {
    let mut text = format!("{FORMAT} {} {}\n{}\n", scores.len(), summaries.len(), COLUMNS.join("\t"));
    for score in scores {
        let (successes, failures) = record_of(score);
        let repo = if score.repo == "*" { "" } else { &score.repo };
        let (applies_to, tags, files) = (list(&named(&score.applies_to)), list(&score.tags), list(&score.files));
        push_texts(&mut text, &[&score.id, &score.category, &score.confidence, &score.flag, &score.state, repo, "", ""]);
        push_texts(&mut text, &[&applies_to, &tags, &files, ""]);
        let rate = score.known_rate().map(|rate| rate.to_string()).unwrap_or_default();
        let (seen, validated, ignored) = (score.known_seen(), score.met + score.unjudged, score.injected);
        let (reinforced, used) = (score.met, last_use(score));
        // Writing to a string cannot fail.
        let _ = write!(text, "{seen}\t{rate}\t{successes}\t{failures}\t{validated}\t{ignored}\t{reinforced}\t{used}\t");
        push_texts(&mut text, &[&words_to_find(&score.summary, &score.tags), &score.summary]);
        text.pop();
        text.push('\n');
    }
    for summary in summaries {
        push_texts(&mut text, &[&summary.set, &summary.text]);
        text.pop();
        text.push('\n');
    }
    text
}

/// An index that was read.
#[derive(Debug, Clone, Default)]
pub struct Index<'b> {
    /// The patterns, in the order of the pattern file.
    pub entries: Vec<Entry<'b>>,
    /// The lines of summaries, which are rarely looked at.
    summaries: Vec<&'b str>,
}

impl Index<'_> {
    /// The summary of a set.
    #[must_use]
    pub fn summary(&self, set: &str) -> Option<String> {
        let mut pairs = self.summaries.iter().filter_map(|line| line.split_once('\t'));
        pairs.find(|(known, _)| unescaped(known) == set).map(|(_, text)| unescaped(text).into_owned())
    }
}

/// Parses an index. One that is damaged, in a part or as a whole, is none.
pub fn parse_index(bytes: &[u8]) -> Result<Index<'_>, String> {
    let text = std::str::from_utf8(bytes).map_err(|error| format!("is not UTF-8: {error}"))?;
    let (first, rest) = text.split_once('\n').ok_or("has no first line")?;
    let counts = first.strip_prefix(FORMAT).and_then(|counts| counts.trim().split_once(' '));
    let counts = counts.and_then(|(patterns, summaries)| Some((patterns.parse().ok()?, summaries.parse().ok()?)));
    let (patterns, summaries): (usize, usize) = counts.ok_or_else(|| format!("does not begin with `{FORMAT}` and two counts"))?;
    let mut lines = rest.split_terminator('\n');
    if !lines.next().is_some_and(|names| names.split('\t').eq(COLUMNS)) {
        return Err("has other columns than this program knows".to_owned());
    }
    let mut index = Index { entries: Vec::with_capacity(patterns.min(rest.len())), summaries: Vec::new() };
    for (place, line) in lines.by_ref().take(patterns).enumerate() {
        index.entries.push(parse_line(line).ok_or_else(|| format!("line {}: is no pattern", place + 3))?);
    }
    index.summaries = lines.collect();
    if index.entries.len() != patterns || index.summaries.len() != summaries || !text.ends_with('\n') {
        return Err("is cut short, or longer than it says".to_owned());
    }
    Ok(index)
}

/// The pattern of a line; none if it has other cells than a pattern has.
fn parse_line(line: &str) -> Option<Entry<'_>> {
    let mut cells = line.split('\t');
    let mut text = || cells.next().map(unescaped);
    let entry = Entry {
        id: text()?,
        category: text()?,
        confidence: text()?,
        flag: text()?,
        state: text()?,
        repo: text()?,
        project: text()?,
        role: text()?,
        applies_to: text()?,
        tags: text()?,
        files: text()?,
        phases: text()?,
        seen: text()?.parse().ok()?,
        rate: text()?.parse().ok(),
        successes: text()?.parse().ok()?,
        failures: text()?.parse().ok()?,
        validated: text()?.parse().ok()?,
        ignored: text()?.parse().ok()?,
        reinforced: text()?.parse().ok()?,
        used_micros: text()?.parse().ok()?,
        words: text()?,
        summary: text()?,
    };
    cells.next().is_none().then_some(entry)
}

/// Writes texts, each with a tab behind it. What would end a cell or a line is escaped, and so is what escapes.
fn push_texts(line: &mut String, texts: &[&str]) {
    for text in texts {
        for letter in text.chars() {
            match letter {
                '\\' => line.push_str("\\\\"),
                '\t' => line.push_str("\\t"),
                '\n' => line.push_str("\\n"),
                '\r' => line.push_str("\\r"),
                other => line.push(other),
            }
        }
        line.push('\t');
    }
}

/// A text as it was before it was escaped.
fn unescaped(cell: &str) -> Cow<'_, str> {
    if !cell.contains('\\') {
        return Cow::Borrowed(cell);
    }
    let mut text = String::with_capacity(cell.len());
    let mut letters = cell.chars();
    while let Some(letter) = letters.next() {
        text.push(match (letter, letter == '\\') {
            (_, true) => match letters.next() {
                Some('t') => '\t',
                Some('n') => '\n',
                Some('r') => '\r',
                Some(other) => other,
                None => '\\',
            },
            (other, false) => other,
        });
    }
    Cow::Owned(text)
}

/// Names of agents, unless all are meant.
fn named(applies_to: &[String]) -> Vec<String> {
    if applies_to.iter().any(|name| name == "*") { Vec::new() } else { applies_to.to_vec() }
}

/// What counts for a pattern and what against it: as it was seen here, else where it was taken over from. A lesson that was only
/// captured counts once, or a first failure would settle its rate at nothing.
#[expect(clippy::cast_precision_loss, reason = "nothing is seen so often")]
fn record_of(score: &Score) -> (f64, f64) {
    if score.seen > 0 {
        let weight = score.weight.clamp(0.0, score.seen as f64);
        return (weight, score.seen as f64 - weight);
    }
    match (score.prior_rate, score.prior_seen) {
        (Some(rate), Some(seen)) if seen > 0 && (0.0..=1.0).contains(&rate) => (rate * seen as f64, (1.0 - rate) * seen as f64),
        _ => (1.0, 0.0),
    }
}

fn last_use(score: &Score) -> i64 {
    let micros = |text: &str| text.parse::<Timestamp>().map_or(0, Timestamp::as_microsecond);
    let times = [score.last_used.as_deref(), Some(&*score.last_captured)];
    times.into_iter().flatten().map(micros).max().unwrap_or(0)
}
