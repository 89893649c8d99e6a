//! `outerloop patterns`: the patterns with their figures, and decisions about them. Opens no engine.

mod review;
mod role;

pub(crate) use review::toned_health;
pub use role::card as role_card;

use clap::{Args as ClapArgs, Subcommand};

use super::printer::Printer;
use super::report::find_generation;
use super::require;
use super::subject::{self, Subject, decision, find, force, land, show, tell_decided};
use crate::args::{OutputArgs, ProjectFilter, WordArgs};
use agent::published::{load_role_scores, load_scores};
use event::Draft;
use event::cell::Word as _;
use learn::role::role_pattern_place;
use learn::subject::Action;
use learn::truth::State as Verdict;
use learn::{Flag, Score};
use render::{plain_text, points, rounded, tasks_behind, verdict_words};
use setting::Settings;
use store::clock;
use store::publish::Generation;
use store::workspace::Workspace;
use store::workspace::load_settings;
use text::diagnostic::{Diagnostic, Exit, Outcome};

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
    action: PatternsAction,
}

/// What to do with patterns.
#[derive(Debug, Subcommand)]
enum PatternsAction {
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
    /// Judge a lesson anew: evidence of its effect counts from here on
    Retest(DecisionArgs),
}

#[derive(Debug, ClapArgs)]
pub struct PatternsListArgs {
    /// Only those with this flag: untested, review, stale, prune
    #[arg(long, conflicts_with_all = ["roles", "role", "state"])]
    flag: Option<String>,
    /// List role patterns instead of lessons
    #[arg(long)]
    roles: bool,
    /// Only patterns of this role
    #[arg(long, value_name = "ROLE")]
    role: Option<String>,
    /// Only role patterns in this state: observed, candidate, verified, active, deprecated
    #[arg(long, value_name = "STATE")]
    state: Option<String>,
    #[command(flatten)]
    project: ProjectFilter,
    /// Include patterns that are not in use
    #[arg(long)]
    all: bool,
    /// Maximum number of patterns
    #[arg(long)]
    limit: Option<usize>,
    #[command(flatten)]
    output: OutputArgs,
}

impl PatternsListArgs {
    /// Whether role patterns are requested.
    const fn is_about_roles(&self) -> bool {
        self.roles || self.role.is_some() || self.state.is_some() || self.project.name.is_some()
    }
}

#[derive(Debug, ClapArgs)]
pub struct PatternsShowArgs {
    /// The pattern, such as P-017 or D-007
    id: String,
    #[command(flatten)]
    output: OutputArgs,
}

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Figures come from the published generation. The settings [deliberation.review] and
`deliberation.idle_days` set the limits.

  outerloop patterns review --role judge
  outerloop patterns status --json | jq .health")]
pub struct PatternsOverviewArgs {
    /// Only this role
    #[arg(long, value_name = "ROLE")]
    role: Option<String>,
    #[command(flatten)]
    project: ProjectFilter,
    #[command(flatten)]
    output: OutputArgs,
}

/// Arguments of a decision about a pattern.
#[derive(Debug, ClapArgs)]
#[command(after_help = "The decision is an event: it is recorded in the inbox and takes effect with the next run.")]
pub struct DecisionArgs {
    /// The pattern, such as P-017 or D-007
    id: String,
    #[command(flatten)]
    word: WordArgs,
}

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
The decision is an event and takes effect with the next run. A role pattern becomes active only if
it is verified (three sightings in two contexts), or with --force.

  outerloop patterns promote D-007 --reason 'we all agree' --actor ann")]
pub struct PromoteArgs {
    #[command(flatten)]
    decision: DecisionArgs,
    /// Promote a role pattern that is not verified
    #[arg(long)]
    force: bool,
}

/// How much of a lesson a table shows.
const SHOWN: usize = 60;

