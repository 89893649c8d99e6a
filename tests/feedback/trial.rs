//! Whole stories through the program, each of which once went wrong in silence.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::{Pipeline, SAYING, report, verdict};
use crate::support::Outcome;

const FOUND: &str = r#"{"verdict":"FAIL","issues":[{"id":"J1","severity":"HIGH","summary":"Validate webhook signatures before the body is parsed"}],"must_fix":["J1"]}"#;
const REJECTS: &str = r#"{"verdict":"PASS","false_positives":["J1"]}"#;

#[test]
fn what_is_rejected_in_every_report_is_not_offered_for_promotion() {
    let pipeline = Pipeline::new();
    for issue in ["1", "2", "3"] {
        let validator = format!("Of issue {issue}.\n{}", verdict(REJECTS));
        pipeline.judge([&report(&[SAYING], FOUND), &validator], &["--run", issue, "--issue", issue]);
    }
    pipeline.learn();
    let pattern = pipeline.pattern("D-001");
    assert_eq!(
        (&pattern["state"], &pattern["seen"], &pattern["confirmed"]),
        (&"observed".into(), &3.into(), &0.into()),
        "{pattern}"
    );
    let review = pipeline.json(&["patterns", "review", "--json"]);
    assert_eq!(review["review"]["waiting"].as_array().map(Vec::len), Some(0), "{review}");
    let refused = pipeline.scene.run(&["patterns", "promote", "D-001", "--reason", "why not"]);
    assert_eq!(refused.code, 2, "{}", refused.error);
}

