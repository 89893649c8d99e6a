//! `outerloop inject`: the patterns that fit an agent and its task. Inside of a turn, so it opens no engine, unless it is asked what is
//! like something.

use std::env;

use jiff::Timestamp;
use serde_json::json;

use super::args::{Command, InjectArgs, InjectFormat};
use super::printer::Printer;
use super::{EngineCommand, require};
use agent::hook::{Injection, Request, Shape, ShownPattern, inject, priority_of, record_exposures};
use agent::iteration::{Turn, name_project};
use agent::repository::name_around;
use learn::Flag;
use learn::pattern::Category;
use learn::recall::{Similarities, ToolUse};
use render::plain_text;
use render::toon::{Row, render_toon};
use setting::Settings;
use store::clock;
use store::workspace::Workspace;
use store::workspace::load_settings;
use text::diagnostic::{Diagnostic, Exit, Outcome};
use text::fit;
use text::fit::quoted;

/// Finds out how much the texts of a project are like what is sought. Passed as a value, so that the program without the engine does not
/// link it.
pub type Measure = fn(&Workspace, &Settings, &InjectArgs, &str) -> Outcome<Vec<(String, f64)>>;

/// Hands over to the program that can tell what is alike. Where there is none, the patterns are shown all the same.
pub fn run_alike(workspace: &Workspace, options: &InjectArgs, printer: &Printer, engine: EngineCommand) -> Outcome<Exit> {
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

fn show(workspace: &Workspace, options: &InjectArgs, printer: &Printer, measure: Option<Measure>) -> Outcome<Exit> {
    require(workspace)?;
    let settings = load_settings(workspace)?;
    let here = env::current_dir().unwrap_or_default();
    let repo = options.repo.clone().or_else(|| name_around(&here));
    let project = options.project.clone().unwrap_or_else(|| name_project(workspace, &settings, &here));
    let priority = priority_of(workspace, &settings, &here, options.goal.as_deref())?;
    let names = [("run", options.record.as_deref()), ("project", Some(&*project))];
    if let Some((what, name)) = names.into_iter().find_map(|(what, name)| Some((what, name.filter(|name| !is_name(name))?))) {
        let remedy = "use letters, digits, `-`, `_`, `.` and `:`";
        return Err(Diagnostic::edit(format!("{} cannot be the name of a {what}", quoted(name)), remedy));
    }
    let now = options.at.unwrap_or_else(clock::now);
    let mut request = request_of(options, repo.as_deref(), &project, &priority, now)?;
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
    if let Some(run) = &options.record {
        let turn = Turn { project: project.clone(), run_id: run.clone(), iteration: options.iteration, time: now };
        record_exposures(workspace, &settings, &turn, &request, &injection)?;
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
    Ok(Exit::Done)
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
    let path = options.files.first().map(String::as_str);
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
        labels: &options.labels,
        files: &options.files,
        phase: options.phase.as_deref(),
        priority,
        without: &options.without,
        similarities: None,
        is_governed: options.governed,
        run: options.record.as_deref(),
        most: options.most,
        budget: options.budget,
        remaining: options.remaining,
        now_micros: now.as_microsecond(),
    })
}

fn to_json(injection: &Injection) -> serde_json::Value {
    let describe = |pattern: &ShownPattern| {
        json!({
            "id": pattern.id, "text": pattern.text, "category": pattern.category, "confidence": pattern.confidence,
            "flag": pattern.flag, "repo": pattern.repo, "seen": pattern.seen, "rate": pattern.rate, "score": pattern.score,
            "relevance": pattern.relevance, "similarity": pattern.similarity, "track_record": pattern.track_record, "via": pattern.via, "tokens": pattern.tokens,
        })
    };
    json!({
        "reach": injection.reach.name(), "tokens": injection.tokens, "budget": injection.budget, "set": injection.set,
        "omitted": injection.omitted, "patterns": injection.shown.iter().map(describe).collect::<Vec<_>>(),
        "withheld": injection.withheld.iter().map(describe).collect::<Vec<_>>(), "text": injection.text,
    })
}

fn rows_of(injection: &Injection) -> Vec<Row> {
    let row = |pattern: &ShownPattern| Row {
        id: pattern.id.clone(),
        category: Category::from_name(&pattern.category).unwrap_or(Category::Insight).family().name().to_owned(),
        summary: pattern.text.clone(),
        confidence: pattern.confidence.clone(),
        seen_count: pattern.seen.try_into().unwrap_or(0),
        success_rate: pattern.rate,
        flags: Flag::from_name(&pattern.flag).unwrap_or(Flag::None).tag(),
        applies_to: pattern.applies_to.join("|"),
        context: pattern.tags.join("|"),
        repo: pattern.repo.clone(),
    };
    injection.shown.iter().map(row).collect()
}
