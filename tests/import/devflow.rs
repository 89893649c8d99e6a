//! The memory of Devflow: what each row becomes, and that none is lost.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use agent::import::Imported;
use agent::import::devflow::{Account, Memory, import_memory};
use event::{Kind, Latest, Parser};
use jiff::Timestamp;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::Scene;

const ROOT: &str = "/home/ann/shop";

fn import(log: &str, manifest: Option<&str>, usage: Option<&str>) -> Account {
    let memory = Memory { log: Some(log.as_bytes()), manifest: manifest.map(str::as_bytes), usage: usage.map(str::as_bytes) };
    let account = import_memory(memory, &[ROOT], "shop", &|_, _| None);
    for imported in [&account.log, &account.manifest, &account.usage].into_iter().flatten() {
        check(imported);
    }
    account
}

/// Every record is accounted for, and the door takes every event.
fn check(imported: &Imported) {
    let counts = imported.counts;
    assert_eq!(counts.records, counts.taken + counts.parts + counts.duplicates + counts.blank + counts.left_out, "{imported:?}");
    assert_eq!(counts.left_out, imported.odd.iter().filter(|odd| !odd.taken).count(), "{imported:?}");
    assert_eq!((imported.lines.len(), imported.places.len()), (counts.taken, counts.taken), "{imported:?}");
    let now: Timestamp = "2026-12-01T00:00:00Z".parse().expect("a time");
    let mut door = Parser::new(Latest::from_clock(now.as_microsecond()));
    for line in &imported.lines {
        assert!(!line.contains(['\n', '\r']), "{line}");
        let event = door.parse(line).unwrap_or_else(|refusal| panic!("{refusal}: {line}"));
        assert!(matches!(event.body.kind(), Kind::Observation | Kind::Artifact), "{line}");
    }
}

