//! The settings of what is observed in transcripts.

use serde::Deserialize;

use text::diagnostic::{Diagnostic, Outcome};

/// What is observed in transcripts, and by whom.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ObserveSettings {
    /// Whether sessions whose end a hook tells are observed. Nothing leaves the machine unless `command` sends it.
    pub sessions: bool,
    /// The program and its arguments. It gets a request on stdin and answers with JSON on stdout. None: the built-in rules.
    pub command: Vec<String>,
    /// How long one call may take.
    pub timeout_seconds: u64,
    /// How often a day (UTC) the command may be asked, failed calls included.
    pub max_daily_runs: u32,
    /// How long after a call no other is made.
    pub throttle_minutes: u32,
    /// How many sessions of a project are gathered before the command is asked about them.
    pub batch_size: usize,
    /// A session in which people spoke less often is not observed.
    pub least_turns: u64,
    /// With fewer characters of theirs in all, nothing is asked.
    pub least_characters: usize,
    /// How many known observations the command is told, the surest ones.
    pub most_known: usize,
    /// The longest request, in KiB. The oldest turns of each session are left out first.
    pub most_request_kib: usize,
    /// The longest answer that is read, in KiB.
    pub most_answer_kib: usize,
}

impl Default for ObserveSettings {
    fn default() -> Self {
        Self {
            sessions: true,
            command: Vec::new(),
            timeout_seconds: 180,
            max_daily_runs: 5,
            throttle_minutes: 5,
            batch_size: 3,
            least_turns: 3,
            least_characters: 200,
            most_known: 30,
            most_request_kib: 128,
            most_answer_kib: 256,
        }
    }
}

/// Limits that would switch everything off, or nothing, are mistakes.
pub(super) fn check(settings: &ObserveSettings) -> Outcome<()> {
    let size = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
    let limits = [
        ("max_daily_runs", u64::from(settings.max_daily_runs), 1, 50),
        ("throttle_minutes", u64::from(settings.throttle_minutes), 0, 60),
        ("batch_size", size(settings.batch_size), 1, 20),
        ("most_known", size(settings.most_known), 0, 200),
        ("most_request_kib", size(settings.most_request_kib), 16, 4096),
        ("most_answer_kib", size(settings.most_answer_kib), 1, 16384),
    ];
    match limits.into_iter().find(|(_, value, least, most)| !(*least..=*most).contains(value)) {
        Some((name, value, least, most)) => {
            let what = format!("the setting `observe.{name}` is {value}");
            Err(Diagnostic::edit(what, format!("write a number from {least} to {most}")))
        }
        None => Ok(()),
    }
}
