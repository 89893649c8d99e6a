//! What is shown fits the task: of an agent, of a prompt, of a file that is read.

use std::fs;

use serde_json::{Value, json};

use super::stage::{Stage, agent, ending, lesson};

/// A tool that starts an agent of a name.
fn start(name: &str, task: &str) -> Value {
    json!({"tool_name": "Agent", "tool_use_id": "toolu_1", "tool_input": {"subagent_type": name, "description": "x", "prompt": task}})
}

/// The patterns of a block, as the agent sees them.
fn shown(context: &str) -> Vec<String> {
    let lines = context.lines().filter_map(|line| line.strip_prefix("[medium] "));
    lines.map(|line| line.replace(" [UNTESTED]", "")).collect()
}

/// Two patterns in which agents that mend invoices are interested, among many others of a category that comes first.
fn stage() -> Stage {
    let mut lessons: Vec<Value> = (1..=20)
        .map(|number| json!({"summary": format!("Water the {number}. plant at noon"), "category": "mistake", "applies_to": ["*"]}))
        .collect();
    lessons.extend(["Round an invoice at its end", "Lock the ledger before a payment"].map(lesson));
    Stage::with(&lessons)
}

fn put(stage: &Stage, path: &str, text: &str) {
    let path = stage.folder().join(path);
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    fs::write(path, text).expect("a file");
}

const DECISIONS: &str = "## ADR-001: Results over exceptions\n\n- **Status**: Accepted\n\nSee src/billing/invoice.rs.\n\
    ## ADR-002: Tabs\n\n- **Status**: Accepted\n";
const PITFALLS: &str = "## PF-001: Rounding an invoice twice\n\n- **Status**: Active\n## PF-002: Old\n\n- **Status**: Deprecated\n";

#[test]
fn an_agent_is_shown_what_fits_its_task_first_and_as_many_patterns_as_before() {
    let stage = stage();
    let usual = shown(&stage.context("subagent-start", &agent("a0", "coder")));
    assert_eq!(usual.len(), 15);
    assert!(!usual.contains(&"Round an invoice at its end".to_owned()), "the category comes first");
    assert_eq!(stage.answer("pre-tool-use", &start("coder", "Mend the rounding of every invoice")), Value::Null);
    let fitting = shown(&stage.context("subagent-start", &agent("a1", "coder")));
    assert_eq!((&*fitting[0], fitting.len()), ("Round an invoice at its end", 15));
    // The task was this agent's alone.
    assert_eq!(shown(&stage.context("subagent-start", &agent("a2", "coder"))), usual);
    assert_eq!(stage.memories().len(), 3, "no task is left");
}

#[test]
fn tasks_of_several_agents_are_told_apart_by_name_and_by_prompt() {
    let stage = stage();
    stage.answer("pre-tool-use", &start("plugin:coder", "Mend the rounding of every invoice"));
    stage.answer("pre-tool-use", &start("banker", "Take the payment and write it into the ledger"));
    let first = |id: &str, name: &str| shown(&stage.context("subagent-start", &agent(id, name))).swap_remove(0);
    assert_eq!(first("a1", "banker"), "Lock the ledger before a payment");
    assert_eq!(first("a2", "coder"), "Round an invoice at its end");
    // A task of another prompt is none of this agent's.
    let mut other = start("coder", "Mend the rounding of every invoice");
    other["prompt_id"] = "p1".into();
    stage.answer("pre-tool-use", &other);
    let mut late = agent("a3", "coder");
    late["prompt_id"] = "p2".into();
    assert_ne!(shown(&stage.context("subagent-start", &late))[0], "Round an invoice at its end");
    // Somebody said no to this one: a new prompt shows that it will not begin.
    stage.answer("pre-tool-use", &start("coder", "Mend the rounding of every invoice"));
    stage.answer("user-prompt-submit", &json!({"prompt": "Do something else"}));
    assert_ne!(first("a4", "coder"), "Round an invoice at its end");
}

