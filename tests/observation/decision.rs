//! What people decide about observations.

use event::field::ArtifactAction;
use learn::subject::Action;

use super::{Sight, Story, assert_brief, day};

fn told() -> (Story, String) {
    let mut story = Story::default();
    story.see_in(&[("s1", 0), ("s2", 1)]);
    let id = story.id();
    (story, id)
}

/// Why decisions came to nothing.
fn void(story: &Story) -> Vec<String> {
    story.findings(i64::MAX).void.into_iter().map(|void| void.why).collect()
}

#[test]
fn a_person_retires_what_is_ready_and_restores_it_as_it_was() {
    let (mut story, id) = told();
    story.decide(Action::Retire, &id, day(2));
    let score = story.only(day(2));
    assert_brief(&score, 2, "0.95", "deprecated");
    assert_eq!((score.deprecated_at.as_deref(), score.note.as_deref()), (Some("2026-03-03T00:00:00Z"), Some("ann: because")));
    story.see_in(&[("s3", 3)]);
    assert_brief(&story.only(day(3)), 2, "0.95", "deprecated");
    story.decide(Action::Restore, &id, day(4));
    let score = story.only(day(4));
    assert_brief(&score, 3, "0.95", "ready");
    assert_eq!((score.deprecated_at, score.sightings_since_deletion), (None, 0));
}

#[test]
fn what_was_retired_begins_anew_and_what_was_rejected_does_not() {
    for (action, status, sessions) in [(Action::Retire, "ready", 2), (Action::Reject, "deprecated", 2)] {
        let (mut story, id) = told();
        story.decide(action, &id, day(2));
        story.see_in(&[("s3", 3), ("s4", 4)]);
        let score = story.only(day(4));
        assert_brief(&score, sessions, "0.95", status);
        assert_eq!(score.sightings_since_deletion, if action == Action::Reject { 2 } else { 0 });
    }
    let (mut story, id) = told();
    story.decide(Action::Reject, &id, day(2));
    story.decide(Action::Retire, &id, day(3));
    story.see_in(&[("s3", 4), ("s4", 5), ("s5", 6)]);
    assert_brief(&story.only(day(6)), 2, "0.95", "deprecated");
    story.decide(Action::Restore, &id, day(7));
    assert_brief(&story.only(day(7)), 5, "0.95", "ready");
}

#[test]
fn a_retired_artifact_is_one_again_if_it_is_still_there() {
    let (mut story, id) = told();
    story.find(ArtifactAction::Rendered, &id, day(2));
    story.decide(Action::Retire, &id, day(3));
    assert_brief(&story.only(day(3)), 2, "0.95", "deprecated");
    let mut kept = story.clone();
    kept.decide(Action::Restore, &id, day(5));
    assert_brief(&kept.only(day(5)), 2, "0.95", "created");
    // Found where it was, it stays retired.
    kept = story.clone();
    kept.find(ArtifactAction::Adopted, &id, day(4));
    assert_brief(&kept.only(day(4)), 2, "0.95", "deprecated");
    story.find(ArtifactAction::Deleted, &id, day(4));
    assert_brief(&story.only(day(4)), 2, "0.28", "deprecated");
    story.decide(Action::Restore, &id, day(5));
    let score = story.only(day(5));
    assert_brief(&score, 2, "0.95", "ready");
    assert_eq!((score.ready_at.as_deref(), &score.artifact_path), (Some("2026-03-06T00:00:00Z"), &None));
}

#[test]
fn a_rejected_artifact_that_is_deleted_is_whole_again_when_it_is_restored() {
    let (mut story, id) = told();
    story.find(ArtifactAction::Rendered, &id, day(2));
    story.decide(Action::Reject, &id, day(3));
    story.find(ArtifactAction::Deleted, &id, day(4));
    story.see_in(&[("s3", 5), ("s4", 6)]);
    assert_brief(&story.only(day(6)), 2, "0.28", "deprecated");
    story.decide(Action::Restore, &id, day(7));
    assert_brief(&story.only(day(7)), 4, "0.95", "ready");
}

#[test]
fn a_persons_word_promotes_whatever_the_rules_found() {
    let mut story = Story::default();
    story.see(Sight { quality_ok: false, ..Sight::default() });
    let id = story.id();
    story.decide(Action::Promote, &id, day(1));
    let score = story.only(day(1));
    assert_brief(&score, 1, "0.33", "ready");
    assert_eq!((score.quality_ok, score.ready_at.as_deref()), (true, Some("2026-03-02T00:00:00Z")));
    assert!(void(&story).is_empty());
    let mut good = Story::default();
    good.see(Sight::default());
    good.decide(Action::Promote, &id, day(1));
    assert_brief(&good.only(day(1)), 1, "0.33", "ready");
}

