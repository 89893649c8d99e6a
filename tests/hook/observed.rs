//! What agents were seen to do: where silence says something, and whether claims hold.

use serde_json::{Value, json};

use super::stage::{Stage, agent, ending, lesson};

/// The use of a tool by an agent, as it is told afterwards.
fn used(id: &str, tool: &str, input: &Value, response: &Value) -> Value {
    json!({"agent_id": id, "agent_type": "x", "tool_name": tool, "tool_input": input, "tool_response": response})
}

/// An edit of a file of the project, of so many lines from a line on.
fn edited(stage: &Stage, id: &str, file: &str, first: u32, count: usize) -> Value {
    let path = stage.folder().join(file);
    let lines: Vec<String> = (0..count).map(|line| format!("+new {line}")).collect();
    let patch = json!([{"oldStart": first, "oldLines": 0, "newStart": first, "newLines": count, "lines": lines}]);
    used(id, "Edit", &json!({"file_path": path}), &json!({"filePath": path, "structuredPatch": patch}))
}

fn ran(id: &str, command: &str) -> Value {
    used(id, "Bash", &json!({"command": command}), &json!({"stdout": "fine\n", "stderr": "", "interrupted": false}))
}

/// How many patterns have each flag.
fn flags(stage: &Stage) -> Vec<String> {
    stage.scene.done(&["run", "hourly"]);
    stage.rows("select flag, count(*) from pattern group by 1 order by 1")
}

fn count_of_lines(context: &str) -> usize {
    context.lines().filter(|line| line.starts_with('[')).count()
}

#[test]
fn agents_that_only_look_make_no_pattern_worse() {
    let stage = Stage::with_patterns(18);
    let mut shown = Vec::new();
    for number in 0..24 {
        let id = format!("a{number}");
        shown.push(count_of_lines(&stage.context("subagent-start", &agent(&id, "x"))));
        let looked = json!({"file_path": stage.folder().join("src/a.rs")});
        stage.answer("post-tool-use", &used(&id, "Read", &looked, &json!({"type": "text"})));
        stage.answer("subagent-stop", &ending(&id, "x", "Looked at everything.\nLEARNINGS_ACKNOWLEDGED"));
    }
    assert_eq!(shown, [15; 24]);
    assert_eq!(flags(&stage), ["UNTESTED,18"]);
    assert_eq!(stage.rows("select sum(offered), sum(seen) from pattern"), [format!("{},0", 24 * 15)]);
    assert_eq!(count_of_lines(&stage.context("subagent-start", &agent("late", "x"))), 15);
    let told = stage.scene.done(&["explain", "P-001", "--json"]).out;
    let told: Value = serde_json::from_str(&told).expect("JSON");
    let offer = &told["applications"][0];
    assert_eq!(offer["status"], "offered");
    assert_eq!(offer["passed_over"], "offered to an agent that changed no file and ran no command, not a sighting");
}

#[test]
fn the_original_counts_every_agent_that_was_silent() {
    let stage = Stage::with_patterns(3);
    std::fs::write(stage.scene.workspace.settings(), "compat = \"closedloop\"\n").expect("settings");
    for number in 0..24 {
        let id = format!("a{number}");
        stage.context("subagent-start", &agent(&id, "x"));
        stage.answer("subagent-stop", &ending(&id, "x", "LEARNINGS_ACKNOWLEDGED"));
    }
    assert_eq!(flags(&stage), ["PRUNE,3"]);
}

/// A pattern that was shown often and never used where it could have been.
fn pruned() -> Stage {
    let stage = Stage::with(&[lesson("Check the lock"), lesson("Close the file")]);
    let now = jiff::Timestamp::now();
    let shown = (0..30).map(|number| {
        let mut shown = json!({"kind": "application", "ts": now.to_string(), "run_id": format!("r{number}"), "iteration": 0});
        shown["pattern_id"] = "P-001".into();
        shown["status"] = "injected".into();
        format!("{shown}\n")
    });
    stage.scene.land("shown.jsonl", shown.collect::<String>().as_bytes());
    assert_eq!(flags(&stage), ["PRUNE,1", "UNTESTED,1"]);
    stage
}

