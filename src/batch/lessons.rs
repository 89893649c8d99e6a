//! `outerloop lessons`: captured lessons that wait or were refused, and what people decide about them.

use serde_json::json;

use agent::classify::{PendingLesson, parse_pending};
use cli::args::{LessonDecisionArgs, LessonsAction, LessonsArgs};
use cli::landing::land;
use cli::printer::Printer;
use cli::require;
use cli::table::tabulate;
use engine::Horizon;
use engine::cycle::Inquiry;
use event::Draft;
use event::row::Rows;
use render::{RejectedLesson, plain_text};
use store::clock;
use store::deadline::Deadline;
use store::inbox::Recorder;
use store::lock::join_readers;
use store::workspace::Workspace;
use text::diagnostic::{Diagnostic, Exit, Outcome};

const ID_CHARACTERS: usize = 12;

/// Lists captured lessons, or decides about one.
pub(crate) fn run(workspace: &Workspace, options: &LessonsArgs, printer: &Printer) -> Outcome<Exit> {
    require(workspace)?;
    let (waiting, refused) = load(workspace)?;
    match &options.action {
        None | Some(LessonsAction::List) => list(&waiting, &refused, options.output.json, printer),
        Some(LessonsAction::Accept(decision)) => decide(workspace, &waiting, &refused, decision, true, printer),
        Some(LessonsAction::Refuse(decision)) => decide(workspace, &waiting, &refused, decision, false, printer),
    }
}

fn load(workspace: &Workspace) -> Outcome<(Vec<PendingLesson>, Vec<RejectedLesson>)> {
    let _readers = join_readers(workspace)?;
    let inquiry = Inquiry::open(workspace, Horizon::EVERYTHING, Deadline::NEVER)?;
    Ok((inquiry.load("pending", parse_pending)?, inquiry.load("rejection", Rows::read)?))
}

fn list(waiting: &[PendingLesson], refused: &[RejectedLesson], as_json: bool, printer: &Printer) -> Outcome<Exit> {
    if as_json {
        let waiting: Vec<_> =
            waiting.iter().map(|lesson| json!({"id": lesson.id, "project": lesson.project, "summary": lesson.summary})).collect();
        printer.line(&json!({"waiting": waiting, "refused": refused}).to_string())?;
        return Ok(Exit::Done);
    }
    if !waiting.is_empty() || !refused.is_empty() {
        let waiting = waiting.iter().map(|lesson| (&lesson.id, "waits", &lesson.project, &lesson.summary, ""));
        let refused = refused.iter().map(|lesson| (&lesson.id, "refused", &lesson.project, &lesson.summary, &*lesson.reason));
        let rows = waiting.chain(refused).map(|(id, state, project, summary, why)| {
            [short(id), state.to_owned(), plain_text(project, 40), plain_text(summary, 100), plain_text(why, 160)]
        });
        printer.line(&tabulate(["id", "state", "project", "lesson", "why"], rows))?;
    }
    printer.note(&format!("{} lessons pending, {} refused", waiting.len(), refused.len()));
    Ok(Exit::Done)
}

fn short(id: &str) -> String {
    plain_text(id, 200).chars().take(ID_CHARACTERS).collect()
}

/// A person's word on a lesson is an event like a classifier's.
fn decide(
    workspace: &Workspace,
    waiting: &[PendingLesson],
    refused: &[RejectedLesson],
    options: &LessonDecisionArgs,
    accepts: bool,
    printer: &Printer,
) -> Outcome<Exit> {
    let known = waiting.iter().map(|lesson| (&*lesson.id, &*lesson.project, &*lesson.summary));
    let known = known.chain(refused.iter().map(|lesson| (&*lesson.id, &*lesson.project, &*lesson.summary)));
    let is_meant = |project: &str| options.project.name.as_deref().is_none_or(|wanted| wanted == project);
    let known: Vec<_> = known.filter(|(_, project, _)| is_meant(project)).collect();
    let mut found: Vec<_> = known.iter().copied().filter(|(id, ..)| *id == options.id).collect();
    if found.is_empty() && !options.id.is_empty() {
        found.extend(known.into_iter().filter(|(id, ..)| id.starts_with(&options.id)));
    }
    let [(id, project, summary)] = *found else {
        return Err(Diagnostic::edit(
            format!("{} lessons have the id `{}`", found.len(), options.id.escape_default()),
            "`outerloop lessons --json` lists pending and refused lessons with full ids; --project separates equal ids",
        ));
    };
    let status = match (accepts, &options.summary) {
        (true, Some(_)) => "reworded",
        (true, None) => "approved",
        (false, _) => "rejected",
    };
    let reworded = options.summary.as_deref().filter(|_| accepts);
    let line = Draft::new("classification", clock::now(), project)
        .with("learning_id", id)
        .with("status", status)
        .with("classifier", format!("person: {}", options.actor.name))
        .with_some("summary", reworded)
        .with_some("original_summary", reworded.map(|_| summary))
        .with("reason", &*options.reason)
        .finish();
    let line = line.map_err(|reason| Diagnostic::edit("the decision is too large", "shorten the reason").because(reason))?;
    land(Recorder::new(workspace)?, &[line])?;
    printer.note(&format!("{status}: recorded; takes effect with the next run (`outerloop run hourly`)"));
    Ok(Exit::Done)
}
