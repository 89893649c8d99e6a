//! What people decide about policies. Each decision is an event, so that policies stay a function of the log.

use event::cell::Word as _;
use serde_json::{Map, Value, json};

use super::{AnnotateArgs, Asked, ClearArgs, SuggestionArgs, draft, land, load_document, parse_adapter};
use crate::landing::spoken;
use crate::pipeline::project_of;
use crate::printer::Printer;
use crate::report::find_generation;
use crate::table::tabulate;
use learn::policy::{CONSTRAINT, Constraint, EVERY_ADAPTER, failure_id, number};
use render::plain_text;
use render::policy::labelled;
use setting::Settings;
use store::clock;
use store::workspace::Workspace;
use store::workspace::load_settings;
use text::diagnostic::{Diagnostic, Exit, Outcome};
use text::fit::quoted;
use text::key::key;

/// A decision before it lands.
struct Decision<'d> {
    /// What the person did, in the command's words.
    verb: &'static str,
    action: &'static str,
    target: String,
    value: Map<String, Value>,
    actor: &'d str,
    reason: Option<&'d str>,
}

/// Says something of an adapter.
pub(super) fn annotate(
    workspace: &Workspace,
    options: &AnnotateArgs,
    project: Option<&str>,
    as_json: bool,
    printer: &Printer,
) -> Outcome<Exit> {
    let target = parse_adapter(&options.adapter)?;
    if let Some(until) = options.until.filter(|until| *until <= clock::now()) {
        return Err(Diagnostic::edit(format!("{until} is in the past"), "give a future time with --until, or omit it"));
    }
    let approval = options.approve.then_some(true).or_else(|| options.no_approve.then_some(false));
    let mut value = Map::new();
    let mut set = |name: &str, member: Option<Value>| value.extend(member.map(|member| (name.to_owned(), member)));
    set("forceApproval", approval.map(Value::from));
    set("maxRetries", options.retries.map(Value::from));
    set("riskMultiplier", options.multiplier.map(number));
    set("expiresAt", options.until.map(|until| until.to_string().into()));
    set("override", options.is_override.then_some(Value::Bool(true)));
    set("withdrawn", options.withdraw.then_some(Value::Bool(true)));
    if !["forceApproval", "maxRetries", "riskMultiplier", "withdrawn"].iter().any(|name| value.contains_key(*name)) {
        return Err(Diagnostic::edit(
            "the annotation changes nothing",
            "add --approve, --no-approve, --retries, --multiplier or --withdraw",
        ));
    }
    let reason = spoken(&options.word.reason)?;
    let decision =
        Decision { verb: "annotate", action: "annotate", target, value, actor: &options.word.actor.name, reason: Some(reason) };
    if options.no_approve && !options.is_override {
        printer.note("an annotation only makes rules stricter: without --override, --no-approve changes nothing");
    }
    let settings = load_settings(workspace)?;
    let asked = ask(workspace, &settings, project)?;
    if asked.overlay(&decision.target).is_none() {
        // It may be meant for an adapter that has yet to run, or be a slip of the pen.
        let name = plain_text(&decision.target, 80);
        printer.note(&format!("{name} is not in the published policies; {}", asked.hint(&decision.target)));
    }
    settle(workspace, &settings, &asked.project, decision, as_json, printer)
}

/// Declares a failure, or all of an adapter's, dealt with; or runs that were refused.
pub(super) fn clear(
    workspace: &Workspace,
    options: &ClearArgs,
    project: Option<&str>,
    as_json: bool,
    printer: &Printer,
) -> Outcome<Exit> {
    let target = options.adapter.as_deref().map_or_else(|| Ok(EVERY_ADAPTER.to_owned()), parse_adapter)?;
    let mut value = Map::new();
    if options.refused {
        value.insert("refused".to_owned(), true.into());
    }
    if let Some(failure) = &options.failure {
        value.insert("failurePattern".to_owned(), name_failure(&target, failure)?.into());
    }
    let reason = spoken(&options.word.reason)?;
    let decision =
        Decision { verb: "clear", action: "clear", target, value, actor: &options.word.actor.name, reason: Some(reason) };
    let settings = load_settings(workspace)?;
    let asked = ask(workspace, &settings, project)?;
    if options.adapter.is_some() && asked.overlay(&decision.target).is_none() {
        // It may be meant for an adapter that has yet to run, or be a slip of the pen.
        let name = plain_text(&decision.target, 80);
        printer.note(&format!("{name} is not in the published policies; {}", asked.hint(&decision.target)));
    }
    settle(workspace, &settings, &asked.project, decision, as_json, printer)
}