#[test]
fn a_pattern_to_be_pruned_gets_a_chance_that_is_logged_and_can_acquit_it() {
    let stage = pruned();
    let salt = stage.salt();
    let sessions: Vec<String> = (0..400).map(|number| format!("s{number}")).collect();
    let (drawn, others): (Vec<&String>, Vec<&String>) =
        sessions.iter().partition(|session| salt.toss(session, "P-001", 0.1).is_shown);
    assert!((20..60).contains(&drawn.len()), "{}", drawn.len());
    let told = |session: &str, id: &str| json!({"session_id": session, "agent_id": id, "agent_type": "x"});
    for session in &others[..3] {
        assert!(!stage.context("subagent-start", &told(session, "a1")).contains("Check the lock"));
    }
    for session in &drawn[..20] {
        for id in ["a1", "a2"] {
            assert!(stage.context("subagent-start", &told(session, id)).contains("Check the lock"), "all of one run");
            let mut edit = edited(&stage, id, "src/lock.rs", 1, 1);
            edit["session_id"] = json!(session);
            stage.answer("post-tool-use", &edit);
            let mut end = ending(id, "x", "LEARNINGS_ACKNOWLEDGED\nApplied: P-001 at src/lock.rs:1");
            end["session_id"] = json!(session);
            stage.answer("subagent-stop", &end);
        }
    }
    let logged = "select pattern_id, propensity, count(*) from application where status = 'applied' or pattern_id = 'P-002' \
        group by 1, 2 order by 1";
    assert_eq!(stage.rows(logged), ["P-001,0.1,40", "P-002,,40"]);
    assert_eq!(flags(&stage), [",1", "UNTESTED,1"]);
    // A run keeps its coin. A new one shows what was acquitted, unless a coin of its own says otherwise.
    let is_shown = |session: &String| salt.toss(session, "*", 0.9).is_shown && salt.toss(session, "P-001", 0.8).is_shown;
    let new = (400..500).map(|number| format!("s{number}")).find(is_shown).expect("a session");
    assert!(stage.context("subagent-start", &told(&new, "a9")).contains("Check the lock"), "it was acquitted");
}

#[test]
fn what_a_person_rejected_has_no_chance() {
    let stage = pruned();
    stage.scene.done(&["patterns", "reject", "P-001", "--reason", "wrong", "--actor", "ann"]);
    stage.scene.done(&["run", "hourly"]);
    let salt = stage.salt();
    let drawn = (0..400).map(|number| format!("s{number}")).filter(|session| salt.toss(session, "P-001", 0.1).is_shown);
    for session in drawn.take(3) {
        let told = json!({"session_id": session, "agent_id": "a1", "agent_type": "x"});
        assert!(!stage.context("subagent-start", &told).contains("Check the lock"));
    }
}

#[test]
fn a_day_of_agents_that_look_and_agents_that_edit() {
    let mut lessons: Vec<Value> = (1..=15).map(|number| lesson(&format!("Water the {number}. plant at noon"))).collect();
    lessons.extend(["Round an invoice at its end", "Number an invoice without gaps", "Print an invoice twice"].map(lesson));
    let stage = Stage::with(&lessons);
    let settings = "[inject]\nmost = 18\ntokens = 2000\n";
    std::fs::write(stage.scene.workspace.settings(), settings).expect("settings");
    for number in 0..30 {
        let id = format!("a{number}");
        let told = json!({"session_id": format!("s{}", number % 10), "agent_id": id, "agent_type": "x"});
        assert_eq!(count_of_lines(&stage.context("subagent-start", &told)), 18);
        let mut said = "Done.\nLEARNINGS_ACKNOWLEDGED\n".to_owned();
        if number % 5 == 0 {
            let mut edit = edited(&stage, &id, "src/invoice.rs", 10, 3);
            edit["session_id"] = told["session_id"].clone();
            stage.answer("post-tool-use", &edit);
            said += "Applied: P-016 at src/invoice.rs:11\nApplied: P-017 at src/invoice.rs:12\n";
        }
        let mut end = ending(&id, "x", &said);
        end["session_id"] = told["session_id"].clone();
        stage.answer("subagent-stop", &end);
    }
    stage.scene.done(&["run", "hourly"]);
    let figures = stage.rows("select id, seen, applied, offered, flag from pattern where id >= 'P-015' order by id");
    assert_eq!(figures, ["P-015,0,0,30,UNTESTED", "P-016,6,6,24,", "P-017,6,6,24,", "P-018,6,0,24,REVIEW"]);
    assert_eq!(stage.rows("select distinct confidence from pattern where id in ('P-016', 'P-017')"), ["high"]);
    assert_eq!(count_of_lines(&stage.context("subagent-start", &agent("late", "x"))), 18);
    let told = stage.scene.done(&["explain", "P-015"]).out;
    assert!(told.contains("offered: offered where nothing that it is relevant to was touched, not a sighting"), "{told}");
}

#[test]
fn a_command_is_an_act_and_tells_what_is_relevant() {
    let stage = Stage::with(&[lesson("Lock the database before a migration"), lesson("Water the plants at noon")]);
    stage.context("subagent-start", &agent("a1", "x"));
    stage.answer("post-tool-use", &ran("a1", "bin/migration --all"));
    stage.answer("subagent-stop", &ending("a1", "x", "LEARNINGS_ACKNOWLEDGED"));
    assert_eq!(
        stage.rows("select pattern_id, acted, touched_relevance from application order by 1"),
        ["P-001,true,0.2", "P-002,true,0.0"]
    );
    stage.scene.done(&["run", "hourly"]);
    assert_eq!(stage.rows("select id, seen, offered from pattern order by id"), ["P-001,1,0", "P-002,0,1"]);
}

#[test]
fn a_pattern_is_relevant_to_the_file_that_it_was_learned_at() {
    let mut learned = lesson("Water the plants at noon");
    learned["context"] = json!({"file": "src/garden.rs"});
    let stage = Stage::with(&[learned]);
    std::fs::create_dir_all(stage.folder().join(".git")).expect("a folder");
    stage.context("subagent-start", &agent("a1", "x"));
    stage.answer("post-tool-use", &edited(&stage, "a1", "src/garden.rs", 1, 1));
    stage.answer("subagent-stop", &ending("a1", "x", "LEARNINGS_ACKNOWLEDGED"));
    assert_eq!(stage.rows("select acted, touched_relevance from application"), ["true,1.0"]);
}

