//! Arguments of `patterns` and `explain`.

use clap::{Args as ClapArgs, Subcommand};

/// Arguments of `patterns`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Lessons that agents captured are called P-001 and so on; what roles have gathered in their
deliberations is called D-001 and so on.

  outerloop patterns list --flag review            lessons that should be looked at
  outerloop patterns list --role judge             what the judge has gathered, the best first
  outerloop patterns show D-007                    one pattern with everything that is known of it
  outerloop patterns review                        what people should look at
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
    /// Show one pattern with everything that is known of it
    Show(PatternsShowArgs),
    /// Say what roles have gathered that people should look at; changes nothing
    Review(PatternsOverviewArgs),
    /// Say how what roles have gathered fares
    Status(PatternsOverviewArgs),
    /// Stand behind a pattern; brings a retired or rejected one back
    Promote(PromoteArgs),
    /// Take a pattern out of use; the same lesson captured again does not bring it back
    Retire(DecisionArgs),
    /// Refuse a pattern for good; the same lesson captured again does not bring it back
    Reject(DecisionArgs),
    /// Undo a retirement or a rejection
    Restore(DecisionArgs),
    /// Declare a regression of a role's pattern dealt with
    Clear(DecisionArgs),
}

/// Arguments of `patterns list`.
#[derive(Debug, ClapArgs)]
pub struct PatternsListArgs {
    /// Only those with this flag: untested, review, stale, prune
    #[arg(long, conflicts_with_all = ["roles", "role", "state"])]
    pub flag: Option<String>,
    /// What roles have gathered, instead of lessons
    #[arg(long)]
    pub roles: bool,
    /// What one role has gathered
    #[arg(long, value_name = "ROLE")]
    pub role: Option<String>,
    /// What has come so far: observed, candidate, verified, active, deprecated
    #[arg(long, value_name = "STATE")]
    pub state: Option<String>,
    /// What one project's roles have gathered
    #[arg(long, value_name = "NAME")]
    pub project: Option<String>,
    /// Those out of use too
    #[arg(long)]
    pub all: bool,
    /// At most so many
    #[arg(long)]
    pub limit: Option<usize>,
    /// Print them as JSON
    #[arg(long)]
    pub json: bool,
}

impl PatternsListArgs {
    /// Whether patterns of roles are asked for.
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
Figures are those of the published generation. Limits are those of [deliberation.review] and of
`deliberation.idle_days` in the settings.

  outerloop patterns review --role judge
  outerloop patterns status --json | jq .health")]
pub struct PatternsOverviewArgs {
    /// Of one role only
    #[arg(long, value_name = "ROLE")]
    pub role: Option<String>,
    /// Of one project only
    #[arg(long, value_name = "NAME")]
    pub project: Option<String>,
    /// Print it as JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of a decision about a pattern.
#[derive(Debug, ClapArgs)]
#[command(after_help = "The decision is an event: it lands in the inbox and counts from the next run on.")]
pub struct DecisionArgs {
    /// The pattern, such as P-017 or D-007
    pub id: String,
    /// Why
    #[arg(long, short)]
    pub reason: String,
    /// Who decides [default: you]
    #[arg(long, env = "USER", default_value = "unknown")]
    pub actor: String,
}

/// Arguments of `patterns promote`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
The decision is an event: it lands in the inbox and counts from the next run on. A role's pattern
becomes active only if it is verified, which takes three sightings in two contexts; with --force
it becomes active at once.

  outerloop patterns promote D-007 --reason 'we all agree' --actor ann")]
pub struct PromoteArgs {
    /// The decision
    #[command(flatten)]
    pub decision: DecisionArgs,
    /// Promote a role's pattern that is not verified
    #[arg(long)]
    pub force: bool,
}

/// Arguments of `explain`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
  outerloop explain P-017                          the applications behind a lesson's rate
  outerloop explain D-007                          the life of a role's pattern, and its score")]
pub struct ExplainArgs {
    /// The pattern or observation, such as P-017, D-007 or `obs_a1b2c3`
    pub id: String,
    /// The generation [default: the one that is published]
    #[arg(long, value_name = "NAME")]
    pub generation: Option<String>,
    /// List the latest so many events; all of them count, and 0 lists all
    #[arg(long, value_name = "NUMBER", default_value_t = 50)]
    pub limit: usize,
    /// Print everything as JSON, every event too
    #[arg(long)]
    pub json: bool,
}