#[test]
fn only_force_promotes_what_is_out_of_use() {
    let (mut story, id) = told();
    story.decide(Action::Reject, &id, day(2));
    story.decide(Action::Promote, &id, day(3));
    assert_brief(&story.only(day(3)), 2, "0.95", "deprecated");
    assert_eq!(void(&story), ["it was deprecated; only --force restores it at once"]);
    story.decide_with(Action::Promote, &id, day(4), true);
    assert_brief(&story.only(day(4)), 2, "0.95", "ready");
    story.find(ArtifactAction::Rendered, &id, day(5));
    story.decide(Action::Promote, &id, day(6));
    assert_eq!(void(&story).last().map(String::as_str), Some("it is already an artifact"));
}

#[test]
fn a_person_clears_flags_until_there_is_a_reason_anew() {
    let mut story = Story::default();
    let see = |story: &mut Story, details: &str, on: i64| {
        story.see(Sight { details: details.to_owned(), time: day(on), ..Sight::default() });
    };
    see(&mut story, "keep every order in postgres", 0);
    see(&mut story, "wholly different advice about colours", 1);
    let id = story.id();
    story.find(ArtifactAction::Blocked, &id, day(2));
    story.find(ArtifactAction::Stale, &id, day(2));
    let score = story.only(day(2));
    assert!(score.needs_review && score.is_blocked && score.stale_reason.is_some());
    story.decide(Action::Clear, &id, day(3));
    assert!(!story.only(day(3)).is_flagged());
    see(&mut story, "keep every order in postgres", 4);
    assert!(story.only(day(4)).needs_review);
}

#[test]
fn clearing_all_forgets_the_sightings_of_its_project_and_keeps_artifacts_and_ids() {
    let mut story = Story::default();
    let see = |story: &mut Story, project: &'static str, pattern: &str, session: &str, on: i64| {
        let session = Some(session.to_owned());
        story.see(Sight { project, pattern: pattern.to_owned(), session, time: day(on), ..Sight::default() });
    };
    for pattern in ["made", "waiting", "refused"] {
        see(&mut story, "web", pattern, "s1", 0);
        see(&mut story, "web", pattern, "s2", 1);
    }
    see(&mut story, "api", "elsewhere", "s1", 0);
    let ids: Vec<String> = story.findings(day(1)).scores.iter().map(|score| score.id.clone()).collect();
    story.find(ArtifactAction::Rendered, &ids[0], day(2));
    story.decide(Action::Reject, &ids[2], day(2));
    story.decide(Action::Clear, "obs:all", day(3));
    let patterns = |story: &Story, on: i64| -> Vec<(String, i64, String)> {
        let scores = story.findings(day(on)).scores;
        scores.into_iter().map(|score| (score.pattern, score.observations, score.status.to_string())).collect()
    };
    let row = |pattern: &str, sessions: i64, status: &str| (pattern.to_owned(), sessions, status.to_owned());
    assert_eq!(patterns(&story, 3), [row("made", 2, "created"), row("elsewhere", 1, "observing")]);
    assert_eq!(patterns(&story, 2).len(), 4, "the past stays as it was");
    // What landed late is older than the decision, and forgotten too.
    see(&mut story, "web", "waiting", "s9", 2);
    assert_eq!(patterns(&story, 4).len(), 2);
    see(&mut story, "web", "waiting", "s1", 5);
    see(&mut story, "web", "refused", "s1", 5);
    assert_eq!(
        patterns(&story, 5),
        [
            row("made", 2, "created"),
            row("waiting", 1, "observing"),
            row("refused", 0, "deprecated"),
            row("elsewhere", 1, "observing")
        ]
    );
    assert_eq!(story.findings(day(5)).scores.iter().map(|score| score.id.clone()).collect::<Vec<_>>(), ids);
}

#[test]
fn decisions_about_nothing_are_told() {
    let (mut story, id) = told();
    story.decide(Action::Retire, "obs_nobody", day(2));
    story.decide(Action::Retire, &id, day(0) - 1);
    story.decide(Action::Retire, "obs:all", day(2));
    assert_eq!(void(&story), ["the observation is unknown", "the observation is unknown", "all observations can only be cleared"]);
    story.decide(Action::Annotate, &id, day(3));
    let score = story.only(day(3));
    assert_brief(&score, 2, "0.95", "ready");
    assert_eq!(score.note.as_deref(), Some("ann: because"));
}
