//! What a hook answers its agent's host on stdout.

use serde_json::json;

/// What a hook answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// Nothing.
    Silence,
    /// That all is well.
    Consent,
    /// Something for the agent's context.
    Context {
        /// The host's name of the event.
        event: &'static str,
        /// The text.
        text: String,
    },
    /// That the agent may not stop yet. It goes on with what is added to its context; a veto would be shown to it as an error, and a
    /// host that does not take the one lets the agent go with its report.
    SendBack {
        /// What it has to do, for the agent.
        text: String,
        /// What happens, for the person.
        message: String,
    },
}

impl Answer {
    /// The answer as the host reads it; none for silence.
    #[must_use]
    pub fn json(&self) -> Option<String> {
        let value = match self {
            Self::Silence => return None,
            Self::Consent => json!({}),
            Self::Context { event, text } => json!({"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}),
            Self::SendBack { text, message } => json!({
                "hookSpecificOutput": {"hookEventName": "SubagentStop", "additionalContext": text},
                "systemMessage": message,
            }),
        };
        Some(value.to_string())
    }
}
