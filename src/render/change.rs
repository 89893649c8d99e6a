//! What differs between two generations.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use super::figure::rounded;
use learn::Score;
use text::fit::plain_text;

/// By how much a rate must move to be told of.
const LEAST_MOVE: f64 = 0.05;

/// What differs between two generations.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Changes {
    /// The earlier generation; none before the first.
    pub since: Option<String>,
    pub changes: Vec<Change>,
}

/// One change of one pattern.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    pub id: String,
    /// What changed: `pattern`, `state`, `flag`, `confidence`, `rate`.
    pub what: String,
    pub before: String,
    pub after: String,
}

/// Compares two lists of patterns, each in the order of its numbers.
pub fn compare(since: Option<String>, before: &[Score], after: &[Score]) -> Changes {
    let known: BTreeMap<&str, &Score> = before.iter().map(|score| (&*score.id, score)).collect();
    let mut changes = Vec::new();
    for score in after {
        match known.get(&*score.id) {
            None => changes.push(change(score, "pattern", "", &plain_text(&score.summary, 90))),
            Some(earlier) => compare_one(earlier, score, &mut changes),
        }
    }
    let kept: std::collections::BTreeSet<&str> = after.iter().map(|score| &*score.id).collect();
    changes.extend(
        before
            .iter()
            .filter(|score| !kept.contains(&*score.id))
            .map(|score| change(score, "pattern", &plain_text(&score.summary, 90), "")),
    );
    Changes { since, changes }
}

fn compare_one(before: &Score, after: &Score, changes: &mut Vec<Change>) {
    let words = [
        ("state", before.state.name(), after.state.name()),
        ("flag", before.flag.name(), after.flag.name()),
        ("confidence", before.confidence.name(), after.confidence.name()),
    ];
    changes
        .extend(words.into_iter().filter(|(_, one, other)| one != other).map(|(what, one, other)| change(after, what, one, other)));
    let has_moved = match (before.rate, after.rate) {
        (Some(one), Some(other)) => (one - other).abs() >= LEAST_MOVE,
        (one, other) => one.is_some() != other.is_some(),
    };
    if has_moved {
        changes.push(change(after, "rate", &rounded(before.rate), &rounded(after.rate)));
    }
}

fn change(score: &Score, what: &str, before: &str, after: &str) -> Change {
    Change { id: score.id.clone(), what: what.to_owned(), before: before.to_owned(), after: after.to_owned() }
}

/// Renders changes as Markdown, to follow a report.
pub fn render_changes(changes: &Changes) -> String {
    let mut text = match &changes.since {
        None => return "\n## Changes\n\nNo earlier generation.\n".to_owned(),
        Some(since) => format!("\n## Changes since {since}\n\n"),
    };
    if changes.changes.is_empty() {
        text.push_str("Nothing changed.\n");
        return text;
    }
    text.push_str("| pattern | what | before | after |\n|---|---|---|---|\n");
    for change in &changes.changes {
        let shown = |word: &str| super::markdown::cell(if word.is_empty() { "-" } else { word });
        let _ = writeln!(text, "| {} | {} | {} | {} |", change.id, change.what, shown(&change.before), shown(&change.after));
    }
    text
}
