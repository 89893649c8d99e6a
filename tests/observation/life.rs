//! What happens to an observation between its sightings: artifacts, citations, use, flags, deletion.

use event::field::{ArtifactAction, ObservationType};
use learn::observation::ArtifactRow;
use serde_json::json;

use super::{Sight, Story, artifact, assert_brief, day};

/// A decision that was rendered on the second day.
fn created() -> (Story, String) {
    let mut story = Story::default();
    story.see_in(&[("s1", 0), ("s2", 1)]);
    let id = story.id();
    story.find_row(ArtifactRow {
        observation_id: Some(id.clone()),
        path: Some("decisions.md".to_owned()),
        anchor: Some("ADR-001".to_owned()),
        content_hash: Some("h1".to_owned()),
        ..artifact(ArtifactAction::Rendered, day(2))
    });
    (story, id)
}

#[test]
fn what_is_ready_becomes_an_artifact_and_stays_one() {
    let (mut story, _) = created();
    let score = story.only(day(2));
    assert_brief(&score, 2, "0.95", "created");
    assert_eq!(score.ready_at.as_deref(), Some("2026-03-02T00:00:00Z"));
    assert_eq!((score.content_hash.as_deref(), score.is_edited), (Some("h1"), false));
    story.see_in(&[("s3", 5)]);
    assert_brief(&story.only(day(5)), 3, "0.95", "created");
    assert_brief(&story.only(day(36)), 3, "0.86", "created");
}

#[test]
fn an_edit_is_remembered_until_it_is_rendered_anew() {
    let (mut story, id) = created();
    let edited = ArtifactRow { content_hash: Some("h2".to_owned()), ..artifact(ArtifactAction::Edited, day(3)) };
    story.find_row(ArtifactRow { observation_id: Some(id.clone()), ..edited });
    let score = story.only(day(3));
    assert_eq!((score.content_hash.as_deref(), score.is_edited, &*score.status), (Some("h2"), true, "created"));
    let anew = ArtifactRow { content_hash: Some("h3".to_owned()), ..artifact(ArtifactAction::Rendered, day(4)) };
    story.find_row(ArtifactRow { observation_id: Some(id), ..anew });
    let score = story.only(day(4));
    assert_eq!((score.content_hash.as_deref(), score.is_edited), (Some("h3"), false));
}

#[test]
fn use_and_citation_keep_it_fresh_and_count_nothing_else() {
    let (mut story, id) = created();
    story.find(ArtifactAction::Used, &id, day(20));
    let score = story.only(day(49));
    assert_brief(&score, 2, "0.95", "created");
    assert_eq!((&*score.last_seen, score.cites), ("2026-03-21T00:00:00Z", 0));
    assert_brief(&story.only(day(50)), 2, "0.86", "created");
    story.find_row(ArtifactRow { anchor: Some("ADR-001".to_owned()), ..artifact(ArtifactAction::Cited, day(60)) });
    story.find(ArtifactAction::Cited, &id, day(61));
    story.find_row(ArtifactRow { path: Some("decisions.md".to_owned()), ..artifact(ArtifactAction::Cited, day(62)) });
    story.find_row(ArtifactRow { anchor: Some("ADR-009".to_owned()), ..artifact(ArtifactAction::Cited, day(63)) });
    let other = ArtifactRow { project: "api".to_owned(), ..artifact(ArtifactAction::Cited, day(64)) };
    story.find_row(ArtifactRow { anchor: Some("ADR-001".to_owned()), ..other.clone() });
    story.find_row(ArtifactRow { observation_id: Some(id), ..other });
    let score = story.only(day(70));
    assert_eq!((score.cites, score.last_cited.as_deref()), (2, Some("2026-05-01T00:00:00Z")));
    assert_brief(&score, 2, "0.95", "created");
}

#[test]
fn a_citation_counts_once_however_often_it_is_delivered() {
    let (mut story, id) = created();
    story.find(ArtifactAction::Cited, &id, day(3));
    let again = story.told.last().expect("a citation").clone();
    story.told.push(again);
    assert_eq!(story.only(day(3)).cites, 1);
}

