//! From what people say to a command that they use, and back into the counts; and knowledge that agents are told and cite.

use std::fs;

use serde_json::json;

use super::play::Play;
use super::server::{Say, await_agent, text};
use crate::hook::stage::Stage;

/// A project without lessons whose workflows need no days to pass.
fn project() -> Stage {
    let stage = Stage::with(&[]);
    let settings = "[observation.workflow]\nrequired = 3\nspread_days = 0.0\nconfidence = 0.6\nfresh = 3\n";
    fs::write(stage.scene.workspace.settings(), settings).expect("settings");
    fs::write(stage.folder().join("Makefile"), "lint test:\n\t@echo fine\n").expect("a file");
    stage
}

#[test]
fn what_a_person_types_in_several_sessions_becomes_a_command_whose_use_is_counted() {
    let play = Play::without_hooks(
        project(),
        Box::new(|ask| match (ask.news().contains("linter") || ask.news().contains("lint, test"), ask.turn()) {
            (true, _) => vec![Say::Tool("Bash", json!({"command": "make lint && make test", "description": "lint and test"}))],
            _ => text("Done as you said."),
        }),
    );
    play.stage.scene.done(&["init", "--claude"]);
    play.typed(&["look at the parser", "run the linter, then the tests, then push the branch", "thanks, that is all"]);
    play.typed(&["look at the lexer", "please run the linter, run the tests and then push the branch", "good, bye"]);
    play.typed(&["look at the printer", "lint, test, then push the branch", "good, bye"]);
    play.stage.scene.done(&["run", "hourly"]);
    let folder = play.folder().join(".claude/commands/self-learning");
    let commands: Vec<_> = fs::read_dir(&folder).expect("a command").map(|entry| entry.expect("an entry").path()).collect();
    assert_eq!(commands.len(), 1, "{commands:?}");
    let command = fs::read_to_string(&commands[0]).expect("the command");
    for step in ["`make lint`", "`make test`", "Push the branch"] {
        assert!(command.contains(step), "{command}");
    }
    let sightings = "select count(*) from observation";
    assert_eq!(play.stage.scene.count(sightings), 3);
    // The person uses it: the model gets its steps, and it counts as a use and as no sighting.
    let name = commands[0].file_stem().expect("a name").to_str().expect("text").to_owned();
    play.typed(&["look at the docs", &format!("/self-learning:{name}"), "good, bye"]);
    let used = play.asked().into_iter().rfind(|ask| ask.news().contains("<command-name>")).expect("its use").news();
    assert!(used.contains("`make lint`"), "{used}");
    play.stage.scene.done(&["run", "hourly"]);
    assert_eq!(play.stage.scene.count(sightings), 3);
    assert_eq!(play.stage.scene.count("select count(*) from artifact where action = 'used'"), 1);
    let list = play.stage.scene.done(&["learn", "list", "--json"]).out;
    let list: serde_json::Value = serde_json::from_str(&list).expect("JSON");
    assert_eq!((&list[0]["observations"], &list[0]["status"]), (&json!(3), &json!("created")), "{list}");
    assert_ne!(list[0]["last_seen"], list[0]["first_seen"]);
    play.tell("learned: words of three sessions become a command; its use counts, and is no sighting");
}

const DECISIONS: &str = "<!-- TL;DR: 2 decisions. Key: ADR-001, ADR-002 -->\n# Architectural Decisions\n\n\
    ## ADR-001: Return errors from the parser in a.rs\n\n- **Date**: 2026-03-01\n- **Status**: Accepted\n\n\
    ## ADR-002: Keep the website static\n\n- **Date**: 2026-03-01\n- **Status**: Accepted\n";

#[test]
fn sessions_and_agents_are_told_what_concerns_their_files_and_a_sub_agents_citation_counts() {
    let play = Play::without_hooks(
        Stage::with(&[]),
        Box::new(|ask| match (ask.opening().contains("PLAY"), ask.turn()) {
            (true, 0) => vec![await_agent("general-purpose", "TASK-ONE: change the parser in a.rs")],
            (true, _) => text("The agent is done."),
            (false, _) => text(format!("{} The change applies ADR-001.", "I looked at every part of it. ".repeat(100))),
        }),
    );
    let folder = play.folder().join(".memory/knowledge");
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(folder.join("decisions.md"), DECISIONS).expect("decisions");
    play.stage.scene.done(&["init", "--claude"]);
    play.prompt("PLAY").assert_undisturbed();
    let session = play.asked_by("PLAY")[0].opening();
    assert!(session.contains("ADR-001: Return errors") && session.contains("Cite what you rely on"), "{session}");
    let agent = play.asked_by("TASK-ONE")[0].opening();
    assert!(agent.contains("ADR-001: Return errors") && agent.contains("Cite what you rely on"), "{agent}");
    assert!(!agent.contains("ADR-002"), "of no concern: {agent}");
    play.stage.scene.done(&["run", "hourly"]);
    assert_eq!(play.stage.scene.count("select count(*) from artifact where action = 'cited' and anchor = 'ADR-001'"), 1);
    play.tell("knowledge: session and agents are told what concerns their files; what a sub-agent cites counts");
}
