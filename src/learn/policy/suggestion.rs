//! Suggestions to change what agents are allowed to do, from what went wrong in a run.

use event::field::RunResult;

use super::run::FinishedRun;

event::words! {
    /// What a suggestion is about, in the order in which they are suggested.
    pub enum Constraint {
        /// What a run may change.
        MutationScope = "mutation-scope",
        ApprovalPauses = "approval-pauses",
        /// Which commands are refused.
        ShellPatternBlocklist = "shell-pattern-blocklist",
    }
}

impl Constraint {
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
    Constraint::ALL.iter().copied().filter(applies).collect()
}

event::row! {
    /// What became of the suggestions of one kind: a row of `sql/policy/suggestion.sql`.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct SuggestionCount {
        /// What they are about.
        pub constraint: Constraint = "suggestion",
        pub made: i64,
        /// How many nobody has decided about.
        pub open: i64,
        pub accepted: i64,
        pub dismissed: i64,
        /// The last run that made one.
        pub last_run: String = "last_run_id",
        pub last_micros: i64 = "last_us",
    }
}
