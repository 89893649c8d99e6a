//! The tool log of the agents' host as evidence: a report that cites what the hooks saw rests on it.

use serde_json::{Value, json};

use super::{SAYING, verdict};
use crate::hook::stage::{Stage, agent};

const SESSION: &str = "5b7c0f6e-2c38-4d1c-9a53-0d6f4c4c1a11";
const PRINTED: &str = "checked 12 invoices, 0 differ";

fn report(evidence: &str) -> String {
    format!("# Review\n\n{evidence}\n\n## Accumulated Patterns\n- {SAYING}\n")
}

/// A session in which a reviewer ran a check that passed and one that failed.
fn reviewed() -> Stage {
    let stage = Stage::with(&[]);
    stage.answer("subagent-start", &agent("a1", "reviewer"));
    let mut passed = agent("a1", "reviewer");
    passed["tool_name"] = "Bash".into();
    passed["tool_input"] = json!({"command": "./check invoices"});
    passed["tool_response"] = json!({"stdout": format!("{PRINTED}\n"), "stderr": "", "interrupted": false});
    stage.answer("post-tool-use", &passed);
    let mut failed = agent("a1", "reviewer");
    failed["tool_name"] = "Bash".into();
    failed["tool_input"] = json!({"command": "./check parcels"});
    failed["error"] = "Exit code 3\nparcel 7 has no weight".into();
    stage.answer("post-tool-use-failure", &failed);
    stage
}

fn judge(stage: &Stage, text: &str, more: &[&str]) -> Value {
    let folder = stage.folder();
    let [role, validator] = ["role.md", "validator.md"].map(|name| folder.join(name));
    std::fs::write(&role, text).expect("a report");
    std::fs::write(&validator, verdict(r#"{"verdict":"PASS"}"#)).expect("a report");
    let mut arguments = vec!["feedback", "--adversarial-role", "judge", "--validator-role", "inspector", "--project", "web"];
    arguments.extend(["--adversarial", role.to_str().expect("a path"), "--validator", validator.to_str().expect("a path")]);
    arguments.extend(["--strict", "--json"]);
    arguments.extend(more);
    serde_json::from_str(&stage.scene.done(&arguments).out).expect("JSON")
}

#[test]
fn a_report_that_cites_what_the_hooks_saw_is_evidence_of_the_first_level_by_the_host() {
    let stage = reviewed();
    let fenced = format!("```\n{PRINTED}\n```");
    for (place, (evidence, command)) in [
        (&*fenced, "./check invoices"),
        ("`./check invoices` gives exit code 0.", "./check invoices"),
        ("$ ./check parcels\nexited with 3", "./check parcels"),
    ]
    .into_iter()
    .enumerate()
    {
        let run = format!("r{place}");
        let told = judge(&stage, &report(evidence), &["--run", &run, "--session", SESSION]);
        assert_eq!((&told["level"], &told["evidence_by"]), (&1.into(), &"host".into()), "{evidence}: {told}");
        assert_eq!((&told["cited"]["command"], &told["cited"]["agent"]), (&command.into(), &"reviewer".into()), "{told}");
        assert_eq!(told["reinforces"], true);
    }
    stage.scene.done(&["run", "hourly"]);
    assert_eq!(stage.rows("select evidence_level, evidence_by from deliberation where role = 'judge'"), ["1,host"; 3]);
    assert_eq!(stage.rows("select evidence_level, evidence_by from verdict"), ["1,host"; 3]);
    let pattern: Value = serde_json::from_str(&stage.scene.done(&["patterns", "show", "D-001", "--json"]).out).expect("JSON");
    assert_eq!(pattern["reinforced"], 3, "{pattern}");
}

#[test]
fn what_nobody_saw_is_what_the_report_makes_of_it() {
    let stage = reviewed();
    let session: &[&str] = &["--session", SESSION];
    for (evidence, more) in [
        // The command failed, and the report says that it did not.
        ("`./check parcels` gives exit code 0.", session),
        ("`./check everything` gives exit code 0.", session),
        ("I checked the invoices, and all is well.", session),
        // The same report without the log, and with that of another session.
        ("`./check invoices` gives exit code 0.", &[]),
        ("`./check invoices` gives exit code 0.", &["--session", "another"]),
        ("`./check invoices` gives exit code 0.", &["--session", "../../etc"]),
    ] {
        let told = judge(&stage, &report(evidence), more);
        assert_eq!((&told["level"], &told["evidence_by"]), (&3.into(), &"report".into()), "{evidence}: {told}");
        assert_eq!((&told["cited"], &told["reinforces"]), (&Value::Null, &false.into()));
    }
    // A pipeline that says so itself has the last word.
    let told = judge(&stage, &report("`./check invoices` gives exit code 0."), &[session, &["--evidence", "2"]].concat());
    assert_eq!((&told["level"], &told["evidence_by"]), (&2.into(), &"pipeline".into()));
}

#[test]
fn a_report_that_is_stored_rests_on_the_log_too() {
    let stage = reviewed();
    let path = stage.folder().join("role.md");
    std::fs::write(&path, report("`./check invoices` gives exit code 0.")).expect("a report");
    let path = path.to_str().expect("a path");
    let stored =
        ["memory", "store", "--role", "judge", "--run", "r1", "--report", path, "--session", SESSION, "--json", "--strict"];
    let told: Value = serde_json::from_str(&stage.scene.done(&stored).out).expect("JSON");
    assert_eq!(told["level"], 1, "{told}");
}