#[test]
fn what_nobody_watched_counts_as_it_was_reported() {
    let stage = Stage::with_patterns(2);
    stage.scene.done(&["inject", "--agent", "x", "--record", "r"]);
    assert_eq!(stage.rows("select distinct acted is null, touched_relevance is null from application"), ["true,true"]);
    stage.scene.done(&["run", "hourly"]);
    assert_eq!(stage.rows("select distinct seen, offered from pattern"), ["1,0"]);
}

#[test]
fn claims_are_told_apart_by_what_was_seen() {
    let stage = Stage::with(&["Check the lock", "Close the file", "Flush the log", "Guard the door"].map(lesson));
    stage.context("subagent-start", &agent("a1", "x"));
    stage.answer("post-tool-use", &edited(&stage, "a1", "src/a.rs", 10, 3));
    let said = "LEARNINGS_ACKNOWLEDGED\nApplied: P-001 at src/a.rs:11\nApplied: P-002 at src/b.rs:3\nApplied: P-003\n\
        Applied: P-004 at src/a.rs:90";
    stage.answer("subagent-stop", &ending("a1", "x", said));
    assert_eq!(
        stage.rows("select path, cited_line, verified from citation order by 1, 2"),
        ["src/a.rs,11,true", "src/a.rs,90,false", "src/b.rs,3,false"]
    );
    stage.scene.done(&["run", "hourly"]);
    for (pattern, evidence, weight) in
        [("P-001", "observed", 1.0), ("P-002", "refuted", 0.0), ("P-003", "claimed", 1.0), ("P-004", "refuted", 0.0)]
    {
        let told: Value = serde_json::from_str(&stage.scene.done(&["explain", pattern, "--json"]).out).expect("JSON");
        let one = &told["applications"][0];
        assert_eq!((&one["evidence"], &one["weight"]), (&evidence.into(), &weight.into()), "{pattern}");
        let told = stage.scene.done(&["explain", pattern]).out;
        assert!(told.contains(&format!("applied, {evidence}")), "{told}");
    }
}

#[test]
fn without_a_tool_that_was_seen_a_claim_is_a_claim() {
    let stage = Stage::with(&[lesson("Check the lock")]);
    stage.context("subagent-start", &agent("a1", "x"));
    stage.answer("subagent-stop", &ending("a1", "x", "LEARNINGS_ACKNOWLEDGED\nApplied: P-001 at src/a.rs:11"));
    stage.scene.done(&["run", "hourly"]);
    assert_eq!(stage.scene.count("select count(*) from citation"), 0);
    assert!(stage.scene.done(&["explain", "P-001"]).out.contains("applied, claimed"));
}

#[test]
fn what_an_agent_touched_is_recorded_once() {
    let stage = Stage::with_patterns(1);
    stage.context("subagent-start", &agent("a1", "x"));
    stage.answer("post-tool-use", &edited(&stage, "a1", "src/a.rs", 10, 3));
    stage.answer("post-tool-use", &edited(&stage, "a1", "src/a.rs", 1, 2));
    stage.answer("post-tool-use", &ran("a1", "cargo test"));
    let failed = json!({"agent_id": "a1", "agent_type": "x", "tool_name": "Bash", "tool_input": {"command": "cargo fmt --check"},
        "error": "Exit code 1\nDiff in a.rs"});
    stage.answer("post-tool-use-failure", &failed);
    stage.answer("post-tool-use", &used("a1", "Glob", &json!({"pattern": "*"}), &json!({"filenames": []})));
    stage.answer("subagent-stop", &ending("a1", "x", "LEARNINGS_ACKNOWLEDGED"));
    stage.answer("subagent-stop", &ending("a1", "x", "LEARNINGS_ACKNOWLEDGED"));
    let columns =
        "tool, coalesce(path, ''), array_to_string(lines, ' '), coalesce(command, ''), failed, exit_code, output_hash is null";
    assert_eq!(
        stage.rows(&format!("select {columns} from touch order by 1, 4")),
        ["Bash,,,cargo fmt --check,true,1,false", "Bash,,,cargo test,false,0,false", "Edit,src/a.rs,1-2 12-14,,,,true"]
    );
    assert_eq!(stage.scene.count("select count(*) from quarantine"), 0);
}

#[test]
fn the_session_s_own_agent_is_seen_too() {
    let stage = Stage::with_patterns(1);
    stage.answer("session-start", &json!({"source": "startup"}));
    let mut edit = edited(&stage, "", "src/a.rs", 1, 1);
    for member in ["agent_id", "agent_type"] {
        edit.as_object_mut().expect("an object").remove(member);
    }
    stage.answer("post-tool-use", &edit);
    stage.answer("session-end", &json!({"reason": "exit"}));
    assert_eq!(stage.rows("select agent, path from touch"), ["main,src/a.rs"]);
}