/// Lists patterns, shows one, reviews them, or lands a decision about one.
pub(crate) fn run(workspace: &Workspace, options: &PatternsArgs, printer: &Printer) -> Outcome<Exit> {
    require(workspace)?;
    let generation = find_generation(workspace, None)?;
    match &options.action {
        PatternsAction::List(options) if options.is_about_roles() => role::list(&load_role_scores(&generation)?, options, printer),
        PatternsAction::List(options) => list(&load_scores(&generation)?, options, printer),
        PatternsAction::Show(options) if is_role_pattern(&options.id) => {
            role::show(&load_role_scores(&generation)?, options, &load_settings(workspace)?, printer)
        }
        PatternsAction::Show(options) => show(find(&load_scores(&generation)?, &options.id)?, options.output.json, card, printer),
        PatternsAction::Review(options) => review::review(&generation, options, &load_settings(workspace)?, printer),
        PatternsAction::Status(options) => review::status(&generation, options, &load_settings(workspace)?, printer),
        PatternsAction::Promote(options) => decide(
            workspace,
            &generation,
            Choice { action: Action::Promote, options: &options.decision, is_forced: options.force },
            printer,
        ),
        PatternsAction::Retire(options) => decide(workspace, &generation, Choice::new(Action::Retire, options), printer),
        PatternsAction::Reject(options) => decide(workspace, &generation, Choice::new(Action::Reject, options), printer),
        PatternsAction::Restore(options) => decide(workspace, &generation, Choice::new(Action::Restore, options), printer),
        PatternsAction::Clear(options) => decide(workspace, &generation, Choice::new(Action::Clear, options), printer),
        PatternsAction::Retest(options) => decide(workspace, &generation, Choice::new(Action::Retest, options), printer),
    }
}

/// What a person wants done with a pattern.
#[derive(Clone, Copy)]
struct Choice<'c> {
    action: Action,
    options: &'c DecisionArgs,
    is_forced: bool,
}

impl<'c> Choice<'c> {
    const fn new(action: Action, options: &'c DecisionArgs) -> Self {
        Self { action, options, is_forced: false }
    }
}

/// Whether an id is one of a role's pattern, in capitals or not.
pub fn is_role_pattern(id: &str) -> bool {
    role_pattern_place(&id.to_uppercase()).is_some()
}

fn list(scores: &[Score], options: &PatternsListArgs, printer: &Printer) -> Outcome<Exit> {
    let flag = options.flag.as_deref().map(find_flag).transpose()?;
    let chosen: Vec<&Score> = scores
        .iter()
        .filter(|score| options.all || score.is_in_use())
        .filter(|score| flag.is_none_or(|flag| score.flag == flag))
        .take(options.limit.unwrap_or(usize::MAX))
        .collect();
    let none = "no patterns yet; record lessons as events of the kind `learning`, then run `outerloop run hourly`";
    subject::list(&chosen, options.output.json, none, printer)
}

impl Subject for Score {
    const NOUN: &'static str = "pattern";
    const LIST: &'static str = "outerloop patterns list --all";
    const HEADER: &'static [&'static str] =
        &["pattern", "state", "category", "#seen", "#rate", "interval", "flag", "lesson", "verdict", "#lift", "#tasks", "#coin"];

    fn is_called(&self, name: &str) -> bool {
        self.id.eq_ignore_ascii_case(name)
    }

    fn cells(&self) -> Vec<String> {
        vec![
            self.id.clone(),
            self.state.to_string(),
            self.category.to_string(),
            self.seen.to_string(),
            rounded(self.rate),
            reach(self),
            self.flag.to_string(),
            plain_text(&self.summary, SHOWN),
            verdict_words(self.verdict, self.days_left, None),
            points(self.lift),
            self.units.to_string(),
            self.coin.map_or_else(|| "-".to_owned(), |coin| format!("{coin:.2}")),
        ]
    }

    /// What coins say is told where any was tossed.
    fn columns(listed: &[&Self]) -> usize {
        let is_measured = listed.iter().any(|score| score.coin.is_some() || score.verdict != Verdict::Unassigned);
        Self::HEADER.len() - if is_measured { 0 } else { 4 }
    }
}

fn find_flag(name: &str) -> Outcome<Flag> {
    let wanted = name.trim_matches(['[', ']']).to_uppercase();
    Flag::from_word(&wanted).filter(|flag| *flag != Flag::None).ok_or_else(|| {
        Diagnostic::edit(format!("there is no flag `{}`", name.escape_default()), "the flags are: untested, review, stale, prune")
    })
}

/// What is said of an id that no pattern has.
pub(crate) fn unknown(id: &str) -> Diagnostic {
    subject::unknown::<Score>(id)
}

/// The card of a published pattern, of a lesson or of a role.
pub(crate) fn published_card(workspace: &Workspace, settings: &Settings, id: &str) -> Outcome<String> {
    let generation = find_generation(workspace, None)?;
    if is_role_pattern(id) {
        return Ok(role::card(find(&load_role_scores(&generation)?, id)?, settings));
    }
    Ok(card(find(&load_scores(&generation)?, id)?))
}

