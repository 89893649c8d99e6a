//! What is shown beside the use of a tool.

use serde_json::{Value, json};

use super::stage::{Stage, agent, ending};

fn bash(command: &str) -> Value {
    json!({"tool_name": "Bash", "tool_use_id": "t1", "tool_input": {"command": command, "description": "x"}})
}

fn edit(tool: &str, path: &str) -> Value {
    json!({"tool_name": tool, "tool_input": {"file_path": path, "old_string": "a", "new_string": "b", "content": "x".repeat(100_000)}})
}

fn stage() -> Stage {
    Stage::with(&[
        json!({"summary": "Run the build twice", "category": "pattern", "tags": ["build"]}),
        json!({"summary": "Python wants a virtual environment", "category": "pattern", "tags": ["venv"]}),
        json!({"summary": "React components start with a capital", "category": "convention", "tags": ["jsx"]}),
        json!({"summary": "Be kind to people", "category": "insight"}),
    ])
}

#[test]
fn a_tool_gets_what_it_is_about_once() {
    let stage = stage();
    let answer = stage.answer("pre-tool-use", &bash("make"));
    assert_eq!(answer["hookSpecificOutput"]["hookEventName"], "PreToolUse");
    assert!(answer["hookSpecificOutput"].get("permissionDecision").is_none(), "whether it may is not for us to say");
    assert_eq!(
        answer["hookSpecificOutput"]["additionalContext"],
        "<tool-learnings tool=\"Bash\">\n[medium] Run the build twice\n[medium] Python wants a virtual environment\n</tool-learnings>\n"
    );
    assert_eq!(stage.answer("pre-tool-use", &bash("make")), Value::Null, "the agent has seen them");
    assert!(stage.context("pre-tool-use", &edit("Write", "/w/a.tsx")).contains("React components"));
    assert_eq!(stage.answer("pre-tool-use", &edit("Edit", "/w/a.py")), Value::Null);
    assert_eq!(stage.answer("pre-tool-use", &json!({"tool_name": "Read", "tool_input": {"file_path": "/w/a.py"}})), Value::Null);
    stage.answer("session-end", &json!({"reason": "exit"}));
    assert_eq!(stage.exposures(), ["P-001,injected,main,Bash", "P-002,injected,main,Bash", "P-003,injected,main,Write"]);
}

#[test]
fn what_a_shortened_context_has_lost_is_shown_again_and_counts_once() {
    let stage = stage();
    std::fs::write(stage.scene.workspace.settings(), "[hook]\nsession = false\n").expect("settings");
    stage.context("pre-tool-use", &bash("make"));
    stage.answer("session-start", &json!({"source": "compact"}));
    assert!(stage.context("pre-tool-use", &bash("make")).contains("Run the build twice"));
    stage.answer("session-end", &json!({"reason": "exit"}));
    assert_eq!(stage.exposures().len(), 2);
}

#[test]
fn a_pattern_of_the_agent_s_turn_is_not_shown_again_beside_a_tool_unless_it_is_set_so() {
    let stage = stage();
    stage.context("subagent-start", &agent("a1", "x"));
    let mut beside = bash("make");
    beside["agent_id"] = "a1".into();
    beside["agent_type"] = "x".into();
    assert_eq!(stage.answer("pre-tool-use", &beside), Value::Null);
    std::fs::write(stage.scene.workspace.settings(), "[hook]\nrepeat = true\n").expect("settings");
    assert!(stage.context("pre-tool-use", &beside).contains("Run the build twice"));
    stage.answer("subagent-stop", &ending("a1", "x", "LEARNINGS_ACKNOWLEDGED"));
    let rows = stage.exposures();
    assert_eq!(rows.len(), 4);
    assert!(rows.iter().all(|row| row.ends_with(",injected,x,")), "shown for its turn: {rows:?}");
}

#[test]
fn a_pattern_beside_a_tool_that_was_used_counts_and_one_that_was_not_does_not() {
    let stage = stage();
    let mut beside = bash("make");
    beside["agent_id"] = "a1".into();
    beside["agent_type"] = "code:plan-writer".into();
    stage.context("pre-tool-use", &beside);
    let said = "no_learnings\nLEARNINGS_ACKNOWLEDGED\nApplied: \"Run the build twice\" at Makefile:3";
    assert_eq!(stage.answer("subagent-stop", &ending("a1", "code:plan-writer", said)), json!({}));
    stage.scene.done(&["run", "hourly"]);
    let figures = "select id, seen, applied, offered from read_parquet('$file') order by id";
    let file = stage.scene.workspace.current().join("patterns.parquet");
    let rows = stage.rows(&figures.replace("$file", file.to_str().expect("a path")));
    assert_eq!(rows, ["P-001,1,1,0", "P-002,0,0,1", "P-003,0,0,0", "P-004,0,0,0"]);
}

#[test]
fn tables_of_tools_and_endings_can_be_set() {
    let stage = stage();
    let settings = "[inject.tools]\nBash = [\"kind\"]\nWebFetch = [\"python\"]\n[inject.endings]\nrs = [\"people\"]\n";
    std::fs::write(stage.scene.workspace.settings(), settings).expect("settings");
    assert!(stage.context("pre-tool-use", &bash("make")).contains("Be kind"));
    assert!(stage.context("pre-tool-use", &json!({"tool_name": "WebFetch", "tool_input": {"url": "x"}})).contains("Python"));
    std::fs::write(stage.scene.workspace.settings(), "[hook]\nrepeat = true\n[inject.endings]\nrs = [\"people\"]\n")
        .expect("settings");
    assert!(stage.context("pre-tool-use", &edit("Edit", "/w/a.rs")).contains("Be kind to people"));
}

#[test]
fn ten_patterns_are_enough_beside_a_tool() {
    let lessons: Vec<Value> = (0..14).map(|number| json!({"summary": format!("Mind build number {number}{}", "x".repeat(number)), "category": "pattern", "trigger": format!("t{number}")})).collect();
    let stage = Stage::with(&lessons);
    let text = stage.context("pre-tool-use", &bash("make"));
    assert_eq!(text.lines().count(), 12, "{text}");
}
