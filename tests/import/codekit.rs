//! The outcomes of Code Kit Ultra: what each record becomes, and that none is lost.

use std::fs;
use std::path::{Path, PathBuf};

use agent::import::Imported;
use agent::import::codekit::{Gathered, Gathering, Repeats, Source};
use event::{Code, Kind, Latest, Parser};
use jiff::Timestamp;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::Scene;

const GOVERNANCE: &str = r#"{"runId": "r1", "result": "partial", "issues": ["the SHELL was refused"], "humanOverride": true,
  "rollbackOccurred": false, "postExecutionScore": 0.8, "riskLevel": "medium", "selectedSkills": ["deploy", "lint"],
  "agentDecisions": [{"agent": "builder", "decision": "approve", "confidence": 0.9}]}"#;

const ADAPTER: &str = r#"{"runId": "r1", "status": "failed", "success": false, "retryCount": 2, "timeTakenMs": 1200, "qualityScore": 0.8,
  "adaptersUsed": ["GitHub", "terminal"], "dominantFailureType": "auth", "notes": "n", "userRating": 4, "userFeedback": "f",
  "createdAt": "2026-05-06T10:00:00.123Z"}"#;

fn modified() -> Timestamp {
    "2026-06-01T00:00:00Z".parse().expect("a time")
}

fn gathering(repeats: Repeats) -> Gathering {
    Gathering::new("shop", Latest::from_clock(modified().as_microsecond()), repeats)
}

/// The events of a gathering in the order in which they land, after checking that the door can read each of them and that every
/// record is accounted for.
fn land(gathered: &Gathered) -> Vec<Value> {
    for file in &gathered.files {
        let counts = file.counts;
        assert_eq!(counts.records, counts.taken + counts.parts + counts.duplicates + counts.blank + counts.left_out, "{file:?}");
        assert_eq!(counts.left_out, file.odd.iter().filter(|odd| !odd.taken).count(), "{file:?}");
        assert_eq!((file.lines.len(), file.places.len()), (counts.taken, counts.taken), "{file:?}");
    }
    assert_eq!(gathered.order.len(), gathered.files.iter().map(|file| file.lines.len()).sum::<usize>());
    let mut next = vec![0; gathered.files.len()];
    let mut door = Parser::new(Latest::from_clock(modified().as_microsecond()));
    let take = |&file: &usize| {
        next[file] += 1;
        let line = &gathered.files[file].lines[next[file] - 1];
        assert!(!line.contains(['\n', '\r']), "{line}");
        // Whether a run may do without adapters is for the workspace to say.
        if let Err(refusal) = door.parse(line) {
            assert_eq!(refusal.code, Code::MissingField, "{refusal}: {line}");
        }
        serde_json::from_str(line).expect("JSON")
    };
    gathered.order.iter().map(take).collect()
}

fn gather(files: &[(Source, &str, &str)]) -> Gathered {
    let mut gathering = gathering(Repeats::First);
    for (source, name, text) in files {
        gathering.read(*source, name, text.as_bytes(), modified());
    }
    gathering.finish()
}

fn store(outcomes: &[&str]) -> String {
    format!(
        "{{\n\"version\": 1,\n\"outcomes\": [\n{}\n],\n\"patterns\": [], \"reliability\": [], \"policyOverlays\": []}}",
        outcomes.join(",\n")
    )
}

/// An outcome of the store with a change in it.
fn adapter(changes: &Value) -> String {
    changed(ADAPTER, changes)
}

fn governance(changes: &Value) -> String {
    changed(GOVERNANCE, changes)
}

fn changed(record: &str, changes: &Value) -> String {
    let mut record: Value = serde_json::from_str(record).expect("JSON");
    for (name, value) in changes.as_object().expect("changes") {
        record[name] = value.clone();
    }
    record.to_string()
}

fn reasons(file: &Imported) -> Vec<(usize, bool, &str)> {
    file.odd.iter().map(|odd| (odd.line, odd.taken, &*odd.reason)).collect()
}

/// Why an outcome of a store is left out.
#[track_caller]
fn refused(outcome: &str) -> String {
    let gathered = gather(&[(Source::Store, "s", &store(&[outcome, &adapter(&json!({"runId": "sound"}))]))]);
    let events = land(&gathered);
    assert_eq!(events.iter().map(|event| &event["run_id"]).collect::<Vec<_>>(), ["sound"], "{:?}", gathered.files);
    let odd = &gathered.files[0].odd[0];
    assert!(odd.line == 4 && !odd.taken && odd.reason.starts_with("outcome 1: "), "{odd:?}");
    odd.reason.clone()
}

