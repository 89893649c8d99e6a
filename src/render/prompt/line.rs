//! One line for each pattern.

use learn::Confidence;
use learn::recall::Candidate;
use text::fit::{prompt_name, prompt_text};

/// `[high] the lesson [STALE]`.
#[must_use]
pub fn organization_line(candidate: &Candidate, most_characters: usize) -> String {
    let flag = candidate.entry.flag.tag();
    let space = if flag.is_empty() { "" } else { " " };
    format!("{}{space}{flag}", tool_line(candidate, most_characters))
}

/// `[high] the lesson`.
#[must_use]
pub fn tool_line(candidate: &Candidate, most_characters: usize) -> String {
    let confidence = candidate.entry.confidence.unwrap_or(Confidence::Low);
    format!("[{confidence}] {}", prompt_text(&candidate.entry.summary, most_characters))
}

/// `- [5x validated] the lesson (via:auditor)`.
#[must_use]
pub fn historical_line(candidate: &Candidate, most_characters: usize) -> String {
    let via = candidate.via.as_deref().and_then(prompt_name).map(|role| format!(" (via:{role})")).unwrap_or_default();
    format!("- [{}] {}{via}", track_record(candidate), prompt_text(&candidate.entry.summary, most_characters))
}

/// What is known of a pattern, in a few words.
#[must_use]
pub fn track_record(candidate: &Candidate) -> String {
    let (validated, ignored) = (candidate.entry.validated, candidate.entry.ignored);
    if ignored > 0 {
        let net = validated.saturating_sub(ignored);
        let sign = if net > 0 { "+" } else { "" };
        format!("{sign}{net} net, {ignored}x ignored")
    } else if validated >= 2 {
        format!("{validated}x validated")
    } else {
        format!("score:{:.2}", candidate.score)
    }
}
