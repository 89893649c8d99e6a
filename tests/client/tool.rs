//! Tools: what is shown beside them, what they are seen to do, and what happens if one is not allowed.

use serde_json::{Value, json};

use super::play::Play;
use super::server::{Say, Script, await_agent, start_agent, text};
use crate::hook::stage::{Stage, lesson};

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
fn a_plugin_beside_a_teams_settings_shows_and_sees_everything_once() {
    let play = Play::without_hooks(Stage::with_patterns(2), script());
    play.stage.scene.done(&["init", "--claude=team"]);
    let plugin = play.folder().join("plugin");
    let folder = plugin.to_str().expect("a path");
    play.stage.scene.done(&["plugin", folder]);
    let session = "33333333-3333-4333-8333-333333333333";
    let run = play.run("PLAY", &["--session-id", session, "--dangerously-skip-permissions", "--plugin-dir", folder]);
    run.assert_undisturbed();
    assert_eq!(run.count("SubagentStart"), 2, "the client calls both");
    let told = play.asked_by("TASK-ONE").last().expect("an agent").all();
    assert_eq!(told.matches("<organization-learnings").count(), 1, "{told}");
    assert_eq!(play.stage.rows("select tool, count(*) from touch where tool = 'Bash' group by all"), ["Bash,1"]);
    play.tell("plugin and settings: of two hooks of one event one is silent");
}

/// The text of `a.rs` before anybody edits it: line by line, so that a patch has a place.
fn before() -> String {
    (1..=40).map(|number| format!("// line {number}\n")).collect()
}

#[test]
fn files_patches_and_commands_are_observed_and_claims_are_told_apart() {
    let play = Play::new(
        &[lesson("Name the unit"), lesson("Close the file"), lesson("Ask before you push"), lesson("Sort the keys")],
        Box::new(|ask| {
            let top = ask
                .opening()
                .split("Primary working directory: ")
                .nth(1)
                .map(|rest| rest.lines().next().unwrap_or_default().trim().to_owned());
            let file = format!("{}/a.rs", top.unwrap_or_default());
            match (ask.opening().contains("PLAY"), ask.turn()) {
                (true, 0) => vec![await_agent("general-purpose", "TASK-ONE")],
                (true, _) => text("done"),
                (false, 0) => vec![Say::Tool("Read", json!({"file_path": file}))],
                (false, 1) => vec![Say::Tool(
                    "Edit",
                    json!({"file_path": file, "old_string": "// line 20\n", "new_string": "// line 20, in metres\n// and more\n"}),
                )],
                (false, 2) => vec![Say::Tool("Bash", json!({"command": "echo passed; exit 3"}))],
                (false, 3) => vec![Say::Tool("Bash", json!({"command": "printf 'ok: 7 passed\\n'"}))],
                (false, _) => text(
                    "LEARNINGS_ACKNOWLEDGED\nApplied: P-001 at a.rs:20\nApplied: P-002 at a.rs:39\nApplied: P-003 in the commit message",
                ),
            }
        }),
    );
    std::fs::write(play.folder().join("a.rs"), before()).expect("a file");
    let run = play.prompt("PLAY");
    run.assert_undisturbed();
    let seen = play.stage.rows(
        "select tool, coalesce(path, ''), coalesce(array_to_string(lines, ' '), ''), coalesce(command, ''), coalesce(exit_code, -1)
         from touch order by coalesce(command, ''), tool",
    );
    assert_eq!(seen, ["Edit,a.rs,20-21,,-1", "Bash,,,echo passed; exit 3,3", "Bash,,,printf 'ok: 7 passed\\n',0"]);
    let hashes = play.stage.rows("select output_hash from touch where command like 'printf%'");
    assert_eq!(hashes, [agent::hook::hash_output("ok: 7 passed")]);
    play.stage.scene.done(&["run", "hourly"]);
    for (id, evidence) in [("P-001", "observed"), ("P-002", "refuted"), ("P-003", "claimed")] {
        let told: Value = serde_json::from_str(&play.stage.scene.done(&["explain", id, "--json"]).out).expect("JSON");
        assert_eq!(told["applications"][0]["evidence"], evidence, "{id}: {told}");
    }
    play.tell("tools: files, patches, commands, exit codes and outputs are seen; uses are observed, refuted or claimed");
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

#[test]
fn a_review_that_cites_what_the_client_ran_rests_on_the_client_s_word() {
    let report =
        "# Review\n\n`sh check.sh` ends with exit code 0.\n\n## Accumulated Patterns\n- Check the totals before a release\n";
    let verdict = "<!-- jkz:verdict-json {\"verdict\":\"PASS\"} -->\n";
    let feedback = "outerloop feedback --adversarial-role judge --validator-role inspector --adversarial review.md \
                    --validator verdict.md --project web --json";
    let play = Play::new(
        &[],
        Box::new(move |ask| match (ask.opening().contains("PLAY"), ask.turn()) {
            (true, 0) => vec![await_agent("general-purpose", "TASK-ONE")],
            (true, 1) => vec![Say::Tool("Bash", json!({"command": feedback}))],
            (true, _) => text("done"),
            (false, 0) => vec![Say::Tool("Bash", json!({"command": "sh check.sh"}))],
            (false, _) => text(report),
        }),
    );
    for (name, content) in [("check.sh", "echo all totals agree\n"), ("review.md", report), ("verdict.md", verdict)] {
        std::fs::write(play.folder().join(name), content).expect("a file");
    }
    let run = play.prompt("PLAY");
    run.assert_undisturbed();
    let told = play.asked_by("PLAY").last().expect("a request").all();
    assert!(told.contains("\"evidence_by\":\"host\""), "{told}");
    let said = play.stage.rows("select evidence_level, evidence_by from deliberation where role = 'judge'");
    assert_eq!(said, ["1,host"]);
    play.tell("review: a report that cites what the client ran is evidence of the first level, and the record says who says so");
}
