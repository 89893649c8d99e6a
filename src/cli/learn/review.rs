//! `outerloop learn review`: what a person should look at, one by one.

use clap::Args as ClapArgs;
use serde_json::{Value, json};

use super::decision::Verb;
use super::list::card;
use super::{counted, letter, load, percent};
use crate::args::{ActorArgs, OutputArgs, ProjectFilter};
use crate::printer::Printer;
use crate::subject::land;
use crate::table::tabulate;
use learn::observation::ObservationScore;
use learn::review::{concerns, removable};
use render::plain_text;
use store::clock;
use store::workspace::Workspace;
use text::diagnostic::{Diagnostic, Exit, Outcome};

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
On a terminal it asks about each entry; otherwise, and with --json, it only lists them.

  outerloop learn review                           flagged observations, with reasons
  outerloop learn review --capacity                the least cited decisions and pitfalls, except
                                                   those of the last 7 days")]
pub(super) struct ReviewArgs {
    /// List active decisions and pitfalls that could be removed to free space
    #[arg(long)]
    capacity: bool,
    /// Only list, even on a terminal
    #[arg(long)]
    list: bool,
    #[command(flatten)]
    project: ProjectFilter,
    #[command(flatten)]
    actor: ActorArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// How much of a pattern a table shows.
const SHOWN: usize = 50;

/// Lists what a person should look at, and asks about each where somebody is there to answer.
pub(super) fn run(workspace: &Workspace, options: &ReviewArgs, printer: &Printer) -> Outcome<Exit> {
    let scores = load(workspace, options.project.name.as_deref())?;
    let found: Vec<&ObservationScore> = if options.capacity {
        removable(scores.iter(), clock::now())
    } else {
        scores.iter().filter(|score| !concerns(score).is_empty()).collect()
    };
    if options.output.json {
        printer.json(&found.iter().map(|score| as_json(score)).collect::<Outcome<Vec<_>>>()?)?;
        return Ok(Exit::Done);
    }
    if found.is_empty() {
        printer.note(if options.capacity { "no entry can be removed" } else { "nothing to review" });
        return Ok(Exit::Done);
    }
    if printer.can_ask() && !options.list {
        return ask_all(workspace, &found, options, printer);
    }
    printer.line(&if options.capacity { capacity_table(&found) } else { concern_table(&found) })?;
    if options.capacity {
        printer.note("least cited first; `outerloop learn deprecate ID --reason WHY` removes one");
    } else {
        printer.note("decide with `outerloop learn keep ID` or `outerloop learn deprecate ID --reason WHY`");
    }
    Ok(Exit::Done)
}

fn concern_table(found: &[&ObservationScore]) -> String {
    let concerns = found.iter().flat_map(|score| concerns(score).into_iter().map(move |concern| (score, concern)));
    let rows = concerns.map(|(score, concern)| {
        [
            plain_text(&score.id, 40),
            letter(score.observation_type).to_owned(),
            plain_text(&score.pattern, SHOWN),
            percent(score.confidence),
            score.status.to_string(),
            plain_text(&concern.reason(), 200),
            concern.remedy().to_owned(),
        ]
    });
    tabulate(["id", "type", "pattern", "#confidence", "status", "why", "what to do"], rows)
}

fn capacity_table(found: &[&ObservationScore]) -> String {
    let rows = found.iter().map(|score| {
        [
            plain_text(score.anchor.as_deref().unwrap_or("-"), 20),
            plain_text(&score.pattern, SHOWN),
            score.cites.to_string(),
            score.last_cited.clone().unwrap_or_else(|| "never".to_owned()),
            score.first_seen.clone(),
            plain_text(&score.id, 40),
        ]
    });
    tabulate(["entry", "pattern", "#cites", "last cited", "first seen", "id"], rows)
}

fn as_json(score: &ObservationScore) -> Outcome<Value> {
    let mut value =
        serde_json::to_value(score).map_err(|error| Diagnostic::bug(format!("cannot encode the observation: {error}")))?;
    let told = concerns(score).into_iter().map(|concern| json!({"reason": concern.reason(), "remedy": concern.remedy()}));
    value["concerns"] = told.collect();
    Ok(value)
}

/// Asks about each entry. Each decision is recorded at once, so that stopping halfway loses nothing.
fn ask_all(workspace: &Workspace, found: &[&ObservationScore], options: &ReviewArgs, printer: &Printer) -> Outcome<Exit> {
    let question = if options.capacity { "[d]eprecate, [s]kip or [q]uit?" } else { "[k]eep, [d]eprecate, [s]kip or [q]uit?" };
    let mut decided = 0;
    for (index, score) in found.iter().enumerate() {
        printer.note(&format!("\n{} of {}\n{}", index + 1, found.len(), card(score)));
        let Some(answer) = choose(question, !options.capacity, printer) else { break };
        let verb = match answer {
            Answer::Skip => continue,
            Answer::Keep => Verb::Keep,
            Answer::Deprecate => Verb::Deprecate,
        };
        let why = if verb == Verb::Keep { None } else { printer.ask("Why?") };
        let fallback = if options.capacity { "removed to free space" } else { "rejected in review" };
        let reason = why.map(|why| if why.is_empty() { fallback.to_owned() } else { why });
        if verb == Verb::Deprecate && reason.is_none() {
            break;
        }
        let actor = &*options.actor.name;
        land(workspace, std::iter::once(verb.about(score, actor, reason.as_deref())))?;
        decided += 1;
    }
    let counts = if decided == 0 { "" } else { "; they take effect with the next run (`outerloop run hourly`)" };
    printer.note(&format!("recorded {}{counts}", counted(decided, "decision")));
    Ok(Exit::Done)
}

/// What a person answers.
enum Answer {
    Keep,
    Deprecate,
    Skip,
}

/// Asks until the answer can be understood; none if the person wants to stop.
fn choose(question: &str, can_keep: bool, printer: &Printer) -> Option<Answer> {
    loop {
        match &*printer.ask(question)?.to_lowercase() {
            "k" | "keep" if can_keep => return Some(Answer::Keep),
            "d" | "deprecate" => return Some(Answer::Deprecate),
            "s" | "skip" | "" => return Some(Answer::Skip),
            "q" | "quit" => return None,
            _ => {}
        }
    }
}