/// A pattern on a card: what it says, what it is worth, and where it comes from.
pub fn card(score: &Score) -> String {
    let list = |items: &[String]| plain_text(&items.join(", "), 200);
    let mut lines = vec![
        format!("{}  {}", score.id, plain_text(&score.summary, 400)),
        format!("  {} {}, repository {}", score.state, score.category, plain_text(&score.repo, 80)),
    ];
    if let Some(trigger) = &score.trigger {
        lines.push(format!("  when: {}", plain_text(trigger, 200)));
    }
    if !score.applies_to.is_empty() {
        lines.push(format!("  for: {}", list(&score.applies_to)));
    }
    if !score.tags.is_empty() {
        lines.push(format!("  about: {}", list(&score.tags)));
    }
    lines.push(match score.rate {
        Some(rate) => format!(
            "  rate {rate:.2} ({}, {}), confidence {}; {:.2} when used",
            reach(score),
            score.mode,
            score.confidence,
            score.applied_rate.unwrap_or(0.0)
        ),
        None => format!("  never seen; confidence {}", score.confidence),
    });
    lines.push(format!(
        "  seen {} = {} applied ({} unverified) + {} injected; withheld {}, offered {}",
        score.seen, score.applied, score.unverified, score.injected, score.withheld, score.offered
    ));
    if score.flag != Flag::None {
        let settled = if score.is_settled { "" } else { " (not conclusive: the interval spans the threshold)" };
        lines.push(format!("  [{}] {}{settled}", score.flag, score.flag_reason));
    }
    lines.extend(verdict_line(score));
    if let Some(last) = &score.last_seen {
        lines.push(match score.iterations_since {
            0 => format!("  last seen {last}, in the latest iteration"),
            1 => format!("  last seen {last}, one iteration ago"),
            since => format!("  last seen {last}, {since} iterations ago"),
        });
    }
    lines.extend(score.last_used.as_ref().map(|last| format!("  last used {last}")));
    lines.push(format!(
        "  captured {}, first {} at {}:{}",
        if score.captures == 1 { "once".to_owned() } else { format!("{} times", score.captures) },
        score.learned,
        plain_text(&score.source_file, 100),
        score.source_line
    ));
    if !score.files.is_empty() {
        lines.push(format!("  learned in: {}", list(&score.files)));
    }
    if let Some(note) = &score.note {
        lines.push(format!("  decided by {}", plain_text(note, 200)));
    }
    lines.join("\n")
}

/// What coins say of a pattern, where any was tossed.
fn verdict_line(score: &Score) -> Option<String> {
    let coin = score.coin.map(|coin| format!("; shown to {:.0}% of the tasks that it fits", 100.0 * coin)).unwrap_or_default();
    match (score.verdict, score.lift_lower.zip(score.lift_upper)) {
        (Verdict::Unassigned, _) if score.coin.is_none() => None,
        (verdict, Some((lower, upper))) => Some(format!(
            "  {}: {} points ({} to {}), {} tasks{coin}",
            verdict_words(verdict, score.days_left, None),
            points(score.lift),
            points(Some(lower)),
            points(Some(upper)),
            score.units
        )),
        (_, None) => Some(format!("  no task was judged that had a coin for it{coin}")),
    }
}

fn decide(workspace: &Workspace, generation: &Generation, choice: Choice<'_>, printer: &Printer) -> Outcome<Exit> {
    let Choice { action, options, is_forced } = choice;
    let own = load_settings(workspace)?.project;
    let (id, project) = if is_role_pattern(&options.id) {
        let scores = load_role_scores(generation)?;
        let score = find(&scores, &options.id)?;
        role::check(score, action, is_forced)?;
        (score.id.clone(), Some(score.project.clone()))
    } else {
        let scores = load_scores(generation)?;
        let score = find(&scores, &options.id)?;
        if action == Action::Clear {
            return Err(Diagnostic::edit(
                format!("{} is a lesson, and lessons have no regressions to clear", score.id),
                "only role patterns have regressions: `outerloop patterns review` lists them",
            ));
        }
        (score.id.clone(), own)
    };
    let begun = Draft::bare("curation", clock::now());
    let decided = decision(begun, action, &id, &options.word.actor.name, Some(&options.word.reason));
    let event = decided.with_some("project", project).with_some("value", force(is_forced));
    land(workspace, std::iter::once(event))?;
    tell_decided(action.name(), &id, printer);
    Ok(Exit::Done)
}

fn reach(score: &Score) -> String {
    match (score.lower, score.upper) {
        (Some(lower), Some(upper)) => format!("{lower:.2} to {upper:.2}{}", tasks_behind(score.tasks)),
        _ => String::new(),
    }
}