#[test]
fn a_pipeline_says_how_well_work_is_founded_and_the_record_says_who_said_it() {
    let pipeline = Pipeline::new();
    let bare =
        "# Review\n\nLooks fine to me.\n\n## Accumulated Patterns\n- Validate webhook signatures before the body is parsed\n";
    let pass = verdict(r#"{"verdict":"PASS"}"#);
    let told = pipeline.judge([bare, &pass], &["--run", "r1"]);
    assert_eq!((&told["level"], &told["evidence_by"], &told["reinforces"]), (&3.into(), &"report".into(), &false.into()), "{told}");
    let told = pipeline.judge([bare, &pass], &["--run", "r2", "--evidence", "1", "--evidence-by", "ci on main"]);
    assert_eq!(
        (&told["level"], &told["evidence_by"], &told["reinforces"]),
        (&1.into(), &"ci on main".into(), &true.into()),
        "{told}"
    );
    let text = pipeline.feed(["judge", "inspector"], [bare, &pass], &["--run", "r3", "--evidence", "2"]).out;
    assert!(text.contains("evidence level 2 (says pipeline)"), "{text}");
    pipeline.learn();
    assert_eq!(pipeline.pattern("D-001")["reinforced"], 2);
    let said = "select evidence_by from verdict order by run_id";
    let out = pipeline.scene.done(&["query", said, "--format", "csv"]).out;
    assert_eq!(out.lines().collect::<Vec<_>>(), ["evidence_by", "report", "ci on main", "pipeline"]);
    let refused = pipeline.feed(["judge", "inspector"], [bare, &pass], &["--evidence", "4"]);
    assert_eq!(refused.code, 2, "{}", refused.error);
}

#[test]
fn a_report_is_kept_without_a_verdict_and_counts_once_with_it() {
    let pipeline = Pipeline::new();
    let text =
        "# QA\n\n### 🧠 3. Accumulated Patterns (judge)\n- **[rule]** Validate webhook signatures before the body is parsed\n\n";
    let path = pipeline.write("qa.md", text);
    let path = path.to_str().expect("a path");
    let store = ["memory", "store", "--role", "judge", "--project", "web", "--run", "r1", "--report", path, "--json", "--strict"];
    let kept = pipeline.json(&store);
    assert_eq!(kept["patterns"][0], "Validate webhook signatures before the body is parsed", "{kept}");
    assert_eq!(kept["remarks"], serde_json::json!([]));
    pipeline.judge([text, &verdict(r#"{"verdict":"PASS"}"#)], &["--run", "r1"]);
    pipeline.learn();
    let pattern = pipeline.pattern("D-001");
    assert_eq!(
        (&pattern["seen"], &pattern["category"], &pattern["text"]),
        (&1.into(), &"rule".into(), &SAYING.into()),
        "{pattern}"
    );
    // Where nothing was found, somebody is told.
    for (text, why) in [("# QA\n\nNothing.\n", "no heading"), ("## Accumulated Patterns\n\nNone.\n", "no list item")] {
        let path = pipeline.write("empty.md", text);
        let told = pipeline.scene.done(&["memory", "store", "--role", "judge", "--report", path.to_str().expect("a path")]);
        assert!(told.error.contains(why), "{}", told.error);
    }
}

fn git(folder: &Path, arguments: &[&str]) {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "init.defaultBranch=main"]);
    let output = command.arg("-C").arg(folder).args(arguments).output().expect("git runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn repository(path: &Path) {
    fs::create_dir_all(path).expect("a folder");
    git(path, &["init", "-q"]);
    git(path, &["commit", "-q", "--allow-empty", "-m", "start"]);
}

/// Runs the program in a folder, which must succeed.
fn run_in(pipeline: &Pipeline, folder: &Path, arguments: &[&str], input: &str) -> Outcome {
    use std::io::Write as _;
    let mut command = pipeline.scene.command(arguments);
    command.current_dir(folder).stdin(std::process::Stdio::piped());
    command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    child.stdin.take().expect("stdin").write_all(input.as_bytes()).expect("input");
    let outcome = Outcome::of(&child.wait_with_output().expect("it ends"));
    assert_eq!(outcome.code, 0, "{arguments:?}: {}", outcome.error);
    outcome
}

#[test]
fn two_repositories_in_one_workspace_share_nothing_and_work_trees_share_all() {
    let pipeline = Pipeline::new();
    let home = tempfile::tempdir().expect("a folder");
    let at = |name: &str| home.path().join(name);
    // Two of one name, a work tree of the first, and a clone of it.
    for name in ["a/shop", "b/shop"] {
        repository(&at(name));
    }
    git(&at("a/shop"), &["worktree", "add", "-q", at("tree").to_str().expect("a path")]);
    git(home.path(), &["clone", "-q", "a/shop", "clone"]);
    fs::create_dir_all(at("a/shop/src/deep")).expect("a folder");
    let stored = |folder: &str, issue: &str| -> Value {
        let arguments = ["memory", "store", "--role", "judge", "--issue", issue, "--text", SAYING, "--json", "--strict"];
        serde_json::from_str(&run_in(&pipeline, &at(folder), &arguments, "").out).expect("JSON")
    };
    let [first, second] = ["a/shop", "b/shop"].map(|folder| stored(folder, "1")["project"].clone());
    assert_ne!(first, second);
    for folder in ["tree", "clone", "a/shop/src/deep"] {
        assert_eq!(stored(folder, "2")["project"], first, "{folder}");
    }
    // Recording, feedback, and hooks name the same.
    let event = r#"{"kind":"run","run_id":"r1","result":"success","adapters":["terminal"]}"#;
    run_in(&pipeline, &at("tree"), &["record"], event);
    run_in(&pipeline, &at("b/shop"), &["record"], &event.replace("r1", "r2"));
    let (role, validator) = (pipeline.write("role.md", report(&[SAYING], FOUND)), pipeline.write("v.md", verdict(REJECTS)));
    let paths = [&role, &validator].map(|path| path.to_str().expect("a path"));
    let feedback = ["feedback", "--adversarial-role", "judge", "--validator-role", "inspector", "--json", "--strict"];
    let told = run_in(
        &pipeline,
        &at("clone"),
        &[&feedback[..], &["--adversarial", paths[0], "--validator", paths[1], "--issue", "3"]].concat(),
        "",
    );
    assert_eq!(serde_json::from_str::<Value>(&told.out).expect("JSON")["project"], first);
    let payload = serde_json::json!({"session_id": "s1", "cwd": at("tree"), "hook_event_name": "SessionStart"}).to_string();
    run_in(&pipeline, &at("tree"), &["hook", "session-start"], &payload);
    pipeline.learn();
    let projects = |sql: &str| -> Vec<String> {
        let out = pipeline.scene.done(&["query", sql, "--format", "csv"]).out;
        out.lines().skip(1).map(str::to_owned).collect()
    };
    let (first, second) = (first.as_str().expect("a name"), second.as_str().expect("a name"));
    assert_eq!(projects("select project from run order by run_id"), [first, second]);
    let shown = |folder: &str| {
        let arguments = ["inject", "--role", "judge", "--format", "json", "--strict"];
        let out = run_in(&pipeline, &at(folder), &arguments, "").out;
        let shown: Value = serde_json::from_str(&out).expect("JSON");
        shown["patterns"].as_array().expect("patterns").iter().map(|pattern| pattern["id"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(shown("clone"), shown("a/shop"));
    assert_eq!([shown("a/shop"), shown("b/shop")].concat(), ["D-001", "D-002"]);
    assert!(shown(".").is_empty(), "no repository, no patterns of one");
}

/// Everything that names a project, asked in two folders of one name.
#[test]
fn every_command_names_the_project_of_a_folder_the_same() {
    let pipeline = Pipeline::new();
    let home = tempfile::tempdir().expect("a folder");
    let at = |name: &str| home.path().join(name);
    let made = jiff::Timestamp::now().to_string();
    let log = format!("20260501-100000|{made}|goal|1|success|3\n");
    let mut named = Vec::new();
    for (place, folder) in ["a/shop", "b/shop"].into_iter().enumerate() {
        repository(&at(folder));
        // A folder of the other system, with a run of its own.
        fs::create_dir_all(at(folder).join(".learnings/pending")).expect("a folder");
        fs::write(at(folder).join("runs.log"), &log).expect("a log");
        let lesson = format!(
            r#"{{"what_happened":"x","why":"y","fix_applied":"z","pattern_to_remember":"Water plant {place} at noon","applies_to":["*"]}}"#
        );
        fs::write(at(folder).join(".learnings/pending/coder-1.json"), lesson).expect("a lesson");
        let run = format!("r{place}");
        let event = format!(r#"{{"kind":"run","run_id":"{run}","result":"success","adapters":["terminal"]}}"#);
        run_in(&pipeline, &at(folder), &["record"], &event);
        run_in(&pipeline, &at(folder), &["gate", "terminal", "--record", &run], "");
        run_in(
            &pipeline,
            &at(folder),
            &["policy", "annotate", "terminal", "--retries", "1", "--reason", "why", "--actor", "ann"],
            "",
        );
        run_in(&pipeline, &at(folder), &["capture", "--workdir", ".", "--run", &run], "");
        let arguments = ["memory", "store", "--role", "judge", "--text", SAYING, "--json", "--strict"];
        let told: Value = serde_json::from_str(&run_in(&pipeline, &at(folder), &arguments, "").out).expect("JSON");
        named.push(told["project"].as_str().expect("a name").to_owned());
        for hook in ["SubagentStart", "SubagentStop"] {
            let name = if hook == "SubagentStart" { "subagent-start" } else { "subagent-stop" };
            let payload = serde_json::json!({"session_id": run, "cwd": at(folder), "hook_event_name": hook, "agent_id": "a",
                "agent_type": "coder", "last_assistant_message": "LEARNINGS_ACKNOWLEDGED\nApplied: \"Water the plants at noon\""});
            run_in(&pipeline, &at(folder), &["hook", name], &payload.to_string());
        }
    }
    assert_ne!(named[0], named[1]);
    pipeline.learn();
    for kind in ["run", "gate", "curation", "learning", "deliberation", "application", "timing"] {
        let sql = format!("select distinct project from {kind} order by project");
        let out = pipeline.scene.done(&["query", &sql, "--format", "csv"]).out;
        let mut wanted = named.clone();
        wanted.sort();
        assert_eq!(out.lines().skip(1).collect::<Vec<_>>(), wanted, "{kind}");
    }
}

#[test]
fn work_folders_of_one_name_outside_of_repositories_are_two_projects_and_one_for_the_original() {
    let pipeline = Pipeline::new();
    let home = tempfile::tempdir().expect("a folder");
    let project = |folder: &str, settings: &str| {
        let folder = home.path().join(folder);
        fs::create_dir_all(folder.join(".learnings")).expect("a folder");
        fs::write(pipeline.scene.workspace.settings(), settings).expect("settings");
        let arguments = ["memory", "store", "--role", "judge", "--text", SAYING, "--json", "--strict"];
        let told: Value = serde_json::from_str(&run_in(&pipeline, &folder, &arguments, "").out).expect("JSON");
        told["project"].as_str().expect("a name").to_owned()
    };
    let [first, second] = ["a/work", "b/work"].map(|folder| project(folder, ""));
    assert!(first != second && first.starts_with("work-") && second.starts_with("work-"), "{first} {second}");
    assert_eq!(project("a/work/.learnings", ""), first);
    assert_eq!(["a/work", "b/work"].map(|folder| project(folder, "compat = \"closedloop\"\n")), ["work", "work"]);
}

#[test]
fn the_setting_names_the_repository_of_the_workspace_and_no_other() {
    let pipeline = Pipeline::new();
    let home = tempfile::tempdir().expect("a folder");
    let (own, other) = (home.path().join("own"), home.path().join("other"));
    repository(&own);
    repository(&other);
    let root = own.join(".outerloop");
    let made = Command::new(env!("CARGO_BIN_EXE_outerloop")).arg("--root").arg(&root).arg("init").output().expect("it runs");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    fs::write(root.join("outerloop.toml"), "project = \"shop\"\n").expect("settings");
    let project = |folder: &Path| {
        let arguments = ["memory", "store", "--role", "judge", "--text", SAYING, "--json", "--strict"];
        let mut command = Command::new(env!("CARGO_BIN_EXE_outerloop"));
        command.arg("--root").arg(&root).args(arguments).current_dir(folder).env_remove("OUTERLOOP_PROJECT");
        let outcome = Outcome::of(&command.output().expect("it runs"));
        serde_json::from_str::<Value>(&outcome.out).unwrap_or_else(|_| panic!("{}", outcome.error))["project"].clone()
    };
    assert_eq!(project(&own), "shop");
    assert!(project(&other).as_str().expect("a name").starts_with("other-"));
    assert_eq!(project(home.path()), "shop");
    // What a pipeline says goes before what a repository is.
    let mut command = pipeline.scene.command(&["memory", "store", "--role", "judge", "--text", SAYING, "--json", "--strict"]);
    let outcome = Outcome::of(&command.current_dir(&other).env("OUTERLOOP_PROJECT", "named").output().expect("it runs"));
    assert_eq!(serde_json::from_str::<Value>(&outcome.out).expect("JSON")["project"], "named");
}
