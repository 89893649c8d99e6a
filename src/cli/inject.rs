//! `outerloop inject`: the patterns that fit an agent and its task. Inside of a turn, so it opens no engine, unless it is asked what is
//! like something.

use std::env;
use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueEnum};
use jiff::Timestamp;
use serde_json::json;

use super::printer::Printer;
use super::{EngineCommand, require};
use crate::args::{Command, InstantArgs, ProjectArgs, TaskArgs};
use agent::hook::{Coins, Injection, Request, Shape, ShownPattern, inject, priority_of, record_exposures};
use agent::iteration::{Turn, name_project};
use agent::repository::name_around;
use learn::pattern::Category;
use learn::recall::{Similarities, ToolUse};
use render::plain_text;
use render::toon::{Row, render_toon};
use setting::Settings;
use store::workspace::Workspace;
use store::workspace::load_settings;
use text::diagnostic::{Diagnostic, Exit, Outcome};
use text::fit;
use text::fit::quoted;

#[derive(Debug, Clone, Default, ClapArgs)]
#[command(after_help = "\
Patterns are filtered by repository, agent and flag, sorted by category and score, and cut to the
limits. A block that does not fit its budget is replaced by a summary of the
same patterns if one was recorded, else by the best lines. stderr says which: full, summary,
truncated or none.

  outerloop inject --agent code:plan-writer                a block for an agent's turn
  outerloop inject --tool Bash --command 'npm test'        patterns for a tool call
  outerloop inject --role judge --labels auth --files src/login.rs
  outerloop inject --role judge --like 'logging in takes too long'
  outerloop inject --agent builder --format json | jq '.patterns[].id'

Where coins are tossed (`[truth]`), --record decides by the coins of the run, or of --unit, what is
withheld, and records it with its chance. Without either, nothing is withheld and nothing can be
compared; stderr says so.

  outerloop inject --agent builder --record run-7 --unit ISSUE-17

With --like or --vector a role's patterns are also sorted by meaning: similarity weighs 0.6, the
score 0.4 (`[embed]`). Only these options load the SQL engine.

Only wrong arguments make it fail: any other error is one line on stderr and empty output. With
--strict it fails.")]
pub struct InjectArgs {
    /// The agent, with or without its plugin's prefix
    #[arg(long, value_name = "NAME")]
    pub agent: Option<String>,
    /// The role; prints a block with track records
    #[arg(long, value_name = "ROLE")]
    pub role: Option<String>,
    /// The repository [default: the name of the one around this folder]
    #[arg(long, value_name = "NAME")]
    pub repo: Option<String>,
    #[command(flatten)]
    pub project: ProjectArgs,
    /// The tool about to be called; prints a block for it
    #[arg(long, value_name = "NAME")]
    pub tool: Option<String>,
    /// The command that the tool is to run
    #[arg(long, value_name = "TEXT", requires = "tool")]
    pub command: Option<String>,
    #[command(flatten)]
    pub task: TaskArgs,
    /// The goal whose categories come first [default: the active one of goal.yaml]
    #[arg(long, value_name = "NAME", env = "OUTERLOOP_GOAL")]
    pub goal: Option<String>,
    /// Sort by similarity of meaning to this text; only patterns with vectors are compared
    #[arg(long, value_name = "TEXT", requires = "role", conflicts_with = "vector")]
    pub like: Option<String>,
    /// Sort by similarity to the vector in this file, a JSON list of numbers
    #[arg(long, value_name = "FILE", requires = "role")]
    pub vector: Option<PathBuf>,
    /// Only verified and active patterns
    #[arg(long)]
    pub governed: bool,
    /// Patterns to omit, separated by commas
    #[arg(long, value_name = "IDS", value_delimiter = ',')]
    pub without: Vec<String>,
    /// Maximum number of patterns
    #[arg(long, value_name = "COUNT")]
    pub most: Option<usize>,
    /// Maximum number of tokens of the block [default: by role]
    #[arg(long, value_name = "TOKENS")]
    pub budget: Option<usize>,
    /// Tokens left in the context; limits the budget
    #[arg(long, value_name = "TOKENS")]
    pub remaining: Option<usize>,
    /// The output format [default: tool with --tool, historical with --role, else organization]
    #[arg(long, value_enum)]
    pub format: Option<InjectFormat>,
    /// Record the exposures as events of this run
    #[arg(long, value_name = "RUN")]
    pub record: Option<String>,
    /// The iteration of the events
    #[arg(long, value_name = "NUMBER", requires = "record")]
    pub iteration: Option<i64>,
    /// The task or issue whose coins decide what is withheld [default: the run]
    #[arg(long, value_name = "NAME", env = "OUTERLOOP_UNIT")]
    pub unit: Option<String>,
    #[command(flatten)]
    pub instant: InstantArgs,
    /// Fail if something goes wrong
    #[arg(long)]
    pub strict: bool,
}