#[test]
fn what_stands_in_a_file_of_its_own_is_known_by_it() {
    let mut story = Story::default();
    for (session, on) in [("s1", 0), ("s2", 4)] {
        let session = Some(session.to_owned());
        story.see(Sight { kind: ObservationType::Workflow, time: day(on), session, ..Sight::default() });
    }
    let id = story.id();
    let path = || Some(".claude/commands/self-learning/use-postgres.md".to_owned());
    story.find_row(ArtifactRow { observation_id: Some(id), path: path(), ..artifact(ArtifactAction::Rendered, day(5)) });
    story.find_row(ArtifactRow { path: path(), ..artifact(ArtifactAction::Used, day(30)) });
    assert_eq!(story.only(day(30)).last_seen, "2026-03-31T00:00:00Z");
    story.find_row(ArtifactRow { path: path(), ..artifact(ArtifactAction::Deleted, day(31)) });
    assert_brief(&story.only(day(31)), 2, "0.20", "deprecated");
}

#[test]
fn flags_come_and_go() {
    let (mut story, id) = created();
    let stale = ArtifactRow { reason: Some("src/gone.rs is missing".to_owned()), ..artifact(ArtifactAction::Stale, day(3)) };
    story.find_row(ArtifactRow { observation_id: Some(id.clone()), ..stale });
    let score = story.only(day(3));
    assert_eq!((score.stale_reason.as_deref(), score.is_flagged()), (Some("src/gone.rs is missing"), true));
    story.find(ArtifactAction::Fresh, &id, day(4));
    assert!(!story.only(day(4)).is_flagged());
    assert!(story.only(day(3)).is_flagged(), "the past stays as it was");
}

#[test]
fn what_has_no_room_is_blocked_until_it_is_rendered() {
    let mut story = Story::default();
    story.see_in(&[("s1", 0), ("s2", 1)]);
    let id = story.id();
    story.find(ArtifactAction::Blocked, &id, day(2));
    let score = story.only(day(2));
    assert_eq!((score.is_blocked, &*score.status), (true, "ready"));
    story.find(ArtifactAction::Adopted, &id, day(3));
    let score = story.only(day(3));
    assert_eq!((score.is_blocked, &*score.status), (false, "created"));
}

#[test]
fn what_was_deleted_waits_for_as_many_fresh_sessions_as_it_needed() {
    let (mut story, id) = created();
    story.find(ArtifactAction::Deleted, &id, day(3));
    // A session that had seen it before is not fresh.
    story.see_in(&[("s2", 4), ("s3", 5), ("s3", 6)]);
    let score = story.only(day(6));
    assert_brief(&score, 2, "0.28", "deprecated");
    assert_eq!((score.sightings_since_deletion, &*score.last_seen), (1, "2026-03-07T00:00:00Z"));
    story.see_in(&[("s4", 7)]);
    let score = story.only(day(7));
    assert_brief(&score, 2, "0.95", "ready");
    assert_eq!((score.sightings_since_deletion, &score.deprecated_at, &score.anchor), (0, &None, &None));
    assert_eq!((&*score.first_seen, score.ready_at.as_deref()), ("2026-03-01T00:00:00Z", Some("2026-03-08T00:00:00Z")));
}

#[test]
fn sightings_of_what_was_deleted_do_not_even_slow_its_decay() {
    let (mut story, id) = created();
    story.find(ArtifactAction::Deleted, &id, day(3));
    story.see_in(&[("s3", 30)]);
    let score = story.only(day(31));
    assert_brief(&score, 2, "0.25", "deprecated");
    assert_eq!(score.last_seen, "2026-03-31T00:00:00Z");
}

#[test]
fn an_artifact_that_is_there_again_was_not_deleted() {
    let (mut story, id) = created();
    story.find(ArtifactAction::Deleted, &id, day(3));
    story.see_in(&[("s3", 4)]);
    story.find(ArtifactAction::Adopted, &id, day(5));
    let score = story.only(day(5));
    assert_brief(&score, 3, "0.95", "created");
    assert_eq!(score.deprecated_at, None);
    story.find(ArtifactAction::Deleted, &id, day(6));
    assert_brief(&story.only(day(6)), 3, "0.28", "deprecated");
}

#[test]
fn without_an_artifact_nothing_can_be_deleted() {
    let mut story = Story::default();
    story.see_in(&[("s1", 0), ("s2", 1)]);
    let id = story.id();
    story.find(ArtifactAction::Deleted, &id, day(2));
    assert_brief(&story.only(day(2)), 2, "0.95", "ready");
}

