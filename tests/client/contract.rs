//! What the client tells its hooks and takes from them, as facts: a client that differs is noticed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use serde_json::{Value, json};

use super::play::{Client, Play};
use super::server::{start_agent, text};
use crate::hook::stage::Stage;

/// What every hook is told.
const COMMON: [&str; 4] = ["session_id", "transcript_path", "cwd", "hook_event_name"];
const EVENTS: [&str; 9] = [
    "SessionStart",
    "UserPromptSubmit",
    "SubagentStart",
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "SubagentStop",
    "Stop",
    "SessionEnd",
];

/// The facts about a client: for each event the fields that it carries, and what becomes of an answer.
fn facts(client: Client) -> String {
    let play = Play::without_hooks(
        Stage::with(&[]),
        Box::new(|ask| match (ask.opening().contains("PLAY"), ask.turn()) {
            (true, 0) => vec![start_agent("general-purpose", "TASK-ONE")],
            (true, _) => text("waiting"),
            (false, _) => text(if ask.news().contains("AT-STOP") { "AGAIN" } else { "ONCE" }),
        }),
    );
    let log = play.folder().join("log.jsonl");
    let context =
        |event: &str, text: &str| json!({"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}).to_string();
    let hooks: BTreeMap<&str, Value> = EVENTS
        .iter()
        .map(|&event| {
            let answer = match event {
                "SubagentStart" => format!("echo '{}'", context(event, "AT-START")),
                "SubagentStop" => format!("grep -q stop_hook_active..true in.$$ || echo '{}'", context(event, "AT-STOP")),
                _ => "true".to_owned(),
            };
            let command = format!("cat > in.$$; cat in.$$ >> '{}'; echo >> '{}'; {answer}; rm in.$$", log.display(), log.display());
            (event, json!([{"hooks": [{"type": "command", "command": command}]}]))
        })
        .collect();
    let settings = play.folder().join("hooks.json");
    fs::write(&settings, json!({"hooks": hooks}).to_string()).expect("settings");
    let play = play.with_client(client);
    let settings = settings.to_string_lossy().into_owned();
    play.run("PLAY", &["--settings", &settings, "--dangerously-skip-permissions"]);
    let mut told: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut tools = BTreeSet::new();
    for payload in fs::read_to_string(&log).expect("the log").lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
        let fields = payload.as_object().expect("an object").keys().filter(|field| !COMMON.contains(&&***field)).cloned();
        told.entry(payload["hook_event_name"].as_str().unwrap_or_default().to_owned()).or_default().extend(fields);
        tools.extend(payload["tool_name"].as_str().map(str::to_owned));
    }
    let mut facts: Vec<String> =
        told.into_iter().map(|(event, fields)| format!("{event}: {}", fields.into_iter().collect::<Vec<_>>().join(" "))).collect();
    let agent = play.asked_by("TASK-ONE");
    let received = play.asked_by("PLAY").last().expect("a request").all();
    facts.push(format!("tools: {}", tools.into_iter().collect::<Vec<_>>().join(" ")));
    facts.push(format!("context at SubagentStart is in the first request: {}", agent[0].opening().contains("AT-START")));
    facts.push(format!("context at SubagentStop sends an agent on: {}", agent.len() == 2));
    facts.push(format!("a caller receives the last message alone: {}", !received.contains("ONCE") && received.contains("AGAIN")));
    facts.push(format!("agents work in the background: {}", received.contains("task-notification")));
    facts.join("\n") + "\n"
}

#[test]
fn the_client_tells_and_takes_what_hooks_rely_on() {
    let facts = facts(Client::pinned());
    assert_eq!(facts, include_str!("contract.txt"), "the client has changed; look at each fact before you write it down");
    Play::without_hooks(Stage::with(&[]), Box::new(|_| text(""))).tell("contract: events, fields and answers are the known ones");
}

#[test]
fn another_client_is_noticed() {
    let other = Client::other();
    let facts = facts(other.clone());
    let (known, found): (BTreeSet<&str>, BTreeSet<&str>) =
        (include_str!("contract.txt").lines().collect(), facts.lines().collect());
    let changed: Vec<&&str> = found.difference(&known).collect();
    assert!(changed.contains(&&"context at SubagentStop sends an agent on: false"), "{changed:#?}");
    assert!(changed.contains(&&"agents work in the background: false"), "{changed:#?}");
    let play = Play::without_hooks(Stage::with(&[]), Box::new(|_| text(""))).with_client(other);
    play.tell(&format!("contract: {} facts differ, and are noticed", changed.len()));
}
