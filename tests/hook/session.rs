//! Sessions that end, that are abandoned, and hooks that are killed or run at once.

use std::os::unix::process::ExitStatusExt as _;
use std::process::Stdio;
use std::time::Duration;

use serde_json::json;

use super::stage::{Stage, agent, ending, lesson};

#[test]
fn the_end_of_a_session_records_what_agents_never_said() {
    let stage = Stage::with_patterns(2);
    stage.context("subagent-start", &agent("a1", "one"));
    stage.context("subagent-start", &agent("a2", "two"));
    stage.answer("subagent-stop", &ending("a1", "one", "done"));
    stage.answer("session-end", &json!({"reason": "exit"}));
    assert_eq!(stage.exposures(), ["P-001,injected,one,", "P-001,injected,two,", "P-002,injected,one,", "P-002,injected,two,"]);
    stage.answer("session-end", &json!({"reason": "exit"}));
    assert_eq!(stage.exposures().len(), 4);
}

#[test]
fn the_session_s_own_words_are_read_when_it_ends() {
    let stage = Stage::with_patterns(2);
    std::fs::write(stage.scene.workspace.settings(), "[hook]\nsession = true\n").expect("settings");
    let text = stage.context("session-start", &json!({"source": "startup"}));
    let first = text.lines().find_map(|line| line.strip_prefix("[medium] ")).expect("a pattern").replace(" [UNTESTED]", "");
    let transcript = stage.folder().join("session.jsonl");
    let said = format!("LEARNINGS_ACKNOWLEDGED\nApplied: \"{first}\" at a.rs:1");
    std::fs::write(&transcript, json!({"type": "assistant", "message": {"role": "assistant", "content": said}}).to_string() + "\n")
        .expect("a transcript");
    stage.answer("session-end", &json!({"reason": "exit", "transcript_path": transcript}));
    let applied = stage.exposures().iter().filter(|row| row.contains(",applied,main,")).count();
    assert_eq!(applied, 1);
}

#[test]
fn a_session_that_was_abandoned_is_closed_by_the_next_one_and_by_the_hourly_job() {
    let stage = Stage::with_patterns(2);
    std::fs::write(stage.scene.workspace.settings(), "[hook]\nsession = false\n").expect("settings");
    stage.context("subagent-start", &agent("a1", "one"));
    stage.age(23);
    let other = json!({"session_id": "another", "source": "startup"});
    stage.answer("session-start", &other);
    assert!(stage.exposures().is_empty(), "it may still be at work");
    stage.age(25);
    stage.answer("session-start", &other);
    assert_eq!(stage.exposures(), ["P-001,injected,one,", "P-002,injected,one,"]);
    stage.answer("session-end", &json!({"session_id": "another"}));
    stage.context("subagent-start", &json!({"session_id": "third", "agent_id": "a9", "agent_type": "nine"}));
    stage.age(25);
    stage.scene.done(&["run", "hourly"]);
    assert_eq!(stage.exposures().len(), 4);
    assert!(stage.memories().is_empty());
}

