//! Tools: what is shown beside them, and what happens if one is not allowed.

use serde_json::json;

use super::play::Play;
use super::server::{Say, Script, start_agent, text};

fn script() -> Script {
    Box::new(|ask| match (ask.opening().contains("PLAY"), ask.turn()) {
        (true, 0) => vec![start_agent("general-purpose", "TASK-ONE")],
        (true, _) => text("waiting"),
        (false, 0) => vec![Say::Tool("Bash", json!({"command": "echo deploy the thing > made.txt"}))],
        (false, _) => text("LEARNINGS_ACKNOWLEDGED"),
    })
}

#[test]
fn patterns_are_shown_beside_tools_and_what_tools_did_is_seen() {
    let lesson = json!({"summary": "Say so before a deploy", "trigger": "deploy", "category": "pattern", "applies_to": ["somebody-else"], "tags": ["deploy"]});
    let play = Play::new(&[lesson], script());
    let run = play.prompt("PLAY");
    run.assert_undisturbed();
    assert!(run.count("PreToolUse") >= 1);
    assert!(play.folder().join("made.txt").is_file());
    let seen = play.stage.rows("select tool, command from touch where tool = 'Bash'");
    assert_eq!(seen, ["Bash,echo deploy the thing > made.txt"]);
    play.tell("tools: what an agent ran is seen");
}

#[test]
fn a_tool_that_is_not_allowed_disturbs_nothing_and_did_nothing() {
    let play = Play::with_patterns(2, script());
    let run = play.run("PLAY", &["--permission-mode", "default"]);
    run.assert_undisturbed();
    assert!(!play.folder().join("made.txt").is_file());
    assert_eq!(play.stage.rows("select tool from touch where tool = 'Bash'"), [""; 0]);
    assert_eq!(play.stage.exposures_of("general-purpose").len(), 2);
    play.tell("permission denied: the session goes on, and nothing counts as done");
}
