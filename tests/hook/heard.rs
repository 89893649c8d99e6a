//! A project whose settings call the hooks, and a plugin that calls them, too.

use std::fs;
use std::os::unix::fs::symlink;
use std::thread;

use serde_json::{Value, json};

use super::stage::{Stage, agent, ending};
use crate::support::Outcome;

/// Tells both ways of one event at the same time, as the host does, and gives what both answer together.
#[track_caller]
fn both(stage: &Stage, name: &str, more: &Value) -> Vec<String> {
    let payload = stage.payload(name, more).to_string();
    let call = |plugin| stage.hook_by(name, payload.as_bytes(), plugin);
    let outcomes: Vec<Outcome> = thread::scope(|scope| {
        let ways = [None, Some("/w/plugin")].map(|plugin| scope.spawn(move || call(plugin)));
        ways.into_iter().map(|way| way.join().expect("it ends")).collect()
    });
    assert!(outcomes.iter().all(|outcome| outcome.code == 0 && outcome.error.is_empty()), "{name}");
    outcomes.into_iter().map(|outcome| outcome.out.trim().to_owned()).filter(|out| !out.is_empty()).collect()
}

#[test]
fn of_two_hooks_of_one_event_the_second_is_silent() {
    let stage = Stage::with_patterns(2);
    let session = both(&stage, "session-start", &json!({"source": "startup"}));
    assert_eq!(session.len(), 1, "{session:?}");
    for id in ["a1", "a2"] {
        let task = json!({"tool_name": "Agent", "tool_use_id": format!("start-{id}"), "tool_input": {"subagent_type": "x", "prompt": "Close it"}});
        assert!(both(&stage, "pre-tool-use", &task).is_empty());
        let shown = both(&stage, "subagent-start", &agent(id, "x"));
        assert_eq!(shown.len(), 1, "{shown:?}");
        assert!(shown[0].contains("organization-learnings"));
        for number in 0..3 {
            let used = json!({"agent_id": id, "agent_type": "x", "tool_name": "Bash", "tool_use_id": format!("{id}-{number}"),
                "tool_input": {"command": "make"}, "tool_response": {"stdout": "ok"}});
            both(&stage, "post-tool-use", &used);
        }
        assert_eq!(both(&stage, "subagent-stop", &ending(id, "x", "LEARNINGS_ACKNOWLEDGED\nApplied: P-001 at a.rs:1")), ["{}"]);
    }
    both(&stage, "session-end", &json!({"reason": "exit"}));
    assert_eq!(stage.rows("select command, count(*) from touch group by all"), ["make,6"]);
    let told = stage.rows("select status, count(*) from application where agent = 'x' group by all order by all");
    assert_eq!(told, ["applied,2", "injected,2"]);
    assert!(!stage.memories().iter().any(|path| path.to_string_lossy().contains("task-")), "no task is left");
}

#[test]
fn an_agent_that_is_sent_back_is_sent_back_once_each_time() {
    let stage = Stage::with_patterns(1);
    stage.scene.done(&["settings", "hook.learning_agents=[\"x\"]"]);
    both(&stage, "subagent-start", &agent("a1", "x"));
    for attempt in 1..=2 {
        let answers = both(&stage, "subagent-stop", &ending("a1", "x", "done"));
        assert_eq!(answers.len(), 1, "{answers:?}");
        assert!(answers[0].contains(&format!("attempt {attempt} of 2")), "{answers:?}");
    }
}

#[test]
fn one_way_alone_is_never_taken_for_the_second() {
    let stage = Stage::with_patterns(1);
    let used = json!({"tool_name": "Bash", "tool_use_id": "t1", "tool_input": {"command": "make"}, "tool_response": {}});
    both(&stage, "post-tool-use", &used);
    for _ in 0..3 {
        assert!(!stage.context("subagent-start", &agent("a1", "x")).is_empty());
    }
    // A session that is told by its settings first and by a plugin later.
    let payload = stage.payload("UserPromptSubmit", &json!({"session_id": "s2", "prompt": "Check the thing"})).to_string();
    let out = stage.hook_by("subagent-start", payload.as_bytes(), Some("/w/plugin")).out;
    assert!(out.contains("organization-learnings"), "{out}");
}

#[test]
fn notes_of_events_that_mean_no_good_keep_no_hook_from_its_work() {
    let stage = Stage::with_patterns(1);
    let file = stage.scene.workspace.hooks().join("heard.txt");
    fs::create_dir_all(stage.scene.workspace.hooks()).expect("a folder");
    let treasure = stage.folder().join("treasure");
    fs::write(&treasure, "precious").expect("a file");
    symlink(&treasure, &file).expect("a link");
    assert!(!stage.context("subagent-start", &agent("a1", "x")).is_empty());
    assert_eq!(fs::read_to_string(&treasure).expect("a file"), "precious");
    fs::remove_file(&file).expect("a link");
    assert!(std::process::Command::new("mkfifo").arg(&file).status().expect("mkfifo runs").success());
    assert!(!stage.context("subagent-start", &agent("a2", "x")).is_empty());
    fs::remove_file(&file).expect("a pipe");
    for (number, text) in ["\u{0}\u{0}\n".to_owned(), "1 2 3\n".repeat(200_000), "9 ".repeat(1_000_000)].iter().enumerate() {
        fs::write(&file, text).expect("a file");
        assert!(!stage.context("subagent-start", &agent(&format!("b{number}"), "x")).is_empty());
        assert!(fs::metadata(&file).expect("a file").len() < 1000, "what is over is dropped");
    }
    let held = fs::File::open(&file).expect("it opens");
    held.lock().expect("it locks");
    assert!(!stage.context("subagent-start", &agent("c1", "x")).is_empty());
}
