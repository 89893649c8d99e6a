//! Capturing a lesson: durable when the tool answers, as an event that waits for its classification.

use rmcp::model::JsonObject;

use crate::landing::{land, unfit};
use crate::mcp::argument::{Category, Lesson, MOST_NAME, MOST_TEXT, bounded, bounded_list, read};
use crate::mcp::place::{Desk, Place};
use agent::classify::{PendingLesson, judge_quality};
use event::Draft;
use store::inbox::Recorder;
use text::diagnostic::{Diagnostic, Outcome};
use text::fit;

pub(super) fn answer(place: &Place, arguments: JsonObject) -> Outcome<String> {
    let lesson: Lesson = read(arguments)?;
    check(&lesson)?;
    let desk = place.open_to_record()?;
    let summary = lesson.summary.trim();
    let project = desk.situation.turn.project.clone();
    let pending =
        PendingLesson { summary: summary.to_owned(), trigger: lesson.trigger.clone(), project, ..PendingLesson::default() };
    let faults = judge_quality(&pending, &desk.settings.capture);
    if !faults.is_empty() {
        let reasons: Vec<&str> = faults.iter().map(|fault| &*fault.reason).collect();
        let remedies: Vec<&str> = faults.iter().map(|fault| fault.remedy).collect();
        return Err(Diagnostic::edit(format!("the lesson is not captured: {}", reasons.join("; ")), remedies.join("; ")));
    }
    let line = draft(&desk, &lesson, summary).finish().map_err(unfit)?;
    land(Recorder::with_rules(&desk.workspace, desk.settings.run), &[line])?;
    Ok("Captured. The next job classifies it; if it holds, it becomes a pattern.".to_owned())
}

fn check(lesson: &Lesson) -> Outcome<()> {
    let Lesson { summary, what, why, fix, trigger, agent, .. } = lesson;
    bounded("summary", Some(summary), MOST_TEXT)?;
    for (name, text) in [("what", what), ("why", why), ("fix", fix), ("trigger", trigger)] {
        bounded(name, text.as_deref(), MOST_TEXT)?;
    }
    bounded("agent", agent.as_deref(), MOST_NAME)?;
    for (name, items) in [("applies_to", &lesson.applies_to), ("tags", &lesson.tags), ("places", &lesson.places)] {
        bounded_list(name, items)?;
    }
    Ok(())
}

/// The event. Its run is the session, where the host tells it.
fn draft(desk: &Desk, lesson: &Lesson, summary: &str) -> Draft {
    let turn = &desk.situation.turn;
    Draft::new("learning", turn.time, &turn.project)
        .of_turn(&turn.run_id, turn.iteration)
        .with_some("agent", lesson.agent.as_deref().and_then(fit::name))
        .with("summary", summary)
        .with_some("what", lesson.what.as_deref())
        .with_some("why", lesson.why.as_deref())
        .with_some("fix", lesson.fix.as_deref())
        .with_some("trigger", lesson.trigger.as_deref())
        .with_some("category", lesson.category.map(Category::name))
        .with_items("applies_to", lesson.applies_to.clone())
        .with_items("tags", lesson.tags.clone())
        .with_items("citations", lesson.places.clone())
        .with("pending", true)
        .with_some("repo_name", desk.situation.repository())
}
