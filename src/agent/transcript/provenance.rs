//! Where the words of a transcript come from.

use std::collections::BTreeMap;

use serde::Serialize;

/// How words reached the agent in the place of a person's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Provenance {
    /// A prompt that a person sent.
    Typed,
    /// A prompt that a person sent while the agent was at work.
    Queued,
    /// What a person said on rejecting a tool call.
    Rejected,
    /// A person's answer to the agent's question. May be an option that the agent worded.
    Answered,
    /// What a person wrote behind a slash command.
    SlashArgument,
    /// Not a person's, for this reason.
    #[serde(untagged)]
    Foreign(Foreign),
}

impl Provenance {
    /// Whether a person said it.
    #[must_use]
    pub const fn is_human(self) -> bool {
        !matches!(self, Self::Foreign(_))
    }
}

/// Why words in a person's place are not a person's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Foreign {
    /// A slash command or a shell command without words: its use, not a statement.
    Command,
    /// The host: reminders, summaries, bodies of commands and skills, interruptions, words of hooks.
    Host,
    /// Tasks that ended, monitors that fired, other agents and channels.
    Notice,
    /// A plan that the agent wrote and a person approved.
    Plan,
    /// A program that talks through the SDK.
    Program,
    /// The task of a sub-agent, which an agent wrote.
    SubAgent,
}

/// How many lines in a person's place were not a person's, by reason.
pub type ForeignCounts = BTreeMap<Foreign, u64>;