impl InjectArgs {
    /// Whether the SQL engine is asked.
    pub const fn needs_engine(&self) -> bool {
        self.like.is_some() || self.vector.is_some()
    }
}

/// What `inject` prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum InjectFormat {
    /// The block for an agent's turn.
    Organization,
    /// The block for a tool call.
    Tool,
    /// The block with track records.
    Historical,
    /// All details of the shown patterns, for programs.
    Json,
    /// The patterns as a pattern file.
    Toon,
}

/// Finds out how much the texts of a project are like what is sought. Passed as a value, so that the program without the engine does not
/// link it.
pub type Measure = fn(&Workspace, &Settings, &InjectArgs, &str) -> Outcome<Vec<(String, f64)>>;

/// Hands over to the program that can tell what is alike. Where there is none, the patterns are shown all the same.
pub(crate) fn run_alike(workspace: &Workspace, options: &InjectArgs, printer: &Printer, engine: EngineCommand) -> Outcome<Exit> {
    match engine(workspace, Command::Inject(options.clone()), printer) {
        Err(fault) if !options.strict => {
            tell_unlikeness(&fault, printer);
            run(workspace, options, printer, None)
        }
        done => done,
    }
}

/// Prints what is to be shown.
pub fn run(workspace: &Workspace, options: &InjectArgs, printer: &Printer, measure: Option<Measure>) -> Outcome<Exit> {
    match show(workspace, options, printer, measure) {
        Err(fault) if !options.strict => {
            printer.note(&format!("no patterns shown: {}", plain_text(&fault.in_a_line(), 1000)));
            Ok(Exit::Done)
        }
        shown => shown,
    }
}

/// The name of a task, as events hold it.
pub(crate) fn parse_unit(unit: &str) -> Outcome<String> {
    let remedy = "use a short line of text, such as ISSUE-17";
    fit::label(unit).ok_or_else(|| Diagnostic::edit(format!("{} cannot be the name of a task", quoted(unit)), remedy))
}

fn show(workspace: &Workspace, options: &InjectArgs, printer: &Printer, measure: Option<Measure>) -> Outcome<Exit> {
    require(workspace)?;
    let settings = load_settings(workspace)?;
    let here = env::current_dir().unwrap_or_default();
    let repo = options.repo.clone().or_else(|| name_around(&here));
    let project = options.project.name.clone().unwrap_or_else(|| name_project(workspace, &settings, &here));
    let priority = priority_of(workspace, &settings, &here, options.goal.as_deref())?;
    let names = [("run", options.record.as_deref()), ("project", Some(&*project))];
    if let Some((what, name)) = names.into_iter().find_map(|(what, name)| Some((what, name.filter(|name| !is_name(name))?))) {
        let remedy = "use letters, digits, `-`, `_`, `.` and `:`";
        return Err(Diagnostic::edit(format!("{} cannot be the name of a {what}", quoted(name)), remedy));
    }
    let now = options.instant.or_now();
    let unit = options.unit.as_deref().map(parse_unit).transpose()?;
    // Without a run the coins of the task hold, and nothing is pinned or recorded.
    let run_id = options.record.clone().unwrap_or_default();
    let turn = Turn { project: project.clone(), run_id, iteration: options.iteration, time: now };
    let tossed_for = unit.as_deref().or(options.record.as_deref());
    let coins = tossed_for.and_then(|unit| Coins::of(workspace, &settings, &turn, unit, None));
    let mut request = request_of(options, repo.as_deref(), &project, &priority, now)?;
    request.coins = coins.as_ref();
    request.is_logged = options.record.is_some();
    let similarities = match measure.map(|measure| measure(workspace, &settings, options, &project)) {
        // What goes wrong here costs the likeness, and nothing else.
        Some(Err(fault)) if !options.strict => {
            tell_unlikeness(&fault, printer);
            None
        }
        found => found.transpose()?.map(|found| Similarities::new(found, settings.embed.weight)),
    };
    if similarities.as_ref().is_some_and(Similarities::is_empty) {
        printer.note(&format!("no pattern of {} has a vector; `outerloop run embed` creates them", quoted(&project)));
    }
    request.similarities = similarities.as_ref();
    let injection = inject(workspace, &settings, &request)?;
    if options.record.is_some() {
        record_exposures(workspace, &settings, &turn, unit.as_deref(), &request, &injection)?;
    }
    if let Some(fault) = coins.as_ref().and_then(Coins::take_fault) {
        printer.note(&plain_text(&fault.in_a_line(), 1000));
    }
    match options.format {
        Some(InjectFormat::Json) => printer.line(&to_json(&injection).to_string())?,
        Some(InjectFormat::Toon) => printer.line(&render_toon(&rows_of(&injection)))?,
        _ => printer.bytes(injection.text.as_bytes())?,
    }
    let budget = injection.budget.map(|budget| format!(" of {budget}")).unwrap_or_default();
    printer.note(&format!(
        "{}: {} patterns, {}{budget} tokens; {} omitted, {} held back",
        injection.reach.name(),
        injection.shown.len(),
        injection.tokens,
        injection.omitted,
        injection.withheld.len()
    ));
    tell_coins(&injection, &request, printer);
    Ok(Exit::Done)
}

