//! Arguments of `patterns` and `explain`.

use clap::{Args as ClapArgs, Subcommand};

/// Arguments of `patterns`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Patterns from lessons have ids such as P-001; role patterns have ids such as D-001.

  outerloop patterns list --flag review            lessons to review
  outerloop patterns list --role judge             the judge's patterns, best first
  outerloop patterns show D-007                    one pattern in detail
  outerloop patterns review                        role patterns to review
  outerloop patterns promote D-007 --reason 'we all agree'")]
pub struct PatternsArgs {
    /// What to do
    #[command(subcommand)]
    pub action: PatternsAction,
}

/// What to do with patterns.
#[derive(Debug, Subcommand)]
pub enum PatternsAction {
    /// List patterns with their figures
    List(PatternsListArgs),
    /// Show one pattern in detail
    Show(PatternsShowArgs),
    /// List role patterns that need review; changes nothing
    Review(PatternsOverviewArgs),
    /// Show the health of role patterns
    Status(PatternsOverviewArgs),
    /// Promote a pattern; restores a retired or rejected one
    Promote(PromoteArgs),
    /// Retire a pattern; capturing the same lesson again does not restore it
    Retire(DecisionArgs),
    /// Reject a pattern permanently; capturing the same lesson again does not restore it
    Reject(DecisionArgs),
    /// Undo a retirement or a rejection
    Restore(DecisionArgs),
    /// Clear the regression flag of a role pattern
    Clear(DecisionArgs),
}

/// Arguments of `patterns list`.
#[derive(Debug, ClapArgs)]
pub struct PatternsListArgs {
    /// Only those with this flag: untested, review, stale, prune
    #[arg(long, conflicts_with_all = ["roles", "role", "state"])]
    pub flag: Option<String>,
    /// List role patterns instead of lessons
    #[arg(long)]
    pub roles: bool,
    /// Only patterns of this role
    #[arg(long, value_name = "ROLE")]
    pub role: Option<String>,
    /// Only role patterns in this state: observed, candidate, verified, active, deprecated
    #[arg(long, value_name = "STATE")]
    pub state: Option<String>,
    /// Only role patterns of this project
    #[arg(long, value_name = "NAME")]
    pub project: Option<String>,
    /// Include patterns that are not in use
    #[arg(long)]
    pub all: bool,
    /// Maximum number of patterns
    #[arg(long)]
    pub limit: Option<usize>,
    /// Print them as JSON
    #[arg(long)]
    pub json: bool,
}

impl PatternsListArgs {
    /// Whether role patterns are requested.
    #[must_use]
    pub const fn is_about_roles(&self) -> bool {
        self.roles || self.role.is_some() || self.state.is_some() || self.project.is_some()
    }
}

/// Arguments of `patterns show`.
#[derive(Debug, ClapArgs)]
pub struct PatternsShowArgs {
    /// The pattern, such as P-017 or D-007
    pub id: String,
    /// Print it as JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `patterns review` and `patterns status`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Figures come from the published generation. The settings [deliberation.review] and
`deliberation.idle_days` set the limits.

  outerloop patterns review --role judge
  outerloop patterns status --json | jq .health")]
pub struct PatternsOverviewArgs {
    /// Only this role
    #[arg(long, value_name = "ROLE")]
    pub role: Option<String>,
    /// Only this project
    #[arg(long, value_name = "NAME")]
    pub project: Option<String>,
    /// Print it as JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of a decision about a pattern.
#[derive(Debug, ClapArgs)]
#[command(after_help = "The decision is an event: it is recorded in the inbox and takes effect with the next run.")]
pub struct DecisionArgs {
    /// The pattern, such as P-017 or D-007
    pub id: String,
    /// Why
    #[arg(long, short)]
    pub reason: String,
    /// Who decides [default: the current user]
    #[arg(long, env = "USER", default_value = "unknown")]
    pub actor: String,
}

/// Arguments of `patterns promote`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
The decision is an event and takes effect with the next run. A role pattern becomes active only if
it is verified (three sightings in two contexts), or with --force.

  outerloop patterns promote D-007 --reason 'we all agree' --actor ann")]
pub struct PromoteArgs {
    /// The decision
    #[command(flatten)]
    pub decision: DecisionArgs,
    /// Promote a role pattern that is not verified
    #[arg(long)]
    pub force: bool,
}

/// Arguments of `explain`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  outerloop explain P-017                          the applications behind a lesson's rate
  outerloop explain D-007                          the history of a role pattern, and its score")]
pub struct ExplainArgs {
    /// The pattern or observation, such as P-017, D-007 or `obs_a1b2c3`
    pub id: String,
    /// The generation [default: the current one]
    #[arg(long, value_name = "NAME")]
    pub generation: Option<String>,
    /// List at most this many of the latest events; 0 lists all, and all of them count
    #[arg(long, value_name = "NUMBER", default_value_t = 50)]
    pub limit: usize,
    /// Print everything as JSON, including every event
    #[arg(long)]
    pub json: bool,
}
