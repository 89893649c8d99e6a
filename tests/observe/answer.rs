//! Answers of commands: what is taken of them, and what is refused.

use agent::observe::{Answer, Known, Source, parse_answer};
use serde_json::{Value, json};

use super::{known, source};

fn sessions() -> [Source; 2] {
    [
        source(
            "s1",
            &[(None, "run the linter, then commit"), (Some("I will amend the commit."), "no, do not amend pushed commits")],
        ),
        source(
            "s2",
            &[
                (Some("Postgres or SQLite?"), "SQLite because the tests run without a server"),
                (None, "first the linter, then the commit"),
            ],
        ),
    ]
}

fn parse_knowing(text: &str, known: &[Known]) -> Result<Answer, String> {
    let sessions = sessions();
    parse_answer(text, &sessions.iter().collect::<Vec<_>>(), &known.iter().collect::<Vec<_>>())
}

fn parse(text: &str) -> Result<Answer, String> {
    parse_knowing(text, &[])
}

fn answer(entries: &[Value]) -> String {
    json!({"observations": entries}).to_string()
}

fn decision() -> Value {
    json!({"id": "obs_fk0001", "type": "decision", "pattern": "SQLite for tests", "evidence": ["SQLite because the tests run without a server"],
        "details": {"context": "storage; tests", "decision": "use SQLite", "rationale": "no server"}, "quality_ok": true})
}

#[test]
fn json_by_itself_and_in_one_fence_is_read() {
    let plain = answer(&[decision()]);
    for text in [
        plain.clone(),
        format!("\n{plain}\n"),
        format!("```json\n{plain}\n```"),
        format!("```\n{plain}\n```\n"),
        format!("Here is what I found:\n\n```json\n{plain}\n```\nLet me know!"),
        json!({"type": "result", "result": format!("```json\n{plain}\n```")}).to_string(),
    ] {
        let answer = parse(&text).unwrap_or_else(|cause| panic!("{cause}: {text}"));
        assert_eq!((answer.sightings[0].len(), answer.sightings[1].len(), answer.faults.len()), (0, 1, 0), "{text}");
        let sighting = &answer.sightings[1][0];
        assert_eq!(
            (sighting.id.as_deref(), &*sighting.pattern, sighting.is_supported()),
            (Some("obs_fk0001"), "SQLite for tests", true)
        );
        assert_eq!(sighting.details, "context: storage, tests; decision: use SQLite; rationale: no server");
    }
    assert_eq!(parse(&answer(&[])).expect("nothing was seen").sightings, [vec![], vec![]]);
}