#[test]
fn an_outcome_of_the_store_becomes_a_run_in_our_spelling() {
    let gathered = gather(&[(Source::Store, "learning-store.json", &store(&[ADAPTER]))]);
    let expected = json!({
        "kind": "run", "ts": "2026-05-06T10:00:00.123Z", "project": "shop", "id": "shop/r1", "run_id": "r1",
        "result": "failure", "success": false, "retries": 2, "duration_ms": 1200, "quality": 0.8,
        "adapters": ["GitHub", "terminal"], "failure_type": "auth", "notes": "n", "rating": 4, "feedback": "f",
    });
    assert_eq!(land(&gathered), [expected]);
    assert_eq!(reasons(&gathered.files[0]), []);
}

#[test]
fn a_governance_outcome_takes_the_time_of_its_last_recording() {
    let mut gathering = gathering(Repeats::First);
    gathering.read_graph(
        br#"{"timestamp":"2026-05-01T00:00:00.000Z","runId":"r1","type":"outcome_recorded","data":{}}
            {"timestamp":"2026-05-02T00:00:00.000Z","runId":"r1","type":"outcome_recorded","data":{}}
            {"timestamp":"2026-05-03T00:00:00.000Z","runId":"r1","type":"skill_stat_updated","data":{}}
            {"timestamp":"yesterday","runId":"r1","type":"outcome_recorded"}
            {"timestamp":"2026-05-04T00:00:00.000Z","runId":"r1","type":"outcome_rec"#,
    );
    gathering.read(Source::Governance, "r1.json", GOVERNANCE.as_bytes(), modified());
    let gathered = gathering.finish();
    let expected = json!({
        "kind": "run", "ts": "2026-05-02T00:00:00Z", "project": "shop", "id": "shop/r1", "run_id": "r1",
        "result": "partial", "issues": ["the SHELL was refused"], "human_override": true, "rollback": false, "quality": 0.8,
        "risk": "medium", "skills": ["deploy", "lint"],
        "agent_decisions": [{"agent": "builder", "decision": "approve", "confidence": 0.9}],
    });
    assert_eq!(land(&gathered), [expected]);
    assert_eq!(reasons(&gathered.files[0]), []);
}

#[test]
fn what_nobody_dated_takes_the_time_of_its_file_and_says_so() {
    let gathered = gather(&[(Source::Governance, "r1.json", GOVERNANCE)]);
    assert_eq!(land(&gathered)[0]["ts"], "2026-06-01T00:00:00Z");
    assert_eq!(reasons(&gathered.files[0]), [(0, true, "1 records have no time: the time of the file is used")]);
    let mut gathering = gathering(Repeats::First);
    gathering.read(Source::Governance, "r1.json", GOVERNANCE.as_bytes(), Timestamp::UNIX_EPOCH);
    let gathered = gathering.finish();
    assert_eq!(land(&gathered)[0]["ts"], "2000-01-01T00:00:00Z");
    assert!(reasons(&gathered.files[0])[0].2.contains("before 2000"), "{:?}", gathered.files);
}

#[test]
fn a_log_may_hold_every_shape() {
    let described = r#"{"runId":"d1","result":"failure","postExecutionScore":0.2,"rollbackOccurred":true,"humanOverride":false,
        "riskLevel":"high","adaptersUsed":["fs"],"failureDetails":{"dominantFailureType":"io","step":3},"createdAt":"2026-05-06T10:00:00Z"}"#
        .replace('\n', " ");
    let text = format!(
        "\u{feff}{}\r\n\n{described}\n{}\n",
        governance(&json!({"timestamp": "2026-05-06T09:00:00Z"})),
        r#"{"id":"o-7","runId":"m1","success":true,"failures":[],"retryCount":0,"durationMs":5,"operatorRating":5,"adaptersUsed":["fs"],"createdAt":"2026-05-06T11:00:00Z","kind":"x","project":"other"}"#
    );
    let gathered = gather(&[(Source::Log, "outcomes.jsonl", &text)]);
    let events = land(&gathered);
    assert_eq!(events.iter().map(|event| &event["run_id"]).collect::<Vec<_>>(), ["r1", "d1", "m1"]);
    assert_eq!(gathered.files[0].counts.blank, 1);
    assert_eq!(events[1]["failureDetails"], json!({"dominantFailureType": "io", "step": 3}));
    let kept = ["source_id", "source_kind", "source_project", "failures", "duration_ms", "rating", "project"];
    assert_eq!(
        kept.map(|name| &events[2][name]),
        [&json!("o-7"), &json!("x"), &json!("other"), &json!([]), &json!(5), &json!(5), &json!("shop")]
    );
    let line = &gathered.files[0].lines[1];
    let event = Parser::new(Latest::from_clock(i64::MAX / 2)).parse(line).expect("an event").extra.expect("details");
    assert!(event.contains(r#""step":3"#), "{event}");
}

#[test]
fn every_field_of_the_known_shapes_is_spelled_as_the_lake_does() {
    let gathered =
        gather(&[(Source::Store, "s", &store(&[ADAPTER])), (Source::Governance, "g", &governance(&json!({"runId": "g"})))]);
    for event in land(&gathered) {
        for name in event.as_object().expect("an object").keys().filter(|name| !["kind", "ts", "project", "id"].contains(&&***name))
        {
            assert!(Kind::Run.fields().iter().any(|field| field.name == name), "{name}");
        }
    }
}

#[test]
fn unknown_fields_go_along() {
    let outcome = adapter(&json!({"x-team": {"a": [1, null]}, "nothing": null}));
    let event = land(&gather(&[(Source::Store, "s", &store(&[&outcome]))])).remove(0);
    assert_eq!((&event["x-team"], event.get("nothing")), (&json!({"a": [1, null]}), Some(&Value::Null)));
}

#[test]
fn what_cannot_be_right_is_left_out_with_its_line_and_the_rest_is_taken() {
    for (changes, wanted) in [
        (json!({"runId": "a/b"}), "run_id"),
        (json!({"runId": "..\\b"}), "run_id"),
        (json!({"runId": ".."}), "run_id"),
        (json!({"runId": "a\0b"}), "run_id"),
        (json!({"runId": " "}), "`runId` is not a name"),
        (json!({"runId": 7}), "`runId` is not a name"),
        (json!({"run_id": "other"}), "`run_id` and another spelling of it differ"),
        (json!({"retryCount": -1}), "retries"),
        (json!({"retryCount": 1.5}), "retries"),
        (json!({"retryCount": null}), "`retryCount` is null"),
        (json!({"qualityScore": 1.01}), "quality"),
        (json!({"qualityScore": -0.1}), "quality"),
        (json!({"qualityScore": null}), "`qualityScore` is null"),
        (json!({"postExecutionScore": 0.7}), "`postExecutionScore` and another spelling of it differ"),
        (json!({"userRating": 6}), "rating"),
        (json!({"status": "paused"}), "result"),
        (json!({"status": "success"}), "`result` and `success` differ"),
        (json!({"result": "partial"}), "`result` and another spelling of it differ"),
        (json!({"success": "false"}), "success"),
        (json!({"adaptersUsed": "fs"}), "adapters"),
        (json!({"adaptersUsed": ["fs", ""]}), "adapters"),
        (json!({"adaptersUsed": [["fs"]]}), "adapters"),
        (json!({"dominantFailureType": ["auth"]}), "failure_type"),
        (json!({"failureDetails": {"dominantFailureType": "network"}}), "failure_type"),
        (json!({"createdAt": "yesterday"}), "`yesterday` is not RFC 3339"),
        (json!({"createdAt": "1999-01-01T00:00:00Z"}), "before 2000"),
        (json!({"createdAt": "2027-01-01T00:00:00Z"}), "in the future"),
        (json!({"createdAt": 1_778_061_600_000_i64}), "`createdAt` is not a time as text"),
        (json!({"timestamp": "2026-05-06T10:00:01Z"}), "differ"),
        (json!({"agentDecisions": [{"agent": "builder", "confidence": 1.5}]}), "agent_decisions"),
        (json!({"agentDecisions": [{"agent": "builder", "confidence": null}]}), "confidence"),
    ] {
        let reason = refused(&adapter(&changes));
        assert!(reason.contains(wanted), "{changes}: {reason}");
    }
    for (outcome, wanted) in [
        (r#"{"runId": "n", "retryCount": NaN}"#, "is not a JSON record"),
        (r#"{"runId": "n", "retryCount": 1e999}"#, "out of range"),
        (r#"{"runId": "n", "adaptersUsed": ["a"}"#, "is not a JSON record"),
        (r#"{"runId": "n", "runId": "m"}"#, "`runId` appears twice"),
        (r#"{"success": true}"#, "`runId` is missing"),
        (r#"{"runId": "n", "adaptersUsed": ["a"], "retryCount": 0}"#, "`result` is missing"),
        ("null", "expected an object"),
        ("[1, 2]", "expected an object"),
    ] {
        let reason = refused(outcome);
        assert!(reason.contains(wanted), "{outcome}: {reason}");
    }
    let deep = format!("{{\"runId\": \"n\", \"success\": true, \"x\": {}{}}}", "[".repeat(5000), "]".repeat(5000));
    assert!(refused(&deep).contains("recursion"));
}

#[test]
fn a_store_that_breaks_off_gives_what_stood_in_front() {
    let whole = store(&[&adapter(&json!({"runId": "a"})), &adapter(&json!({"runId": "b"})), &adapter(&json!({"runId": "c"}))]);
    let cut = &whole[..whole.find("\"c\"").expect("the third")];
    let gathered = gather(&[(Source::Store, "s", cut)]);
    assert_eq!(land(&gathered).len(), 2);
    let found = reasons(&gathered.files[0]);
    assert!(found[0].0 == 6 && found[0].2.starts_with("outcome 3: is not a JSON record"), "{found:?}");
    assert!(found[1].0 == 6 && found[1].2.contains("is truncated"), "{found:?}");
    for text in ["", "[]", "{\"outcomes\": 7}", "not json"] {
        let gathered = gather(&[(Source::Store, "s", text)]);
        assert_eq!(land(&gathered).len(), 0);
        assert_eq!(reasons(&gathered.files[0]), [(1, false, "holds no list `outcomes`")], "{text}");
    }
}

#[test]
fn a_run_that_a_store_tells_twice_counts_once() {
    let (again, other) =
        (adapter(&json!({"createdAt": "2026-05-07T10:00:00Z", "qualityScore": 0.80})), adapter(&json!({"retryCount": 3})));
    let text = store(&[ADAPTER, &again, &other]);
    let gathered = gather(&[(Source::Store, "s", &text)]);
    let events = land(&gathered);
    assert_eq!((events.len(), &events[0]["ts"], &events[0]["retries"]), (1, &json!("2026-05-06T10:00:00.123Z"), &json!(2)));
    let counts = gathered.files[0].counts;
    assert_eq!((counts.records, counts.taken, counts.duplicates, counts.left_out), (3, 1, 1, 1));
    let found = reasons(&gathered.files[0]);
    assert!(found.len() == 1 && found[0].2.contains("`s` line 4") && found[0].2.contains("--replace"), "{found:?}");

    let mut gathering = gathering(Repeats::Last);
    gathering.read(Source::Store, "s", text.as_bytes(), modified());
    let gathered = gathering.finish();
    assert_eq!(land(&gathered)[0]["retries"], 3);
    assert_eq!((gathered.files[0].counts.duplicates, gathered.files[0].counts.left_out), (2, 0));
}

#[test]
fn a_run_that_both_systems_know_becomes_one_event() {
    let failed = governance(&json!({"result": "failure"}));
    let gathered = gather(&[(Source::Governance, "g.json", &failed), (Source::Store, "s", &store(&[ADAPTER]))]);
    let events = land(&gathered);
    let held = ["adapters", "retries", "risk", "skills", "failure_type", "ts"].map(|name| &events[0][name]);
    assert_eq!(
        held,
        [
            &json!(["GitHub", "terminal"]),
            &json!(2),
            &json!("medium"),
            &json!(["deploy", "lint"]),
            &json!("auth"),
            &json!("2026-05-06T10:00:00.123Z")
        ]
    );
    assert_eq!((events.len(), gathered.files[0].counts.parts, gathered.files[1].counts.taken), (1, 1, 1));
}

#[test]
fn a_system_without_a_word_for_partial_does_not_contradict_one_that_has_it() {
    let gathered = gather(&[(Source::Governance, "g.json", GOVERNANCE), (Source::Store, "s", &store(&[ADAPTER]))]);
    let events = land(&gathered);
    assert_eq!(
        ["result", "source_result", "success"].map(|name| &events[0][name]),
        [&json!("partial"), &json!("failure"), &json!(false)]
    );
    assert!(reasons(&gathered.files[1])[0].2.contains("partial"), "{:?}", gathered.files);
}

#[test]
fn a_quality_that_a_system_gives_by_itself_does_not_contradict_a_graded_one() {
    let (failed, graded) =
        (adapter(&json!({"qualityScore": 0})), governance(&json!({"result": "failure", "postExecutionScore": 0.4})));
    let gathered = gather(&[(Source::Governance, "g.json", &graded), (Source::Store, "s", &store(&[&failed]))]);
    let events = land(&gathered);
    assert_eq!((events.len(), &events[0]["quality"], &events[0]["retries"]), (1, &json!(0.4), &json!(2)));
}

#[test]
fn systems_that_contradict_each_other_are_both_reported_and_the_second_is_left_out() {
    for (changes, wanted) in [
        (json!({"result": "failure", "postExecutionScore": 0.5}), "differ in `quality`"),
        (json!({"result": "success"}), "differ in `result`"),
        (json!({"result": "failure", "failureDetails": {"dominantFailureType": "network"}}), "contradict each other"),
    ] {
        let gathered = gather(&[(Source::Governance, "g.json", &governance(&changes)), (Source::Store, "s", &store(&[ADAPTER]))]);
        let events = land(&gathered);
        assert!(events.len() == 1 && events[0]["risk"] == "medium" && events[0].get("adapters").is_none(), "{events:?}");
        assert!(gathered.files[0].odd.iter().any(|odd| odd.taken && odd.reason.contains(wanted)), "{:?}", gathered.files);
        let left_out = reasons(&gathered.files[1]);
        assert!(
            left_out[0].0 == 4 && !left_out[0].1 && left_out[0].2.contains(wanted) && left_out[0].2.contains("g.json"),
            "{left_out:?}"
        );
    }
}

#[test]
fn a_broken_record_does_not_spoil_the_sound_one_of_the_same_run() {
    let broken = adapter(&json!({"qualityScore": 3}));
    let gathered = gather(&[(Source::Governance, "g.json", GOVERNANCE), (Source::Store, "s", &store(&[&broken]))]);
    assert_eq!(land(&gathered)[0]["quality"], 0.8);
    assert_eq!((gathered.files[0].counts.taken, gathered.files[1].counts.left_out), (1, 1));
}

#[test]
fn the_same_outcome_in_a_log_and_in_the_store_is_a_duplicate() {
    let line = adapter(&json!({"adaptersUsed": ["github", "Terminal"]}));
    let gathered = gather(&[(Source::Store, "s", &store(&[ADAPTER])), (Source::Log, "l", &line)]);
    assert_eq!(land(&gathered)[0]["adapters"], json!(["GitHub", "terminal"]));
    assert_eq!((gathered.files[0].counts.taken, gathered.files[1].counts.duplicates), (1, 1));
}

#[test]
fn outcomes_land_in_the_order_of_their_system_and_else_of_time() {
    let at = |run: &str, time: &str| adapter(&json!({"runId": run, "createdAt": format!("2026-05-06T{time}:00:00Z")}));
    let text = store(&[&at("s2", "12"), &at("g2", "11"), &at("s1", "13"), &at("s0", "09")]);
    let mut gathering = gathering(Repeats::First);
    for (run, hour) in [("g1", "08"), ("g2", "10"), ("gb", "14"), ("ga", "14")] {
        gathering.read_graph(
            format!(r#"{{"timestamp":"2026-05-06T{hour}:00:00Z","runId":"{run}","type":"outcome_recorded"}}"#).as_bytes(),
        );
    }
    for run in ["g2", "gb", "ga", "g1"] {
        let record = governance(&json!({"runId": run, "result": "failure"}));
        gathering.read(Source::Governance, &format!("{run}.json"), record.as_bytes(), modified());
    }
    gathering.read(Source::Store, "s", text.as_bytes(), modified());
    let order: Vec<_> = land(&gathering.finish()).iter().map(|event| event["run_id"].as_str().expect("a run").to_owned()).collect();
    assert_eq!(order, ["g1", "s2", "g2", "s1", "s0", "ga", "gb"]);
}

proptest! {
    #[test]
    fn no_file_makes_the_import_fail_or_lose_count(
        text in "(\\{\"outcomes\": ?\\[)?([\\[\\]{},:\"\\\\\n]|\"runId\":\"[ab/]\"|\"success\":true|\\{\"runId\":\"[ab]\",\"success\":(true|false)\\},?|NaN|é|7){0,40}",
        source in prop_oneof![Just(Source::Governance), Just(Source::Store), Just(Source::Log), Just(Source::Named)],
    ) {
        let gathered = gather(&[(source, "f", &text), (Source::Store, "s", &store(&[ADAPTER]))]);
        let events = land(&gathered);
        prop_assert!(events.iter().any(|event| event["run_id"] == "r1"));
    }
}

/// A project of the other system beside the workspace, with both of its systems.
fn project(scene: &Scene) -> PathBuf {
    let root = scene.root().join("shop");
    let write = |name: &str, text: &str| {
        let path = root.join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
        fs::write(path, text).expect("a file");
    };
    write(".ck/learning/outcomes/r1.json", &governance(&json!({"result": "failure"})));
    write(".ck/learning/outcomes/g1.json", &governance(&json!({"runId": "g1", "result": "success"})));
    for agent in ["planner", "builder", "reviewer", "security"] {
        write(&format!(".ck/learning/agents/{agent}.json"), "{}");
    }
    write(".ck/learning/skills/skill-stats.json", "{}");
    write(".ck/learning/policies/threshold-policy.json", "{}");
    write(".ck/learning/policies/policy-diff.json", "{}");
    write(".ck/learning/reports/latest-learning-report.json", "{}");
    write(".ck/learning/reports/latest-learning-report.md", "# report");
    let graph = "{\"timestamp\":\"2026-05-06T09:00:00.000Z\",\"runId\":\"g1\",\"type\":\"outcome_recorded\",\"data\":{}}\n\
        {\"timestamp\":\"2026-05-06T10:00:01.000Z\",\"runId\":\"r1\",\"type\":\"outcome_recorded\",\"data\":{}}\n";
    write(".ck/learning/memory/graph-events.jsonl", graph);
    write(
        ".codekit/learning/learning-store.json",
        &store(&[ADAPTER, &adapter(&json!({"runId": "r2", "createdAt": "2026-05-06T12:00:00Z"}))]),
    );
    write("outcomes.jsonl", &format!("{}\n", adapter(&json!({"runId": "r3", "createdAt": "2026-05-06T13:00:00Z"}))));
    root
}

fn import(scene: &Scene, path: &Path, options: &[&str]) -> (i32, Value) {
    let arguments = [&["import", "codekit", path.to_str().expect("a path"), "--json"], options].concat();
    let outcome = scene.run(&arguments);
    (outcome.code, serde_json::from_str(&outcome.out).unwrap_or_else(|_| panic!("{}", outcome.error)))
}

fn inbox(scene: &Scene) -> Vec<String> {
    let mut lines = Vec::new();
    for entry in fs::read_dir(scene.workspace.inbox()).expect("the inbox") {
        let path = entry.expect("an entry").path();
        if path.is_file() {
            lines.extend(fs::read_to_string(path).expect("text").lines().map(str::to_owned));
        }
    }
    lines
}

#[test]
fn a_project_becomes_runs_and_every_file_is_accounted_for() {
    let scene = Scene::new();
    let root = project(&scene);
    fs::write(root.join(".ck/learning/notes.txt"), "x").expect("a file");
    let (code, planned) = import(&scene, &root, &["--dry-run"]);
    assert_eq!((code, &planned["is_dry_run"], inbox(&scene).len()), (0, &json!(true), 0));
    let files: Vec<_> = planned["files"].as_array().expect("files").iter().map(|file| (&file["taken"], &file["parts"])).collect();
    assert_eq!(files, [(&json!(1), &json!(0)), (&json!(0), &json!(1)), (&json!(2), &json!(0)), (&json!(1), &json!(0))]);
    assert_eq!((planned["derived"].as_array().map(Vec::len), planned["unknown"].as_array().map(Vec::len)), (Some(10), Some(1)));

    let path = root.to_str().expect("a path");
    let shown = scene.done(&["import", "codekit", path]);
    assert!(
        shown.out.contains("outcomes/*.json") && shown.error.contains("threshold-policy.json: is not imported: it is recomputed"),
        "{}{}",
        shown.out,
        shown.error
    );
    scene.done(&["run", "compact"]);
    assert_eq!(scene.count("select count(*) from run where project like 'shop-%'"), 4);
    let merged = "select count(*) from run where run_id = 'r1' and risk = 'medium' and retries = 2 and len(adapters) = 2 and result = 'failure'";
    assert_eq!((scene.count(merged), scene.count("select count(*) from quarantine")), (1, 0));
    assert_eq!(scene.count("select count(*) from run where run_id = 'g1' and ts = timestamptz '2026-05-06 09:00:00+00'"), 1);
}

#[test]
fn importing_twice_counts_once() {
    let scene = Scene::new();
    let root = project(&scene);
    for _ in 0..2 {
        assert_eq!(import(&scene, &root, &[]).0, 0);
        scene.done(&["run", "compact"]);
    }
    assert_eq!((scene.count("select count(*) from run"), scene.count("select count(*) from quarantine")), (4, 0));
    let lines = inbox(&scene);
    assert_eq!((lines.len(), &lines[..4]), (8, &lines[4..]));
}

#[test]
fn a_part_of_a_project_may_be_named_and_belongs_to_it() {
    for (name, runs) in [
        (".ck", vec!["g1", "r1"]),
        (".ck/learning", vec!["g1", "r1"]),
        (".ck/learning/outcomes", vec!["g1", "r1"]),
        (".ck/learning/outcomes/g1.json", vec!["g1"]),
        (".codekit", vec!["r1", "r2"]),
        (".codekit/learning", vec!["r1", "r2"]),
        (".codekit/learning/learning-store.json", vec!["r1", "r2"]),
        ("outcomes.jsonl", vec!["r3"]),
    ] {
        let scene = Scene::new();
        let root = project(&scene);
        assert_eq!(import(&scene, &root.join(name), &[]).0, 0, "{name}");
        let events: Vec<Value> = inbox(&scene).iter().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        assert_eq!(events.iter().map(|event| event["run_id"].as_str().expect("a run")).collect::<Vec<_>>(), runs, "{name}");
        assert!(
            events.iter().all(|event| event["project"].as_str().is_some_and(|name| name.starts_with("shop-"))),
            "{name}: {events:?}"
        );
        let time = events.iter().find(|event| event["run_id"] == "g1").map(|event| &event["ts"]);
        assert!(time.is_none_or(|time| time == "2026-05-06T09:00:00Z"), "{name}: {time:?}");
    }
}

#[test]
fn a_copied_store_or_outcome_is_told_apart_by_what_it_holds() {
    let scene = Scene::new();
    for (name, text, taken) in [("backup.json", store(&[ADAPTER]), 1), ("outcome.json", GOVERNANCE.to_owned(), 1)] {
        let path = scene.root().join(name);
        fs::write(&path, text).expect("a file");
        let (code, told) = import(&scene, &path, &["--project", "shop", "--dry-run"]);
        assert_eq!((code, &told["files"][0]["taken"]), (0, &json!(taken)), "{name}");
    }
}

#[test]
fn hostile_names_and_corrupt_files_are_named_and_the_rest_is_taken() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    let scene = Scene::new();
    let root = project(&scene);
    let outcomes = root.join(".ck/learning/outcomes");
    fs::write(outcomes.join("\u{1b}[31m\n# heading.json"), governance(&json!({"runId": "odd\u{1b}[31m"}))).expect("a file");
    fs::write(outcomes.join(OsStr::from_bytes(b"\xff\xfe.json")), governance(&json!({"runId": "bytes"}))).expect("a file");
    fs::write(outcomes.join("learning-store.json"), governance(&json!({"runId": "learning-store"}))).expect("a file");
    fs::create_dir_all(outcomes.join("a")).expect("a folder");
    fs::write(outcomes.join("a/b.json"), governance(&json!({"runId": "a/b"}))).expect("a file");
    fs::write(outcomes.join("cut.json"), "{\"runId\": \"cut\", ").expect("a file");
    std::os::unix::fs::symlink(&root, outcomes.join("round")).expect("a link");
    let pipe = std::process::Command::new("mkfifo").arg(outcomes.join("pipe.json")).status().expect("mkfifo");
    assert!(pipe.success());
    let (code, told) = import(&scene, &root, &["--dry-run"]);
    assert_eq!(code, 1);
    let odd: Vec<_> = told["files"].as_array().expect("files").iter().filter(|file| file["left_out"] == 1).collect();
    let of = |name: &str| odd.iter().find(|file| file["file"].as_str().is_some_and(|path| path.ends_with(name))).expect("the file");
    assert_eq!(odd.len(), 3, "{odd:?}");
    assert!(of("cut.json")["odd"][0]["reason"].as_str().is_some_and(|reason| reason.contains("is not a JSON record")));
    assert!(of("a/b.json")["odd"][0]["reason"].as_str().is_some_and(|reason| reason.contains("run_id")));
    assert_eq!(told["unknown"].as_array().map(Vec::len), Some(2), "{}", told["unknown"]);
    let shown = scene.run(&["import", "codekit", root.to_str().expect("a path")]);
    assert!(
        !shown.error.contains('\u{1b}') && !shown.out.contains('\u{1b}') && !shown.error.contains("\n# heading"),
        "{}",
        shown.error
    );
    scene.done(&["run", "compact"]);
    assert_eq!(scene.count("select count(*) from run where run_id in ('bytes', 'learning-store', 'r1', 'r2', 'r3', 'g1')"), 6);
    assert_eq!(scene.count("select count(*) from run"), 6);
}

#[test]
fn a_corrupt_store_is_reported_by_line_and_record() {
    let scene = Scene::new();
    let root = project(&scene);
    let broken = adapter(&json!({"runId": "bad", "retryCount": -2}));
    fs::write(root.join(".codekit/learning/learning-store.json"), store(&[ADAPTER.replace('\n', " ").as_str(), &broken]))
        .expect("a store");
    let shown = scene.run(&["import", "codekit", root.to_str().expect("a path")]);
    assert_eq!(shown.code, 1);
    assert!(shown.error.contains("learning-store.json:5: skipped: outcome 2: `retries`"), "{}", shown.error);
    scene.done(&["run", "compact"]);
    assert_eq!(scene.count("select count(*) from run"), 3);
}

#[test]
fn the_latest_of_two_records_counts_where_runs_are_replaced() {
    let scene = Scene::new();
    let root = project(&scene);
    // The first report is no run that could be taken: it does not say what failed.
    let failed = json!({"runId": "r2", "status": "failed", "success": false, "qualityScore": 0});
    let (early, late) = (adapter(&failed), adapter(&json!({"runId": "r2", "retryCount": 1, "createdAt": "2026-05-07T10:00:00Z"})));
    let file = root.join(".codekit/learning/learning-store.json");
    fs::write(scene.workspace.settings(), "[run]\nreplace = false\n").expect("settings");
    fs::write(&file, store(&[&early, &late])).expect("a store");
    assert_eq!(import(&scene, &root, &["--dry-run"]).0, 1);
    assert_eq!(import(&scene, &root, &["--dry-run", "--replace"]).0, 0);
    fs::write(scene.workspace.settings(), "").expect("settings");
    // Whatever their order.
    fs::write(&file, store(&[&late, &early])).expect("a store");
    assert_eq!(import(&scene, &root, &[]).0, 0);
    scene.done(&["run", "compact"]);
    assert_eq!(scene.count("select retries from run where run_id = 'r2'"), 1);
    assert_eq!(scene.count("select count(*) from run where run_id = 'r2'"), 1);
    assert_eq!(scene.count("select count(*) from quarantine"), 0);
}

#[test]
fn where_there_are_no_outcomes_it_says_so() {
    let scene = Scene::new();
    let empty = scene.root().join("empty");
    fs::create_dir_all(empty.join(".ck/learning/agents")).expect("folders");
    for path in [empty.as_path(), &scene.root().join("missing")] {
        let outcome = scene.run(&["import", "codekit", path.to_str().expect("a path")]);
        assert_eq!(outcome.code, 2, "{}", outcome.error);
    }
}

#[test]
fn secrets_of_odd_records_are_not_shown() {
    let scene = Scene::new();
    let root = project(&scene);
    let secret = format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
    let outcomes = root.join(".ck/learning/outcomes");
    fs::write(outcomes.join("cut.json"), format!("{{\"runId\": \"cut\", \"note\": \"{secret}\", ")).expect("a file");
    // Cut off after so many characters, it would not look like a secret.
    let padding = "x".repeat(150);
    fs::write(outcomes.join("long.json"), format!("{{\"note\": \"{padding} {secret}\", ")).expect("a file");
    fs::write(outcomes.join("time.json"), governance(&json!({"runId": "time", "createdAt": secret}))).expect("a file");
    let path = root.to_str().expect("a path");
    let (shown, told) = (scene.run(&["import", "codekit", path, "--dry-run"]), scene.run(&["import", "codekit", path, "--json"]));
    assert_eq!((shown.code, told.code), (1, 1), "{}{}", shown.error, told.error);
    for text in [&shown.out, &shown.error, &told.out, &told.error] {
        assert!(!text.contains("ghp_a1B2"), "{text}");
    }
    assert!(shown.error.contains("[REDACTED:") && told.out.contains("[REDACTED:"), "{}{}", shown.error, told.out);
}

#[test]
fn links_that_lead_out_of_the_project_are_passed_over_with_a_note() {
    use std::os::unix::fs::symlink;
    let scene = Scene::new();
    let root = project(&scene);
    let elsewhere = scene.root().join("elsewhere.json");
    fs::write(&elsewhere, governance(&json!({"runId": "elsewhere"}))).expect("a file");
    let outcomes = root.join(".ck/learning/outcomes");
    symlink(&elsewhere, outcomes.join("out.json")).expect("a link");
    fs::write(root.join("inside.json"), governance(&json!({"runId": "inside"}))).expect("a file");
    symlink("../../../inside.json", outcomes.join("in.json")).expect("a link");
    let (code, told) = import(&scene, &root, &["--dry-run"]);
    let outside: Vec<_> = told["outside"].as_array().expect("a list").iter().filter_map(Value::as_str).collect();
    assert!(code == 0 && outside.len() == 1 && outside[0].ends_with("out.json"), "{told}");
    let shown = scene.done(&["import", "codekit", root.to_str().expect("a path")]);
    assert!(shown.error.contains("out.json: is skipped: the link points outside"), "{}", shown.error);
    scene.done(&["run", "compact"]);
    assert_eq!(scene.count("select count(*) from run where run_id = 'inside'"), 1);
    assert_eq!(scene.count("select count(*) from run where run_id = 'elsewhere'"), 0);
}

#[test]
fn only_what_landed_is_called_landed() {
    let scene = Scene::new();
    let file = scene.root().join("bad.jsonl");
    fs::write(&file, "{ broken\n").expect("a file");
    let shown = scene.run(&["import", "codekit", file.to_str().expect("a path")]);
    assert!(shown.code == 1 && !shown.error.contains("recorded;"), "{}", shown.error);
    fs::write(&file, format!("{}\n", adapter(&json!({})))).expect("a file");
    let shown = scene.done(&["import", "codekit", file.to_str().expect("a path")]);
    assert!(shown.error.contains("recorded;"), "{}", shown.error);
}

#[test]
fn where_runs_are_replaced_a_changed_record_that_is_imported_again_counts() {
    let scene = Scene::new();
    fs::write(scene.workspace.settings(), "[run]\nreplace = true\n").expect("settings");
    let file = scene.root().join("outcomes.jsonl");
    for retries in [1, 2, 2] {
        fs::write(&file, format!("{}\n", adapter(&json!({"retryCount": retries})))).expect("a file");
        scene.done(&["import", "codekit", file.to_str().expect("a path"), "--project", "shop"]);
        scene.done(&["run", "compact"]);
    }
    assert_eq!((scene.count("select count(*) from run"), scene.count("select count(*) from quarantine")), (2, 0));
    assert_eq!(scene.count("select retries from run order by landing_seq desc limit 1"), 2);
}