/// Decides about the suggestions of one kind.
pub(super) fn decide(
    workspace: &Workspace,
    verb: &'static str,
    options: &SuggestionArgs,
    project: Option<&str>,
    as_json: bool,
    printer: &Printer,
) -> Outcome<Exit> {
    let wanted = key(&options.key);
    if Constraint::from_word(&wanted).is_none() {
        return Err(Diagnostic::edit(
            format!("unknown kind of suggestion: {}", quoted(&options.key)),
            format!("the kinds are {}", Constraint::ALL.iter().map(|known| known.word()).collect::<Vec<_>>().join(", ")),
        ));
    }
    let mut value = Map::new();
    if let Some(run) = &options.run {
        if run.trim().is_empty() {
            return Err(Diagnostic::edit("the run has no name", "name it with --run, or omit --run for all runs"));
        }
        value.insert("runId".to_owned(), run.trim().into());
    }
    let reason = options.reason.as_deref().map(spoken).transpose()?;
    let action = match verb {
        "accept" => "promote",
        "dismiss" => "reject",
        _ => "restore",
    };
    let decision = Decision { verb, action, target: format!("{CONSTRAINT}{wanted}"), value, actor: &options.actor.name, reason };
    let settings = load_settings(workspace)?;
    let asked = ask(workspace, &settings, project)?;
    settle(workspace, &settings, &asked.project, decision, as_json, printer)
}

/// The id of an adapter's failure, by its type or by its id.
fn name_failure(adapter: &str, text: &str) -> Outcome<String> {
    let text = text.trim();
    let own = format!("{adapter}::");
    let kind = key(text);
    let kind = kind.strip_prefix(&own).unwrap_or(&kind);
    let remedy = format!("name a type of failure, such as auth, or an id that begins with `{own}`");
    if kind.is_empty() {
        return Err(Diagnostic::edit("the failure has no name", remedy));
    }
    if kind.contains("::") && !key(text).starts_with(&own) {
        return Err(Diagnostic::edit(format!("{} is the failure of another adapter", quoted(text)), remedy));
    }
    Ok(failure_id(adapter, kind))
}

/// The project that a decision is about. Damaged policies do not keep a person from deciding.
fn ask(workspace: &Workspace, settings: &Settings, project: Option<&str>) -> Outcome<Asked> {
    let document = load_document(workspace).ok().flatten();
    Asked::choose(document, project_of(workspace, settings, project), project.is_some())
}

fn settle(
    workspace: &Workspace,
    settings: &Settings,
    project: &str,
    decision: Decision<'_>,
    as_json: bool,
    printer: &Printer,
) -> Outcome<Exit> {
    let Decision { verb, action, target, value, actor, reason } = decision;
    let event = draft("curation", project)
        .with("action", action)
        .with("target", &*target)
        .with("actor", actor.trim())
        .with_some("reason", reason)
        .with_some("value", (!value.is_empty()).then(|| json!(value)));
    let line = land(workspace, settings, event)?;
    if as_json {
        printer.line(&line)?;
    }
    let subject = plain_text(target.strip_prefix(CONSTRAINT).unwrap_or(&target), 80);
    printer.note(&format!("{verb} {subject}: recorded; takes effect with the next run (`outerloop run hourly`)"));
    Ok(Exit::Done)
}

/// Lists the suggestions of the published report.
pub(super) fn list_suggestions(workspace: &Workspace, project: Option<&str>, as_json: bool, printer: &Printer) -> Outcome<Exit> {
    let generation = find_generation(workspace, None)?;
    let remedy = "publish a new one: outerloop run hourly";
    let report: Value = serde_json::from_slice(&generation.read("report.json")?)
        .map_err(|error| Diagnostic::edit("the published report is damaged", remedy).at(&generation.folder).because(error))?;
    let suggestions = report["policy"]["suggestions"]
        .as_array()
        .ok_or_else(|| Diagnostic::edit("the published report contains no policies", remedy).at(&generation.folder))?;
    let is_meant = |line: &&Value| project.is_none_or(|project| line["project"].as_str().is_none_or(|own| own == project));
    let suggestions: Vec<&Value> = suggestions.iter().filter(is_meant).collect();
    if as_json {
        printer.json(&suggestions)?;
        return Ok(Exit::Done);
    }
    if suggestions.is_empty() {
        printer.note("no run suggests a change");
        return Ok(Exit::Done);
    }
    let rows = suggestions.iter().map(|suggestion| {
        let text = |name: &str, most: usize| plain_text(suggestion[name].as_str().unwrap_or_default(), most);
        let number = |name: &str| suggestion[name].to_string();
        [
            plain_text(&labelled(suggestion["key"].as_str().unwrap_or_default(), suggestion["project"].as_str()), 80),
            text("action", 20),
            number("confidence"),
            number("made"),
            number("open"),
            number("accepted"),
            number("dismissed"),
            text("last_run", 40),
            text("reason", 120),
        ]
    });
    printer.line(&tabulate(
        ["suggestion", "action", "#confidence", "#made", "#open", "#accepted", "#dismissed", "last run", "why"],
        rows,
    ))?;
    printer.note("`outerloop policy accept`, `dismiss` and `reopen` decide about the suggestions of one kind");
    Ok(Exit::Done)
}
