//! What an agent that learns owes before it may end.

use text::word::{Tokens, ratio, reaches};

/// What an agent has to say before it ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Duty {
    Acknowledgment,
    Capture,
    /// The report that it gave before it was sent back: its caller receives the last message alone.
    Report,
}

impl Duty {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Acknowledgment => "an acknowledgment",
            Self::Capture => "a lesson",
            Self::Report => "its report",
        }
    }

    fn request(self, place: &str) -> Option<String> {
        match self {
            Self::Acknowledgment => Some(
                "You were shown patterns and did not report whether you used them. Write a line that says LEARNINGS_ACKNOWLEDGED, and \
                 below it one line for each pattern that you used: Applied: \"its text\" at path:line. If you used none, that line \
                 alone is enough."
                    .to_owned(),
            ),
            Self::Capture => Some(format!(
                "Write down what you have learned, as JSON with the members what_happened, why, fix_applied, pattern_to_remember and \
                 applies_to (a list of agents, or [\"*\"]), into {place}. If there was nothing to learn, say no_learnings and why."
            )),
            Self::Report => None,
        }
    }
}

/// What an agent is asked for. Whatever is missing, it ends with its report, or its caller would never see it.
pub(super) fn request(missing: &[Duty], place: &str) -> String {
    const REPORT: &str = "Then give your whole report again, word for word and complete, as your last message: whoever started you \
                          receives that message alone, and nothing that you said before.";
    let requests = missing.iter().filter_map(|duty| duty.request(place));
    requests.chain([REPORT.to_owned()]).collect::<Vec<_>>().join("\n\n")
}

/// What is shorter says that something is done, not what was found.
const LEAST_REPORT_BYTES: usize = 100;

/// How much of a report's words must stand in another text that repeats it: an agent may put some of them better.
const LEAST_REPEATED: f64 = 0.6;

/// Whether the last message of an agent that was sent back holds the reports that it gave before.
pub(super) fn holds_report(said: &str, before: &[String]) -> bool {
    before.iter().filter(|report| report.trim().len() >= LEAST_REPORT_BYTES).all(|report| repeats(said, report))
}

/// Whether a text says again what a report said.
pub(super) fn repeats(said: &str, report: &str) -> bool {
    let words = Tokens::all(report);
    words.is_empty() || reaches(ratio(words.shared(&Tokens::all(said)), words.len()), LEAST_REPEATED)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_that_is_repeated_is_not_taken_for_a_mere_acknowledgment() {
        let report = "The parser drops the last field. ".repeat(20);
        let before = [report.clone()];
        assert!(holds_report(&format!("LEARNINGS_ACKNOWLEDGED\n\n{report}"), &before));
        assert!(!holds_report("LEARNINGS_ACKNOWLEDGED\nno_learnings: nothing new", &before));
        assert!(!holds_report(&"All is well with the weather. ".repeat(30), &before), "another text is no repetition");
        assert!(holds_report("LEARNINGS_ACKNOWLEDGED", &["Done.".to_owned()]));
        assert!(holds_report("", &[]));
    }
}
