//! Sessions that end are noted down, and observed by the hourly job.

use std::fs;
use std::path::PathBuf;

use agent::observe::Queue;
use serde_json::{Value, json};

use super::stage::Stage;
use crate::support::Scene;

const TURNS: [(&str, &str); 4] = [
    ("user", "first run the linter, then run the tests, then commit"),
    ("assistant", "I will amend the pushed commit."),
    ("user", "no, do not amend pushed commits"),
    ("user", "that is all for the moment"),
];

fn transcript(stage: &Stage, session: &str) -> PathBuf {
    let row = |(role, text): &(&str, &str)| {
        json!({"type": role, "sessionId": session, "timestamp": "2026-03-01T10:00:00Z", "message": {"role": role, "content": text}})
            .to_string()
            + "\n"
    };
    let path = stage.folder().join(format!("{session}.jsonl"));
    fs::write(&path, TURNS.iter().map(row).collect::<String>()).expect("a transcript");
    path
}

/// A project with a workspace that has learned nothing yet.
fn bare() -> Stage {
    Stage { scene: Scene::new() }
}

fn waiting(stage: &Stage) -> Vec<String> {
    let (waiting, _) = Queue::of(&stage.scene.workspace).load().expect("it is read");
    waiting.into_iter().map(|pending| pending.session).collect()
}

#[test]
fn a_session_that_ends_is_observed_by_the_hourly_job() {
    let stage = bare();
    let path = transcript(&stage, "5b7c0f6e");
    stage.answer("session-end", &json!({"reason": "exit", "session_id": "5b7c0f6e", "transcript_path": path}));
    assert_eq!(waiting(&stage), ["5b7c0f6e"]);
    let told: Value = serde_json::from_str(&stage.scene.run(&["run", "hourly", "--json"]).out).expect("JSON");
    let step = &told["steps"][1];
    assert_eq!(
        (&step["step"], &step["outcome"], &step["sessions"], &step["landed"]),
        (&"observe".into(), &"done".into(), &1.into(), &2.into())
    );
    assert_eq!(waiting(&stage), [""; 0]);
    let rows =
        stage.scene.done(&["query", "select type, session, quality_ok, ts from observation order by 1", "--format", "csv"]).out;
    assert_eq!(rows.lines().count(), 3, "taken into the lake in the same run: {rows}");
    assert!(rows.contains("pitfall,5b7c0f6e,true,2026-03-01") && rows.contains("workflow,5b7c0f6e,false,2026-03-01"), "{rows}");
}

#[test]
fn a_session_that_ends_twice_waits_once_and_ids_are_whole() {
    let stage = bare();
    for session in ["s10", "s1", "s10"] {
        let path = transcript(&stage, session);
        stage.answer("session-end", &json!({"session_id": session, "transcript_path": path}));
    }
    assert_eq!(waiting(&stage), ["s1", "s10"]);
}

#[test]
fn nothing_waits_that_nobody_wants_observed() {
    let stage = bare();
    let path = transcript(&stage, "s1");
    stage.answer("session-end", &json!({"session_id": "gone", "transcript_path": nowhere!("/gone.jsonl")}));
    stage.answer("session-end", &json!({"session_id": "near", "transcript_path": "s1.jsonl"}));
    fs::write(stage.scene.workspace.settings(), "[observe]\nsessions = false\n").expect("settings");
    stage.answer("session-end", &json!({"session_id": "s1", "transcript_path": path}));
    fs::write(stage.scene.workspace.settings(), "").expect("settings");
    let config = stage.folder().join(".closedloop-ai/config.env");
    fs::create_dir_all(config.parent().expect("a folder")).expect("a folder");
    fs::write(&config, "OUTERLOOP_LEARNING=off\n").expect("a file");
    stage.answer("session-end", &json!({"session_id": "s1", "transcript_path": path}));
    assert_eq!(waiting(&stage), [""; 0]);
}

#[test]
fn a_queue_that_cannot_be_written_costs_a_remark() {
    let stage = bare();
    let path = transcript(&stage, "s1");
    fs::remove_dir_all(stage.scene.workspace.observing()).unwrap_or_default();
    fs::write(stage.scene.workspace.observing(), "a file in the way").expect("a file");
    let outcome = stage.hook("session-end", &json!({"session_id": "s1", "transcript_path": path}));
    assert_eq!((outcome.code, &*outcome.out), (0, ""), "{}", outcome.error);
    assert!(stage.remarks().contains("cannot create the folder"), "{}", stage.remarks());
}
