//! What patterns are wanted for.

use super::holdout::Tosser;
use super::score::Context;
use super::similarity::Similarities;
use super::task::TaskWords;
use super::tool::ToolMatcher;
use crate::relevance::Rater;

/// What patterns are wanted for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// An agent's turn: by category, then by what each is worth.
    Turn,
    /// The use of a tool.
    Tool,
    /// A role's judgement: by what each is worth.
    Role,
}

/// What becomes of patterns that are flagged as PRUNE.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Prune {
    /// They are hidden, unless a coin says otherwise.
    Hidden,
    /// They are shown, as the original does.
    Shown,
}

/// Who asks for patterns, and what for.
#[derive(Debug)]
pub struct Question<'q> {
    /// What they are wanted for.
    pub purpose: Purpose,
    /// The agent, by its full name.
    pub agent: Option<&'q str>,
    /// The role.
    pub role: Option<&'q str>,
    /// The repository.
    pub repo: Option<&'q str>,
    /// The project.
    pub project: Option<&'q str>,
    /// The task.
    pub context: Context,
    /// The words of the task.
    pub task: Option<&'q TaskWords>,
    /// Whether only patterns are shown that fit the task.
    pub only_fitting: bool,
    /// Rates patterns by the files that are given.
    pub rater: Option<&'q Rater>,
    /// Tells what belongs beside a tool's use.
    pub tool: Option<&'q ToolMatcher>,
    /// The categories that help to reach the goal, the most helpful first.
    pub priority: &'q [String],
    /// Patterns that are not wanted.
    pub without: &'q [String],
    /// How much patterns are like what is sought.
    pub similarities: Option<&'q Similarities>,
    /// Whether only patterns are shown that were verified or that a person stands behind.
    pub is_governed: bool,
    /// What becomes of patterns that are flagged as PRUNE.
    pub prune: Prune,
    /// Tosses the coins of the unit of work, where one is known.
    pub tosser: Option<Tosser<'q>>,
    /// Whether patterns for others are shown all the same, in the order of the pattern file, as the original does beside tools.
    pub is_unfiltered: bool,
    /// The instant that is asked for, in microseconds since 1970.
    pub now_micros: i64,
}
