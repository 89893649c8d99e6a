//! What a command is asked for, and on which terms.

use jiff::Timestamp;

use crate::deadline::Deadline;
use crate::workspace::Workspace;
use setting::Settings;

/// What it takes to ask about many things.
#[derive(Debug, Clone, Copy)]
pub struct Task<'a, K> {
    /// The workspace, which counts the calls.
    pub workspace: &'a Workspace,
    pub settings: &'a Settings,
    /// When to stop. What is done by then stands.
    pub deadline: Deadline,
    /// The instant that the events carry, and whose day pays for calls.
    pub now: Timestamp,
    /// What is known already, for the command to know.
    pub known: &'a [K],
}

/// What a command is asked for: the names that its calls and its faults go by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Purpose {
    /// The table of its settings.
    pub table: &'static str,
    /// What the files of its calls are named after: `history/<file>-YYYY-MM-DD.jsonl`.
    pub file: &'static str,
    /// What a call is about, in the plural.
    pub things: &'static str,
    /// What the command does with them.
    pub doing: &'static str,
}

/// The terms on which a command is asked, as the settings of its purpose say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Terms<'t> {
    pub purpose: Purpose,
    /// The program and its arguments.
    pub command: &'t [String],
    /// How long one call may take.
    pub timeout_seconds: u64,
    /// How often a call is tried again within one run.
    pub retries: u32,
    /// How many calls a day may make, failed ones included.
    pub calls_per_day: u32,
    /// The longest answer that is read, in KiB.
    pub most_answer_kib: usize,
}
