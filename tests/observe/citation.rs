//! What agents say in sessions about decisions and pitfalls of their project.

use std::fs::{self, File};

use rustix::fs::{FlockOperation, flock};
use serde_json::json;

use super::room::Room;
use super::row;

const DECISIONS: &str = "\
<!-- TL;DR: 1 decisions. Key: ADR-001 -->
# Architectural Decisions

## ADR-001: Result types over exceptions

- **Date**: 2026-03-01
- **Status**: Accepted
";

#[test]
fn what_the_agent_of_a_session_goes_by_counts_once_however_often_the_session_is_read() {
    let room = Room::new();
    let folder = room.path(".memory/knowledge");
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(folder.join("decisions.md"), DECISIONS).expect("decisions");
    let turns = [
        ("", "make the parser return errors"),
        ("Done: this applies ADR-001, and again applies ADR-001. ADR-002 is unknown.", "and the lexer"),
        ("The lexer avoids nothing.", "good, now the printer"),
    ];
    room.end("s1", &turns);
    room.scene.done(&["run", "hourly"]);
    room.end("s1", &turns);
    room.scene.done(&["run", "hourly"]);
    room.scene.done(&["run", "compact"]);
    let cited =
        "select count(*) from artifact where action = 'cited' and anchor = 'ADR-001' and session = 's1' and project = 'shop'";
    assert_eq!(room.scene.count(cited), 1);
    assert_eq!(room.scene.count("select count(*) from artifact where action = 'cited'"), 1);
}

/// A room whose project has a decision and a slash command that were rendered.
fn with_artifacts() -> Room {
    let room = Room::new();
    let folder = room.path(".memory/knowledge");
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(folder.join("decisions.md"), DECISIONS).expect("decisions");
    let entry = json!({"observationId": "obs_ship01", "type": "workflow", "path": ".claude/commands/self-learning/ship-it.md",
        "contentHash": "0", "renderedAt": "2026-03-01T00:00:00.000Z"});
    let manifest = json!({"schemaVersion": 2, "entries": [entry]}).to_string();
    fs::write(room.path(".memory/.learning-manifest.json"), manifest).expect("a manifest");
    room
}

fn count(room: &Room, what: &str) -> i64 {
    room.scene.done(&["run", "compact"]);
    room.scene.count(&format!("select count(*) from artifact where {what}"))
}

#[test]
fn a_short_session_a_long_message_and_a_sub_agent_cite_too() {
    let room = with_artifacts();
    // Far behind what is kept of a turn, in a session of one turn.
    let long = format!("{} This applies ADR-001.", "word ".repeat(2000));
    room.end("s1", &[("", "do it"), (&long, "ok")]);
    let path = room.transcript("s2", &[("", "look around")]);
    let agents = room.path("s2/subagents");
    fs::create_dir_all(&agents).expect("a folder");
    let mut task = row("s2", "user", "You are a reviewer. Apply ADR-001.", "2026-03-01T10:00:00Z");
    let mut answer = row("s2", "assistant", "The change follows ADR-001.", "2026-03-01T10:01:00Z");
    (task["isSidechain"], answer["isSidechain"]) = (true.into(), true.into());
    fs::write(agents.join("agent-a1.jsonl"), format!("{task}\n{answer}\n")).expect("a transcript");
    room.enqueue("s2", path);
    room.observe();
    assert_eq!(count(&room, "action = 'cited' and anchor = 'ADR-001' and session in ('s1', 's2')"), 2);
}

#[test]
fn a_session_whose_citations_cannot_be_counted_stays_in_the_queue() {
    let room = with_artifacts();
    room.end("s1", &[("", "do it"), ("This applies ADR-001.", "good, then run the tests, then push")]);
    let folder = File::open(room.path("")).expect("the project");
    flock(&folder, FlockOperation::LockExclusive).expect("it is free");
    let told = room.observe();
    assert!(told.error.contains("are not counted"), "{}", told.error);
    assert_eq!(room.waiting(), [("s1".to_owned(), 0)]);
    flock(&folder, FlockOperation::Unlock).expect("it is ours");
    room.observe();
    assert_eq!(room.waiting(), []);
    assert_eq!(count(&room, "action = 'cited'"), 1);
}

#[test]
fn a_learned_command_that_is_used_counts_as_a_use_and_is_no_sighting() {
    let room = with_artifacts();
    let used = "<command-message>x</command-message>\n<command-name>/self-learning:ship-it</command-name>\n<command-args>run the linter, then run the tests, then push</command-args>";
    room.end("s1", &[("", used), ("Done.", "thanks"), ("You are welcome.", "bye then")]);
    room.observe();
    assert_eq!(room.landed(), [] as [serde_json::Value; 0]);
    assert_eq!(count(&room, "action = 'used' and path like '%ship-it.md' and session = 's1' and observation_id = 'obs_ship01'"), 1);
    let typed = "run the linter, then run the tests, then push";
    room.end("s2", &[("", typed), ("Done.", "thanks"), ("You are welcome.", "bye then")]);
    room.observe();
    assert_eq!(room.landed().len(), 1, "typed, it is one");
}

#[test]
fn what_an_old_session_cited_and_used_is_dated_as_the_session_was() {
    let room = with_artifacts();
    let used = "<command-message>x</command-message>\n<command-name>/self-learning:ship-it</command-name>";
    let turns = [("", "make the parser return errors"), ("This applies ADR-001.", used), ("Done: it applies ADR-001.", "thanks")];
    let path = room.transcript("s1", &turns);
    room.scene.done(&["observe", &path.display().to_string(), "--project", "shop"]);
    // The second turn is a minute behind the first; a later mention of the same says nothing new.
    let then = "ts = '2026-03-01T10:01:00Z'";
    assert_eq!(count(&room, &format!("action = 'cited' and anchor = 'ADR-001' and {then}")), 1);
    assert_eq!(count(&room, &format!("action = 'used' and {then}")), 1);
    assert_eq!(count(&room, "action in ('cited', 'used')"), 2);
}
