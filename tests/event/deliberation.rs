//! What a role's text says is read at the door, unless its writer has said it already.

use event::Body;
use serde_json::{Value, json};

use crate::event::door::{line, refused, taken};
use crate::event::plain::Plain;

const REPORT: &str = "# Review\n\nI ran it:\n\n```bash\n$ cargo test\ntest result: FAILED. 11 passed; 1 failed\n```\n\n\
    ## Accumulated Patterns\n- [rule] Always close what was opened\n- none\n- Retries hide timeouts,\n  because errors are swallowed\n\n\
    <!-- jkz:verdict-json\n{\"verdict\":\"FAIL\",\"issues\":[{\"id\":\"J1\",\"severity\":\"HIGH\",\"summary\":\"It leaks\"}],\"must_fix\":[\"J1\"]}\n-->\n";

/// The patterns, the verdict and the level of evidence of a deliberation with this text and further members.
#[track_caller]
fn said(text: &str, members: &str) -> (Value, Value, Value) {
    let event = line("deliberation", &format!(r#""role":"judge","text":{}{members}"#, json!(text)));
    let Body::Deliberation(body) = taken(&event).body else { panic!("another kind") };
    (body.patterns.plain(), body.verdict.plain(), body.evidence_level.plain())
}

fn extra(members: &str) -> Option<String> {
    taken(&line("deliberation", &format!(r#""role":"judge","text":"t"{members}"#))).extra
}

#[test]
fn a_report_lands_with_its_patterns_its_verdict_and_its_level() {
    let patterns = json!(["[rule] Always close what was opened", "Retries hide timeouts, because errors are swallowed"]);
    assert_eq!(said(REPORT, ""), (patterns, json!("FAIL"), json!(1)));
}

#[test]
fn a_text_that_says_nothing_has_no_patterns_and_no_verdict() {
    assert_eq!(said("All is well.", ""), (Value::Null, Value::Null, json!(3)));
    assert_eq!(said("", ""), (Value::Null, Value::Null, json!(3)));
    assert_eq!(said("## Accumulated Patterns\n- none\n", ""), (Value::Null, Value::Null, json!(3)));
}

#[test]
fn a_fail_that_names_nothing_to_mend_lands_as_a_pass() {
    assert_eq!(said(r#"<!-- jkz:verdict-json {"verdict":"FAIL"} -->"#, "").1, json!("PASS"));
}

#[test]
fn what_the_writer_says_is_not_replaced() {
    let given = said(REPORT, r#","patterns":["Look twice, then leap"],"verdict":"PASS","evidence_level":3"#);
    assert_eq!(given, (json!(["Look twice, then leap"]), json!("PASS"), json!(3)));
    assert_eq!(said(REPORT, r#","patterns":[]"#).0, json!([]));
    assert_eq!(said(REPORT, r#","patterns":null,"verdict":null,"evidence_level":null"#), said(REPORT, ""));
}

#[test]
fn places_outside_of_the_files_of_a_deliberation_are_no_evidence() {
    let text = "src/a.rs:3 says `let x = 1`";
    for (files, level) in [("", 2), (r#","files":["./src/a.rs"]"#, 2), (r#","files":["src/b.rs"]"#, 3), (r#","files":[]"#, 2)] {
        assert_eq!(said(text, files).2, json!(level), "{files}");
    }
}

#[test]
fn given_patterns_that_do_not_fit_stay_beside_the_event() {
    let members = r#","patterns":["Look twice, then leap","short"]"#;
    assert_eq!(said("t", members).0, json!(["Look twice, then leap"]));
    assert_eq!(extra(members).as_deref(), Some(r#"{"patterns":["Look twice, then leap","short"]}"#));
    assert_eq!(extra(r#","patterns":["Look twice, then leap"]"#), None);

    let eleven: Vec<String> = (0..11).map(|number| format!("saying of the number {number}")).collect();
    let members = format!(r#","patterns":{}"#, json!(eleven));
    assert_eq!(said("t", &members).0, json!(eleven[..10]));
    assert_eq!(extra(&members), Some(format!(r#"{{"patterns":{}}}"#, json!(eleven))));
}

#[test]
fn given_patterns_must_be_a_list_of_texts() {
    for patterns in ["5", r#"{"a":1}"#, "[5]", "[[\"Look twice, then leap\"]]"] {
        let (_, message) = refused(&line("deliberation", &format!(r#""role":"judge","text":"t","patterns":{patterns}"#)));
        assert!(message.starts_with("`patterns`"), "{message}");
    }
}