#[test]
fn agents_of_one_name_that_start_at_once_see_what_fits_any_of_their_tasks_and_then_their_own() {
    // Too many fit each task for all of them to be shown.
    let about = |thing: &str| {
        let thing = thing.to_owned();
        (1..=12).map(move |number| lesson(&format!("{} of the {thing}: rule {number}", ["Mind", "Guard"][number % 2])))
    };
    let stage = Stage::with(&about("invoice").chain(about("ledger")).collect::<Vec<_>>());
    let transcript = stage.folder().join("session.jsonl");
    let of = |mut told: Value| {
        told["transcript_path"] = json!(transcript);
        told
    };
    let tasks = [("a1", "Look after the ledger"), ("a2", "Look after the invoice")];
    // They begin in another order than their tasks were given in, and nobody says which is which.
    stage.answer("pre-tool-use", &of(start("coder", tasks[1].1)));
    stage.answer("pre-tool-use", &of(start("coder", tasks[0].1)));
    let mut seen: Vec<Vec<String>> = Vec::new();
    for (id, task) in tasks {
        let begun = shown(&stage.context("subagent-start", &of(agent(id, "coder"))));
        for thing in ["invoice", "ledger"] {
            assert!(begun.iter().any(|line| line.contains(thing)), "{id}: {begun:#?}");
        }
        seen.push(begun);
        let line = json!({"type": "user", "agentId": id, "message": {"role": "user", "content": task}});
        put(&stage, &format!("session/subagents/agent-{id}.jsonl"), &format!("{line}\n"));
    }
    assert_eq!(stage.memories().len(), 2, "no task is left");
    for ((id, task), seen) in tasks.into_iter().zip(&mut seen) {
        let mut command = agent(id, "coder");
        command["tool_name"] = "Bash".into();
        command["tool_input"] = json!({"command": "true"});
        let own = shown(&stage.context("pre-tool-use", &of(command.clone())));
        let thing = task.rsplit(' ').next().expect("a word");
        assert!(own.iter().all(|line| line.contains(thing)), "{id}: {own:#?}");
        seen.extend(own);
        assert_eq!(seen.iter().filter(|line| line.contains(thing)).count(), 12, "{id}: {seen:#?}");
        assert_eq!(stage.answer("pre-tool-use", &of(command)), Value::Null, "it is told once");
    }
}

#[test]
fn a_task_that_several_agents_share_is_certain() {
    let stage = stage();
    for _ in 0..2 {
        stage.answer("pre-tool-use", &start("coder", "Mend the rounding of every invoice"));
    }
    for id in ["a1", "a2"] {
        assert_eq!(shown(&stage.context("subagent-start", &agent(id, "coder")))[0], "Round an invoice at its end");
    }
    let notes = stage.memories().iter().map(|path| fs::read_to_string(path).expect("notes")).collect::<String>();
    assert!(!notes.contains("certain"), "{notes}");
}

#[test]
fn a_pattern_of_a_file_fits_a_task_that_names_the_file() {
    let mut learned = lesson("Close what was opened");
    learned["context"] = json!({"file": "src/ledger/page.rs"});
    let mut lessons: Vec<Value> = (1..=20).map(|number| lesson(&format!("Water the {number}. plant at noon"))).collect();
    lessons.push(learned);
    let stage = Stage::with(&lessons);
    fs::create_dir_all(stage.folder().join(".git")).expect("a folder");
    let file = stage.folder().join("src/ledger/page.rs");
    for (id, task) in [("a1", "Look at `src/ledger/page.rs:12`.".to_owned()), ("a2", format!("See {}, please", file.display()))] {
        stage.answer("pre-tool-use", &start("general-purpose", &task));
        assert_eq!(shown(&stage.context("subagent-start", &agent(id, "general-purpose")))[0], "Close what was opened", "{task}");
    }
}

