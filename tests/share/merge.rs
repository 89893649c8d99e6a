//! Bringing patterns into a shared place.

use agent::share::{Merged, SharedPattern, Signer, State, merge};
use learn::Score;
use serde_json::Value;

use super::{local, pattern};

fn ann() -> Signer {
    Signer::from_secret(&[1; 32])
}

fn bob() -> Signer {
    Signer::from_secret(&[2; 32])
}

fn ids(state: &State) -> Vec<(String, String)> {
    let entries = state.document.slots().iter().filter_map(|slot| slot.entry());
    entries.map(|entry| (entry.pattern.id.clone(), entry.pattern.summary.clone())).collect()
}

fn texts(state: &State) -> (String, String) {
    (state.document.render(), state.sources.render())
}

/// The state as somebody else reads it.
fn reread(state: &State) -> State {
    let (document, sources) = texts(state);
    State::parse(Some(&document), Some(&sources)).expect("readable")
}

fn counts(merged: &Merged) -> (usize, usize, usize, usize) {
    (merged.added, merged.updated, merged.unchanged, merged.older)
}

#[test]
fn pushing_the_same_again_changes_no_byte() {
    let mut state = State::default();
    let patterns = [pattern("P-001", "One"), pattern("P-002", "Two")];
    assert_eq!(counts(&merge(&mut state, &local("web", 1, &patterns), &ann())), (2, 0, 0, 0));
    let mut again = reread(&state);
    let merged = merge(&mut again, &local("web", 2, &patterns), &ann());
    assert_eq!(counts(&merged), (0, 0, 2, 0));
    assert!(!merged.is_changed);
    assert_eq!(texts(&again), texts(&state));
}

#[test]
fn an_id_that_another_project_has_is_replaced_by_the_next_free_one() {
    let mut state = State::default();
    merge(&mut state, &local("web", 1, &[pattern("P-001", "One"), pattern("P-007", "Seven")]), &ann());
    let merged = merge(&mut state, &local("api", 2, &[pattern("P-001", "Other"), pattern("P-003", "Third")]), &bob());
    assert_eq!(merged.renumbered, [("P-001".to_owned(), "P-008".to_owned())]);
    let expected = [("P-001", "One"), ("P-007", "Seven"), ("P-008", "Other"), ("P-003", "Third")];
    assert_eq!(ids(&state), expected.map(|(id, summary)| (id.to_owned(), summary.to_owned())));
    let record = state.sources.record("P-008").expect("a record");
    assert_eq!((&*record.source_project, &*record.source_id), ("api", "P-001"));
    assert!(!merge(&mut state, &local("api", 3, &[pattern("P-001", "Other")]), &bob()).is_changed);
}

#[test]
fn a_pattern_that_was_reworded_is_changed_in_place() {
    let mut state = State::default();
    merge(&mut state, &local("web", 1, &[pattern("P-001", "Old words")]), &ann());
    let merged = merge(&mut state, &local("web", 2, &[pattern("P-001", "Other words")]), &ann());
    assert_eq!(counts(&merged), (0, 1, 0, 0));
    assert_eq!(ids(&state), [("P-001".to_owned(), "Other words".to_owned())]);
}

#[test]
fn another_workspace_of_the_project_does_not_overwrite_what_has_the_same_number() {
    let mut state = State::default();
    merge(&mut state, &local("web", 1, &[pattern("P-001", "Of Ann")]), &ann());
    let merged = merge(&mut state, &local("web", 2, &[pattern("P-001", "Of Bob")]), &bob());
    assert_eq!(counts(&merged), (1, 0, 0, 0));
    assert_eq!(state.document.slots().len(), 2);
}

