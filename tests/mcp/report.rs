//! What an agent reports by a tool counts for that agent, once: the hook behind the tool records it.

use serde_json::{Value, json};

use super::session::Session;
use crate::hook::stage::{Stage, agent, ending};

/// The names that the host gives a tool: by the server's own name, and by the plugin's.
const ACKNOWLEDGE: [&str; 2] = ["mcp__outerloop__acknowledge", "mcp__plugin_outerloop_outerloop__acknowledge"];

/// What the host tells a hook behind the use of a tool.
fn used(id: &str, tool: &str, input: &Value) -> Value {
    let mut told = agent(id, "code:builder");
    told["tool_name"] = tool.into();
    told["tool_input"] = input.clone();
    told["tool_response"] = json!([{"type": "text", "text": "Acknowledged"}]);
    told
}

#[test]
fn an_acknowledgment_by_the_tool_counts_once_for_the_agent_that_called_it() {
    for tool in ACKNOWLEDGE {
        let stage = Stage::with_patterns(2);
        for id in ["a1", "b2"] {
            assert!(stage.context("subagent-start", &agent(id, "code:builder")).contains("thing"));
        }
        let input = json!({"patterns": [{"pattern": "p-001", "places": ["src/a.rs:3"]}]});
        stage.answer("post-tool-use", &used("a1", tool, &input));
        stage.answer("post-tool-use", &used("a1", tool, &input));
        let said = "LEARNINGS_ACKNOWLEDGED\nApplied: P-001 at src/a.rs:3";
        stage.answer("subagent-stop", &ending("a1", "code:builder", said));
        stage.answer("subagent-stop", &ending("b2", "code:builder", "done"));
        let rows = stage.rows(
            "select pattern_id, status, array_to_string(citations, ' '), count(*) from application
             where pattern_id = 'P-001' group by all order by all",
        );
        assert_eq!(rows, ["P-001,applied,src/a.rs:3,1", "P-001,injected,,1"], "{tool}");
    }
}

#[test]
fn a_text_is_as_good_as_an_id_and_an_empty_list_is_an_acknowledgment() {
    let stage = Stage::with_patterns(1);
    let text = stage.context("subagent-start", &agent("a1", "code:builder"));
    let shown = text.lines().find(|line| line.contains("thing")).expect("a pattern");
    let start = shown.find("] ").expect("a bin") + 2;
    let name = shown[start..].trim_end_matches(" [UNTESTED]");
    let input = json!({"patterns": [{"pattern": name.to_uppercase()}]});
    stage.answer("post-tool-use", &used("a1", ACKNOWLEDGE[0], &input));
    stage.answer("subagent-stop", &ending("a1", "code:builder", "done"));
    assert_eq!(stage.exposures(), ["P-001,applied,builder,"]);
}

#[test]
fn a_learning_agent_that_reported_by_tools_is_not_sent_back() {
    let stage = Stage::with_patterns(1);
    std::fs::write(stage.scene.workspace.settings(), "[hook]\nlearning_agents = [\"builder\"]\n").expect("settings");
    stage.context("subagent-start", &agent("a1", "code:builder"));
    stage.answer("post-tool-use", &used("a1", ACKNOWLEDGE[0], &json!({"patterns": []})));
    stage.answer("post-tool-use", &used("a1", "mcp__outerloop__capture_lesson", &json!({"summary": "x"})));
    assert_eq!(stage.answer("subagent-stop", &ending("a1", "code:builder", "my report")), json!({}));
    stage.context("subagent-start", &agent("b2", "code:builder"));
    let answer = stage.answer("subagent-stop", &ending("b2", "code:builder", "my report"));
    assert_ne!(answer, json!({}), "one that reported nothing is");
}

#[test]
fn what_the_server_refused_and_what_is_of_another_server_is_no_report() {
    let stage = Stage::with_patterns(1);
    stage.context("subagent-start", &agent("a1", "code:builder"));
    let input = json!({"patterns": [{"pattern": "P-001"}]});
    let mut failed = used("a1", ACKNOWLEDGE[0], &input);
    failed["error"] = "no published pattern is called".into();
    stage.answer("post-tool-use-failure", &failed);
    for tool in ["mcp__other__acknowledge", "acknowledge", "mcp__outerloop__acknowledge_all", "mcp__evil_outerloop__acknowledge"] {
        stage.answer("post-tool-use", &used("a1", tool, &input));
    }
    stage.answer("subagent-stop", &ending("a1", "code:builder", "done"));
    assert_eq!(stage.exposures(), ["P-001,injected,builder,"]);
}

#[test]
fn arguments_that_mean_no_good_cost_nothing() {
    let stage = Stage::with_patterns(1);
    stage.context("subagent-start", &agent("a1", "code:builder"));
    for input in [
        json!(null),
        json!({"patterns": 1}),
        json!({"patterns": [1, {}, {"pattern": {}}]}),
        json!({"patterns": [{"pattern": "", "places": [""]}]}),
        json!({"patterns": [{"pattern": "\u{1b}[31m\u{202e}</system> ../../x", "places": ["../../../etc/passwd:1\u{0}\n"]}]}),
        json!({"patterns": vec![json!({"pattern": "z".repeat(10_000), "places": vec!["a:1"; 500]}); 300]}),
    ] {
        stage.answer("post-tool-use", &used("a1", ACKNOWLEDGE[0], &input));
    }
    stage.answer("subagent-stop", &ending("a1", "code:builder", "done"));
    assert!(stage.exposures().contains(&"P-001,injected,builder,".to_owned()));
    assert_eq!(stage.scene.count("select count(*) from quarantine"), 0);
}

#[test]
fn without_hooks_the_server_records_for_the_session() {
    let stage = Stage::with_patterns(1);
    let mut session = Session::begin_with(&stage.folder(), &["--record"]);
    let input = json!({"patterns": [{"pattern": "P-001", "places": ["src/a.rs:3"]}]});
    session.answer("acknowledge", input.clone());
    session.answer("acknowledge", input);
    session.end();
    stage.age(24 * 30);
    stage.scene.done(&["run", "hourly"]);
    assert_eq!(stage.exposures(), ["P-001,applied,main,"]);
}
