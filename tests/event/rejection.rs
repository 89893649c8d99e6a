//! Refusals: each says what is wrong and what to do, and nothing of the input can act through it.

use event::{Code, Rejection};
use proptest::prelude::*;
use serde_json::json;
use text::fit::{is_unprintable, quoted};

use crate::event::door::{TIME, assert_presentable, cases, fresh, line, refused, run};
use crate::event::scanner::mutated;
use crate::event::table::{TABLES, fields};

/// Text that would act on a terminal, break a log line or reorder what stands around it.
const HOSTILE: [&str; 7] = [
    "\u{1b}[2J\u{1b}]0;owned\u{7}",
    "one\nerror: two",
    "\r\u{8}\u{8}",
    "\0",
    "\u{202e}drowssap\u{2066}",
    "\u{feff}\u{200b}\u{2028}",
    "\u{85}\u{9b}31m\u{7f}",
];

#[test]
fn every_code_has_a_stable_name() {
    for (code, name) in [
        (Code::NotUtf8, "not_utf8"),
        (Code::NotJson, "not_json"),
        (Code::TooLarge, "too_large"),
        (Code::MissingField, "missing_field"),
        (Code::WrongType, "wrong_type"),
        (Code::OutOfRange, "out_of_range"),
        (Code::BadName, "bad_name"),
        (Code::Contradiction, "contradiction"),
        (Code::UnknownKind, "unknown_kind"),
        (Code::IdConflict, "id_conflict"),
    ] {
        assert_eq!(code.name(), name);
    }
}

#[test]
fn a_rejection_reads_as_one_sentence_with_its_remedy() {
    let rejection = Rejection::new(Code::MissingField, "is empty", "write a name").in_field("run_id");
    assert_eq!(rejection.to_string(), "`run_id` is empty; write a name");
    assert_eq!(rejection.code, Code::MissingField);
}

#[test]
fn a_quotation_is_short_and_printable() {
    assert_eq!(quoted("a b"), "`a b`");
    assert_eq!(quoted(""), "``");
    assert_eq!(quoted(&"x".repeat(60)), format!("`{}`", "x".repeat(60)));
    assert_eq!(quoted(&"é".repeat(61)), format!("`{}…`", "é".repeat(60)));
    for hostile in HOSTILE {
        assert!(!quoted(hostile).chars().any(is_unprintable), "{hostile:?}");
    }
}

#[test]
fn a_line_that_is_no_json_is_refused_with_the_place_and_what_was_found_there() {
    for (line, message) in [
        ("", "not one JSON object: expected one JSON object at byte 0, found the end of the line"),
        ("[]", "not one JSON object: expected one JSON object at byte 0, found `[]`"),
        ("{\"é\":tru}", "not one JSON object: expected a value at byte 6, found `tru}`"),
        ("{\"a\":1", "not one JSON object: expected `,` or the end of the list or object at byte 6, found the end of the line"),
        (r#"{"a":"\u12g4"}"#, r#"not one JSON object: expected four hexadecimal digits at byte 10, found `g4"}`"#),
        (r#"{"a":"\u123"}"#, r#"not one JSON object: expected four hexadecimal digits at byte 11, found `"}`"#),
        ("{\"a\":1} x", "not one JSON object: expected end of input at byte 8, found `x`"),
        (
            "{\"a\":\"\u{1b}\"}",
            "not one JSON object: expected an escape instead of a bare control character at byte 6, found `\u{fffd}\"}`",
        ),
    ] {
        assert_eq!(refused(line), (Code::NotJson, message.to_owned()));
    }
}

#[test]
fn hostile_text_never_reaches_the_message() {
    // `refused` asserts that every message and remedy is short and printable.
    for hostile in HOSTILE {
        let json = json!(hostile);
        refused(hostile);
        refused(&format!("{{{hostile}"));
        refused(&format!(r#"{{"kind":{json},"ts":"{TIME}"}}"#));
        refused(&format!(r#"{{"kind":"build","ts":{json},"run_id":"r","passed":true}}"#));
        refused(&run(&format!(r#""id":{json}"#)));
        refused(&run(&format!(r#""project":{json}"#)));
        refused(&run(&format!("{json}:1,{json}:2")));
        refused(&run(&format!("{json}:1,{json}")));
        refused(&run(&format!(r#""x":{hostile}"#)));
        refused(&run(&format!(r#""notes":[{json}]"#)));
        refused(&run(&format!(r#""agent_decisions":[{{"agent":"a","decision":{json},"confidence":1}}]"#)));
        for (table, field) in fields() {
            let _ = fresh()
                .parse(&table.line_with(field, &[(field.name, &json.to_string())]))
                .map_err(|fault| assert_presentable(&fault));
            let _ = fresh()
                .parse(&table.line_with(field, &[(field.name, &json!([hostile]).to_string())]))
                .map_err(|fault| assert_presentable(&fault));
        }
    }
}

#[test]
fn endless_text_never_reaches_the_message() {
    let endless = json!("x".repeat(1 << 18));
    refused(&format!(r#"{{"kind":{endless},"ts":"{TIME}"}}"#));
    refused(&format!(r#"{{"kind":"build","ts":{endless},"run_id":"r","passed":true}}"#));
    refused(&run(&format!("{endless}:1,{endless}:2")));
    refused(&run(&format!(r#""risk":{endless}"#)));
    refused(&run(&format!(r#""success":{endless}"#)));
    refused(&run(&format!(r#""retries":{endless}"#)));
    refused(&run(&format!(r#""issues":{{"a":{endless}}}"#)));
    refused(&run(&format!(r#""x":?{endless}"#)));
}

#[test]
fn every_missing_field_has_a_remedy() {
    for table in TABLES {
        refused(&line(table.kind, r#""x":1"#));
    }
}

proptest! {
    #![proptest_config(cases(4096))]

    #[test]
    fn arbitrary_text_is_refused_presentably(text in any::<String>()) {
        for refused in [text.clone(), run(&text), run(&format!(r#""risk":{}"#, json!(text))), run(&format!("{}", json!(text)))] {
            if let Err(rejection) = fresh().parse(&refused) {
                assert_presentable(&rejection);
            }
        }
    }

    #[test]
    fn a_changed_line_is_refused_presentably(line in mutated(&LINES).prop_filter("whole characters", |line| !line.contains("\\ud"))) {
        if let Err(rejection) = fresh().parse(&line) {
            assert_presentable(&rejection);
        }
    }
}

/// Lines whose text could act if a message showed it as it is.
const LINES: [&str; 3] = [
    "{\"kind\":\"run\",\"ts\":\"2026-03-14T09:26:53Z\",\"run_id\":\"r\u{202e}1\",\"result\":\"success\",\"y\u{200b}\":1}",
    "{\"kind\":\"run\",\"ts\":\"2026-03-14T09:26:53Z\",\"run_id\":\"r\\n1\",\"result\":\"success\",\"risk\":\"\\u001b[2J\"}",
    "{\"kind\":\"goal\",\"ts\":\"2026-03-14T09:26:53Z\",\"run_id\":\"r1\",\"goal\":\"g\",\"success\":\"\u{7f}\",\"score\":1}",
];
