//! What reports, verdicts and outcomes come to, in worked numbers.

use super::{Pipeline, SAYING, assert_near, report, verdict};

const FOUND: &str = r#"{"verdict":"FAIL","issues":[{"id":"J1","severity":"HIGH","summary":"Validate webhook signatures before the body is parsed"}],"must_fix":["J1"]}"#;
const PASS: &str = r#"{"verdict":"PASS"}"#;
const REJECTS: &str = r#"{"verdict":"PASS","false_positives":["J1"]}"#;

#[test]
fn three_events_land_together_and_tell_what_they_come_to() {
    let pipeline = Pipeline::new();
    let told = pipeline.judge([&report(&[SAYING], FOUND), &verdict(REJECTS)], &["--run", "r1", "--issue", "10"]);
    assert_eq!((&told["verdict"], &told["level"], &told["validator_level"]), (&"PASS".into(), &2.into(), &3.into()), "{told}");
    assert_eq!(told["rejected"][0]["entry"], "J1");
    assert_eq!((&told["rejected"][0]["text"], &told["rejected"][0]["found"]), (&SAYING.into(), &"exact".into()));
    assert_eq!((pipeline.landed(), &told["patterns"]), (3, &1.into()));
    pipeline.learn();
    let pattern = pipeline.pattern("D-001");
    assert_eq!((&pattern["role"], &pattern["project"], &pattern["state"]), (&"judge".into(), &"web".into(), &"observed".into()));
    // Rejected in that very turn, it is not reinforced by it.
    assert_eq!((&pattern["successes"], &pattern["ignored"], &pattern["reinforced"]), (&1.into(), &1.into(), &0.into()));
    let text = pipeline.feed(["judge", "inspector"], [&report(&[SAYING], FOUND), &verdict(REJECTS)], &["--run", "r2"]).out;
    assert!(text.contains("PASS: inspector") && text.contains("J1: Validate webhook"), "{text}");
}

#[test]
fn the_same_feedback_twice_counts_once() {
    let pipeline = Pipeline::new();
    let reports = [&*report(&[SAYING], PASS), &*verdict(PASS)];
    for _ in 0..2 {
        pipeline.judge(reports, &["--run", "r1", "--issue", "10", "--files", "src/hook.rs"]);
    }
    assert_eq!(pipeline.landed(), 6);
    pipeline.learn();
    pipeline.judge(reports, &["--run", "r1", "--issue", "10", "--files", "src/hook.rs"]);
    pipeline.learn();
    let pattern = pipeline.pattern("D-001");
    assert_eq!((&pattern["seen"], &pattern["successes"], &pattern["reinforced"]), (&1.into(), &2.into(), &1.into()), "{pattern}");
    let scene = &pipeline.scene;
    assert_eq!(
        ["deliberation", "verdict", "quarantine"].map(|table| scene.count(&format!("select count(*) from {table}"))),
        [2, 1, 0]
    );
}

/// J6: one success and three rejections, by the weight of the role that gathered the pattern.
#[test]
fn what_is_rejected_each_time_sinks_by_the_weight_of_its_role() {
    for (roles, rate, record) in
        [(["judge", "inspector"], 0.25, "-2 net, 3x ignored"), (["sentinel", "lens"], 1.0 / 5.5, "-2 net, 3x ignored")]
    {
        let pipeline = Pipeline::new();
        for run in ["r1", "r2", "r3"] {
            // Every run has a validator's report of its own.
            let validator = format!("Of the run {run}.\n{}", verdict(REJECTS));
            let outcome =
                pipeline.feed(roles, [&report(&[SAYING], FOUND), &validator], &["--run", run, "--issue", run, "--strict"]);
            assert_eq!(outcome.code, 0, "{}", outcome.error);
        }
        pipeline.learn();
        let pattern = pipeline.pattern("D-001");
        assert_eq!((&pattern["successes"], &pattern["ignored"]), (&1.into(), &3.into()), "{pattern}");
        assert_near(&pattern["rate"], rate);
        let block = pipeline.scene.done(&["inject", "--role", roles[0], "--project", "web"]).out;
        assert!(block.contains(&format!("- [{record}] {SAYING}")), "{block}");
    }
}

