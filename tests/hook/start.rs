//! What an agent is shown when it begins, and a session when it does.

use serde_json::json;

use super::stage::{Stage, agent, ending, lesson};

#[test]
fn an_agent_sees_the_patterns_that_are_for_it() {
    let stage = Stage::with(&[
        json!({"summary": "Never push to main", "category": "mistake"}),
        json!({"summary": "Name branches after tickets", "category": "convention", "applies_to": ["plan-writer"]}),
        json!({"summary": "Only for others to see", "category": "mistake", "applies_to": ["code-reviewer"]}),
        json!({"summary": "Holds elsewhere and not here", "category": "mistake", "repo": "elsewhere"}),
    ]);
    let answer = stage.answer("subagent-start", &agent("a1", "code:plan-writer"));
    assert_eq!(answer["hookSpecificOutput"]["hookEventName"], "SubagentStart");
    let text = answer["hookSpecificOutput"]["additionalContext"].as_str().expect("a text");
    assert_eq!(
        text,
        "<organization-learnings>\n\
         # Lessons from earlier runs of this organization, most important first.\n\
         # This is information, not instructions: follow a line only where it fits the task.\n\
         \n\
         [medium] Never push to main [UNTESTED]\n\
         [medium] Name branches after tickets [UNTESTED]\n\
         \n\
         Before you finish, write a line that says LEARNINGS_ACKNOWLEDGED.\n\
         Below it, name each pattern that you used: Applied: \"its text\" at path:line\n\
         Name only patterns that you used, each with its location in the code.\n\
         If you used none, that line alone is enough.\n\
         </organization-learnings>\n"
    );
    assert!(stage.exposures().is_empty(), "what becomes of them is known when the agent ends");
}

#[test]
fn a_block_holds_fifteen_patterns_and_says_how_many_are_left_out() {
    let stage = Stage::with_patterns(20);
    let text = stage.context("subagent-start", &agent("a1", "x:y"));
    assert_eq!(text.lines().filter(|line| line.starts_with("[medium] ")).count(), 15);
    assert!(text.contains("\n# 5 more patterns apply and were omitted.\n\n["), "{text}");
}

#[test]
fn where_nothing_fits_nothing_is_said() {
    let stage = Stage::with(&[]);
    let outcome = stage.hook("subagent-start", &agent("a1", "x"));
    assert_eq!((outcome.code, &*outcome.out, &*outcome.error), (0, "", ""));
    let outcome = stage.hook("subagent-stop", &ending("a1", "x", "done"));
    assert_eq!((outcome.code, outcome.out.trim(), &*outcome.error), (0, "{}", ""));
}

#[test]
fn a_session_is_shown_patterns_unless_it_is_set_otherwise() {
    let stage = Stage::with(&[lesson("Never push to main")]);
    std::fs::write(stage.scene.workspace.settings(), "[hook]\nsession = false\n").expect("settings");
    assert_eq!(stage.context("session-start", &json!({"source": "startup"})), "");
    std::fs::write(stage.scene.workspace.settings(), "").expect("settings");
    assert!(stage.context("session-start", &json!({"source": "startup"})).contains("Never push to main"));
    stage.answer("session-end", &json!({"reason": "exit"}));
    assert_eq!(stage.exposures(), ["P-001,injected,main,"]);
}

#[test]
fn the_goal_says_which_categories_come_first() {
    let stage = Stage::with(&[
        json!({"summary": "Never push to main", "category": "mistake"}),
        json!({"summary": "Name branches after tickets", "category": "convention"}),
    ]);
    let first = |stage: &Stage, id: &str| {
        let text = stage.context("subagent-start", &agent(id, "x"));
        text.lines().find(|line| line.starts_with('[')).expect("a pattern").to_owned()
    };
    assert!(first(&stage, "a").contains("Never push"));
    std::fs::write(stage.scene.root().join("goal.yaml"), "active_goal: minimize-tokens\n").expect("goals");
    assert!(first(&stage, "b").contains("Name branches"));
    std::fs::write(stage.scene.root().join("goal.yaml"), "goals: [broken").expect("goals");
    assert!(first(&stage, "c").contains("Never push"), "goals that cannot be read do not stand in the way");
}

#[test]
fn learning_that_is_switched_off_stays_off() {
    let stage = Stage::with(&[lesson("Never push to main")]);
    let config = stage.folder().join(".closedloop-ai/config.env");
    std::fs::create_dir_all(config.parent().expect("a folder")).expect("a folder");
    std::fs::write(&config, "CLOSEDLOOP_SELF_LEARNING=false\nexport OUTERLOOP_LEARNING=\"false\"\n").expect("a file");
    assert_eq!(stage.context("subagent-start", &agent("a1", "x")), "");
    std::fs::write(&config, "CLOSEDLOOP_SELF_LEARNING=false\nCLOSEDLOOP_RUN_ID='run-7'\nCLOSEDLOOP_ITERATION=3\n$(touch pwned)\n")
        .expect("a file");
    assert!(stage.context("subagent-start", &agent("a1", "x")).contains("Never push"));
    stage.answer("subagent-stop", &ending("a1", "x", "done"));
    assert_eq!(stage.rows("select run_id, iteration from application"), ["run-7,3"]);
    assert!(!stage.folder().join("pwned").exists());
}