/// Says what chance decided, and what of it nobody will ever know.
fn tell_coins(injection: &Injection, request: &Request<'_>, printer: &Printer) {
    if injection.is_off() {
        printer.note("this task is one of those that are shown nothing, so that the effect of the whole loop can be measured");
    }
    let tosses =
        || !injection.arms.is_empty() || injection.shown.iter().chain(&injection.withheld).any(|one| one.propensity.is_some());
    if injection.is_unassigned {
        printer.note("not logged: no run or task is named, so no coin was tossed and this cannot be compared; add --record RUN");
    } else if !request.is_logged && tosses() {
        printer.note("not logged: the coins of the task hold, but neither they nor what was shown is recorded; add --record RUN");
    }
}

fn tell_unlikeness(fault: &Diagnostic, printer: &Printer) {
    printer.note(&format!("similarity is ignored: {}", plain_text(&fault.in_a_line(), 1000)));
}

/// Whether events may be called so.
fn is_name(name: &str) -> bool {
    fit::name(name).is_some_and(|fitted| fitted == name)
}

fn request_of<'r>(
    options: &'r InjectArgs,
    repo: Option<&'r str>,
    project: &'r str,
    priority: &'r [String],
    now: Timestamp,
) -> Outcome<Request<'r>> {
    let path = options.task.files.first().map(String::as_str);
    let tool = options.tool.as_deref().map(|name| ToolUse { name, command: options.command.as_deref(), path });
    let shape = match options.format {
        Some(InjectFormat::Organization) => Some(Shape::Organization),
        Some(InjectFormat::Historical) => Some(Shape::Historical),
        Some(InjectFormat::Tool) if tool.is_none() => {
            return Err(Diagnostic::edit("no tool is named for a tool block", "name it with --tool, such as --tool Bash"));
        }
        _ => None,
    };
    Ok(Request {
        shape,
        agent: options.agent.as_deref(),
        role: options.role.as_deref(),
        repo,
        project: Some(project),
        tool,
        labels: &options.task.labels,
        files: &options.task.files,
        phase: options.task.phase.as_deref(),
        priority,
        without: &options.without,
        is_governed: options.governed,
        most: options.most,
        budget: options.budget,
        remaining: options.remaining,
        now_micros: now.as_microsecond(),
        ..Request::default()
    })
}

fn to_json(injection: &Injection) -> serde_json::Value {
    let describe = |pattern: &ShownPattern| {
        let mut told = json!({
            "id": pattern.id, "text": pattern.text, "category": pattern.category, "confidence": pattern.confidence,
            "flag": pattern.flag, "repo": pattern.repo, "seen": pattern.seen, "rate": pattern.rate, "score": pattern.score,
            "relevance": pattern.relevance, "similarity": pattern.similarity, "track_record": pattern.track_record, "via": pattern.via, "tokens": pattern.tokens,
        });
        // Only where chance has a say: whoever reads this need not know of coins.
        if let Some(propensity) = pattern.propensity {
            told["propensity"] = propensity.into();
        }
        told
    };
    let mut told = json!({
        "reach": injection.reach.name(), "tokens": injection.tokens, "budget": injection.budget, "set": injection.set,
        "omitted": injection.omitted, "patterns": injection.shown.iter().map(describe).collect::<Vec<_>>(),
        "withheld": injection.withheld.iter().map(describe).collect::<Vec<_>>(), "text": injection.text,
    });
    for arm in &injection.arms {
        match &arm.experiment {
            None => told["arm"] = arm.arm().name().into(),
            Some(name) => told["experiments"][name] = arm.arm().name().into(),
        }
    }
    told
}

fn rows_of(injection: &Injection) -> Vec<Row> {
    let row = |pattern: &ShownPattern| Row {
        id: pattern.id.clone(),
        category: Category::from_name(&pattern.category).unwrap_or(Category::Insight).family().name().to_owned(),
        summary: pattern.text.clone(),
        confidence: pattern.confidence.clone(),
        seen_count: pattern.seen.try_into().unwrap_or(0),
        success_rate: pattern.rate,
        flags: pattern.flag.tag(),
        applies_to: pattern.applies_to.join("|"),
        context: pattern.tags.join("|"),
        repo: pattern.repo.clone(),
    };
    injection.shown.iter().map(row).collect()
}
