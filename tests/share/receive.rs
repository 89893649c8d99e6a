//! Taking patterns from a shared place.

use agent::share::{Pulled, SharedPattern, Signer, State, merge, receive};

use super::{assert_passes, lenient, local, member, pattern, recipient, summaries};

/// What `web` takes from a place to which other projects pushed, one pattern each.
fn received(patterns: &[SharedPattern]) -> Pulled {
    let mut state = State::default();
    for (number, pattern) in (1_u8..).zip(patterns) {
        let project = format!("project-{number}");
        // Documents of other writers may hold one lesson twice; ours would not.
        let mut single = State::default();
        merge(&mut single, &local(&project, i64::from(number), std::slice::from_ref(pattern)), &Signer::from_secret(&[number; 32]));
        let entry = single.document.slots()[0].entry().expect("an entry").clone();
        state.sources.put(&entry.pattern.id, &single.sources.record(&entry.pattern.id).expect("a record"), None, None);
        state.document.put(entry);
    }
    let pulled = receive(&state, &recipient("web"));
    assert_eq!(receive(&state, &recipient("web")), pulled, "twice the same");
    pulled.lines.iter().for_each(|line| assert_passes(line));
    pulled
}

#[test]
fn a_line_says_everything_that_is_shared_and_gives_no_local_number() {
    let shared = SharedPattern {
        trigger: Some("writing tests".to_owned()),
        scope: Some("organization".to_owned()),
        ..pattern("P-004", "One")
    };
    let pulled = received(&[shared]);
    let line = &pulled.lines[0];
    for (name, expected) in [
        ("summary", "One"),
        ("category", "mistake"),
        ("confidence", "high"),
        ("trigger", "writing tests"),
        ("scope", "organization"),
        ("repo", "*"),
        ("applies_to", r#"["implementer"]"#),
        ("tags", r#"["rust","tests"]"#),
        ("seen_count", "5"),
        ("success_rate", "0.8"),
        ("project", "web"),
        ("source_project", "project-1"),
        ("source_id", "P-004"),
        ("shared_id", "P-004"),
        ("pushed_by", "ann"),
        ("ts", &super::at(1).to_string()),
        ("pattern_id", "null"),
        ("unsigned", "null"),
    ] {
        assert_eq!(member(line, name), expected, "{name}");
    }
    assert!(member(line, "id").starts_with("shared-P-004-"));
}

#[test]
fn what_the_project_wrote_itself_does_not_come_back() {
    let mut state = State::default();
    merge(&mut state, &local("web", 1, &[pattern("P-001", "Mine")]), &Signer::from_secret(&[1; 32]));
    merge(&mut state, &local("api", 2, &[pattern("P-001", "Theirs")]), &Signer::from_secret(&[2; 32]));
    let pulled = receive(&state, &recipient("web"));
    assert_eq!((pulled.echoes, summaries(&pulled)), (1, vec!["Theirs".to_owned()]));
}

#[test]
fn of_the_same_lesson_the_one_that_was_seen_more_often_is_taken() {
    let often = SharedPattern { seen_count: 40, success_rate: Some(0.1), ..pattern("P-002", "use  a lock") };
    let pulled = received(&[pattern("P-001", "Use a lock"), often, pattern("P-003", "Use a LOCK")]);
    assert_eq!(pulled.lines.len(), 1);
    assert_eq!((&*member(&pulled.lines[0], "shared_id"), &*member(&pulled.lines[0], "seen_count")), ("P-002", "40"));
    let aside: Vec<&str> = pulled.set_aside.iter().map(|remark| &*remark.id).collect();
    assert_eq!(aside, ["P-001", "P-003"]);
}

#[test]
fn of_contradicting_lessons_for_one_trigger_the_one_with_the_higher_rate_is_taken() {
    let told = |id: &str, summary: &str, rate: Option<f64>, repo: &str| SharedPattern {
        trigger: Some("Deploying".to_owned()),
        success_rate: rate,
        repo: repo.to_owned(),
        ..pattern(id, summary)
    };
    let pulled = received(&[
        told("P-001", "Deploy on Friday", Some(0.4), "*"),
        told("P-002", "Deploy on Monday", Some(0.9), "*"),
        told("P-003", "Deploy never", None, "*"),
        told("P-004", "Deploy elsewhere", Some(0.2), "infra"),
    ]);
    assert_eq!(summaries(&pulled), ["Deploy on Monday", "Deploy elsewhere"]);
    assert_eq!(pulled.set_aside.len(), 2);
}

#[test]
fn entries_without_any_record_are_taken_by_those_who_want_them_and_always_give_the_same_line() {
    let document = r#"{"patterns":[{"id":"P-001","category":"pattern","summary":"Old","seen_count":3,"flags":"[PRUNE]"},
        {"id":"P-002","category":"pattern","summary":"Good","confidence":"low","success_rate":"","seen_count":"3","applies_to":[]}]}"#;
    let state = State::parse(Some(document), None).expect("readable");
    let pulled = receive(&state, &lenient("web"));
    assert_eq!(summaries(&pulled), ["Good"]);
    assert_passes(&pulled.lines[0]);
    assert_eq!(member(&pulled.lines[0], "unsigned"), "true");
    assert_eq!(pulled.refused.len(), 1, "what is flagged for removal is not taken");
    assert_eq!(receive(&state, &lenient("web")).lines, pulled.lines);
    let strict = receive(&state, &recipient("web"));
    assert_eq!((strict.lines.len(), strict.refused.len()), (0, 2));
    assert!(strict.refused.iter().all(|remark| remark.reason.contains("`share.take_unsigned`")), "{:?}", strict.refused);
}

#[test]
fn a_changed_entry_gives_another_line() {
    let line = |seen_count| received(&[SharedPattern { seen_count, ..pattern("P-001", "One") }]).lines.remove(0);
    assert_ne!(member(&line(1), "id"), member(&line(2), "id"));
    assert_eq!(line(1), line(1));
}