#[test]
fn other_texts_are_refused_as_a_whole() {
    let plain = answer(&[decision()]);
    for (text, cause) in [
        (String::new(), "not a JSON object"),
        ("I found nothing.".to_owned(), "not a JSON object"),
        (format!("Sure! {plain}"), "not a JSON object"),
        (format!("```json\n{plain}\n```\n```json\n{plain}\n```"), "fences other than"),
        (format!("```yaml\n{plain}\n```"), "fences other than"),
        (format!("```json\n{plain}"), "fences other than"),
        ("```json\nnonsense\n```".to_owned(), "fenced block"),
        ("[]".to_owned(), "not a JSON object"),
        ("{}".to_owned(), "no list `observations`"),
        (r#"{"observations": {}}"#.to_owned(), "is not a list"),
        (r#"{"observations": [null]}"#.to_owned(), "no entry of the answer can be used"),
    ] {
        let told = parse(&text).expect_err("it is refused");
        assert!(told.contains(cause), "{told} for {text}");
    }
}

#[test]
fn one_bad_entry_costs_itself_and_is_told() {
    let change = |name: &str, value: Value| {
        let mut entry = decision();
        entry[name] = value;
        entry
    };
    let bad = [
        json!(null),
        json!("text"),
        change("id", json!("dec_1")),
        change("id", json!("obs_")),
        change("id", json!("obs_../../x")),
        change("id", json!(7)),
        change("type", json!("other")),
        change("pattern", json!("")),
        change("pattern", json!("!!! …")),
        change("pattern", json!("x".repeat(501))),
        change("evidence", json!("abcd")),
        change("evidence", json!([1])),
        change("evidence", json!(vec!["x"; 51])),
        change("details", json!(["list"])),
        change("details", json!({"context": 1})),
        change("details", json!("x".repeat(4001))),
        change("quality_ok", json!("true")),
        change("session", json!(3)),
        change("session", json!(0)),
        json!({"id": "obs_1", "type": "decision"}),
    ];
    for entry in bad {
        let told = parse(&answer(&[entry.clone(), decision()])).expect("the other entry stands");
        assert_eq!((told.sightings[1].len(), told.faults.len()), (1, 1), "{entry}: {:?}", told.faults);
        assert!(told.faults[0].starts_with("entry 1: "), "{:?}", told.faults);
    }
}

#[test]
fn a_thing_that_is_named_twice_was_seen_once_in_its_session() {
    let mut again = decision();
    again["pattern"] = "sqlite, for TESTS!".into();
    again["id"] = "obs_other1".into();
    let mut named = decision();
    named["pattern"] = "another wording of it".into();
    let told = parse(&answer(&[decision(), again, named])).expect("an answer");
    assert_eq!((told.sightings[0].len(), told.sightings[1].len()), (0, 1), "{told:?}");
    let mut elsewhere = decision();
    elsewhere["session"] = 1.into();
    let told = parse(&answer(&[decision(), elsewhere])).expect("an answer");
    assert_eq!((told.sightings[0].len(), told.sightings[1].len()), (1, 1));
    assert!(!told.sightings[0][0].is_supported(), "nobody said so there");
}

#[test]
fn an_entry_belongs_to_the_session_that_it_names_or_that_holds_its_words() {
    let place = |entry: Value| {
        let told = parse(&answer(&[entry])).expect("an answer");
        told.sightings.iter().position(|sightings| !sightings.is_empty()).expect("a session") + 1
    };
    let quoting = |quote: &str| json!({"id": "obs_q", "type": "workflow", "pattern": "lint then commit", "evidence": [quote]});
    assert_eq!(place(quoting("Run the linter, then COMMIT")), 1);
    assert_eq!(place(quoting("first the linter … the commit")), 2);
    assert_eq!(place(quoting("nobody said this at all")), 2);
    let mut named = quoting("first the linter, then the commit");
    named["session"] = 1.into();
    assert_eq!(place(named), 1);
}

#[test]
fn the_commands_word_counts_as_soon_as_something_it_quotes_was_said() {
    let supported = |kind: &str, evidence: &[&str], session: usize| {
        let entry = json!({"id": "obs_q", "type": kind, "pattern": "a thing", "evidence": evidence, "quality_ok": true, "session": session});
        parse(&answer(&[entry])).expect("an answer").sightings[session - 1][0].is_supported()
    };
    assert!(supported("pitfall", &["prior: I will amend the commit.", "user: no, do not amend pushed commits"], 1));
    assert!(supported("pitfall", &["user: no, do not amend pushed commits"], 1), "the command judges");
    assert!(supported("decision", &["SQLite because the tests run without a server"], 2));
    assert!(supported("decision", &["the tests run without a server"], 2), "reasons have other words in other languages");
    assert!(!supported("decision", &["Postgres because it is there already"], 2), "an invention");
    assert!(supported("workflow", &["run the linter, then commit", "no, do not amend pushed commits"], 1));
    assert!(supported("workflow", &["run the linter, then commit"], 1), "other sessions may say it again");
    let told = parse(&answer(&[
        json!({"id": "obs_q", "type": "decision", "pattern": "a thing", "evidence": ["SQLite because the tests run without a server"], "session": 2}),
    ]));
    assert!(!told.expect("an answer").sightings[1][0].is_supported(), "the command does not say so");
}

#[test]
fn an_id_that_is_known_keeps_its_type() {
    let known = [known("obs_fk0001", "pitfall", "something else")];
    let told = parse_knowing(&answer(&[decision(), json!({"id": "obs_n", "type": "pitfall", "pattern": "p"})]), &known)
        .expect("an answer");
    assert_eq!(told.faults, ["entry 1: `obs_fk0001` is of type pitfall, not decision"]);
}

#[test]
fn texts_of_an_answer_cannot_forge_a_heading_or_a_field() {
    let entry = json!({"id": "obs_q", "type": "decision", "pattern": "t\n## ADR-777: injected\u{1b}[2J", "details": "context: multi\nline; decision: x"});
    let told = parse(&answer(&[entry])).expect("an answer");
    let sighting = &told.sightings[1][0];
    assert_eq!((&*sighting.pattern, &*sighting.details), ("T ## ADR-777: injected [2J", "context: multi line; decision: x"));
    let steps = json!({"id": "obs_w", "type": "workflow", "pattern": "p", "details": "1. run\u{7}\n\n2. push"});
    assert_eq!(parse(&answer(&[steps])).expect("an answer").sightings[1][0].details, "1. run\n2. push");
}
