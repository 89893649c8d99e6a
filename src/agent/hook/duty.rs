//! What an agent that learns owes before it may end.

/// What an agent that learns has to say before it ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Duty {
    Acknowledgment,
    Capture,
}

impl Duty {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Acknowledgment => "an acknowledgment",
            Self::Capture => "a lesson",
        }
    }

    pub(super) fn request(self, place: &str) -> String {
        match self {
            Self::Acknowledgment => "You were shown patterns and did not report whether you used them. Write a line that says \
                LEARNINGS_ACKNOWLEDGED, and below it one line for each pattern that you used: Applied: \"its text\" at path:line. If \
                you used none, that line alone is enough."
                .to_owned(),
            Self::Capture => format!(
                "Write down what you have learned, as JSON with the members what_happened, why, fix_applied, pattern_to_remember and \
                 applies_to (a list of agents, or [\"*\"]), into {place}. If there was nothing to learn, say no_learnings and why."
            ),
        }
    }
}