fn events(imported: &Imported) -> Vec<Value> {
    imported.lines.iter().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn log_of(account: &Account) -> &Imported {
    account.log.as_ref().expect("a log")
}

fn row(id: &str, more: &Value) -> Value {
    let mut row = json!({"id": id, "type": "decision", "pattern": "Results over exceptions", "confidence": 0.95, "observations": 2,
        "first_seen": "2026-05-01T00:00:00Z", "last_seen": "2026-05-10T12:00:00Z", "status": "created", "evidence": ["a", "b"],
        "details": "context: errors", "quality_ok": true});
    row.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
    row
}

#[test]
fn a_row_becomes_an_observation_that_says_what_was_counted() {
    let more = json!({"artifact_path": "/home/ann/shop/.memory/knowledge/decisions.md#ADR-001", "deprecated_at": "2026-05-11T09:00:00.500Z",
        "mayBeStale": true, "staleReason": "code-ref-missing:src/gone.rs", "needsReview": true, "softCapExceeded": false, "n": 3});
    let usage = r#"{"version":1,"entries":{"ADR-001":{"cites":4,"last_cited":"2026-05-12T00:00:00.000Z","created":"2026-05-10T12:00:00.000Z"}}}"#;
    let account = import(&row("obs_abc123", &more).to_string(), None, Some(usage));
    assert_eq!(
        events(log_of(&account)),
        [json!({"kind": "observation", "ts": "2026-05-10T12:00:00Z", "project": "shop", "observation_id": "obs_abc123",
            "type": "decision", "pattern": "Results over exceptions", "evidence": ["a", "b"], "details": "context: errors", "quality_ok": true,
            "prior": {"observations": 2, "confidence": 0.95, "status": "created", "first_seen": "2026-05-01T00:00:00Z",
                "last_seen": "2026-05-10T12:00:00Z", "artifact_path": ".memory/knowledge/decisions.md", "anchor": "ADR-001",
                "deprecated_at": "2026-05-11T09:00:00.5Z", "stale_reason": "src/gone.rs", "needs_review": true, "other": {"n": 3},
                "cites": 4, "last_cited": "2026-05-12T00:00:00Z"}})]
    );
    assert_eq!(account.usage.expect("usage").counts.parts, 1);
    assert!(log_of(&import(&row("obs_abc123", &more).to_string(), None, None)).odd.is_empty());
}

#[test]
fn of_rows_with_one_id_the_last_counts_and_the_others_are_named() {
    let seen = json!({"first_seen": "2026-05-01T00:00:00Z"});
    let with = |more: &Value| {
        let mut row = seen.clone();
        row.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        row
    };
    let log = [
        with(&json!({"id": "obs_1", "type": "workflow", "pattern": "a", "n": 1})).to_string(),
        with(&json!({"id": "obs_2", "type": "workflow", "pattern": "b"})).to_string(),
        with(&json!({"id": "obs_1", "type": "workflow", "pattern": "c", "n": 3})).to_string(),
        with(&json!({"id": "obs_1", "type": "other", "pattern": "d"})).to_string(),
        with(&json!({"type": "workflow", "pattern": "noid"})).to_string(),
        "null".to_owned(),
        String::new(),
        "{bad".to_owned(),
    ]
    .join("\n");
    let account = import(&log, None, None);
    let imported = log_of(&account);
    let patterns: Vec<String> =
        events(imported).iter().map(|event| event["pattern"].as_str().expect("a text").to_owned()).collect();
    assert_eq!(patterns, ["b", "c"]);
    let odd: Vec<(usize, bool)> = imported.odd.iter().map(|odd| (odd.line, odd.taken)).collect();
    assert_eq!(odd, [(1, true), (4, false), (5, false), (6, false), (8, false)]);
    assert!(imported.odd[0].reason.contains("line 3"), "{:?}", imported.odd[0]);
    assert_eq!((imported.counts.duplicates, imported.counts.blank, imported.counts.left_out), (1, 1, 4));
}

#[test]
fn what_is_odd_is_mended_or_refused_with_its_reason() {
    let odd = |more: Value| {
        let account = import(&row("obs_1", &more).to_string(), None, None);
        let imported = log_of(&account).clone();
        (events(&imported).pop(), imported.odd.iter().map(|odd| odd.reason.clone()).collect::<Vec<_>>().join("; "))
    };
    let (event, reason) =
        odd(json!({"evidence": "abc", "observations": -1, "confidence": 3, "last_seen": "yesterday", "quality_ok": "true"}));
    let event = event.expect("an event");
    assert_eq!(
        (&event["evidence"], &event["quality_ok"], &event["ts"]),
        (&json!(["abc"]), &false.into(), &"2026-05-01T00:00:00Z".into())
    );
    assert!(event["prior"].get("observations").is_none() && event["prior"].get("confidence").is_none(), "{event}");
    for wanted in ["evidence", "observations", "confidence", "yesterday"] {
        assert!(reason.contains(wanted), "{wanted} in {reason}");
    }
    let (event, reason) = odd(json!({"artifact_path": "/etc/passwd"}));
    assert!(event.expect("an event")["prior"].get("artifact_path").is_none() && reason.contains("outside the project"), "{reason}");
    for (more, wanted) in [
        (json!({"id": ""}), "names no `id`"),
        (json!({"id": "obs_a/b"}), "is not a valid name"),
        (json!({"id": "manual_1"}), "does not begin with `obs_`"),
        (json!({"type": 3}), "not a text"),
        (json!({"status": "lost"}), "not one of observing"),
        (json!({"pattern": " "}), "names no `pattern`"),
        (json!({"first_seen": null, "last_seen": null}), "no time of the first or last sighting"),
        (json!({"last_seen": "1999-01-01T00:00:00Z", "first_seen": null}), "no time of the first or last sighting"),
    ] {
        let (event, reason) = odd(more.clone());
        assert!(event.is_none() && reason.contains(wanted), "{more}: {reason}");
    }
}

#[test]
fn a_manifest_says_what_was_rendered_and_its_hashes_are_not_taken() {
    let log = [
        row("obs_1", &json!({"type": "workflow", "artifact_path": "/old/shop/.claude/commands/self-learning/ship-it.md"})),
        row("obs_2", &json!({})),
        row("obs_3", &json!({"status": "deprecated"})),
    ]
    .map(|row| row.to_string())
    .join("\n");
    let entry = |id: &str, path: &str| json!({"observationId": id, "type": "workflow", "path": path, "contentHash": "1a2b", "renderedAt": "2026-05-10T12:00:00.000Z"});
    let mut decision = entry("obs_2", "/home/ann/shop/.memory/knowledge/decisions.md");
    decision["anchorId"] = "ADR-001".into();
    decision["type"] = "decision".into();
    let entries = [
        entry("obs_1", "/home/ann/shop/.claude/commands/self-learning/ship-it.md"),
        decision,
        entry("obs_3", "/home/ann/shop/.claude/commands/self-learning/x.md"),
        entry("obs_9", "/home/ann/shop/.claude/commands/self-learning/y.md"),
        entry("obs_1", "/etc/passwd"),
        json!(3),
    ];
    let usage = json!({"version": 1, "entries": {"ADR-001": {"cites": 2, "last_cited": null}, "ADR-002": {"cites": 0, "last_cited": null},
        "ADR-003": {"cites": 1}, "PF-001": {"cites": "many"}}});
    let account = import(&log, Some(&json!({"schemaVersion": 1, "entries": entries}).to_string()), Some(&usage.to_string()));
    let manifest = account.manifest.as_ref().expect("a manifest");
    assert_eq!(
        events(manifest),
        [
            json!({"kind": "artifact", "ts": "2026-05-10T12:00:00Z", "project": "shop", "action": "rendered", "observation_id": "obs_1",
                "type": "workflow", "path": ".claude/commands/self-learning/ship-it.md"}),
            json!({"kind": "artifact", "ts": "2026-05-10T12:00:00Z", "project": "shop", "action": "rendered", "observation_id": "obs_2",
                "type": "decision", "path": ".memory/knowledge/decisions.md", "anchor": "ADR-001"}),
        ]
    );
    assert_eq!((manifest.counts.parts, manifest.counts.left_out), (1, 3));
    let counts = account.usage.as_ref().expect("usage").counts;
    assert_eq!((counts.parts, counts.blank, counts.left_out), (1, 1, 2));
    let rows = events(log_of(&account));
    assert_eq!(rows[0]["prior"]["artifact_path"], ".claude/commands/self-learning/ship-it.md");
    assert_eq!(rows[1]["prior"]["cites"], 2);
    for broken in ["", "{}", "[]", "{\"version\":2,\"entries\":{}}"] {
        let account = import("", Some(broken), Some(broken));
        assert_eq!(
            (account.manifest.expect("a manifest").counts.left_out, account.usage.expect("usage").counts.left_out),
            (1, 1),
            "{broken}"
        );
    }
}

proptest! {
    #[test]
    fn whatever_the_files_hold_every_record_is_accounted_for(
        log in "(\\{\"id\":\"obs_[0-9]\",\"type\":\"(workflow|x)\",\"pattern\":\"[ab]?\",\"last_seen\":\"2026-05-0[0-9]T00:00:00Z\"\\}|null|\\PC{0,9}|)(\n(\\{\"id\":\"obs_[0-9]\",\"type\":\"pitfall\",\"pattern\":\"a\",\"first_seen\":\"2026-05-01T00:00:00Z\",\"artifact_path\":\"/x/.memory/knowledge/pitfalls.md#PF-00[12]\"\\}|))*",
        manifest in "\\{\"entries\":\\[(\\{\"observationId\":\"obs_[0-9]\",\"path\":\"/home/ann/shop/[a.]{1,3}\",\"renderedAt\":\"2026-05-01T00:00:00Z\"\\}|1)(,(\\{\"observationId\":\"obs_[0-9]\",\"path\":\"a/b\",\"renderedAt\":\"2026-05-01T00:00:00Z\",\"anchorId\":\"PF-001\"\\}|null))*\\]\\}?",
        usage in "\\{\"version\":1,\"entries\":\\{\"PF-00[12]\":\\{\"cites\":[0-9-]{1,2}\\}\\}\\}",
    ) {
        import(&log, Some(&manifest), Some(&usage));
    }
}

/// A project of the other system.
fn project(scene: &Scene) -> PathBuf {
    let root = scene.root().join("shop");
    let memory = root.join(".memory");
    fs::create_dir_all(memory.join("knowledge")).expect("folders");
    let path = root.canonicalize().expect("a path").join(".memory/knowledge/decisions.md");
    let log = format!(
        "{}\n{}\n",
        row("obs_abc123", &json!({"artifact_path": format!("{}#ADR-001", path.display())})),
        row("obs_def456", &json!({"status": "ready", "pattern": "Squash before merging"}))
    );
    fs::write(memory.join("learning-log.jsonl"), log).expect("a log");
    let entry = json!({"observationId": "obs_abc123", "type": "decision", "path": path, "renderedAt": "2026-05-10T12:00:00.000Z", "anchorId": "ADR-001"});
    fs::write(memory.join(".learning-manifest.json"), json!({"schemaVersion": 1, "entries": [entry]}).to_string())
        .expect("a manifest");
    fs::write(memory.join("learning-log.v1.jsonl.bak"), "{}\n").expect("an old log");
    fs::write(memory.join("knowledge/decisions.md"), "## ADR-001: x\n").expect("knowledge");
    root
}

#[test]
fn a_project_is_imported_once_however_often_it_is() {
    let scene = Scene::new();
    let root = project(&scene);
    let path = root.to_str().expect("a path");
    let planned: Value = serde_json::from_str(&scene.done(&["import", "devflow", path, "--dry-run", "--json"]).out).expect("JSON");
    assert_eq!((planned["files"].as_array().map(Vec::len), planned["left"].as_array().map(Vec::len)), (Some(2), Some(2)));
    assert_eq!(fs::read_dir(scene.workspace.inbox()).expect("the inbox").count(), 0);
    let shown = scene.done(&["import", "devflow", path]);
    assert!(shown.error.contains("learning-log.v1.jsonl.bak: is not imported"), "{}", shown.error);
    scene.done(&["import", "devflow", root.join(".memory").to_str().expect("a path")]);
    scene.done(&["run", "compact"]);
    let count = |table: &str| scene.count(&format!("select count(*) from {table} where project like 'shop-%'"));
    assert_eq!((count("observation"), count("artifact")), (2, 1));
    assert_eq!(
        scene.count("select count(*) from observation where prior like '%\"artifact_path\":\".memory/knowledge/decisions.md\"%'"),
        1
    );
    assert_eq!(scene.count("select count(*) from quarantine"), 0);
    fs::write(root.join(".memory/learning-log.jsonl"), "{\"id\":\"obs_3\"}\n").expect("a log");
    let outcome = scene.run(&["import", "devflow", path, "--project", "other"]);
    assert!(outcome.code == 1 && outcome.error.contains("learning-log.jsonl:1: skipped: names no `type`"), "{}", outcome.error);
}

#[test]
fn links_that_lead_out_and_folders_without_a_memory_are_not_read() {
    let scene = Scene::new();
    let root = project(&scene);
    let outcome = scene.run(&["import", "devflow", scene.root().to_str().expect("a path")]);
    assert!(outcome.code == 2 && outcome.error.contains("no Devflow data"), "{}", outcome.error);
    let secret = scene.root().join("secret.jsonl");
    fs::rename(root.join(".memory/learning-log.jsonl"), &secret).expect("it moves");
    symlink(&secret, root.join(".memory/learning-log.jsonl")).expect("a link");
    let told: Value =
        serde_json::from_str(&scene.run(&["import", "devflow", root.to_str().expect("a path"), "--json"]).out).expect("JSON");
    assert_eq!(told["outside"].as_array().map(Vec::len), Some(1), "{told}");
    fs::rename(root.join(".memory"), scene.root().join("elsewhere")).expect("it moves");
    symlink(scene.root().join("elsewhere"), root.join(".memory")).expect("a link");
    let told: Value =
        serde_json::from_str(&scene.done(&["import", "devflow", root.to_str().expect("a path"), "--json"]).out).expect("JSON");
    assert_eq!((told["files"].as_array().map(Vec::len), told["outside"].as_array().map(Vec::len)), (Some(0), Some(1)), "{told}");
}

#[test]
fn what_was_taken_over_goes_on_from_where_it_was() {
    let scene = Scene::new();
    let root = project(&scene);
    let path = root.to_str().expect("a path");
    scene.done(&["import", "devflow", path]);
    let mut files = Vec::new();
    for _ in 0..2 {
        scene.done(&["run", "hourly"]);
        let list: Value = serde_json::from_str(&scene.done(&["learn", "list", "--json"]).out).expect("JSON");
        let told = list.as_array().expect("a list").iter().map(|one| {
            let word = |name: &str| one[name].as_str().unwrap_or_default().to_owned();
            (word("id"), word("status"), word("anchor"), word("artifact_path"), one["observations"].as_i64().unwrap_or_default())
        });
        files.push(told.collect::<Vec<_>>());
        scene.done(&["import", "devflow", path]);
    }
    assert_eq!(files[0], files[1]);
    let word = str::to_owned;
    assert_eq!(
        files[0],
        [
            (word("obs_abc123"), word("created"), word("ADR-001"), word(".memory/knowledge/decisions.md"), 2),
            (word("obs_def456"), word("ready"), word(""), word(""), 2),
        ]
    );
    let status = |id: &str| {
        scene.done(&["run", "hourly"]);
        let one: Value = serde_json::from_str(&scene.done(&["learn", "show", id, "--json"]).out).expect("JSON");
        one["status"].as_str().expect("a status").to_owned()
    };
    scene.done(&["learn", "deprecate", "ADR-001", "--reason", "no longer"]);
    assert_eq!(status("obs_abc123"), "deprecated");
    scene.done(&["learn", "restore", "obs_abc123"]);
    assert_ne!(status("obs_abc123"), "deprecated");
    let list: Value = serde_json::from_str(&scene.done(&["learn", "list", "--json"]).out).expect("JSON");
    scene.done(&["learn", "clear", "--yes", "--project", list[0]["project"].as_str().expect("a project")]);
    scene.done(&["run", "hourly"]);
    let left: Value = serde_json::from_str(&scene.done(&["learn", "list", "--all", "--json"]).out).expect("JSON");
    assert_eq!(left.as_array().map(Vec::len), Some(1), "{left}");
    assert_eq!((&left[0]["id"], &left[0]["status"]), (&"obs_abc123".into(), &"created".into()), "what was rendered stays");
}

#[test]
fn what_was_deleted_before_the_import_is_noticed() {
    let scene = Scene::new();
    let folder = scene.root().parent().expect("a folder").join("shop");
    let file = |name: &str, text: &str| {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    };
    let row = |id: &str, kind: &str| {
        json!({"id": id, "type": kind, "pattern": id, "confidence": 0.95, "observations": 3, "first_seen": "2026-05-01T00:00:00Z",
            "last_seen": "2026-05-10T00:00:00Z", "status": "created", "evidence": [], "details": "", "quality_ok": true})
    };
    let rows = [
        row("obs_kept01", "workflow"),
        row("obs_gone01", "workflow"),
        row("obs_kept02", "decision"),
        row("obs_gone02", "decision"),
    ];
    file(".memory/learning-log.jsonl", &rows.map(|row| row.to_string() + "\n").concat());
    let entry = |id: &str, kind: &str, path: &str, anchor: Option<&str>| json!({"observationId": id, "type": kind, "path": folder.join(path).to_string_lossy(), "contentHash": "1", "renderedAt": "2026-05-10T12:00:00.000Z", "anchorId": anchor});
    let entries = [
        entry("obs_kept01", "workflow", ".claude/commands/self-learning/kept.md", None),
        entry("obs_gone01", "workflow", ".claude/commands/self-learning/gone.md", None),
        entry("obs_kept02", "decision", ".memory/knowledge/decisions.md", Some("ADR-001")),
        entry("obs_gone02", "decision", ".memory/knowledge/decisions.md", Some("ADR-002")),
    ];
    file(".memory/.learning-manifest.json", &json!({"schemaVersion": 1, "entries": entries}).to_string());
    file(".claude/commands/self-learning/kept.md", "kept");
    file(".memory/knowledge/decisions.md", "## ADR-001: kept\n\n- **Status**: Accepted\n");
    for _ in 0..2 {
        scene.done(&["import", "devflow", &folder.to_string_lossy(), "--project", "shop"]);
    }
    scene.done(&["run", "compact"]);
    assert_eq!(scene.count("select count(*) from quarantine"), 0);
    assert_eq!(scene.count("select count(*) from artifact where action = 'rendered'"), 4);
    let deleted = "select count(*) from artifact where action = 'deleted' and observation_id in ('obs_gone01', 'obs_gone02')";
    assert_eq!((scene.count(deleted), scene.count("select count(*) from artifact where action = 'deleted'")), (2, 2));
}
