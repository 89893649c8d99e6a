//! How full a knowledge file is, and what people are told.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::{Lab, NOON, folded, row};

/// A file of so many decisions, the first of them deprecated where that is wanted.
fn filled(lab: &Lab, count: usize, deprecated: usize) {
    let mut text = "<!-- TL;DR: 0 decisions. Key: x -->\n# Architectural Decisions\n".to_owned();
    for number in 1..=count {
        let status = if number <= deprecated { "Deprecated" } else { "Accepted" };
        write!(text, "\n## ADR-{number:03}: title {number}\n\n- **Status**: {status}\n- **Source**: by hand\n").expect("memory");
    }
    lab.write(".memory/knowledge/decisions.md", &text);
}

fn next(id: &str) -> learn::observation::ObservationScore {
    row(id, "decision", &format!("a decision called {id}"), "context: a; decision: b; rationale: c")
}

fn told(lab: &Lab) -> Value {
    let text = std::fs::read_to_string(lab.path(".memory/.notifications.json")).unwrap_or_else(|_| "{}".to_owned());
    serde_json::from_str::<Value>(&text).expect("JSON")["knowledge-capacity-decisions"].take()
}

fn notification(threshold: usize, count: usize, dismissed: Option<usize>, severity: &str, since: &str) -> Value {
    json!({"active": true, "threshold": threshold, "count": count, "ceiling": 100, "dismissed_at_threshold": dismissed,
        "severity": severity, "created_at": since})
}

/// What the file's first line and the notification say after one more decision.
#[track_caller]
fn grown(count: usize, before: Option<&Value>) -> (String, Value) {
    let mut lab = Lab::new();
    filled(&lab, count, 0);
    if let Some(before) = before {
        lab.write(".memory/.notifications.json", &json!({"knowledge-capacity-decisions": before}).to_string());
    }
    let report = lab.render(&[next("obs_g")], NOON);
    assert_eq!(report.rendered.len(), 1);
    (lab.read(".memory/knowledge/decisions.md").lines().next().expect("a line").to_owned(), told(&lab))
}

#[test]
fn people_are_told_from_the_first_threshold_on() {
    let noon = "2026-05-10T12:00:00.000Z";
    let (line, told) = grown(48, None);
    assert_eq!(line, "<!-- TL;DR: 49 decisions. Key: ADR-045, ADR-046, ADR-047, ADR-048, ADR-049 -->");
    assert_eq!(told, Value::Null);
    let (line, told) = grown(49, None);
    assert_eq!(line, "<!-- TL;DR: 50 decisions. Key: ADR-046, ADR-047, ADR-048, ADR-049, ADR-050 -->");
    assert_eq!(told, notification(50, 50, None, "dim", noon));
    // Between two thresholds the count is kept up to date.
    let before = notification(50, 50, None, "dim", "2026-04-01T00:00:00.000Z");
    assert_eq!(grown(50, Some(&before)).1, notification(50, 51, None, "dim", "2026-04-01T00:00:00.000Z"));
    assert_eq!(grown(72, None).1, notification(70, 73, None, "warning", noon));
    assert_eq!(grown(99, None).1, notification(100, 100, None, "error", noon));
}

#[test]
fn a_dismissal_holds_until_the_next_threshold() {
    let dismissed = |threshold, count, at| notification(threshold, count, at, "warning", "2026-04-01T00:00:00.000Z");
    assert_eq!(grown(78, Some(&dismissed(70, 78, Some(70)))).1, dismissed(70, 79, Some(70)));
    assert_eq!(grown(79, Some(&dismissed(70, 79, Some(70)))).1, dismissed(80, 80, None));
}

#[test]
fn without_room_an_observation_stays_ready_and_that_is_told_once() {
    let mut lab = Lab::new();
    filled(&lab, 100, 0);
    let before = notification(100, 100, Some(100), "error", "2026-04-01T00:00:00.000Z");
    lab.write(".memory/.notifications.json", &json!({"knowledge-capacity-decisions": before}).to_string());
    let rows = [next("obs_g"), next("obs_h")];
    let report = lab.render(&rows, NOON);
    assert_eq!((report.rendered.len(), report.blocked, report.skipped), (0, 2, 2));
    assert_eq!(told(&lab), before, "a dismissal is not undone by every run");
    assert!(lab.read(".memory/knowledge/decisions.md").starts_with("<!-- TL;DR: 100 decisions. Key: ADR-096, "));
    let published = folded(&rows, &lab.landed);
    assert_eq!(lab.news(), ["blocked obs_g -", "blocked obs_h -"]);
    assert_eq!((lab.render(&rows, NOON).events.len(), lab.render(&published, NOON).events.len()), (0, 0));
    // What says the same as an entry needs no room.
    let mut same = next("obs_i");
    same.pattern = "Title 7".to_owned();
    assert_eq!(lab.render(&[same], NOON).linked.len(), 1);
    // As soon as there is room, it is rendered.
    lab.news();
    let text = lab.read(".memory/knowledge/decisions.md").replacen("Accepted", "Deprecated", 1);
    lab.write(".memory/knowledge/decisions.md", &text);
    let report = lab.render(&published, NOON);
    assert_eq!((report.rendered.len(), report.blocked), (1, 1));
    assert_eq!(lab.news(), ["rendered obs_g ADR-101"]);
    assert_eq!(lab.manifest()["blocked"], json!(["obs_h"]));
}

#[test]
fn deprecated_entries_take_no_room_and_keep_their_numbers() {
    let mut lab = Lab::new();
    filled(&lab, 100, 1);
    let report = lab.render(&[next("obs_g")], NOON);
    assert_eq!(report.rendered[0].anchor.as_deref(), Some("ADR-101"));
    assert!(
        lab.read(".memory/knowledge/decisions.md")
            .starts_with("<!-- TL;DR: 100 decisions. Key: ADR-097, ADR-098, ADR-099, ADR-100, ADR-101 -->")
    );
    assert_eq!(told(&lab), notification(100, 100, None, "error", "2026-05-10T12:00:00.000Z"));
}

#[test]
fn fewer_entries_end_the_notification() {
    let mut lab = Lab::new();
    filled(&lab, 60, 0);
    lab.reconcile(&[], NOON);
    assert_eq!(told(&lab)["threshold"], 60);
    filled(&lab, 60, 20);
    lab.reconcile(&[], NOON);
    assert_eq!((told(&lab)["active"].clone(), told(&lab)["count"].clone()), (json!(false), json!(40)));
}

#[test]
fn a_smaller_ceiling_has_its_own_thresholds() {
    let mut lab = Lab::new();
    (lab.settings.soft_start, lab.settings.ceiling) = (2, 3);
    filled(&lab, 1, 0);
    assert_eq!(lab.render(&[next("obs_a"), next("obs_b"), next("obs_c")], NOON).blocked, 1);
    assert_eq!((told(&lab)["threshold"].clone(), told(&lab)["ceiling"].clone()), (json!(3), json!(3)));
}
