//! What is shown to agents: where silence says something, and where it says nothing.

use learn::Score;
use serde_json::{Value, json};
use setting::Compat;

use crate::law::lab::{Lab, as_of, lines};
use crate::law::world::{END, START, STEP, time_text};
use crate::support::Scene;

const ASKED: &str = "Check the lock before the file";
const OTHER: &str = "Prefer named exports over default ones";

/// A lesson at an instant.
fn lesson(instant: i64, summary: &str) -> Value {
    event("learning", instant, &json!({"summary": summary}))
}

/// A pattern in an iteration of the same number as the instant.
fn shown(instant: i64, pattern: &str, status: &str) -> Value {
    event("application", instant, &json!({"run_id": "r", "iteration": instant, "trigger": pattern, "status": status}))
}

/// The same beside a tool's use.
fn beside(instant: i64, pattern: &str, status: &str) -> Value {
    let mut event = shown(instant, pattern, status);
    event["tool"] = "Bash".into();
    event
}

fn event(kind: &str, instant: i64, more: &Value) -> Value {
    let mut event = json!({"kind": kind, "ts": time_text(START + instant * STEP), "project": "shop"});
    event["id"] = format!("{kind}-{instant}-{more}").replace(|letter: char| !letter.is_alphanumeric(), "").into();
    event.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
    event
}

/// The figures of the pattern `ASKED`.
fn score(compat: Compat, events: &[Value]) -> Score {
    Lab::of(compat, events).figures(as_of(END)).1.swap_remove(0)
}

#[test]
fn a_pattern_beside_a_tools_use_is_not_seen_unless_it_is_applied() {
    let events = [
        lesson(0, ASKED),
        shown(1, ASKED, "applied"),
        shown(2, ASKED, "injected"),
        beside(3, ASKED, "injected"),
        beside(4, ASKED, "injected"),
        beside(5, ASKED, "applied"),
        beside(6, ASKED, "withheld"),
    ];
    for compat in [Compat::None, Compat::ClosedLoop] {
        let score = score(compat, &events);
        assert_eq!((score.seen, score.applied, score.injected, score.withheld, score.offered), (3, 2, 1, 1, 2), "{compat:?}");
        assert_eq!(score.rate, Some(2.0 / 3.0), "{compat:?}");
        assert_eq!(score.last_seen, Some(time_text(START + 5 * STEP)), "{compat:?}");
    }
}

#[test]
fn a_pattern_that_was_only_offered_is_untested() {
    for compat in [Compat::None, Compat::ClosedLoop] {
        let score = score(compat, &[lesson(0, ASKED), beside(1, ASKED, "injected")]);
        assert_eq!((score.seen, score.offered, score.rate, score.flag.name()), (0, 1, None, "UNTESTED"), "{compat:?}");
        assert_eq!((score.first_seen, score.last_seen), (None, None), "{compat:?}");
    }
}

#[test]
fn offers_begin_no_iteration_and_make_no_pattern_fresh() {
    let events = |showing: fn(i64, &str, &str) -> Value| {
        let mut events = vec![lesson(0, ASKED), lesson(0, OTHER), shown(1, ASKED, "applied")];
        events.extend((2..12).map(|instant| showing(instant, OTHER, "injected")));
        events
    };
    let stale = score(Compat::None, &events(shown));
    assert_eq!((stale.iterations_since, stale.flag.name()), (10, "STALE"));
    let fresh = score(Compat::None, &events(beside));
    assert_eq!((fresh.iterations_since, fresh.flag.name()), (0, ""));
    // An offer of the pattern itself does not hide that it was not seen.
    let mut offered = events(shown);
    offered.push(beside(12, ASKED, "injected"));
    let offered = score(Compat::None, &offered);
    assert_eq!((offered.iterations_since, offered.flag.name(), offered.offered), (10, "STALE", 1));
}

#[test]
fn only_what_an_agent_says_it_applied_was_used() {
    let mut events = vec![lesson(0, ASKED), shown(1, ASKED, "injected")];
    let last_used = |events: &[Value]| {
        let used = [Compat::None, Compat::ClosedLoop].map(|compat| score(compat, events).last_used);
        assert_eq!(used[0], used[1]);
        used[0].clone()
    };
    assert_eq!(last_used(&events), None);
    events.extend([shown(3, ASKED, "applied"), shown(2, ASKED, "applied")]);
    events.extend([shown(4, ASKED, "injected"), beside(5, ASKED, "injected"), shown(6, ASKED, "withheld")]);
    assert_eq!(last_used(&events), Some(time_text(START + 3 * STEP)), "the latest, not the last that landed");
    // A citation that does not hold takes its credit away, and the agent used it all the same.
    events.push(beside(7, ASKED, "applied"));
    let cited = json!({"run_id": "r", "iteration": 7, "trigger": ASKED, "verified": false, "path": "a.rs"});
    events.push(event("citation", 8, &cited));
    assert_eq!(last_used(&events), Some(time_text(START + 7 * STEP)));
}

#[test]
fn an_offer_is_listed_with_the_reason_why_it_counts_for_nothing() {
    let scene = Scene::new();
    let events = [lesson(0, ASKED), shown(1, ASKED, "applied"), beside(2, ASKED, "injected")];
    scene.land("a.jsonl", &lines(&events));
    scene.done(&["run", "hourly"]);
    let card = scene.done(&["patterns", "show", "P-001"]).out;
    assert!(card.contains("seen 1 = 1 applied (0 unverified) + 0 injected; withheld 0, offered 1"), "{card}");
    assert!(card.contains("last used 2026-10-01T00:20:00Z"), "{card}");
    let told = scene.done(&["explain", "P-001"]).out;
    assert!(told.contains("offered: offered beside a tool call, not a sighting"), "{told}");
    assert!(told.contains("1 sightings with a total weight of 1"), "{told}");
    let told: Value = serde_json::from_str(&scene.done(&["explain", "P-001", "--json"]).out).expect("JSON");
    let offer = &told["applications"][1];
    assert_eq!((&offer["status"], &offer["weight"]), (&"offered".into(), &Value::Null));
    assert_eq!(offer["passed_over"], "offered beside a tool call, not a sighting");
    assert_eq!(told["applications"][0]["passed_over"], Value::Null);
}
