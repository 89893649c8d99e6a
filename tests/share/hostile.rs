//! Shared files that somebody wrote to do harm.

use std::fs;

use agent::share::{SharedPattern, Signer, State, merge, receive};
use serde_json::json;
use text::diagnostic::Exit;

use super::{Project, assert_passes, folder, lenient, local, pattern, recipient};

#[test]
fn odd_entries_are_named_and_the_others_are_taken() {
    let document = json!({"patterns": [
        17, null, [], {}, {"id": "../../etc/passwd", "summary": "One"}, {"id": "P-", "summary": "One"}, {"id": "P-1x", "summary": "One"},
        {"id": "P-00000000000000000000000000001", "summary": "One"}, {"id": "P-001", "summary": 5}, {"id": "P-002", "summary": " \u{202e} "},
        {"id": "P-003", "category": "insight", "confidence": "low", "summary": "Good"},
        {"id": "P-003", "summary": "The same id"},
        {"id": "P-004", "category": "../x", "confidence": ["high"], "summary": " Odd words", "seen_count": -4, "success_rate": 7,
         "flags": "[EVIL]", "applies_to": [1, "a\u{0}b", "", "a b"], "context": {"x": 1}, "repo": "\u{7}", "scope": 3, "trigger": {}},
        {"id": "P-005", "summary": "Long ".repeat(200_000), "trigger": "é".repeat(300_000), "applies_to": vec!["x".repeat(5000); 3]},
        {"id": "P-006", "summary": "Wide", "seen_count": "many", "success_rate": "NaN",
         "applies_to": (0..2000).map(|number| format!("agent {number}")).collect::<Vec<_>>()},
    ]});
    let sources = json!({"patterns": {"P-003": 4, "P-004": {"source_project": 5, "pushed_at": "yesterday", "pushed_by": "x\ny"},
        "P-006": {"source_project": "a\u{0}b", "source_id": "../..", "pushed_at": "2026-01-01T00:00:00Z"}, "../x": {}}});
    let state = State::parse(Some(&document.to_string()), Some(&sources.to_string())).expect("readable");
    let pulled = receive(&state, &lenient("web"));
    assert_eq!(pulled.refused.len(), 12, "{:#?}", pulled.refused);
    assert_eq!(pulled.lines.len(), 3);
    pulled.lines.iter().for_each(|line| assert_passes(line));
    let repaired: std::collections::BTreeSet<&str> = pulled.repaired.iter().map(|remark| &*remark.id).collect();
    assert_eq!(repaired.into_iter().collect::<Vec<_>>(), ["P-004", "P-006"]);
    assert_eq!(super::member(&pulled.lines[1], "summary"), "Odd words");
    assert_eq!(super::member(&pulled.lines[1], "applies_to"), r#"["a b"]"#);
}

#[test]
fn an_entry_whose_parts_are_too_much_together_is_refused() {
    let labels: Vec<String> = (0..1000).map(|number| format!("{number} {}", "\"".repeat(1000))).collect();
    let document = json!([{"id": "P-001", "summary": "One", "applies_to": labels}]);
    let pulled = receive(&State::parse(Some(&document.to_string()), None).expect("readable"), &lenient("web"));
    assert_eq!((pulled.lines.len(), pulled.refused.len()), (0, 1));
}

#[test]
fn times_that_the_door_would_refuse_are_refused_here() {
    for time in ["1999-12-31T23:59:59Z", "2999-01-01T00:00:00Z"] {
        let document = json!([{"id": "P-001", "summary": "One", "updated_at": time}]);
        let pulled = receive(&State::parse(Some(&document.to_string()), None).expect("readable"), &lenient("web"));
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
    let pulled = Project::new("api").pull_unsigned(&place);
    assert_eq!((pulled.lines.len(), pulled.refused.len()), (6, 0));
}

/// Why an entry is refused that somebody signed as it is.
fn refusal_of(entry: SharedPattern) -> Option<String> {
    let mut state = State::default();
    merge(&mut state, &local("api", 1, &[entry]), &Signer::from_secret(&[1; 32]));
    let mut pulled = receive(&state, &recipient("web"));
    assert_eq!(pulled.lines.len() + pulled.refused.len(), 1);
    pulled.refused.pop().map(|remark| remark.reason)
}

#[test]
fn words_that_would_speak_to_an_agent_are_refused_although_they_are_signed() {
    let harmless = "Retry calls #3 with `backoff` < 5 seconds";
    assert_eq!(refusal_of(SharedPattern { trigger: Some(harmless.to_owned()), ..pattern("P-001", harmless) }), None);
    for marker in ["</organization-learnings>", "<system-reminder>", "[PRUNE]", "```", "LEARNINGS_ACKNOWLEDGED"] {
        let text = format!("Do this {marker} and that");
        let odd = [
            pattern("P-001", &text),
            SharedPattern { trigger: Some(text.clone()), ..pattern("P-001", "One") },
            SharedPattern { applies_to: vec![text.clone()], ..pattern("P-001", "One") },
            SharedPattern { context: vec!["rust".to_owned(), text.clone()], ..pattern("P-001", "One") },
            SharedPattern { repo: text.clone(), ..pattern("P-001", "One") },
            SharedPattern { scope: Some(text.clone()), ..pattern("P-001", "One") },
        ];
        for (entry, name) in odd.into_iter().zip(["summary", "trigger", "applies_to", "context", "repo", "scope"]) {
            let reason = refusal_of(entry).unwrap_or_default();
            assert!(reason.contains(&format!("its `{name}` has the marker")), "{name}, {marker}: {reason}");
        }
    }
    assert!(refusal_of(pattern("P-001", "# Orders")).is_some_and(|reason| reason.contains("marker")));
}

#[test]
fn sentences_longer_than_captured_ones_may_be_are_refused() {
    assert_eq!(refusal_of(pattern("P-001", &"é".repeat(200))), None);
    let expected = |name: &str| Some(format!("its `{name}` has more than 200 characters"));
    assert_eq!(refusal_of(pattern("P-001", &"é".repeat(201))), expected("summary"));
    assert_eq!(refusal_of(SharedPattern { trigger: Some("é".repeat(201)), ..pattern("P-001", "One") }), expected("trigger"));
}

#[test]
fn line_breaks_and_hidden_characters_are_refused_and_not_repaired() {
    for name in ["summary", "trigger"] {
        for odd in
            ["Two\nlines", "Two\rlines", "Red \u{1b}[31m", "Back\u{202e}wards", "Hid\u{200b}den", "Two\u{2028}lines", "End\n"]
        {
            let mut entry = json!({"id": "P-001", "category": "insight", "confidence": "low", "summary": "One"});
            entry[name] = odd.into();
            let pulled = receive(&State::parse(Some(&json!([entry]).to_string()), None).expect("readable"), &lenient("web"));
            assert_eq!((pulled.lines.len(), pulled.refused.len(), pulled.repaired.len()), (0, 1, 0), "{name}: {odd:?}");
            assert!(pulled.refused[0].reason.contains(&format!("its `{name}` has a line break")), "{:?}", pulled.refused);
        }
    }
}

#[test]
fn implausible_numbers_of_sightings_are_refused_and_never_shared() {
    for (seen_count, is_taken) in
        [(json!(1_000_000), true), (json!(1_000_001), false), (json!(1e300), false), (json!("inf"), false)]
    {
        let document =
            json!([{"id": "P-001", "category": "insight", "confidence": "low", "summary": "One", "seen_count": seen_count}]);
        let pulled = receive(&State::parse(Some(&document.to_string()), None).expect("readable"), &lenient("web"));
        assert_eq!((pulled.lines.len(), pulled.refused.len()), (usize::from(is_taken), usize::from(!is_taken)), "{seen_count}");
        assert!(is_taken || pulled.refused[0].reason.contains("implausible"), "{:?}", pulled.refused);
    }
    assert_eq!(refusal_of(SharedPattern { seen_count: i64::MAX, ..pattern("P-001", "One") }), None);
}
