//! Defects that the event room once had: each test failed before its defect was fixed.

use crate::event::door::{fresh, line, refused, refused_code, run, taken};
use crate::event::plain::Plain;
use event::{Body, Code, parse_time};
use serde_json::Value;
use text::fit::{is_invisible, is_unprintable};
use text::limit;

#[test]
fn a_brace_in_place_of_a_comma_is_no_json_whatever_was_seen_before() {
    let mut parser = fresh();
    parser
        .parse(r#"{"ts":"2026-03-14T09:26:53Z","kind":"run","run_id":"r","result":"success","adapters":["terminal"]}"#)
        .expect("an event");
    parser
        .parse(r#"{"kind":"run","ts":"2026-03-14T09:26:53Z","run_id":"r","result":"success","adapters":["terminal"]}"#)
        .expect("an event");
    let line = r#"{"kind":"run"{"ts":"2026-03-14T09:26:53Z","run_id":"r","result":"success","adapters":["terminal"]}"#;
    assert_eq!(parser.parse(line), fresh().parse(line));
}

#[test]
fn the_most_fields_of_an_event_are_the_same_whatever_was_seen_before() {
    let line = run(&(0..limit::FIELDS).map(|number| format!(r#""x{number}":0"#)).collect::<Vec<_>>().join(","));
    let mut parser = fresh();
    assert_eq!(parser.parse(&line).map_err(|fault| fault.code), Err(Code::TooLarge));
    let line = run(&(4..=limit::FIELDS).map(|number| format!(r#""x{number}":0"#)).collect::<Vec<_>>().join(","));
    assert_eq!(parser.parse(&line), fresh().parse(&line));
}

#[test]
fn a_hostile_name_around_half_a_surrogate_pair_never_reaches_the_message() {
    refused(&run(r#""a\n\u001b[2J":"\ud800""#));
}

#[test]
fn an_endless_name_around_half_a_surrogate_pair_never_reaches_the_message() {
    refused(&run(&format!(r#""{}":"\ud800""#, "x".repeat(1 << 16))));
}

#[test]
fn digits_without_quotes_are_bounded_like_other_names() {
    let digits = "1".repeat(limit::NAME_BYTES + 1);
    assert_eq!(
        refused_code(&line("run", &format!(r#""run_id":{digits},"result":"success","adapters":["terminal"]"#))),
        Code::TooLarge
    );
}

#[test]
fn digits_without_quotes_are_bounded_like_other_labels() {
    let digits = "1".repeat(limit::LABEL_BYTES + 1);
    assert_eq!(refused_code(&run(&format!(r#""id":{digits}"#))), Code::TooLarge);
}

#[test]
fn an_agent_decision_that_is_no_object_is_of_the_wrong_type() {
    for decision in ["5", "null", "[]", r#""approve""#] {
        assert_eq!(refused_code(&run(&format!(r#""agent_decisions":[{decision}]"#))), Code::WrongType, "{decision}");
    }
}

#[test]
fn half_a_surrogate_pair_is_refused_within_nested_records() {
    for members in [
        r#""agent_decisions":[{"agent":"a","confidence":1,"note":"\ud800"}]"#,
        r#""failureDetails":{"dominantFailureType":"a","note":"\ud800"}"#,
        r#""failureDetails":{"dominantFailureType":"a","\ud800":1}"#,
        r#""failureDetails":{"note":"\ud800","dominantFailureType":"a"}"#,
    ] {
        assert_eq!(refused_code(&run(members)), Code::NotJson, "{members}");
    }
}

#[test]
fn a_nested_record_that_contradicts_itself_is_refused() {
    for members in [
        r#""agent_decisions":[{"agent":"a","confidence":1,"confidence":0}]"#,
        r#""agent_decisions":[{"agent":"a","agent":"b","confidence":0}]"#,
        r#""failureDetails":{"dominantFailureType":"a","dominantFailureType":"b"}"#,
        r#""failureDetails":{"dominantFailureType":"a","dominant_failure_type":"b"}"#,
    ] {
        let got = fresh().parse(&run(members)).map(|event| format!("{:?}", event.body)).map_err(|fault| fault.code);
        assert_eq!(got, Err(Code::Contradiction), "{members}");
    }
}

#[test]
fn what_else_a_nested_record_says_is_kept() {
    for members in [
        r#""agent_decisions":[{"agent":"a","confidence":1,"reasons":["r"]}]"#,
        r#""failureDetails":{"dominantFailureType":"a","attempt":3}"#,
    ] {
        let line = run(members);
        assert!(taken(&line).extra.is_some(), "{members}");
    }
}

#[test]
fn a_number_beyond_a_double_is_refused_as_serde_json_does() {
    for members in [r#""x":1e999"#, r#""x":[-1e999]"#] {
        assert_eq!(refused_code(&run(members)), Code::NotJson);
    }
    refused(&line("goal", r#""run_id":"r","goal":"g","success":true,"metrics":{"a":1e999}"#));
}

#[test]
fn lists_that_agree_pass_however_they_are_spaced() {
    taken(&run(r#""adapters":["a","b"],"adaptersUsed":["a", "b"]"#));
}

#[test]
fn lists_of_labels_that_agree_after_removing_repetitions_pass() {
    taken(&run(r#""adapters":["a"],"adaptersUsed":["a","a"]"#));
}

#[test]
fn times_ids_and_projects_that_agree_pass_however_they_are_written() {
    taken(&run(r#""timestamp":"2026-03-14T09:26:53.000Z""#));
    taken(&run(r#""createdAt":"2026-03-14T10:26:53+01:00""#));
    taken(&run(r#""id":7,"event_id":"7""#));
    taken(&run(r#""project":"a","projectId":"\u0061""#));
}

#[test]
fn an_emoji_with_its_presentation_is_printable_though_the_selector_is_invisible() {
    for selector in ['\u{fe0e}', '\u{fe0f}'] {
        assert!(!is_unprintable(selector) && is_invisible(selector), "{selector:?}");
    }
    for letter in ['a', 'ä', '\u{301}', ' ', '日', '🦀', '⚠'] {
        assert!(!is_invisible(letter), "{letter:?}");
    }
}

#[test]
fn every_character_that_changes_the_direction_of_text_is_unprintable() {
    assert!(is_unprintable('\u{61c}'));
}

#[test]
fn characters_that_only_a_model_sees_are_unprintable() {
    for character in ['\u{e0041}', '\u{e007f}', '\u{ad}', '\u{180e}', '\u{fff9}', '\u{115f}', '\u{3164}'] {
        assert!(is_unprintable(character), "{character:?}");
    }
}

#[test]
fn a_name_of_other_spaces_is_empty_too() {
    for blank in ["\u{a0}", "\u{3000}", "\u{2003} "] {
        assert_eq!(
            refused_code(&line("run", &format!(r#""run_id":"{blank}","result":"success","adapters":["terminal"]"#))),
            Code::BadName,
            "{blank:?}"
        );
    }
}

#[test]
fn an_evidence_level_has_one_letter_at_most() {
    for written in [r#""LL1""#, r#""lLl2""#] {
        assert_eq!(
            refused_code(&line("deliberation", &format!(r#""role":"c","text":"t","evidence_level":{written}"#))),
            Code::OutOfRange
        );
    }
}

#[test]
fn words_and_digits_mean_the_same_with_escapes() {
    taken(&line("build", r#""run_id":"r-1","passed":"\u0070assed""#));
    taken(&line("build", r#""run_id":"r-1","passed":true,"iteration":"\u0033""#));
    taken(&line("deliberation", r#""role":"c","text":"t","evidence_level":"\u0031""#));
}

#[test]
fn a_whole_number_beyond_the_exact_ones_is_not_changed_silently() {
    let line = run(r#""retries":9007199254740993.0"#);
    if let Ok(event) = fresh().parse(&line) {
        let Body::Run(run) = event.body else { panic!() };
        assert_eq!(run.retries.plain(), Value::from(9_007_199_254_740_993_i64));
    }
}

#[test]
fn a_count_with_a_plus_sign_is_no_number() {
    assert_eq!(refused_code(&run(r#""retries":"+5""#)), Code::WrongType);
}

#[test]
fn the_last_times_and_those_before_1970_are_read_as_jiff_reads_them() {
    for text in ["9999-12-31T23:59:59Z", "9999-12-30T22:00:01Z", "1969-12-31T23:59:59.9999999Z", "1969-12-28T23:59:59.9999999Z"] {
        assert_eq!(parse_time(text), text.parse::<jiff::Timestamp>().ok().map(jiff::Timestamp::as_microsecond), "{text}");
    }
}

#[test]
fn a_form_feed_around_a_line_is_no_white_space_of_json() {
    assert_eq!(refused_code(&format!("{}\u{c}", run(r#""retries":1"#))), Code::NotJson);
}

#[test]
fn a_failure_type_that_is_null_counts_as_absent_within_its_details_too() {
    assert_ne!(
        fresh().parse(&run(r#""failureDetails":{"dominantFailureType":null}"#)).map_err(|fault| fault.code),
        Err(Code::WrongType)
    );
}