/// J13: five successes and a failed outcome, which a later word takes back.
#[test]
fn the_last_word_on_a_run_counts() {
    let pipeline = Pipeline::new();
    for issue in ["1", "2", "3", "4", "5"] {
        pipeline.scene.done(&[
            "memory",
            "store",
            "--role",
            "judge",
            "--project",
            "web",
            "--issue",
            issue,
            "--text",
            SAYING,
            "--strict",
        ]);
    }
    pipeline.learn();
    assert_near(&pipeline.pattern("D-001")["rate"], 1.0);
    pipeline.scene.done(&["inject", "--role", "judge", "--project", "web", "--record", "r9", "--strict"]);
    let told = pipeline.json(&["outcome", "r9", "fail", "--project", "web", "--reason", "reverted", "--json", "--strict"]);
    assert_eq!((&told["ok"], &told["passed"]), (&true.into(), &false.into()));
    pipeline.learn();
    let pattern = pipeline.pattern("D-001");
    assert_near(&pattern["rate"], 5.0 / 5.5);
    assert_eq!((&pattern["successes"], &pattern["ignored"]), (&5.into(), &0.into()));
    // Told again it counts once; reversed it counts for the pattern.
    pipeline.scene.done(&["memory", "outcome-score", "r9", "fail", "--project", "web", "--strict"]);
    pipeline.learn();
    assert_near(&pipeline.pattern("D-001")["rate"], 5.0 / 5.5);
    pipeline.scene.done(&["outcome", "r9", "pass", "--project", "web", "--strict"]);
    pipeline.learn();
    let pattern = pipeline.pattern("D-001");
    assert_eq!((&pattern["successes"], &pattern["penalty"]), (&6.into(), &0.0.into()), "{pattern}");
}

