//! `outerloop learn` and `hud` around rendering, reviews, old spellings, and what an earlier system left.

use std::fs;
use std::path::PathBuf;

use learn::observation::{ObservationScore, Status};
use serde_json::{Value, json};

use crate::support::Scene;
use crate::support::observed::{created, observation, publish};

fn folder(scene: &Scene) -> PathBuf {
    scene.root().parent().expect("a folder").to_path_buf()
}

fn put(scene: &Scene, path: &str, text: &str) {
    let path = folder(scene).join(path);
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    fs::write(path, text).expect("a file");
}

fn json_of(scene: &Scene, arguments: &[&str]) -> Value {
    serde_json::from_str(&scene.done(arguments).out).expect("JSON")
}

fn ready(id: &str, kind: &str, pattern: &str) -> ObservationScore {
    let ready_at = Some("2026-05-09T00:00:00Z".to_owned());
    ObservationScore { status: Status::Ready, confidence: 0.95, ready_at, ..observation(id, kind, pattern) }
}

#[test]
fn the_status_line_and_the_lists_are_right_directly_after_rendering() {
    let scene = Scene::new();
    publish(&scene, &[ready("obs_000001", "workflow", "Run lint, then push"), ready("obs_000002", "decision", "Use SQLite")]);
    assert_eq!(scene.done(&["hud"]).out, "");
    scene.done(&["render"]);
    assert_eq!(scene.done(&["hud"]).out, "Learning: 1 workflow, 1 decision\n");
    let listed = json_of(&scene, &["learn", "list", "--status", "created", "--json"]);
    assert_eq!(listed.as_array().map(Vec::len), Some(2), "{listed}");
    assert_eq!(json_of(&scene, &["learn", "show", "ADR-001", "--json"])["artifact_path"], ".memory/knowledge/decisions.md");
    assert_eq!(json_of(&scene, &["learn", "status", "--json"])["types"]["workflow"]["created"], 1);
    // What a person takes away is gone as soon as it is noticed.
    fs::remove_dir_all(folder(&scene).join(".claude/commands/self-learning")).expect("it goes");
    scene.done(&["reconcile"]);
    assert_eq!(scene.done(&["hud"]).out, "Learning: 1 decision\n");
}

#[test]
fn a_review_names_every_reason_and_what_to_do() {
    let scene = Scene::new();
    let stale = ObservationScore { stale_reason: Some("src/gone.rs".to_owned()), ..created("obs_000001", "decision", "One") };
    let capped = ObservationScore { is_blocked: true, ..ready("obs_000002", "pitfall", "Two") };
    let weak = ObservationScore { quality_ok: false, ..observation("obs_000003", "workflow", "Three") };
    let doubtful = ObservationScore { observations: 7, confidence: 0.3, ..observation("obs_000004", "procedural", "Four") };
    let fine = observation("obs_000005", "workflow", "Five");
    let young = ObservationScore { quality_ok: false, base_confidence: 0.33, ..observation("obs_000006", "workflow", "Six") };
    publish(&scene, &[stale, capped, weak, doubtful, fine, young]);
    let review = json_of(&scene, &["learn", "review", "--json"]);
    let told: Vec<(&str, &str)> = review
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| (one["id"].as_str().expect("an id"), one["concerns"][0]["reason"].as_str().expect("a reason")))
        .collect();
    assert_eq!(
        told,
        [
            ("obs_000001", "it names src/gone.rs, which does not exist"),
            ("obs_000002", "its knowledge file is full"),
            ("obs_000003", "seen often enough, but its quality is not confirmed"),
            ("obs_000004", "seen in 7 sessions, but not lately: low confidence"),
        ]
    );
    let shown = scene.done(&["learn", "review", "--list"]).out;
    for remedy in ["restore the file", "learn review --capacity", "promote it if it is right", "promote it if it still holds"] {
        assert!(shown.contains(remedy), "{remedy}: {shown}");
    }
    assert!(scene.done(&["hud"]).out.contains("⚠ 4 need review"));
}

#[test]
fn the_flags_of_the_earlier_system_are_understood_or_answered() {
    let scene = Scene::new();
    publish(&scene, &[observation("obs_000001", "workflow", "Ship it")]);
    for (old, new) in
        [("--status", "status"), ("--list", "list"), ("--review", "review"), ("--configure", "configure"), ("--purge", "purge")]
    {
        assert_eq!(scene.done(&["learn", old]).out, scene.done(&["learn", new]).out, "{old}");
    }
    assert_eq!(scene.done(&["learn", "--list", "--json"]).out, scene.done(&["learn", "list", "--json"]).out);
    assert!(scene.done(&["learn", "--dismiss-capacity"]).error.contains("no notices"));
    for old in ["--clear", "--reset"] {
        assert!(scene.run(&["learn", old]).error.contains("add --yes"), "{old}");
    }
    let enable = scene.run(&["learn", "--enable"]);
    assert!(enable.code == 2 && enable.error.contains("outerloop init --claude"), "{}", enable.error);
    let disable = scene.run(&["learn", "--disable"]);
    assert!(disable.code == 2 && disable.error.contains("observe.sessions=false"), "{}", disable.error);
}

