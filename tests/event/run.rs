//! How a run ended, and what may be said about it: two systems' records become one.

use event::{Body, Code, Run};
use serde_json::{Value, json};

use crate::event::door::{line, refused, refused_code, run, taken};
use crate::event::plain::Plain;

/// What one field of a run holds.
#[track_caller]
fn held(line: &str, field: impl FnOnce(&Run<'_>) -> Value) -> Value {
    match taken(line).body {
        Body::Run(run) => field(&run),
        other => panic!("another kind: {other:?}"),
    }
}

/// The result and the success flag of a run.
#[track_caller]
fn ending(members: &str) -> (Value, Value) {
    let line = line("run", &format!(r#""run_id":"r-1","adapters":["terminal"],"failure_type":"timeout",{members}"#));
    (held(&line, |run| run.result.plain()), held(&line, |run| run.success.plain()))
}

/// What a count holds when written so.
#[track_caller]
fn retries(written: &str) -> Value {
    held(&run(&format!(r#""retries":{written}"#)), |run| run.retries.plain())
}

#[test]
fn a_word_decides_both_the_result_and_the_flag() {
    for (word, result, success) in
        [("success", "success", true), ("partial", "partial", false), ("failure", "failure", false), ("failed", "failure", false)]
    {
        for name in ["result", "status"] {
            assert_eq!(ending(&format!(r#""{name}":"{word}""#)), (result.into(), success.into()));
        }
    }
}

#[test]
fn a_flag_alone_decides_the_result() {
    assert_eq!(ending(r#""success":true"#), ("success".into(), true.into()));
    assert_eq!(ending(r#""success":false"#), ("failure".into(), false.into()));
    assert_eq!(ending(r#""success":false,"result":null,"status":null"#), ("failure".into(), false.into()));
}

#[test]
fn a_word_and_a_flag_that_agree_pass() {
    assert_eq!(ending(r#""result":"success","success":true"#), ("success".into(), true.into()));
    assert_eq!(ending(r#""success":false,"status":"failed""#), ("failure".into(), false.into()));
    assert_eq!(ending(r#""result":"partial","success":false"#), ("partial".into(), false.into()));
    assert_eq!(ending(r#""result":"failure","status":"failed""#), ("failure".into(), false.into()));
}

#[test]
fn a_word_and_a_flag_that_disagree_are_refused() {
    for members in [
        r#""result":"success","success":false"#,
        r#""success":true,"result":"failure""#,
        r#""status":"failed","success":true"#,
        r#""result":"partial","success":true"#,
    ] {
        let line = line("run", &format!(r#""run_id":"r-1",{members}"#));
        assert_eq!(refused(&line), (Code::Contradiction, "`result` and `success` differ".to_owned()), "{members}");
    }
}

#[test]
fn a_result_and_a_status_that_disagree_are_refused() {
    let line = line("run", r#""run_id":"r-1","result":"success","status":"failed""#);
    assert_eq!(refused(&line), (Code::Contradiction, "`status` and another spelling of `result` differ".to_owned()));
}

#[test]
fn a_run_that_does_not_say_how_it_ended_is_refused() {
    for members in [r#""run_id":"r-1""#, r#""run_id":"r-1","result":null,"success":null"#] {
        assert_eq!(refused(&line("run", members)), (Code::MissingField, "`result` is missing".to_owned()));
    }
}

#[test]
fn the_failure_type_is_found_nested_or_at_the_top() {
    for members in [
        r#""failure_type":"timeout""#,
        r#""dominantFailureType":"timeout""#,
        r#""failureDetails":{"dominantFailureType":"timeout"}"#,
        r#""failureDetails": { "step" : [1,{}] , "dominantFailureType" : "timeout", "attempt":3 }"#,
        r#""failureDetails":{"dominant_failure_type":"timeout"}"#,
        r#""failureDetails":{"dominantFailureType":"timeout"},"dominantFailureType":"timeout""#,
    ] {
        let line = line("run", &format!(r#""run_id":"r-1","result":"failure","adapters":["terminal"],{members}"#));
        assert_eq!(held(&line, |run| run.failure_type.plain()), "timeout", "{members}");
    }
}

#[test]
fn nested_and_top_level_failure_types_that_differ_are_refused() {
    let line = run(r#""dominantFailureType":"timeout","failureDetails":{"dominantFailureType":"auth"}"#);
    assert_eq!(refused_code(&line), Code::Contradiction);
}

#[test]
fn failure_details_with_a_broken_type_are_refused() {
    for (details, code) in [
        (r#"{"dominantFailureType":"a\u0000b"}"#, Code::BadName),
        (r#"{"dominantFailureType":["timeout"]}"#, Code::WrongType),
        (r#"["timeout"]"#, Code::WrongType),
        ("true", Code::WrongType),
    ] {
        let (found, message) = refused(&run(&format!(r#""failureDetails":{details}"#)));
        assert_eq!(found, code, "{details}");
        assert!(message.starts_with("`failureDetails` "), "{message}");
    }
}

#[test]
fn failure_details_without_a_type_are_kept_and_the_run_has_none() {
    let event = run(r#""failureDetails":{"attempt":3}"#);
    let event = taken(&event);
    let Body::Run(run) = event.body else { panic!("a run") };
    assert_eq!((run.failure_type, event.extra.as_deref()), (None, Some(r#"{"failureDetails":{"attempt":3}}"#)));
}

#[test]
fn a_blank_failure_type_is_none() {
    for members in [
        r#""failure_type":"""#,
        r#""dominantFailureType":" \t""#,
        r#""failureDetails":{"dominantFailureType":""}"#,
        r#""failure_type":"","dominantFailureType":null"#,
    ] {
        assert_eq!(held(&run(members), |run| run.failure_type.plain()), Value::Null, "{members}");
    }
    let both = run(r#""failure_type":"","dominantFailureType":"timeout""#);
    assert_eq!(held(&both, |run| run.failure_type.plain()), "timeout");
}

#[test]
fn adapters_are_kept_once_each_in_the_order_of_their_first_sighting() {
    for (written, kept) in [
        (r#"["github","terminal","github","terminal","fs"]"#, json!(["github", "terminal", "fs"])),
        (r#"["GitHub","github"," Github "]"#, json!(["github"])),
        (r#"["fs"," FS","ÄRGER","ǅ","\u0041"]"#, json!(["fs", "ärger", "ǆ", "a"])),
        (r#"["a","\u0061", "b"]"#, json!(["a", "b"])),
        (r#"[1,"1",2]"#, json!(["1", "2"])),
    ] {
        assert_eq!(held(&run(&format!(r#""adaptersUsed":{written}"#)), |run| run.adapters.plain()), kept);
    }
}

#[test]
fn adapters_that_were_written_otherwise_are_kept_as_written_too() {
    for (members, extra) in [
        (r#""adaptersUsed":["GitHub", "fs"]"#, Some(r#"{"adaptersUsed":["GitHub", "fs"]}"#)),
        (r#""adapters":[" fs"]"#, Some(r#"{"adapters":[" fs"]}"#)),
        (r#""adapters":["\u0041"]"#, Some(r#"{"adapters":["\u0041"]}"#)),
        (r#""adapters":["ǅ"]"#, Some(r#"{"adapters":["ǅ"]}"#)),
        (r#""adapters":["fs","fs","\u0061",1,"höhe"]"#, None),
    ] {
        assert_eq!(taken(&run(members)).extra.as_deref(), extra, "{members}");
    }
}

#[test]
fn adapters_that_differ_in_case_only_agree() {
    let line = run(r#""adapters":["github"],"adaptersUsed":["GitHub"]"#);
    assert_eq!(held(&line, |run| run.adapters.plain()), json!(["github"]));
    assert_eq!(refused_code(&run(r#""adapters":["github"],"adaptersUsed":["fs"]"#)), Code::Contradiction);
}

#[test]
fn a_blank_or_odd_adapter_is_refused() {
    for (adapters, code) in [
        (r#"["terminal",""]"#, Code::BadName),
        (r#"["terminal"," "]"#, Code::BadName),
        (r#"["terminal",null]"#, Code::WrongType),
        (r#"["terminal",["fs"]]"#, Code::WrongType),
        (r#""terminal""#, Code::WrongType),
        (r#"{"0":"terminal"}"#, Code::WrongType),
    ] {
        assert_eq!(refused_code(&run(&format!(r#""adaptersUsed":{adapters}"#))), code, "{adapters}");
    }
}

#[test]
fn quality_lies_between_zero_and_one() {
    for (written, quality) in [("0", 0.0), ("1", 1.0), ("0.0", 0.0), ("1.0", 1.0), ("1e-3", 0.001), ("5E-1", 0.5), ("0.333", 0.333)]
    {
        for name in ["quality", "qualityScore", "postExecutionScore"] {
            assert_eq!(held(&run(&format!(r#""{name}":{written}"#)), |run| run.quality.plain()), quality);
        }
    }
    for written in ["-0.001", "1.0000001", "-1", "2", "85", "1e400", "-1e400"] {
        assert_eq!(refused_code(&run(&format!(r#""qualityScore":{written}"#))), Code::OutOfRange, "{written}");
    }
    for written in [r#""0.5""#, "true", "[0.5]", "{}"] {
        assert_eq!(refused_code(&run(&format!(r#""qualityScore":{written}"#))), Code::WrongType, "{written}");
    }
}

#[test]
fn two_qualities_that_differ_are_refused() {
    assert_eq!(refused_code(&run(r#""quality":0.5,"quality":0.6"#)), Code::Contradiction);
    assert_eq!(refused_code(&run(r#""quality":0.5,"qualityScore":0.6"#)), Code::Contradiction);
    assert_eq!(held(&run(r#""postExecutionScore":0.5,"qualityScore":5e-1"#), |run| run.quality.plain()), 0.5);
    assert_eq!(refused_code(&run(r#""postExecutionScore":0.5,"qualityScore":0.6"#)), Code::Contradiction);
}

#[test]
fn retries_are_whole_numbers_however_they_are_written() {
    for (written, count) in [
        ("0", 0),
        ("-0", 0),
        ("3", 3),
        ("3.0", 3),
        ("3e0", 3),
        ("30e-1", 3),
        ("1e3", 1000),
        (r#""3""#, 3),
        (r#""3.0""#, 3),
        ("4294967295", 4_294_967_295_i64),
        ("4294967295.0", 4_294_967_295),
    ] {
        assert_eq!(retries(written), count, "{written}");
    }
}

#[test]
fn a_quality_or_retries_that_are_null_are_refused() {
    for name in ["quality", "qualityScore", "postExecutionScore", "retries", "retryCount", "retry_count"] {
        let line = run(&format!(r#""{name}":null"#));
        let refusal = crate::event::door::fresh().parse(&line).expect_err("refused");
        assert_eq!(refusal.code, Code::WrongType, "{name}");
        assert!(refusal.message.starts_with(&format!("`{name}` is `null`")), "{refusal}");
        assert!(refusal.remedy.contains("omit it"), "{refusal}");
    }
    assert_eq!(held(&run(r#""notes":"x""#), |run| json!([run.quality.plain(), run.retries.plain()])), json!([null, null]));
}

#[test]
fn a_failure_type_is_trimmed() {
    for (members, kept) in [
        (r#""failure_type":"auth ""#, "auth"),
        (r#""dominantFailureType":" Approval-Denied ""#, "Approval-Denied"),
        (r#""failureDetails":{"dominantFailureType":"auth "}"#, "auth"),
        (r#""failureDetails":{"dominantFailureType":"auth ","dominant_failure_type":"auth"}"#, "auth"),
        (r#""failure_type":"auth","dominantFailureType":"\u0061uth ""#, "auth"),
    ] {
        let event = run(members);
        let event = taken(&event);
        let Body::Run(run) = event.body else { panic!("a run") };
        assert_eq!((run.failure_type.plain(), event.extra), (kept.into(), None), "{members}");
    }
    assert_eq!(
        refused_code(&run(r#""failureDetails":{"dominantFailureType":"a","dominant_failure_type":"b"}"#)),
        Code::Contradiction
    );
}

#[test]
fn retries_beyond_what_can_be_summed_up_are_out_of_range() {
    for written in ["4294967296", "9007199254740991.0", "9223372036854775807", r#""4294967296""#] {
        let line = run(&format!(r#""retryCount":{written}"#));
        let refusal = crate::event::door::fresh().parse(&line).expect_err("refused");
        assert_eq!(refusal.code, Code::OutOfRange, "{written}");
        assert!(refusal.remedy.contains(&text::limit::RETRIES.to_string()), "{refusal}");
    }
}

#[test]
fn retries_that_are_negative_are_out_of_range() {
    for written in ["-1", "-1.0", r#""-1""#, "-9223372036854775808"] {
        assert_eq!(refused_code(&run(&format!(r#""retryCount":{written}"#))), Code::OutOfRange, "{written}");
    }
}

#[test]
fn retries_that_are_no_whole_number_are_refused() {
    for written in [
        "1.5",
        "-1.5",
        "1e-3",
        "1e400",
        "9223372036854775808",
        r#""NaN""#,
        r#""inf""#,
        r#""-inf""#,
        r#""infinity""#,
        r#""""#,
        r#"" 3""#,
        r#""0x3""#,
        r#""three""#,
        "true",
        "[3]",
        "{}",
    ] {
        assert_eq!(refused_code(&run(&format!(r#""retryCount":{written}"#))), Code::WrongType, "{written}");
    }
}

#[test]
fn numbers_that_json_does_not_know_make_the_line_no_json() {
    for written in ["NaN", "Infinity", "-Infinity", "+1", "01", ".5", "1.", "1e", "0x10", "1_000", "--1", "-"] {
        assert_eq!(refused_code(&run(&format!(r#""retryCount":{written}"#))), Code::NotJson, "{written}");
    }
}

#[test]
fn ratings_lie_between_one_and_five() {
    for (written, rating) in [("1", 1.0), ("5", 5.0), ("5.0", 5.0), ("3.5", 3.5)] {
        for name in ["rating", "userRating", "operatorRating"] {
            assert_eq!(held(&run(&format!(r#""{name}":{written}"#)), |run| run.rating.plain()), rating);
        }
    }
    for written in ["0", "0.999", "5.001", "6", "-3", "1e999"] {
        assert_eq!(refused_code(&run(&format!(r#""userRating":{written}"#))), Code::OutOfRange, "{written}");
    }
    assert_eq!(refused_code(&run(r#""userRating":"5""#)), Code::WrongType);
}

#[test]
fn the_decisions_of_agents_keep_their_order_and_may_lack_the_decision() {
    let line = run(
        r#""agentDecisions":[ {"agent":"security","decision":"reject","confidence":0},{"confidence":1.0,"reasons":["x"],"agent":"planner"} ,{"agent":"builder","decision":null,"confidence":0.5}]"#,
    );
    let expected = json!([
        {"agent": "security", "decision": "reject", "confidence": 0.0},
        {"agent": "planner", "decision": null, "confidence": 1.0},
        {"agent": "builder", "decision": null, "confidence": 0.5},
    ]);
    assert_eq!(held(&line, |run| run.agent_decisions.plain()), expected);
}

#[test]
fn a_decision_without_its_agent_or_its_confidence_is_refused() {
    for (decision, code, message) in [
        (r#"{"confidence":1}"#, Code::MissingField, "`agent_decisions` has an item without `agent`"),
        (r#"{"agent":null,"confidence":1}"#, Code::MissingField, "`agent_decisions` has an item without `agent`"),
        (r#"{"agent":"a"}"#, Code::MissingField, "`agent_decisions` has an item without `confidence`"),
        (r#"{"agent":"a","confidence":1.01}"#, Code::OutOfRange, "`agent_decisions` `confidence` is `1.01`"),
        (r#"{"agent":"a","confidence":-0.5}"#, Code::OutOfRange, "`agent_decisions` `confidence` is `-0.5`"),
        (r#"{"agent":" ","confidence":1}"#, Code::BadName, "`agent_decisions` `agent` is empty"),
        (r#"{"agent":"a","confidence":"1"}"#, Code::WrongType, r#"`agent_decisions` `confidence` is `"1"` rather than a number"#),
    ] {
        assert_eq!(refused(&run(&format!(r#""agent_decisions":[{decision}]"#))), (code, message.to_owned()));
    }
}

#[test]
fn an_agent_that_changed_its_mind_is_judged_by_its_last_word() {
    let decisions =
        r#"[{"agent":"a","confidence":1},{"agent":"b","confidence":0.5},{"agent":"a","decision":"reject","confidence":0.2}]"#;
    let line = run(&format!(r#""agent_decisions":{decisions}"#));
    let words = held(&line, |run| {
        let decisions = run.agent_decisions.as_ref().map(|made| made.get().to_vec()).unwrap_or_default();
        decisions.iter().map(|made| json!([made.agent.get(), made.confidence.get()])).collect()
    });
    assert_eq!(words, json!([["b", 0.5], ["a", 0.2]]));
    let extra: Value = serde_json::from_str(&taken(&line).extra.expect("the list as written")).expect("JSON");
    assert_eq!(extra["agent_decisions"].as_array().map(Vec::len), Some(3));
}
