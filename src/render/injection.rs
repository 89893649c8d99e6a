//! The injection index: what is read when patterns are shown to an agent, in lines that are parsed one by one.

use std::borrow::Cow;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::diagnostic::{Diagnostic, Outcome};
use crate::engine::Rows;
use crate::learn::Score;
use crate::learn::recall::{Entry, list};

/// What the first line says of the file.
const FORMAT: &str = "outerloop-injection";
const VERSION: u32 = 1;

#[derive(Serialize, Deserialize)]
struct Header<'h> {
    #[serde(borrow)]
    format: Cow<'h, str>,
    version: u32,
    patterns: usize,
    summaries: usize,
}

/// A set of patterns in a few words, made before it was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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
pub fn render_index<'s>(scores: impl ExactSizeIterator<Item = &'s Score>, summaries: &[Summary]) -> Outcome<Vec<u8>> {
    let failed = |error: serde_json::Error| Diagnostic::bug(format!("the injection index cannot be written: {error}"));
    let mut bytes = Vec::new();
    let header = Header { format: FORMAT.into(), version: VERSION, patterns: scores.len(), summaries: summaries.len() };
    push(&mut bytes, &header).map_err(failed)?;
    for score in scores {
        let (applies_to, tags) = (list(&named(&score.applies_to)), list(&score.tags));
        let files = list(&score.files);
        let (successes, failures) = record_of(score);
        let entry = Entry {
            id: (&*score.id).into(),
            category: (&*score.category).into(),
            confidence: (&*score.confidence).into(),
            flag: (&*score.flag).into(),
            state: (&*score.state).into(),
            repo: (!matches!(&*score.repo, "" | "*")).then(|| (&*score.repo).into()),
            project: None,
            role: None,
            applies_to: applies_to.as_deref(),
            tags: tags.as_deref(),
            files: files.as_deref(),
            phases: None,
            seen: score.known_seen(),
            rate: score.known_rate(),
            successes,
            failures,
            validated: score.met + score.unjudged,
            ignored: score.injected,
            reinforced: score.met,
            used_micros: last_use(score),
            summary: (&*score.summary).into(),
        };
        push(&mut bytes, &entry).map_err(failed)?;
    }
    for summary in summaries {
        push(&mut bytes, summary).map_err(failed)?;
    }
    Ok(bytes)
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
        let lines = self.summaries.iter().filter(|line| line.contains(set));
        let mut parsed = lines.filter_map(|line| serde_json::from_str::<Summary>(line).ok());
        parsed.find(|summary| summary.set == set).map(|summary| summary.text)
    }
}

/// Parses an index. One that is damaged, in a part or as a whole, is none.
pub fn parse_index(bytes: &[u8]) -> Result<Index<'_>, String> {
    let text = std::str::from_utf8(bytes).map_err(|error| format!("is not UTF-8: {error}"))?;
    let (first, rest) = text.split_once('\n').ok_or("has no first line")?;
    let header: Header<'_> = serde_json::from_str(first).map_err(|error| format!("line 1: {error}"))?;
    if header.format != FORMAT || header.version != VERSION {
        return Err(format!("is of the format {} {}, not {FORMAT} {VERSION}", header.format.escape_default(), header.version));
    }
    let mut lines = rest.split_terminator('\n');
    let mut index = Index { entries: Vec::with_capacity(header.patterns.min(rest.len())), summaries: Vec::new() };
    for (place, line) in lines.by_ref().take(header.patterns).enumerate() {
        index.entries.push(serde_json::from_str(line).map_err(|error| format!("line {}: {error}", place + 2))?);
    }
    index.summaries = lines.collect();
    if index.entries.len() != header.patterns || index.summaries.len() != header.summaries || !text.ends_with('\n') {
        return Err("is cut short, or longer than it says".to_owned());
    }
    Ok(index)
}

fn push(bytes: &mut Vec<u8>, line: &impl Serialize) -> Result<(), serde_json::Error> {
    serde_json::to_writer(&mut *bytes, line)?;
    bytes.push(b'\n');
    Ok(())
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