#[test]
fn a_person_who_promotes_gets_an_artifact() {
    let scene = Scene::new();
    let event = json!({"kind": "observation", "ts": "2026-05-01T10:00:00Z", "project": "default", "observation_id": "obs_abc123",
        "type": "workflow", "pattern": "Run lint, then push", "details": "1. mise run lint\n2. git push",
        "evidence": ["run lint, then push"], "quality_ok": false, "session": "s1"});
    scene.land("a.jsonl", (event.to_string() + "\n").as_bytes());
    fs::create_dir_all(folder(&scene).join(".claude")).expect("a folder");
    scene.done(&["run", "hourly"]);
    scene.done(&["learn", "promote", "obs_abc123", "--reason", "we always do it"]);
    scene.done(&["run", "hourly"]);
    let commands = fs::read_dir(folder(&scene).join(".claude/commands/self-learning")).expect("commands");
    assert_eq!(commands.count(), 1);
    assert!(scene.done(&["hud"]).out.contains("1 workflow"));
}

#[test]
fn what_is_out_of_use_is_not_promoted_in_silence() {
    let scene = Scene::new();
    publish(&scene, &[ObservationScore { status: Status::Deprecated, ..observation("obs_000001", "workflow", "Ship it") }]);
    let refused = scene.run(&["learn", "promote", "obs_000001"]);
    assert!(refused.code == 2 && refused.error.contains("add --force"), "{}", refused.error);
    scene.done(&["learn", "promote", "obs_000001", "--force"]);
}

const LEGACY: &str = "\
<!-- TL;DR: 3 decisions. Key: ADR-001, ADR-002, ADR-003 -->
# Architectural Decisions

## ADR-001: Mine, by hand

- **Status**: Accepted

## ADR-002: Shipped by the earlier system

- **Status**: Accepted

## ADR-003: Learned

- **Status**: Accepted
- **Source**: self-learning:obs_000003
";

#[test]
fn entries_of_an_earlier_system_go_at_a_persons_word_with_a_copy() {
    let scene = Scene::new();
    put(&scene, ".memory/knowledge/decisions.md", LEGACY);
    put(&scene, ".memory/PROJECT-PATTERNS.md", "patterns\n");
    let path = folder(&scene).join(".memory/knowledge/decisions.md");
    assert_eq!(scene.run(&["learn", "purge-legacy"]).code, 2, "nobody can be asked");
    let planned = json_of(&scene, &["learn", "purge-legacy", "--dry-run", "--json"]);
    assert_eq!((&planned["entries"][0]["entry"], planned["entries"].as_array().map(Vec::len)), (&"ADR-002".into(), Some(2)));
    assert_eq!(fs::read_to_string(&path).expect("decisions"), LEGACY);
    let done = json_of(&scene, &["learn", "purge-legacy", "--yes", "--json"]);
    let text = fs::read_to_string(&path).expect("decisions");
    assert!(
        !text.contains("ADR-002: Shipped") && text.contains("## ADR-001: Mine") && text.contains("## ADR-003: Learned"),
        "{text}"
    );
    assert!(text.starts_with("<!-- TL;DR: 2 decisions. Key: ADR-001, ADR-003 -->"), "{text}");
    assert!(!folder(&scene).join(".memory/PROJECT-PATTERNS.md").exists());
    let copy = done["backups"][0]["copy"].as_str().expect("a copy");
    assert_eq!(fs::read_to_string(folder(&scene).join(copy)).expect("a copy"), LEGACY);
    // The other rule takes all that name no observation, and a number is never given again.
    put(&scene, ".memory/knowledge/decisions.md", &format!("{LEGACY}\n## ADR-009: By hand\n\n- **Status**: Accepted\n"));
    let all = json_of(&scene, &["learn", "purge-legacy", "--rule", "v3", "--yes", "--json"]);
    assert_eq!(all["entries"].as_array().map(Vec::len), Some(3), "{all}");
    publish(&scene, &[ready("obs_000007", "decision", "Use SQLite")]);
    assert!(scene.done(&["render"]).out.contains("ADR-010"));
}
