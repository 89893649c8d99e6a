//! The plugin and its MCP server in the real client: what an agent says by a tool counts for that agent.

use std::process::Command;

use serde_json::json;

use super::play::Play;
use super::server::{Say, Script, start_agent, text};
use crate::hook::stage::Stage;

const FIND: &str = "mcp__plugin_outerloop_outerloop__find_patterns";
const ACKNOWLEDGE: &str = "mcp__plugin_outerloop_outerloop__acknowledge";
const CAPTURE: &str = "mcp__plugin_outerloop_outerloop__capture_lesson";

fn script() -> Script {
    Box::new(|ask| match (ask.opening().contains("PLAY"), ask.turn()) {
        (true, 0) => vec![start_agent("general-purpose", "TASK-ONE")],
        (true, _) => text("waiting"),
        (false, 0) => vec![Say::Tool(FIND, json!({"task": "trim the thing"}))],
        (false, 1) => vec![Say::Tool(ACKNOWLEDGE, json!({"patterns": [{"pattern": "P-001", "places": ["a.rs:1"]}]}))],
        (false, 2) => vec![Say::Tool(CAPTURE, json!({"summary": "Flush the cache before the server restarts"}))],
        (false, _) => text("MY WHOLE REPORT"),
    })
}

#[test]
fn an_agent_of_the_plugin_acknowledges_and_learns_by_tools_and_its_report_is_kept() {
    let play = Play::without_hooks(Stage::with_patterns(2), script());
    let plugin = play.folder().join("plugin");
    let made = Command::new(env!("CARGO_BIN_EXE_outerloop")).arg("plugin").arg(&plugin).output().expect("it runs");
    assert!(made.status.success());
    let session = "22222222-2222-4222-8222-222222222222";
    let folder = plugin.to_str().expect("a path");
    let run = play.run("PLAY", &["--session-id", session, "--dangerously-skip-permissions", "--plugin-dir", folder]);
    run.assert_undisturbed();
    let told = play.asked_by("TASK-ONE").last().expect("an agent").all();
    assert!(told.contains("- P-001: [") && told.contains("Acknowledged:") && told.contains("Captured."), "{told}");
    assert!(play.asked().iter().any(|ask| ask.opening().contains("PLAY") && ask.all().contains("MY WHOLE REPORT")));
    let rows = play.stage.rows(
        "select pattern_id, status, agent, array_to_string(citations, ' '), count(*) from application
         where status = 'applied' group by all",
    );
    assert_eq!(rows, ["P-001,applied,general-purpose,a.rs:1,1"]);
    let lessons = play.stage.rows("select run_id from learning where summary like 'Flush the cache%'");
    assert_eq!(lessons, [session]);
    play.tell("plugin: an agent acknowledges and learns by MCP tools, and its report reaches the caller");
}
