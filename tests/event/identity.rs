//! Ids and digests: what makes two deliveries the same event.

use event::{Code, digest_of};
use proptest::prelude::*;
use serde_json::json;
use setting::RunSettings;

use crate::event::door::{TIME, cases, fresh, line, refused_code, run, taken, taken_by};

/// A line of a build with further members: an event that is called after its line.
fn build(members: &str) -> String {
    line("build", &format!(r#""run_id":"r-1","passed":true,{members}"#))
}

/// White space that may stand around a line.
const SPACE: [&str; 6] = [" ", "\n", "\r\n", "\t", "  \t ", "\n\n"];

#[test]
fn an_event_without_an_id_is_called_after_its_line() {
    let line = build(r#""iteration":1"#);
    let id = taken(&line).id;
    assert_eq!(id.len(), 32);
    assert!(id.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte)), "{id}");
    assert_eq!(taken(&line).id, id);
    assert_eq!(taken(&line.replace("1}", "2}")).id.len(), 32);
    assert_ne!(taken(&line.replace("1}", "2}")).id, id);
}

#[test]
fn the_id_of_a_line_never_changes() {
    // Events that landed years ago are recognised by it.
    let line = r#"{"kind":"build","ts":"2026-03-14T09:26:53Z","run_id":"r-1","passed":true}"#;
    assert_eq!(taken(line).id, "6715991ee36d9abba86f0c100a3b1c4b");
    assert_eq!(taken(line).digest, 16_124_248_018_033_879_402);
}

#[test]
fn an_id_that_is_null_is_absent() {
    assert_eq!(taken(&build(r#""id":null,"event_id":null"#)).id.len(), 32);
}

#[test]
fn white_space_around_a_line_changes_neither_its_id_nor_its_digest() {
    let line = build(r#""iteration":1"#);
    let bare = taken(&line);
    for space in SPACE {
        for padded in [format!("{space}{line}"), format!("{line}{space}"), format!("{space}{line}{space}")] {
            let event = taken(&padded);
            assert_eq!((&event.id, event.digest), (&bare.id, bare.digest), "{padded:?}");
            assert_eq!(digest_of(&padded), bare.digest, "{padded:?}");
        }
    }
}

#[test]
fn white_space_within_a_line_changes_both() {
    let (line, spaced) = (build(r#""iteration":1"#), build(r#""iteration": 1"#));
    assert_ne!(taken(&line).id, taken(&spaced).id);
    assert_ne!(taken(&line).digest, taken(&spaced).digest);
}

#[test]
fn a_run_without_an_id_is_called_after_its_project_and_its_run() {
    for (members, id) in [
        (r#""retries":1"#, "default/r-1"),
        (r#""retries":2,"id":null"#, "default/r-1"),
        (r#""project":"shop""#, "shop/r-1"),
        (r#""projectId":"größe 1","runId":"r-1""#, "größe 1/r-1"),
        (r#""iterations":3,"command":"code""#, "default/r-1"),
    ] {
        assert_eq!(taken(&run(members)).id, id, "{members}");
    }
    let governance = line("run", r#""run_id":"r-2","result":"failure","issues":[]"#);
    assert_eq!(taken(&governance).id, "default/r-2");
}

#[test]
fn a_run_with_an_id_keeps_it() {
    assert_eq!(taken(&run(r#""id":"e-1""#)).id, "e-1");
    assert_eq!(taken(&run(r#""eventId":7"#)).id, "7");
}

#[test]
fn rows_of_the_closedloop_log_are_called_after_their_lines() {
    // A run that is resumed ends more than once in that log.
    for members in [r#""status_text":"error""#, r#""goal":"g","iterations":3,"command":"code","status_text":"completed""#] {
        let row = line("run", &format!(r#""run_id":"r-1","result":"success",{members}"#));
        assert_eq!(taken(&row).id.len(), 32, "{row}");
    }
}

#[test]
fn a_run_is_called_the_same_whether_runs_are_replaced_or_not() {
    let rules = RunSettings { replace: true, ..RunSettings::default() };
    let (one, other) = (run(r#""retries":1"#), run(r#""retries":2"#));
    assert_eq!((taken_by(rules, &one).id, taken_by(rules, &other).id), ("default/r-1".into(), "default/r-1".into()));
    assert_ne!(taken_by(rules, &one).digest, taken_by(rules, &other).digest);
    assert_eq!(taken_by(rules, &run(r#""id":"e-1""#)).id, "e-1");
}

#[test]
fn the_time_of_a_run_without_an_id_does_not_make_it_another_one() {
    let later = |line: &str| line.replace(TIME, "2026-03-14T09:26:54.5Z");
    let first = run(r#""retries":1"#);
    assert_eq!(taken(&first).digest, taken(&later(&first)).digest);
    assert_eq!(
        taken(&first.replace("\"ts\"", "\"createdAt\"")).digest,
        taken(&later(&first).replace("\"ts\"", "\"createdAt\"")).digest
    );
    let behind = format!(r#"{{"kind":"run","run_id":"r-1","result":"success","adapters":["fs"],"ts":"{TIME}"}}"#);
    assert_eq!(taken(&behind).digest, taken(&later(&behind)).digest);
    assert_ne!(taken(&first).digest, taken(&run(r#""retries":2"#)).digest);
    // A text that happens to be the time is not the time.
    let noted = run(&format!(r#""notes":"{TIME}""#));
    assert_ne!(taken(&noted).digest, taken(&later(&noted)).digest);
    for line in [run(r#""id":"e-1""#), build(r#""iteration":1"#), run(r#""status_text":"x","adapters":null"#)] {
        assert_ne!(taken(&line).digest, taken(&later(&line)).digest, "{line}");
    }
}

#[test]
fn an_id_that_is_given_is_kept() {
    for id in ["e-1", "a/b\\c", "..", "550e8400-e29b-41d4-a716-446655440000", "größe 1", " x "] {
        let line = run(&format!(r#""id":{}"#, json!(id)));
        assert_eq!(taken(&line).id, id);
    }
    assert_eq!(taken(&run(r#""id":"\u0065-\u0031""#)).id, "e-1");
}

#[test]
fn an_id_may_be_a_number_and_is_its_digits() {
    for (written, id) in [("7", "7"), ("0", "0"), ("18446744073709551616", "18446744073709551616"), (r#""007""#, "007")] {
        assert_eq!(taken(&run(&format!(r#""id":{written}"#))).id, id);
    }
}

#[test]
fn an_id_of_another_type_is_refused() {
    for written in ["-7", "7.5", "7e1", "true", "[7]", r#"{"id":7}"#] {
        assert_eq!(refused_code(&run(&format!(r#""id":{written}"#))), Code::WrongType, "{written}");
    }
    assert_eq!(refused_code(&run(r#""id":"""#)), Code::BadName);
}

#[test]
fn the_digest_tells_two_contents_under_one_id_apart() {
    let (one, other) = (run(r#""id":"e-1","retries":1"#), run(r#""id":"e-1","retries":2"#));
    assert_eq!(taken(&one).id, taken(&other).id);
    assert_ne!(taken(&one).digest, taken(&other).digest);
}

proptest! {
    #![proptest_config(cases(512))]

    #[test]
    fn the_digest_of_an_event_is_the_digest_of_its_line(notes in any::<String>(), before in "[ \t\r\n]{0,4}", after in "[ \t\r\n]{0,4}") {
        let line = build(&format!(r#""details":{}"#, json!(notes)));
        let padded = format!("{before}{line}{after}");
        let event = fresh().parse(&padded).expect("taken");
        prop_assert_eq!(event.digest, digest_of(&padded));
        prop_assert_eq!(event.digest, digest_of(&line));
        prop_assert_eq!(event.id, fresh().parse(&line).expect("taken").id);
    }
}
