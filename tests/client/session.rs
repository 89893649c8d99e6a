//! The session's own agent: its turns, its compaction, its resumption, its worktrees.

use serde_json::json;

use super::play::Play;
use super::server::{Say, Script, text};
use crate::hook::stage::{Stage, lesson};

/// A session with two lessons that shows them to its own agent.
fn own(script: Script) -> Play {
    let stage = Stage::with(&[lesson("Never push to main"), lesson("Sort keys before values")]);
    std::fs::write(stage.scene.workspace.settings(), "[hook]\nsession = true\n").expect("settings");
    let play = Play::without_hooks(stage, script);
    play.stage.scene.done(&["init", "--claude"]);
    play
}

#[test]
fn what_the_session_says_after_any_turn_counts_when_it_is_resumed() {
    let play = own(Box::new(|ask| {
        let used = "Done.\n\nLEARNINGS_ACKNOWLEDGED\nApplied: P-001 at a.rs:1";
        text(if ask.news().contains("FIRST") { used } else { "Nothing more to say." })
    }));
    let first = play.prompt("FIRST");
    first.assert_undisturbed();
    play.resume("SECOND").assert_undisturbed();
    assert_eq!(first.count("Stop"), 1);
    assert_eq!(play.stage.exposures(), ["P-001,applied,main,", "P-002,injected,main,"]);
    play.tell("turns and resume: what the session acknowledges after any turn counts, once");
}

#[test]
fn a_session_that_is_compacted_is_shown_patterns_again_and_counts_once() {
    let play = own(Box::new(|_| text("<summary>All is well.</summary>")));
    play.prompt("FIRST");
    play.resume("/compact").assert_undisturbed();
    play.resume("AFTER");
    let after = play.asked().into_iter().rfind(|ask| ask.news().contains("AFTER")).expect("a request").all();
    assert!(after.contains("<organization-learnings>"), "{after}");
    assert_eq!(play.stage.exposures(), ["P-001,injected,main,", "P-002,injected,main,"]);
    play.tell("compaction: patterns are shown again, and count once");
}

#[test]
fn an_agent_in_a_worktree_counts_for_its_project() {
    let play = Play::with_patterns(
        2,
        Box::new(|ask| match (ask.opening().contains("PLAY"), ask.turn()) {
            (true, 0) => {
                let input =
                    json!({"description": "d", "prompt": "TASK-ONE", "subagent_type": "general-purpose", "isolation": "worktree"});
                vec![Say::Tool("Agent", input)]
            }
            (true, _) => text("waiting"),
            (false, 0) => vec![Say::Tool("Bash", json!({"command": "pwd > where.txt; cat where.txt"}))],
            (false, _) => text("LEARNINGS_ACKNOWLEDGED\nApplied: P-001 at a.rs:1"),
        }),
    );
    play.prompt("PLAY").assert_undisturbed();
    let told = play.asked_by("TASK-ONE").last().expect("a request").all();
    assert!(told.contains("/.claude/worktrees/"), "{told}");
    assert_eq!(play.stage.exposures_of("general-purpose"), ["P-001,applied,general-purpose,", "P-002,injected,general-purpose,"]);
    play.tell("worktree: an agent in a worktree counts for its project");
}
