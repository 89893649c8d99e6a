//! Suggestions to change what agents are allowed to do, from what went wrong in a run.

use event::field::RunResult;
use event::row::{Rows, number_at, text_at};
use text::diagnostic::Outcome;

use super::run::FinishedRun;

/// What a suggestion is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Constraint {
    /// What a run may change.
    MutationScope,
    /// Where a person is asked.
    ApprovalPauses,
    /// Which commands are refused.
    ShellPatternBlocklist,
}

impl Constraint {
    /// All of them, in the order in which they are suggested.
    pub const ALL: [Self; 3] = [Self::MutationScope, Self::ApprovalPauses, Self::ShellPatternBlocklist];

    /// Its name.
    #[must_use]
    pub const fn key(self) -> &'static str {
        match self {
            Self::MutationScope => "mutation-scope",
            Self::ApprovalPauses => "approval-pauses",
            Self::ShellPatternBlocklist => "shell-pattern-blocklist",
        }
    }

    /// What to do with it.
    #[must_use]
    pub const fn action(self) -> &'static str {
        match self {
            Self::MutationScope | Self::ShellPatternBlocklist => "tighten",
            Self::ApprovalPauses => "monitor",
        }
    }

    /// How sure the suggestion is.
    #[must_use]
    pub const fn confidence(self) -> f64 {
        match self {
            Self::MutationScope => 0.87,
            Self::ApprovalPauses => 0.74,
            Self::ShellPatternBlocklist => 0.92,
        }
    }

    /// Why it is made.
    #[must_use]
    pub const fn reason(self) -> &'static str {
        match self {
            Self::MutationScope => "a run was rolled back: its changes were too broad",
            Self::ApprovalPauses => "a person had to intervene",
            Self::ShellPatternBlocklist => "a run failed because of an unsafe command",
        }
    }
}

/// The words by which an issue is known to be about a command.
const SHELL_WORDS: [&str; 3] = ["shell", "command", "unsafe"];

/// What a run suggests.
#[must_use]
pub fn suggest(run: &FinishedRun) -> Vec<Constraint> {
    let is_about_shell = |issue: &String| {
        let issue = issue.to_lowercase();
        SHELL_WORDS.iter().any(|word| issue.contains(word))
    };
    let applies = |constraint: &Constraint| match constraint {
        Constraint::MutationScope => run.is_rolled_back,
        Constraint::ApprovalPauses => run.is_overridden,
        Constraint::ShellPatternBlocklist => run.result == RunResult::Failure && run.issues.iter().any(is_about_shell),
    };
    Constraint::ALL.into_iter().filter(applies).collect()
}

/// What became of the suggestions of one kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SuggestionCount {
    /// What they are about.
    pub constraint: Constraint,
    /// How many there were.
    pub made: i64,
    /// How many nobody has decided about.
    pub open: i64,
    /// How many were accepted.
    pub accepted: i64,
    /// How many were dismissed.
    pub dismissed: i64,
    /// The last run that made one.
    pub last_run: String,
    /// When, in microseconds since 1970.
    pub last_micros: i64,
}

/// Reads the rows of `sql/policy/suggestion.sql`.
pub fn parse_suggestion_counts(rows: &Rows) -> Outcome<Vec<SuggestionCount>> {
    let mut counts = Vec::with_capacity(rows.count());
    for part in rows.parts() {
        let (keys, made, open) = (part.texts("suggestion")?, part.numbers("made")?, part.numbers("open")?);
        let (accepted, dismissed) = (part.numbers("accepted")?, part.numbers("dismissed")?);
        let (runs, last) = (part.texts("last_run_id")?, part.numbers("last_us")?);
        for row in 0..part.len() {
            let Some(constraint) = Constraint::ALL.into_iter().find(|known| known.key() == keys.value(row)) else { continue };
            counts.push(SuggestionCount {
                constraint,
                made: made.value(row),
                open: open.value(row),
                accepted: accepted.value(row),
                dismissed: dismissed.value(row),
                last_run: text_at(runs, row).unwrap_or_default(),
                last_micros: number_at(last, row).unwrap_or_default(),
            });
        }
    }
    Ok(counts)
}