/// J21: which comments are verdicts, and what they say.
#[test]
fn verdicts_are_read_strictly() {
    let pipeline = Pipeline::new();
    let said = |validator: &str| {
        let outcome = pipeline.feed(["judge", "inspector"], [&report(&[SAYING], PASS), validator], &["--json"]);
        assert_eq!(outcome.code, 0, "{}", outcome.error);
        serde_json::from_str::<serde_json::Value>(&outcome.out).expect("JSON")
    };
    for (validator, wanted) in [
        (verdict(r#"{"verdict":"FAIL","must_fix":[]}"#), "PASS"),
        (verdict(r#"{"verdict":"FAIL","must_fix":["J1"]}"#), "FAIL"),
        (verdict(r#"{"verdict":"FAIL","must_fix":["J1"]}"#) + &verdict(r#"{"verdict":"PASS"}"#), "PASS"),
        ("<!-- outerloop:verdict-json {\"verdict\":\"PASS\"} -->".to_owned(), "PASS"),
    ] {
        assert_eq!(said(&validator)["verdict"], wanted, "{validator}");
    }
    let landed = pipeline.landed();
    for validator in [
        r#"jkz:verdict-json {"verdict":"PASS"}"#.to_owned(),
        verdict(r#"{"verdict":"PASS","#),
        verdict(r#"{"verdict":"pass"}"#),
        "I like it.".to_owned(),
        String::new(),
    ] {
        let told = said(&validator);
        assert_eq!(told["ok"], false, "{validator}");
        assert!(told["reason"].as_str().expect("a reason").contains("no readable verdict"), "{told}");
    }
    assert_eq!(pipeline.landed(), landed);
}

#[test]
fn only_founded_work_reinforces() {
    let pipeline = Pipeline::new();
    let source = pipeline.write("tree/src/hook.rs", "fn take() {\n\n    let body = parse(raw);\n}\n");
    let tree = source.ancestors().nth(2).expect("a folder").to_str().expect("a path").to_owned();
    let level = |role: &str, more: &[&str]| pipeline.judge([role, &verdict(PASS)], more)["level"].as_i64().expect("a level");
    let quoting = report(&[SAYING], PASS);
    assert_eq!(level(&quoting, &[]), 2);
    assert_eq!(level(&quoting, &["--files", "src/hook.rs,src/other.rs", "--repo", &tree]), 2);
    // A place outside of what was changed, and words that do not stand there, are no evidence.
    assert_eq!(level(&quoting, &["--files", "src/other.rs"]), 3);
    assert_eq!(level(&quoting.replace("parse(raw)", "parse(nothing)"), &["--repo", &tree]), 3);
    assert_eq!(level("All is well.", &[]), 3);
    assert_eq!(level("```console\n$ cargo test\ntest result: ok. 3 passed; 0 failed\n```\n", &[]), 1);
    let reasoning = report(&[SAYING], PASS).replace("src/hook.rs:3", "the hook");
    let told = pipeline.judge([&reasoning, &verdict(PASS)], &["--run", "r8"]);
    assert_eq!((&told["level"], &told["reinforces"]), (&3.into(), &false.into()));
}

#[test]
fn a_record_says_what_the_arguments_leave_out() {
    let pipeline = Pipeline::new();
    let record = serde_json::json!({
        "role": "judge", "timestamp": "2026-11-01T10:00:00Z", "status": "ok", "response": report(&[SAYING], FOUND), "model": "m-1",
        "pr": 7, "issue": 42, "phase": "review", "command": "/review", "duration_ms": 1200, "tokens": 900, "iteration": 2,
    });
    pipeline.judge([&record.to_string(), &verdict(REJECTS)], &[]);
    pipeline.scene.done(&["run", "compact"]);
    let held = "select count(*) from deliberation where role = 'judge' and issue = '42' and pull_request = '7' and phase = 'review' \
        and iteration = 2 and model = 'm-1' and tokens = 900 and duration_ms = 1200 and status = 'ok' and date = date '2026-11-01'";
    assert_eq!(pipeline.scene.count(held), 1);
}

#[test]
fn what_a_pipeline_states_later_takes_the_place_of_what_was_told_before() {
    let pipeline = Pipeline::new();
    let said = format!("src/auth.ts:42 is bad\n\n## Accumulated Patterns\n- {SAYING}\n{}", verdict(r#"{"verdict":"PASS"}"#));
    let judged = format!("Checked.\n{}", verdict(r#"{"verdict":"PASS"}"#));
    let feed = |more: &[&str]| {
        let arguments = [&["--run", "w1", "--issue", "1"], more].concat();
        let outcome = pipeline.feed(["judge", "inspector"], [&said, &judged], &arguments);
        assert_eq!(outcome.code, 0, "{}", outcome.error);
    };
    feed(&[]);
    feed(&["--evidence", "1", "--evidence-by", "ci"]);
    feed(&["--evidence", "1", "--evidence-by", "ci"]);
    pipeline.learn();
    assert_eq!(pipeline.scene.count("select count(*) from quarantine"), 0);
    assert_eq!(pipeline.pattern("D-001")["reinforced"], 1, "{}", pipeline.pattern("D-001"));
    assert_eq!(pipeline.scene.count("select count(*) from verdict"), 1, "one verdict, stated twice");
    assert_eq!(pipeline.scene.count("select evidence_level from verdict"), 1);
}

#[test]
fn a_verdict_that_cannot_be_read_says_what_is_wrong_with_it() {
    let pipeline = Pipeline::new();
    let said = report(&[SAYING], r#"{"verdict":"PASS"}"#);
    for (json, wanted) in [
        (r#"{"verdict":"PASS","false_positives":[["J1"]]}"#, "false_positives"),
        (r#"{"verdict":"PASS","issues":[{"summary":"no id"}]}"#, "issues"),
        (r#"{"verdict":"MAYBE"}"#, "PASS"),
        (r#"{"verdict":"PASS",}"#, "line 1"),
    ] {
        let outcome = pipeline.feed(["judge", "inspector"], [&said, &verdict(json)], &["--run", "w1", "--strict"]);
        assert!(outcome.code != 0 && outcome.error.contains(wanted), "{json}: {}", outcome.error);
    }
}