#[test]
fn the_same_lesson_of_two_projects_is_one_entry_and_the_newer_one_wins() {
    let mut state = State::default();
    merge(&mut state, &local("web", 5, &[pattern("P-001", "Use  a Lock")]), &ann());
    let tried = SharedPattern { seen_count: 9, ..pattern("P-004", "use a lock") };
    let merged = merge(&mut state, &local("api", 4, std::slice::from_ref(&tried)), &bob());
    assert_eq!(counts(&merged), (0, 0, 0, 1), "an earlier clock loses");
    let merged = merge(&mut state, &local("api", 6, &[tried]), &bob());
    assert_eq!(counts(&merged), (0, 1, 0, 0));
    let entry = state.document.entry("P-001").expect("the entry");
    assert_eq!((entry.pattern.seen_count, state.document.slots().len()), (9, 1));
    assert_eq!(state.sources.record("P-001").expect("a record").source_project, "api");
    // Nothing was learned since: the two do not take turns.
    assert!(!merge(&mut state, &local("web", 7, &[pattern("P-001", "Use  a Lock")]), &ann()).is_changed);
    let learned = SharedPattern { seen_count: 30, ..pattern("P-001", "Use  a Lock") };
    assert_eq!(counts(&merge(&mut state, &local("web", 8, &[learned]), &ann())), (0, 1, 0, 0));
}

#[test]
fn a_time_far_ahead_does_not_keep_an_entry_for_ever() {
    let mut state = State::default();
    merge(&mut state, &local("web", 100_000, &[pattern("P-001", "One")]), &ann());
    let merged = merge(&mut state, &local("api", 1, &[SharedPattern { seen_count: 6, ..pattern("P-002", "One") }]), &bob());
    assert_eq!(counts(&merged), (0, 1, 0, 0));
}

#[test]
fn what_was_received_and_never_tried_does_not_take_over_its_source() {
    let mut state = State::default();
    merge(&mut state, &local("web", 1, &[pattern("P-001", "One")]), &ann());
    let untried = SharedPattern { is_untried: true, ..pattern("P-009", "One") };
    let merged = merge(&mut state, &local("api", 2, &[untried]), &bob());
    assert_eq!((counts(&merged), merged.is_changed), ((0, 0, 1, 0), false));
}

#[test]
fn an_entry_that_nobody_signed_is_signed_only_by_those_who_tried_it() {
    let document = r#"[{"id":"P-001","category":"mistake","summary":"One","confidence":"high","seen_count":5,"success_rate":0.8,
        "flags":"[UNTESTED]","applies_to":["implementer"],"context":["rust","tests"],"repo":"*"}]"#;
    let sources = r#"{"patterns":{"P-001":{"source_project":"other","source_id":"P-001","pushed_at":"","pushed_by":"eve"}}}"#;
    let untried = SharedPattern { is_untried: true, ..pattern("P-009", "One") };
    let reworded = SharedPattern { confidence: "low".to_owned(), ..untried.clone() };
    for sources in [None, Some("{}"), Some(sources)] {
        for unseen in [&untried, &reworded] {
            let mut state = State::parse(Some(document), sources).expect("readable");
            let merged = merge(&mut state, &local("api", 1, std::slice::from_ref(unseen)), &bob());
            assert_eq!(counts(&merged), (0, 0, 1, 0), "{sources:?}");
            assert!(state.sources.record("P-001").is_none_or(|record| record.key.is_none()));
        }
        let mut state = State::parse(Some(document), sources).expect("readable");
        assert_eq!(counts(&merge(&mut state, &local("api", 1, &[pattern("P-009", "One")]), &bob())), (0, 1, 0, 0));
        assert_eq!(state.sources.record("P-001").expect("a record").key, Some(bob().public_key()));
    }
}

#[test]
fn what_nobody_else_can_use_is_not_shared_and_counted() {
    let mut state = State::default();
    let patterns = [
        SharedPattern { flags: "[PRUNE]".to_owned(), ..pattern("P-001", "Bad") },
        SharedPattern { scope: Some("ClosedLoop".to_owned()), ..pattern("P-002", "Tool") },
        pattern("P-003", " \n "),
        pattern("P-004", "Twice"),
        SharedPattern { seen_count: 50, ..pattern("P-005", "twice ") },
    ];
    let merged = merge(&mut state, &local("web", 1, &patterns), &ann());
    let withheld = merged.withheld;
    assert_eq!((withheld.flagged, withheld.about_the_tool, withheld.blank, withheld.duplicate), (1, 1, 1, 1));
    assert_eq!(ids(&state), [("P-005".to_owned(), "twice".to_owned())]);
}