#[test]
fn hooks_of_one_agent_that_run_at_once_lose_nothing() {
    let lessons: Vec<_> = (0..30).map(|number| json!({"summary": format!("Word{number} matters a lot"), "trigger": format!("t{number}"), "category": "pattern"})).collect();
    let stage = Stage::with(&lessons);
    let mut children = Vec::new();
    for number in 0..30 {
        let payload = stage.payload("PreToolUse", &json!({"tool_name": "Bash", "tool_input": {"command": format!("echo word{number}")}, "agent_id": "a1", "agent_type": "x"}));
        let mut command = stage.scene.command(&["hook", "pre-tool-use"]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
        std::io::Write::write_all(&mut child.stdin.take().expect("stdin"), payload.to_string().as_bytes()).expect("it reads");
        children.push(child);
    }
    for child in children {
        let output = child.wait_with_output().expect("it ends");
        assert!(output.status.success() && output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
        assert!(!output.stdout.is_empty());
    }
    stage.answer("subagent-stop", &ending("a1", "x", "done"));
    assert_eq!(stage.exposures().len(), 30);
}

#[test]
fn a_hook_that_is_killed_anywhere_loses_nothing_and_counts_nothing_twice() {
    let mut killed = 0;
    for micros in (0..40).map(|step| step * 250) {
        let stage = Stage::with_patterns(3);
        stage.context("subagent-start", &agent("a1", "x"));
        let payload = stage.payload("SubagentStop", &ending("a1", "x", "LEARNINGS_ACKNOWLEDGED"));
        let mut command = stage.scene.command(&["hook", "subagent-stop"]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
        let _ = std::io::Write::write_all(&mut child.stdin.take().expect("stdin"), payload.to_string().as_bytes());
        std::thread::sleep(Duration::from_micros(micros));
        let _ = child.kill();
        killed += u32::from(child.wait().expect("it ends").signal() == Some(9));
        stage.answer("session-end", &json!({"reason": "exit"}));
        assert_eq!(stage.exposures().len(), 3, "killed after {micros} µs");
        assert!(stage.exposures().iter().all(|row| row.contains(",injected,x,")), "killed after {micros} µs");
        assert_eq!(stage.scene.count("select count(*) from quarantine"), 0, "killed after {micros} µs");
    }
    assert!(killed > 5, "hardly any hook was killed: {killed}");
}

#[test]
fn half_a_note_of_a_killed_hook_is_passed_over() {
    let stage = Stage::with_patterns(2);
    stage.context("subagent-start", &agent("a1", "x"));
    let path = stage.memories().pop().expect("a memory");
    let mut text = std::fs::read_to_string(&path).expect("a text");
    text.push_str("{\"shown\":{\"patterns\":[{\"id\":\"P-0");
    std::fs::write(&path, text).expect("a file");
    stage.answer("subagent-stop", &ending("a1", "x", "done"));
    assert_eq!(stage.exposures(), ["P-001,injected,x,", "P-002,injected,x,"]);
}

#[test]
fn events_that_were_about_to_land_land_to_the_byte_and_once() {
    let stage = Stage::with_patterns(2);
    stage.context("subagent-start", &agent("a1", "x"));
    stage.answer("subagent-stop", &ending("a1", "x", "done"));
    // As if the hook had been killed after landing, before it could note that.
    let path = stage.memories().pop().expect("a memory");
    let text = std::fs::read_to_string(&path).expect("a text");
    std::fs::write(&path, text.replace("\"landed\"\n", "")).expect("a file");
    stage.answer("session-end", &json!({"reason": "exit"}));
    assert_eq!(stage.exposures().len(), 2);
    assert_eq!(stage.scene.count("select count(*) from timing"), 1);
    assert_eq!(stage.scene.count("select count(*) from quarantine"), 0);
}

#[test]
fn a_session_or_an_agent_that_is_resumed_tells_nothing_twice() {
    let stage = Stage::with_patterns(2);
    std::fs::write(stage.scene.workspace.settings(), "[hook]\nsession = false\n").expect("settings");
    let play = || {
        stage.context("subagent-start", &agent("a1", "x"));
        stage.context("pre-tool-use", &json!({"tool_name": "Bash", "tool_input": {"command": "make the thing"}}));
        stage.answer("subagent-stop", &ending("a1", "x", "done"));
        stage.answer("session-end", &json!({"reason": "exit"}));
    };
    play();
    let first = stage.exposures();
    stage.answer("session-start", &json!({"source": "resume"}));
    play();
    assert_eq!(stage.exposures(), first);
    assert_eq!(stage.scene.count("select count(*) from timing"), 1);
    assert_eq!(stage.scene.count("select count(*) from quarantine"), 0);
    stage.age(25);
    stage.answer("session-start", &json!({"session_id": "another"}));
    assert_eq!(stage.memories().len(), 1, "only the new session's");
}

#[test]
fn another_iteration_of_the_same_session_is_another_exposure() {
    let stage = Stage::with_patterns(1);
    std::fs::write(stage.scene.workspace.settings(), "[hook]\nsession = true\n").expect("settings");
    let config = stage.folder().join(".closedloop-ai/config.env");
    std::fs::create_dir_all(config.parent().expect("a folder")).expect("a folder");
    for iteration in [1, 2] {
        std::fs::write(&config, format!("CLOSEDLOOP_RUN_ID=r\nCLOSEDLOOP_ITERATION={iteration}\n")).expect("a file");
        stage.context("session-start", &json!({"source": "startup"}));
    }
    stage.answer("session-end", &json!({"reason": "exit"}));
    assert_eq!(stage.rows("select run_id, iteration, status from application order by 2"), ["r,1,injected", "r,2,injected"]);
}

#[test]
fn an_agent_that_ends_after_its_session_tells_nothing_twice() {
    let stage = Stage::with_patterns(2);
    stage.context("subagent-start", &agent("a1", "x"));
    stage.answer("session-end", &json!({"reason": "exit"}));
    let text = stage.rows("select trigger from application order by pattern_id")[0].clone();
    stage.answer("subagent-stop", &ending("a1", "x", &format!("LEARNINGS_ACKNOWLEDGED\nApplied: \"{text}\" at a.rs:1")));
    stage.scene.done(&["run", "hourly"]);
    assert_eq!(stage.exposures(), ["P-001,applied,x,", "P-002,injected,x,"]);
}

#[test]
fn what_the_session_says_after_any_turn_counts_once() {
    let stage = Stage::with(&[lesson("Never push to main"), lesson("Sort keys before values"), lesson("Close what was opened")]);
    std::fs::write(stage.scene.workspace.settings(), "[hook]\nsession = true\n").expect("settings");
    stage.context("session-start", &json!({"source": "startup"}));
    for said in [
        "LEARNINGS_ACKNOWLEDGED\nApplied: \"Never push to main\" at a.rs:1",
        "No more of that.",
        "LEARNINGS_ACKNOWLEDGED\nApplied: P-003 at b.rs:2\nApplied: P-001 at c.rs:3",
        "Goodbye.",
    ] {
        let stop = json!({"stop_hook_active": false, "last_assistant_message": said});
        assert_eq!(stage.answer("stop", &stop), serde_json::Value::Null, "a session is never sent back");
    }
    stage.answer("session-end", &json!({"reason": "exit"}));
    assert_eq!(stage.exposures(), ["P-001,applied,main,", "P-002,injected,main,", "P-003,applied,main,"]);
    let cited = "select array_to_string(citations, ' ') from application where status = 'applied' order by pattern_id";
    assert_eq!(stage.rows(cited), ["a.rs:1 c.rs:3", "b.rs:2"]);
    // It is resumed, and says more.
    stage.context("session-start", &json!({"source": "resume"}));
    stage.answer("stop", &json!({"last_assistant_message": "LEARNINGS_ACKNOWLEDGED\nApplied: P-002 at d.rs:4"}));
    stage.answer("session-end", &json!({"reason": "exit"}));
    assert_eq!(stage.exposures(), ["P-001,applied,main,", "P-002,applied,main,", "P-003,applied,main,"]);
}

#[test]
fn a_session_without_notes_leaves_none_behind_when_it_answers() {
    let stage = Stage::with_patterns(1);
    stage.answer("stop", &json!({"last_assistant_message": "LEARNINGS_ACKNOWLEDGED"}));
    assert!(stage.memories().is_empty());
}

#[test]
fn the_end_of_a_session_and_of_its_agent_at_once_count_once() {
    for _ in 0..6 {
        let stage = Stage::with_patterns(2);
        stage.context("subagent-start", &agent("a1", "x"));
        let hooks = [("session-end", json!({"reason": "exit"})), ("subagent-stop", ending("a1", "x", "LEARNINGS_ACKNOWLEDGED"))];
        let children: Vec<_> = hooks
            .iter()
            .map(|(name, more)| {
                let mut command = stage.scene.command(&["hook", name]);
                let mut child =
                    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it starts");
                let payload = stage.payload("x", more).to_string();
                std::io::Write::write_all(&mut child.stdin.take().expect("stdin"), payload.as_bytes()).expect("it reads");
                child
            })
            .collect();
        for child in children {
            let output = child.wait_with_output().expect("it ends");
            assert!(output.status.success() && output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
        }
        assert_eq!(stage.exposures(), ["P-001,injected,x,", "P-002,injected,x,"]);
    }
}

#[test]
fn a_memory_that_cannot_be_closed_does_not_keep_others_from_it() {
    let stage = Stage::with_patterns(1);
    stage.context("subagent-start", &agent("a1", "x"));
    let bad = stage.scene.workspace.hooks().join("bad");
    std::fs::create_dir_all(&bad).expect("a folder");
    let note = json!({"began": {"agent": "y", "at": "2026-05-01T00:00:00Z", "project": "a/b", "run": "../r", "iteration": 1, "session": "s"}});
    let shown = json!({"shown": {"patterns": [{"id": "P-001", "text": "x"}]}});
    std::fs::write(bad.join("agent-b.jsonl"), format!("{note}\n{shown}\n")).expect("a file");
    std::fs::create_dir_all(bad.join("agent-folder.jsonl")).expect("a folder");
    stage.age(25);
    let outcome = stage.hook("session-start", &json!({"session_id": "another"}));
    assert_eq!((outcome.code, outcome.error.lines().count()), (0, 1), "{}", outcome.error);
    assert_eq!(stage.exposures(), ["P-001,injected,x,"]);
}
