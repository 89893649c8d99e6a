//! Two iterations of a run, played through the agents' hooks: the figures move by what the rows of such a run say.

use serde_json::{Value, json};

use super::{Shop, figures, put, rows, tell};
use crate::support::Scene;

const LESSONS: &str = r#"{"summary":"Retry API calls with backoff","category":"pattern","tags":["api"],"applies_to":["*"]}
{"summary":"Await every promise","category":"mistake","tags":["javascript"],"applies_to":["implementation-subagent"]}
{"summary":"Unused idea","category":"insight","tags":["x"],"applies_to":["nobody"]}
"#;

/// Runs a hook of the session, which works at the top of the repository. The run is found by the session's file.
fn hook(scene: &Scene, shop: &Shop, name: &str, more: &Value) -> Value {
    let mut payload = json!({"session_id": "s-1", "cwd": shop.top(), "hook_event_name": name, "transcript_path": nowhere!()});
    payload.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
    let outcome = scene.run_with(&["hook", name], payload.to_string().as_bytes());
    assert_eq!((outcome.code, &*outcome.error), (0, ""), "{name}");
    serde_json::from_str(&outcome.out).unwrap_or(Value::Null)
}

/// An agent begins, is shown patterns, and ends with some words. Gives what it was shown.
fn play(scene: &Scene, shop: &Shop, id: &str, agent: &str, said: &str) -> Vec<String> {
    let shown = hook(scene, shop, "subagent-start", &json!({"agent_id": id, "agent_type": agent}));
    let beside =
        json!({"agent_id": id, "agent_type": agent, "tool_name": "Edit", "tool_input": {"file_path": "src/api/client.ts"}});
    hook(scene, shop, "pre-tool-use", &beside);
    hook(scene, shop, "post-tool-use", &beside);
    let ended = hook(scene, shop, "subagent-stop", &json!({"agent_id": id, "agent_type": agent, "last_assistant_message": said}));
    assert_eq!(ended, json!({}), "{agent}");
    let text = shown["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default().to_owned();
    text.lines().filter(|line| line.starts_with('[')).map(str::to_owned).collect()
}

/// Finds out about the iteration and runs the cycle.
fn finish(scene: &Scene, shop: &Shop, iteration: u32, since: &str) {
    tell(scene, &["iteration", "--since", since], &shop.turn("r1", iteration));
    scene.done(&["run", "hourly"]);
}

fn start(iteration: u32, shop: &Shop) {
    put(&shop.top().join(".closedloop-ai/session-s-1.workdir"), &format!("{}\n", shop.work().display()));
    put(
        &shop.work().join(".closedloop-ai/config.env"),
        &format!("CLOSEDLOOP_SELF_LEARNING=true\nCLOSEDLOOP_RUN_ID=\"r1\"\nCLOSEDLOOP_ITERATION={iteration}\n"),
    );
}

#[test]
fn a_run_played_through_hooks_moves_the_rates_by_what_its_rows_say() {
    let (scene, shop) = Shop::known();
    std::fs::write(scene.workspace.settings(), "[hook]\nsession = false\n[truth]\non = \"never\"\n").expect("settings");
    scene.run_with(&["record", "--kind", "learning", "--project", "shop"], LESSONS.as_bytes());
    scene.done(&["run", "hourly"]);
    assert_eq!(figures(&scene), ["P-001 0 - medium UNTESTED", "P-002 0 - medium UNTESTED", "P-003 0 - medium UNTESTED"]);

    start(1, &shop);
    hook(&scene, &shop, "session-start", &json!({"source": "startup"}));
    let planner = play(&scene, &shop, "a1", "code:plan-writer", "no_learnings LEARNINGS_ACKNOWLEDGED");
    assert_eq!(planner, ["[medium] Retry API calls with backoff [UNTESTED]"]);
    let said = "Done. no_learnings\n\nLEARNINGS_ACKNOWLEDGED\nApplied: \"Retry API calls with backoff\" at src/api/client.ts:5\n\
                Applied: \"Await every promise\" at src/api/client.ts:18\n";
    let builder = play(&scene, &shop, "a2", "code:implementation-subagent", said);
    assert_eq!(builder, ["[medium] Await every promise [UNTESTED]", "[medium] Retry API calls with backoff [UNTESTED]"]);
    play(&scene, &shop, "a3", "code:build-validator", "VALIDATION_PASSED");
    hook(&scene, &shop, "session-end", &json!({"reason": "other"}));
    finish(&scene, &shop, 1, &shop.since);
    // The judge of builds was shown one pattern too, and was asked for nothing.
    assert_eq!(figures(&scene), ["P-001 3 0.33 low REVIEW", "P-002 1 0.00 low REVIEW", "P-003 0 - medium UNTESTED"]);
    let landed = "select agent, pattern_id, status, array_to_string(citations, ' ') from application order by agent, pattern_id";
    assert_eq!(
        rows(&scene, landed),
        [
            "build-validator,P-001,injected,",
            "implementation-subagent,P-001,applied,src/api/client.ts:5",
            "implementation-subagent,P-002,applied,src/api/client.ts:18",
            "plan-writer,P-001,injected,",
        ]
    );
    assert_eq!(rows(&scene, "select run_id, iteration, passed from build"), ["r1,1,true"]);
    assert_eq!(rows(&scene, "select pattern_id, verified from citation order by 1"), ["P-001,true", "P-002,false"]);

    start(2, &shop);
    let since = shop.change(25);
    let said = "no_learnings\nLEARNINGS_ACKNOWLEDGED\nApplied: \"Retry API calls with backoff\" at src/api/client.ts:25\n";
    let again = play(&scene, &shop, "a4", "code:implementation-subagent", said);
    assert_eq!(again, ["[low] Await every promise [REVIEW]", "[low] Retry API calls with backoff [REVIEW]"]);
    hook(&scene, &shop, "session-end", &json!({"reason": "other"}));
    finish(&scene, &shop, 2, &since);
    assert_eq!(figures(&scene), ["P-001 4 0.50 medium", "P-002 2 0.00 low REVIEW", "P-003 0 - medium UNTESTED"]);
    assert_eq!(scene.count("select count(*) from quarantine"), 0);
}

#[test]
fn nine_stops_of_a_silent_agent_weigh_as_one() {
    let (scene, shop) = Shop::known();
    scene.run_with(&["record", "--kind", "learning", "--project", "shop"], LESSONS.as_bytes());
    scene.done(&["run", "hourly"]);
    start(1, &shop);
    let agent = json!({"agent_id": "a1", "agent_type": "code:implementation-subagent"});
    hook(&scene, &shop, "subagent-start", &agent);
    let edit = json!({"agent_id": "a1", "tool_name": "Edit", "tool_input": {"file_path": "src/api/client.ts"}});
    hook(&scene, &shop, "post-tool-use", &edit);
    let silent = json!({"agent_id": "a1", "agent_type": "code:implementation-subagent", "session_id": "s-1", "cwd": shop.top(), "last_assistant_message": "done"});
    let sent_back = (0..9)
        .filter(|_| scene.run_with(&["hook", "subagent-stop"], silent.to_string().as_bytes()).out.contains("whole report"))
        .count();
    assert_eq!(sent_back, 2);
    scene.done(&["run", "hourly"]);
    assert_eq!(figures(&scene), ["P-001 1 0.00 low REVIEW", "P-002 1 0.00 low REVIEW", "P-003 0 - medium UNTESTED"]);
}

/// What ClosedLoop's hook at the end of an agent logs.
fn logged(shop: &Shop, agent: &str, rows: &[(&str, &str, &str)]) {
    let now = super::now();
    let path = shop.learnings().join("outcomes.log");
    let before = std::fs::read_to_string(&path).unwrap_or_default();
    let rows: Vec<String> =
        rows.iter().map(|(text, status, cited)| format!("{now}|r1|1|{agent}|{text}|{status}|{cited}\n")).collect();
    std::fs::write(path, before + &rows.concat()).expect("a log");
}

#[test]
fn one_exposure_that_the_hooks_of_both_tell_counts_once() {
    let (scene, shop) = Shop::known();
    std::fs::write(scene.workspace.settings(), "[hook]\nsession = false\n").expect("settings");
    scene.run_with(&["record", "--kind", "learning", "--project", "shop"], LESSONS.as_bytes());
    scene.done(&["run", "hourly"]);
    start(1, &shop);
    let said = "no_learnings\nLEARNINGS_ACKNOWLEDGED\nApplied: \"Retry API calls with backoff\" at src/api/client.ts:5\n";
    play(&scene, &shop, "a1", "code:implementation-subagent", said);
    hook(&scene, &shop, "session-end", &json!({"reason": "other"}));
    scene.done(&["run", "hourly"]);
    let alone = figures(&scene);
    assert_eq!(alone, ["P-001 1 1.00 high", "P-002 1 0.00 low REVIEW", "P-003 0 - medium UNTESTED"]);
    logged(
        &shop,
        "implementation-subagent",
        &[("Retry API calls with backoff", "applied", "src/api/client.ts:5"), ("Await every promise", "injected", "")],
    );
    scene.done(&["import", "closedloop", shop.work().to_str().expect("a path")]);
    scene.done(&["run", "hourly"]);
    assert_eq!(scene.count("select count(*) from application"), 4, "both tell of both patterns");
    assert_eq!(figures(&scene), alone);
    let told = scene.done(&["explain", "P-001"]).out;
    assert!(told.contains("told by Outerloop's hooks too"), "{told}");
    // An agent that only ClosedLoop's hooks saw counts by their log.
    logged(&shop, "plan-writer", &[("Retry API calls with backoff", "applied", "")]);
    scene.done(&["import", "closedloop", shop.work().to_str().expect("a path")]);
    scene.done(&["run", "hourly"]);
    assert_eq!(figures(&scene)[0], "P-001 2 1.00 high");
    scene.done(&["run", "verify"]);
}