#[test]
fn entries_of_the_original_shape_are_read_and_what_is_not_ours_stays() {
    let document = r#"{"version":3,"patterns":[
        {"id":"P-001","scope":"organization","category":"convention","trigger":"adding an endpoint","confidence":"medium",
         "seen_count":12,"success_rate":0.75,"flags":"[REVIEW]","applies_to":["*"],"summary":"Check the input","reviewer":"eve"},
        "a stray text"]}"#;
    let sources = r#"{"patterns":{"P-001":{"source_project":"web","source_id":"P-001","pushed_at":"2026-01-01T00:00:00Z",
        "pushed_by":"eve","ticket":7}},"note":"kept"}"#;
    let mut state = State::parse(Some(document), Some(sources)).expect("readable");
    let entry = state.document.entry("P-001").expect("the entry").clone();
    assert_eq!((entry.pattern.seen_count, entry.pattern.success_rate), (12, Some(0.75)));
    assert_eq!((&*entry.pattern.repo, entry.pattern.trigger.as_deref()), ("*", Some("adding an endpoint")));
    assert_eq!(state.remarks.len(), 1);
    let merged = merge(&mut state, &local("web", 1, &[pattern("P-001", "Check all input")]), &ann());
    assert_eq!(counts(&merged), (0, 1, 0, 0));
    let (document, sources) = texts(&state);
    let document: Value = serde_json::from_str(&document).expect("JSON");
    let sources: Value = serde_json::from_str(&sources).expect("JSON");
    assert_eq!(document["version"], 3);
    assert_eq!(document["org_id"], "acme");
    assert_eq!(document["patterns"][0]["reviewer"], "eve");
    assert_eq!(document["patterns"][0]["summary"], "Check all input");
    assert_eq!(document["patterns"][1], "a stray text");
    assert_eq!((&sources["note"], &sources["patterns"]["P-001"]["ticket"]), (&"kept".into(), &7.into()));
    for name in
        "id category summary confidence seen_count success_rate flags applies_to context repo trigger scope updated_at".split(' ')
    {
        assert!(document["patterns"][0].get(name).is_some(), "{name}");
    }
}

#[test]
fn a_bare_list_is_a_document_too() {
    let state =
        State::parse(Some(r#"[{"id":"P-001","category":"insight","summary":"One","applies_to":"a|b"}]"#), None).expect("readable");
    assert_eq!(state.document.entry("P-001").expect("the entry").pattern.applies_to, ["a", "b"]);
}

#[test]
fn a_score_becomes_what_pattern_files_know() {
    let score: Score = serde_json::from_value(serde_json::json!({
        "id": "P-003", "state": "learned", "category": "pitfall", "summary": "Two\nlines", "trigger": null, "scope": null, "repo": "",
        "applies_to": ["*"], "tags": ["sql"], "seen": 0, "applied": 0, "injected": 0, "withheld": 0, "unverified": 0, "met": 0,
        "unjudged": 0, "missed_rated": 0, "missed_unrated": 0, "withheld_met": 0, "withheld_missed": 0, "mode": "simple",
        "weight": 0.0, "rate": null, "lower": null, "upper": null, "applied_rate": null, "confidence": "low", "flag": "UNTESTED",
        "flag_reason": "", "is_settled": true, "iterations_since": 0, "first_seen": null, "last_seen": null, "captures": 1,
        "learned": "", "source_event": "", "source_file": "", "source_line": 1, "note": null, "prior_seen": 4, "prior_rate": 0.666
    }))
    .expect("a score");
    let shared = SharedPattern::from(&score);
    assert_eq!((&*shared.category, &*shared.summary, &*shared.flags, &*shared.repo), ("mistake", "Two lines", "[UNTESTED]", "*"));
    assert_eq!((shared.seen_count, shared.success_rate, shared.context), (4, Some(0.67), vec!["sql".to_owned()]));
}
