//! Faults of ours: none of them disturbs a session.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

use super::play::Play;
use super::server::{Script, start_agent, text};

fn script() -> Script {
    Box::new(|ask| match (ask.opening().contains("PLAY"), ask.turn()) {
        (true, 0) => vec![start_agent("general-purpose", "TASK-ONE")],
        (true, _) => text("waiting"),
        (false, _) => text("LEARNINGS_ACKNOWLEDGED"),
    })
}

#[test]
fn a_project_whose_workspace_is_gone_notices_nothing() {
    let play = Play::with_patterns(2, script());
    fs::remove_dir_all(play.stage.scene.root()).expect("it goes away");
    let run = play.prompt("PLAY");
    run.assert_undisturbed();
    assert!(run.count("SubagentStop") == 1 && !play.stage.scene.root().exists());
    play.tell("no workspace: hooks are silent and make none");
}

#[test]
fn a_broken_generation_shows_nothing_and_is_noted() {
    let play = Play::with_patterns(2, script());
    let index = play.stage.scene.workspace.current().join("injection.tsv");
    let mut permissions = fs::metadata(&index).expect("the index").permissions();
    permissions.set_mode(0o644);
    fs::set_permissions(&index, permissions).expect("it can be written");
    fs::write(&index, b"\xff\x00broken").expect("the index");
    let run = play.prompt("PLAY");
    for hook in run.hooks() {
        assert_eq!(hook["exit_code"], 0, "{hook}");
    }
    assert_eq!(run.count("SubagentStop"), 1);
    let first = play.asked_by("TASK-ONE")[0].opening();
    assert!(!first.contains("<organization-learnings>"), "{first}");
    assert!(play.stage.remarks().contains("subagent-start"), "{}", play.stage.remarks());
    play.tell("broken generation: nothing is shown, the session goes on, `doctor` can tell");
}

#[test]
fn a_machine_without_the_program_notices_nothing() {
    let play = Play::with_patterns(2, script()).with_path("/usr/local/bin:/usr/bin:/bin");
    let run = play.prompt("PLAY");
    run.assert_undisturbed();
    assert_eq!(run.count("SubagentStop"), 1);
    play.tell("program missing: no error at any hook");
}

#[test]
fn a_program_that_hangs_costs_two_seconds_a_hook() {
    let play = Play::with_patterns(2, Box::new(|_| text("Done.")));
    let folder = play.folder().join("bin");
    fs::create_dir(&folder).expect("a folder");
    let program = folder.join("outerloop");
    fs::write(&program, "#!/bin/sh\nexec sleep 60\n").expect("a program");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("it can be run");
    let play = play.with_path(format!("{}:/usr/local/bin:/usr/bin:/bin", folder.display()));
    let run = play.prompt("PLAY");
    let longest = run.waits().into_iter().max().expect("a hook");
    assert!(longest > Duration::from_millis(1_500) && longest < Duration::from_millis(3_500), "{:?}", run.waits());
    assert!(run.elapsed < Duration::from_secs(20), "{:?}", run.elapsed);
    assert_eq!(run.result(), "Done.");
    play.tell(&format!("program hanging: the client waited {longest:.1?} at most for a hook, {:.1?} in all", run.elapsed));
}
