//! What is asked of a run before it counts: by the strict rules, by the lenient ones, and of records that know no adapters.

use event::{Body, Code, Run};
use serde_json::{Value, json};
use setting::RunSettings;

use crate::event::door::{TIME, line, refused, run, taken, taken_by};
use crate::event::plain::{Plain, assert_body};

const LENIENT: RunSettings = RunSettings { lenient: true, replace: false };

/// A line of a run with a result and further members.
fn ended(result: &str, members: &str) -> String {
    line("run", &format!(r#""run_id":"r-1","result":"{result}"{members}"#))
}

/// What one field of a run holds by the lenient rules.
#[track_caller]
fn held_leniently(line: &str, field: impl FnOnce(&Run<'_>) -> Value) -> Value {
    match taken_by(LENIENT, line).body {
        Body::Run(run) => field(&run),
        other => panic!("another kind: {other:?}"),
    }
}

#[test]
fn a_run_without_adapters_is_refused_unless_the_rules_are_lenient() {
    for members in ["", r#","adapters":null"#, r#","quality":0.5,"risk":"low","session":"s-1","tokens":5"#] {
        let run = ended("success", members);
        assert_eq!(refused(&run), (Code::MissingField, "`adapters` is missing".to_owned()), "{members}");
        assert_eq!(held_leniently(&run, |run| run.adapters.plain()), Value::Null, "{members}");
    }
}

#[test]
fn an_empty_list_of_adapters_is_refused_unless_the_rules_are_lenient() {
    for members in
        [r#","adapters":[]"#, r#","adaptersUsed":[ ]"#, r#","adapters":[],"issues":[]"#, r#","adapters":[],"command":"code""#]
    {
        let run = ended("success", members);
        assert_eq!(refused(&run), (Code::MissingField, "`adapters` is empty".to_owned()), "{members}");
        assert_eq!(held_leniently(&run, |run| run.adapters.plain()), Value::Array(Vec::new()), "{members}");
    }
}

#[test]
fn the_remedy_names_the_setting_that_takes_such_runs() {
    for run in [ended("success", ""), ended("success", r#","adapters":[]"#), ended("failure", r#","adapters":["fs"]"#)] {
        let remedy = crate::event::door::fresh().parse(&run).expect_err("refused").remedy;
        assert!(remedy.contains("`run.lenient`"), "{remedy}");
    }
}

#[test]
fn a_failure_without_a_type_is_refused_where_adapters_are_named() {
    let missing = (Code::MissingField, "`failure_type` is missing from a run that failed".to_owned());
    for members in [
        r#","adapters":["fs"]"#,
        r#","adapters":["fs"],"failure_type":null"#,
        r#","adapters":["fs"],"failure_type":" ""#,
        r#","adapters":["fs"],"failureDetails":{"step":3}"#,
        r#","adapters":["fs"],"issues":["broken"],"skills":[]"#,
        r#","adapters":["fs"],"command":"code","iterations":2"#,
    ] {
        for result in ["failure", "failed"] {
            let run = ended(result, members);
            assert_eq!(refused(&run), missing, "{members}");
            assert_eq!(held_leniently(&run, |run| run.failure_type.plain()), Value::Null, "{members}");
            assert_eq!(held_leniently(&run, |run| run.result.plain()), "failure", "{members}");
        }
    }
    let by_flag = line("run", r#""run_id":"r-1","success":false,"adapters":["fs"]"#);
    assert_eq!(refused(&by_flag), missing);
}

#[test]
fn a_run_that_did_not_fail_needs_no_failure_type() {
    for result in ["success", "partial"] {
        taken(&ended(result, r#","adapters":["fs"]"#));
        // One that is there all the same is kept, and makes no pattern.
        taken(&ended(result, r#","adapters":["fs"],"failure_type":"timeout""#));
    }
    taken(&ended("failure", r#","adapters":["fs"],"failure_type":"timeout""#));
}

#[test]
fn a_governance_record_may_lack_adapters_and_the_type_of_its_failure() {
    for mark in ["issues", "skills", "selectedSkills", "agent_decisions", "agentDecisions"] {
        for result in ["success", "partial", "failure"] {
            taken(&ended(result, &format!(r#","{mark}":[]"#)));
        }
        let null = ended("success", &format!(r#","{mark}":null"#));
        assert_eq!(refused(&null).1, "`adapters` is missing", "{mark}");
    }
}

#[test]
fn a_row_of_the_closedloop_log_may_lack_adapters_and_the_type_of_its_failure() {
    for mark in [r#""status_text":"max_iterations""#, r#""iterations":2,"command":"code","status_text":"error""#] {
        for result in ["success", "failure"] {
            taken(&ended(result, &format!(",{mark}")));
        }
    }
    // What else stands in that log stands in other runs too.
    for stray in [r#""goal":"g","session":"s-1""#, r#""command":"code""#, r#""iterations":0"#] {
        assert_eq!(refused(&ended("success", &format!(",{stray}"))).1, "`adapters` is missing", "{stray}");
    }
}

#[test]
fn what_no_rule_can_mend_is_refused_by_the_lenient_rules_too() {
    for (members, code) in [
        (r#""runId":"a/b""#, Code::BadName),
        (r#""session":"a\u0000b""#, Code::BadName),
        (r#""adapters":["fs"," "]"#, Code::BadName),
        (r#""status":"done""#, Code::OutOfRange),
        (r#""success":false"#, Code::Contradiction),
        (r#""retryCount":-1"#, Code::OutOfRange),
        (r#""retryCount":1.5"#, Code::WrongType),
        (r#""retryCount":"NaN""#, Code::WrongType),
        (r#""qualityScore":1.01"#, Code::OutOfRange),
        (r#""qualityScore":"high""#, Code::WrongType),
        (r#""qualityScore":0.5,"postExecutionScore":0.6"#, Code::Contradiction),
        (r#""quality":0.5,"quality":0.6"#, Code::Contradiction),
        (r#""userRating":0"#, Code::OutOfRange),
        (r#""userRating":5.5"#, Code::OutOfRange),
        (r#""agentDecisions":[{"agent":"planner","confidence":1.1}]"#, Code::OutOfRange),
    ] {
        let line = run(members);
        assert_eq!(refused(&line).0, code, "{members}");
        let mut parser = event::Parser::with_rules(event::Latest::from_clock(i64::MAX / 2), LENIENT);
        assert_eq!(parser.parse(&line).expect_err("refused").code, code, "{members}");
    }
    for written in [r#""""#, r#""a/b""#, r#""a\\b""#, r#""a\u0000b""#, r#""..""#] {
        let line = line("run", &format!(r#""runId":{written},"result":"success","adapters":["fs"]"#));
        assert_eq!(refused(&line).0, Code::BadName, "{written}");
    }
}

#[test]
fn the_record_of_the_governance_source_lands() {
    assert_body!(
        &format!(
            r#"{{"kind":"run","ts":"{TIME}","runId":"run-1","result":"failure","issues":["Unsafe SHELL call"],"humanOverride":true,"rollbackOccurred":true,"postExecutionScore":0.4,"riskLevel":"medium","selectedSkills":["deploy","lint"],"agentDecisions":[{{"agent":"builder","decision":"approve","confidence":0.9}},{{"agent":"security","decision":"needs-review","confidence":0.6}}]}}"#
        ),
        Run {
            run_id: "run-1",
            result: "failure",
            success: false,
            quality: 0.4,
            retries: null,
            rollback: true,
            human_override: true,
            risk: "medium",
            adapters: null,
            failure_type: null,
            skills: ["deploy", "lint"],
            agent_decisions: [
                {"agent": "builder", "decision": "approve", "confidence": 0.9},
                {"agent": "security", "decision": "needs-review", "confidence": 0.6},
            ],
            issues: ["Unsafe SHELL call"],
            tokens: null,
            duration_ms: null,
            iterations: null,
            command: null,
            session: null,
            rating: null,
            feedback: null,
            notes: null,
            unit: null,
        }
    );
}

#[test]
fn the_record_of_the_description_lands() {
    assert_body!(
        &format!(
            r#"{{"kind":"run","ts":"{TIME}","runId":"run-2","result":"failure","postExecutionScore":0.2,"rollbackOccurred":false,"humanOverride":false,"riskLevel":"high","adaptersUsed":["github","terminal"],"failureDetails":{{"dominantFailureType":"auth"}}}}"#
        ),
        Run {
            run_id: "run-2",
            result: "failure",
            success: false,
            quality: 0.2,
            retries: null,
            rollback: false,
            human_override: false,
            risk: "high",
            adapters: ["github", "terminal"],
            failure_type: "auth",
            skills: null,
            agent_decisions: null,
            issues: null,
            tokens: null,
            duration_ms: null,
            iterations: null,
            command: null,
            session: null,
            rating: null,
            feedback: null,
            notes: null,
            unit: null,
        }
    );
}

#[test]
fn the_record_of_the_adapter_source_lands() {
    assert_body!(
        &format!(
            r#"{{"kind":"run","runId":"run-3","status":"partial","success":false,"retryCount":2,"timeTakenMs":1500,"qualityScore":0.5,"adaptersUsed":["terminal"],"dominantFailureType":"step-failed","notes":"n","userRating":4,"userFeedback":"f","createdAt":"{TIME}"}}"#
        ),
        Run {
            run_id: "run-3",
            result: "partial",
            success: false,
            quality: 0.5,
            retries: 2,
            rollback: null,
            human_override: null,
            risk: null,
            adapters: ["terminal"],
            failure_type: "step-failed",
            skills: null,
            agent_decisions: null,
            issues: null,
            tokens: null,
            duration_ms: 1500,
            iterations: null,
            command: null,
            session: null,
            rating: 4.0,
            feedback: "f",
            notes: "n",
            unit: null,
        }
    );
}

/// Other systems write what a task is about where its name belongs.
#[test]
fn a_task_that_is_no_name_is_kept_and_names_no_unit() {
    for (task, unit) in [
        (json!("ISSUE-17"), json!("ISSUE-17")),
        (json!("team/web 3"), json!("team/web 3")),
        (json!(17), json!("17")),
        (json!("Fix the login.\nThen test it."), Value::Null),
        (json!({"id": 3}), Value::Null),
        (json!("x".repeat(10_000)), Value::Null),
        (json!("  "), Value::Null),
        (json!("a\u{0}b"), Value::Null),
        (json!("a\u{202e}b"), Value::Null),
        (Value::Null, Value::Null),
    ] {
        let line = ended("success", &format!(r#","adapters":["terminal"],"task":{task}"#));
        let event = taken(&line);
        let Body::Run(run) = &event.body else { panic!("another kind") };
        assert_eq!(run.unit.plain(), unit, "{task}");
        assert_eq!(event.extra.is_some(), unit.is_null() && !task.is_null(), "{task}");
    }
}
