//! Shared files that somebody wrote to do harm.

use std::fs;

use outerloop::diagnostic::Exit;
use outerloop::share::{State, receive};
use serde_json::json;

use super::{Project, assert_passes, folder, pattern, recipient};

#[test]
fn odd_entries_are_named_and_the_others_are_taken() {
    let document = json!({"patterns": [
        17, null, [], {}, {"id": "../../etc/passwd", "summary": "One"}, {"id": "P-", "summary": "One"}, {"id": "P-1x", "summary": "One"},
        {"id": "P-00000000000000000000000000001", "summary": "One"}, {"id": "P-001", "summary": 5}, {"id": "P-002", "summary": " \u{202e} "},
        {"id": "P-003", "category": "insight", "confidence": "low", "summary": "Good"},
        {"id": "P-003", "summary": "The same id"},
        {"id": "P-004", "category": "../x", "confidence": ["high"], "summary": "Odd\u{1b}[31m\nwords", "seen_count": -4, "success_rate": 7,
         "flags": "[EVIL]", "applies_to": [1, "a\u{0}b", "", "a b"], "context": {"x": 1}, "repo": "\u{7}", "scope": 3, "trigger": {}},
        {"id": "P-005", "summary": "Long ".repeat(200_000), "trigger": "é".repeat(300_000), "applies_to": vec!["x".repeat(5000); 3]},
        {"id": "P-006", "summary": "Wide", "seen_count": 1e300, "success_rate": "NaN",
         "applies_to": (0..2000).map(|number| format!("agent {number}")).collect::<Vec<_>>()},
    ]});
    let sources = json!({"patterns": {"P-003": 4, "P-004": {"source_project": 5, "pushed_at": "yesterday", "pushed_by": "x\ny"},
        "P-006": {"source_project": "a\u{0}b", "source_id": "../..", "pushed_at": "2026-01-01T00:00:00Z"}, "../x": {}}});
    let state = State::parse(Some(&document.to_string()), Some(&sources.to_string())).expect("readable");
    let pulled = receive(&state, &recipient("web"));
    assert_eq!(pulled.refused.len(), 11, "{:#?}", pulled.refused);
    assert_eq!(pulled.lines.len(), 4);
    pulled.lines.iter().for_each(|line| assert_passes(line));
    let repaired: std::collections::BTreeSet<&str> = pulled.repaired.iter().map(|remark| &*remark.id).collect();
    assert_eq!(repaired.into_iter().collect::<Vec<_>>(), ["P-004", "P-005", "P-006"]);
    assert_eq!(super::member(&pulled.lines[1], "summary"), "Odd [31m words");
    assert_eq!(super::member(&pulled.lines[1], "applies_to"), r#"["a b"]"#);
}

#[test]
fn an_entry_whose_parts_are_too_much_together_is_refused() {
    let labels: Vec<String> = (0..1000).map(|number| format!("{number} {}", "\"".repeat(1000))).collect();
    let document = json!([{"id": "P-001", "summary": "One", "applies_to": labels}]);
    let pulled = receive(&State::parse(Some(&document.to_string()), None).expect("readable"), &recipient("web"));
    assert_eq!((pulled.lines.len(), pulled.refused.len()), (0, 1));
}

#[test]
fn times_that_the_door_would_refuse_are_refused_here() {
    for time in ["1999-12-31T23:59:59Z", "2999-01-01T00:00:00Z"] {
        let document = json!([{"id": "P-001", "summary": "One", "updated_at": time}]);
        let pulled = receive(&State::parse(Some(&document.to_string()), None).expect("readable"), &recipient("web"));
        assert_eq!((pulled.lines.len(), pulled.refused.len()), (0, 1), "{time}");
    }
}

#[test]
fn files_that_are_no_documents_stop_a_push_and_stay_as_they_are() {
    let deep = "[".repeat(100_000);
    let crowd = format!("[{}0]", "0,".repeat(60_000));
    let large = " ".repeat((16 << 20) + 1);
    for text in ["", "{", "\"text\"", "{\"patterns\":7}", "<<<<<<< ours\n{}", &deep, &crowd, &large, "[1e999]"] {
        let (shared, place) = folder();
        let path = shared.path().join("org-patterns.json");
        fs::write(&path, text).expect("written");
        let web = Project::new("web");
        let error = web.try_push(&place, 1, &[pattern("P-001", "One")]).expect_err("refused");
        assert_eq!(error.exit, Exit::Edit, "{error}");
        assert_eq!(fs::read_to_string(&path).expect("the file").len(), text.len());
        assert!(!shared.path().join("sources.json").exists());
    }
    let (shared, place) = folder();
    fs::write(shared.path().join("org-patterns.json"), b"[\"\xff\"]").expect("written");
    assert!(Project::new("web").try_push(&place, 1, &[]).is_err());
}

#[test]
fn huge_numbers_do_not_stop_the_counting() {
    let (shared, place) = folder();
    let document = json!([{"id": "P-999999999999999999", "summary": "Huge"}, {"id": "P-999999999", "summary": "Large"},
        {"id": "P-1000000000", "summary": "Larger"}, {"id": "P-1", "summary": "Short"}]);
    fs::write(shared.path().join("org-patterns.json"), document.to_string()).expect("written");
    let pushed = Project::new("web").push(&place, 1, &[pattern("P-001", "One"), pattern("nonsense", "Two")]);
    assert_eq!(pushed.added, 2);
    let pulled = Project::new("api").pull(&place);
    assert_eq!((pulled.lines.len(), pulled.refused.len()), (6, 0));
}