#[test]
fn what_another_store_counted_is_counted_once() {
    let mut story = Story::default();
    let prior = |observations: i64| Some(json!({"observations": observations, "first_seen": "2026-01-01T00:00:00Z"}).to_string());
    let kind = ObservationType::Procedural;
    story.see(Sight { kind, prior: prior(2), ..Sight::default() });
    assert_brief(&story.only(day(0)), 2, "0.50", "observing");
    story.see(Sight { kind, prior: prior(3), time: day(1), ..Sight::default() });
    let score = story.only(day(1));
    assert_brief(&score, 3, "0.75", "ready");
    assert_eq!(score.first_seen, "2026-01-01T00:00:00Z");
    story.see(Sight { kind, time: day(2), ..Sight::default() });
    assert_brief(&story.only(day(2)), 4, "0.95", "ready");
}

#[test]
fn what_another_store_knew_of_artifacts_and_flags_is_taken_over() {
    let mut story = Story::default();
    let prior = json!({"observations": 2, "status": "created", "artifact_path": ".memory/knowledge/decisions.md", "anchor": "ADR-007",
        "mayBeStale": true, "staleReason": "code-ref-missing:src/a.ts", "needsReview": true, "cites": 4,
        "last_cited": "2026-02-01T00:00:00Z"});
    story.see(Sight { prior: Some(prior.to_string()), ..Sight::default() });
    let score = story.only(day(0));
    assert_brief(&score, 2, "0.95", "created");
    assert_eq!(score.stale_reason.as_deref(), Some("code-ref-missing:src/a.ts"));
    assert_eq!((score.needs_review, score.cites, score.last_cited.as_deref()), (true, 4, Some("2026-02-01T00:00:00Z")));
    story.find_row(ArtifactRow { anchor: Some("ADR-007".to_owned()), ..artifact(ArtifactAction::Deleted, day(1)) });
    assert_brief(&story.only(day(1)), 2, "0.28", "deprecated");
}

#[test]
fn nonsense_from_another_store_does_no_harm() {
    for prior in [
        "[]",
        "{}",
        "3",
        r#"{"observations": -4, "confidence": "high", "status": 7}"#,
        r#"{"observations": 1e99, "confidence": 1e99, "first_seen": "yesterday"}"#,
        r#"{"observations": 18446744073709551615, "confidence": -3, "last_seen": "9999-12-31T23:59:59Z", "cites": 18446744073709551615}"#,
    ] {
        let mut story = Story::default();
        story.see(Sight { prior: Some(prior.to_owned()), ..Sight::default() });
        story.see(Sight { time: day(1), ..Sight::default() });
        let score = story.only(day(2));
        assert!(score.observations >= 2 && (0.0..=0.95).contains(&score.confidence), "{prior}: {score:#?}");
    }
}

#[test]
fn a_longer_pattern_takes_the_place_of_a_short_one() {
    let mut story = Story::default();
    let see = |story: &mut Story, pattern: &str, on: i64| {
        let given = Some("obs_abc123".to_owned());
        story.see(Sight { pattern: pattern.to_owned(), given, time: day(on), ..Sight::default() });
    };
    see(&mut story, "Use Postgres", 0);
    see(&mut story, "Use Postgres!!", 1);
    assert_eq!(story.only(day(1)).pattern, "Use Postgres");
    see(&mut story, "Use Postgres for orders", 2);
    assert_eq!(story.only(day(2)).pattern, "Use Postgres for orders");
    see(&mut story, "Use Postgres", 3);
    assert_eq!(story.only(day(3)).pattern, "Use Postgres for orders");
}

#[test]
fn a_sentence_without_blanks_is_compared_by_its_parts() {
    let mut story = Story::default();
    let see = |story: &mut Story, details: &str| story.see(Sight { details: details.to_owned(), ..Sight::default() });
    see(&mut story, "注文はデータベースに保存する");
    see(&mut story, "注文はデータベースに必ず保存する");
    assert!(!story.only(day(0)).needs_review);
    see(&mut story, "画面の色を青に変更してください");
    assert!(story.only(day(0)).needs_review);
}

#[test]
fn an_event_that_is_delivered_on_two_days_counts_once() {
    let mut story = Story::default();
    story.see(Sight { id: "same".to_owned(), ..Sight::default() });
    story.see(Sight { id: "same".to_owned(), time: day(1), ..Sight::default() });
    assert_brief(&story.only(day(1)), 1, "0.33", "observing");
}