#[test]
fn a_file_s_lessons_come_before_it_is_edited_and_once() {
    let mut learned = lesson("Close what was opened");
    learned["context"] = json!({"file": "src/page.rs"});
    let stage = Stage::with(&[learned, lesson("Water the plants at noon")]);
    fs::create_dir_all(stage.folder().join(".git")).expect("a folder");
    put(&stage, ".memory/knowledge/decisions.md", "## ADR-001: Pages are small\n\n- **Status**: Accepted\n\nsrc/page.rs\n");
    let read = |file: &str| json!({"tool_name": "Read", "tool_input": {"file_path": stage.folder().join(file)}});
    assert_eq!(stage.answer("pre-tool-use", &read("src/other.rs")), Value::Null);
    let context = stage.context("pre-tool-use", &read("src/page.rs"));
    assert!(context.contains("Close what was opened") && !context.contains("Water"), "{context}");
    assert!(context.contains("- ADR-001: Pages are small\n"), "{context}");
    assert_eq!(stage.answer("pre-tool-use", &read("src/page.rs")), Value::Null);
    stage.answer("session-end", &json!({"reason": "exit"}));
    assert_eq!(stage.exposures(), ["P-001,injected,main,Read"]);
    fs::write(stage.scene.workspace.settings(), "compat = \"closedloop\"\n").expect("settings");
    let mut other = read("src/page.rs");
    other["session_id"] = "another".into();
    assert_eq!(stage.answer("pre-tool-use", &other), Value::Null, "the original shows nothing there");
}

#[test]
fn a_prompt_brings_what_fits_it_and_nothing_twice() {
    let stage = stage();
    put(&stage, ".memory/knowledge/pitfalls.md", PITFALLS);
    let prompt = |text: &str| stage.context("user-prompt-submit", &json!({"prompt": text}));
    assert_eq!(prompt("Good morning"), "");
    let context = prompt("Please mend the rounding of an invoice");
    assert_eq!(shown(&context), ["Round an invoice at its end"]);
    assert!(context.contains("- PF-001: Rounding an invoice twice\n") && !context.contains("PF-002"), "{context}");
    assert_eq!(prompt("The invoice again"), "");
    stage.answer("session-start", &json!({"source": "compact"}));
    stage.answer("session-end", &json!({"reason": "exit"}));
    assert!(stage.exposures().contains(&"P-021,injected,main,".to_owned()));
    fs::write(stage.scene.workspace.settings(), "[hook]\nsession = false\n").expect("settings");
    let told = json!({"session_id": "another", "prompt": "Please mend the rounding of an invoice"});
    assert_eq!(stage.answer("user-prompt-submit", &told), Value::Null);
}

#[test]
fn a_session_that_starts_is_shown_a_short_block() {
    let stage = stage();
    put(&stage, ".memory/knowledge/decisions.md", DECISIONS);
    let context = stage.context("session-start", &json!({"source": "startup"}));
    assert_eq!(shown(&context).len(), 5);
    assert!(context.contains("`applies ADR-001`, `avoids PF-001`"), "{context}");
    assert!(context.contains("- ADR-001: Results over exceptions\n- ADR-002: Tabs\n"), "{context}");
    fs::write(stage.scene.workspace.settings(), "compat = \"closedloop\"\n").expect("settings");
    assert_eq!(stage.answer("session-start", &json!({"session_id": "another", "source": "startup"})), Value::Null);
}

#[test]
fn an_agent_is_told_of_the_decisions_and_pitfalls_that_fit_its_task() {
    let stage = Stage::with_patterns(1);
    put(&stage, ".memory/knowledge/decisions.md", DECISIONS);
    put(&stage, ".memory/knowledge/pitfalls.md", PITFALLS);
    let entries = |id: &str, task: Option<&str>| {
        if let Some(task) = task {
            stage.answer("pre-tool-use", &start("coder", task));
        }
        let context = stage.context("subagent-start", &agent(id, "coder"));
        context.lines().filter(|line| line.starts_with("- ")).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(
        entries("a1", Some("Look at invoice.rs")),
        ["- ADR-001: Results over exceptions", "- PF-001: Rounding an invoice twice"]
    );
    assert_eq!(entries("a2", Some("Stop the rounding")), ["- PF-001: Rounding an invoice twice"]);
    assert_eq!(entries("a3", Some("Water the plants")), [""; 0]);
    assert_eq!(entries("a4", None).len(), 3, "without a task the latest");
    fs::write(stage.scene.workspace.settings(), "[hook]\nknowledge_most = 0\n").expect("settings");
    assert_eq!(entries("a5", None), [""; 0]);
    // What is told of knowledge is no exposure of a pattern.
    stage.answer("subagent-stop", &ending("a1", "coder", "LEARNINGS_ACKNOWLEDGED"));
    assert_eq!(stage.exposures(), ["P-001,injected,coder,"]);
}
