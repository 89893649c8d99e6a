//! `outerloop import jkz`: a project of the other system becomes events, however often it is imported.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::support::Scene;

const SAYING: &str = "Validate webhook signatures before the body is parsed";
const OTHER: &str = "Config loader falls back silently on missing keys";

/// A project of the other system, inside of the workspace's folder.
fn project(scene: &Scene) -> PathBuf {
    let folder = scene.root().join("shop");
    fs::create_dir_all(folder.join("state/deliberations")).expect("folders");
    for (name, day, saying) in [("10-judge-1", "01", SAYING), ("11-judge-1", "02", SAYING), ("11-lens-1", "02", OTHER)] {
        let response = format!("Words.\n\n## Accumulated Patterns\n- {saying}\n");
        let record = json!({"timestamp": format!("2026-11-{day}T10:00:00Z"), "status": "success", "response": response});
        fs::write(folder.join(format!("state/deliberations/{name}.json")), record.to_string()).expect("a record");
    }
    folder
}

fn json(scene: &Scene, arguments: &[&str]) -> Value {
    serde_json::from_str(&scene.done(arguments).out).expect("JSON")
}

#[test]
fn deliberations_become_patterns_and_importing_twice_is_importing_once() {
    let scene = Scene::new();
    let folder = project(&scene);
    let path = folder.to_str().expect("a path");
    let planned = json(&scene, &["import", "jkz", path, "--dry-run", "--json"]);
    assert_eq!((&planned["is_dry_run"], planned["files"].as_array().map(Vec::len)), (&true.into(), Some(3)));
    assert_eq!(fs::read_dir(scene.workspace.inbox()).expect("the inbox").count(), 0);
    for _ in 0..2 {
        let shown = scene.done(&["import", "jkz", path]);
        assert!(shown.out.contains("deliberations/*.json") && shown.error.contains("outerloop run hourly"), "{}", shown.out);
        scene.done(&["run", "hourly"]);
        assert_eq!(scene.count("select count(*) from deliberation where project like 'shop-%'"), 3);
        let pattern = json(&scene, &["patterns", "show", "D-001", "--json"]);
        assert_eq!(
            (&pattern["seen"], &pattern["contexts"], &pattern["role"]),
            (&2.into(), &2.into(), &"judge".into()),
            "{pattern}"
        );
    }
    assert_eq!(scene.count("select count(*) from quarantine"), 0);
    // A part of the project is the same project.
    scene.done(&["import", "jkz", folder.join("state/deliberations/10-judge-1.json").to_str().expect("a path")]);
    scene.done(&["run", "compact"]);
    assert_eq!(scene.count("select count(*) from deliberation"), 3);
}

/// J5: what rejections count for, in stores of old and of today.
#[test]
fn rows_bring_their_counts_along() {
    let scene = Scene::new();
    let folder = project(&scene);
    let row = |text: &str, role: &str, weight: Value| {
        json!({"text": text, "role": role, "success_count": 5, "ignore_count": 2, "ignore_weight_score": weight,
            "last_used": "2026-11-15T10:00:00Z", "lifecycle_state": "verified", "was_validated": 1, "project_id": "p"})
    };
    let rows = json!([row(SAYING, "judge", json!(null)), row(SAYING, "sentinel", json!(3.0)), row(OTHER, "judge", json!(0))]);
    fs::write(folder.join("state/patterns.json"), rows.to_string()).expect("rows");
    for _ in 0..2 {
        scene.done(&["import", "jkz", folder.to_str().expect("a path"), "--project", "web"]);
        scene.done(&["run", "hourly"]);
    }
    for (id, role, rate) in [("D-001", "judge", 5.0 / 7.0), ("D-002", "sentinel", 0.625), ("D-003", "judge", 5.0 / 7.0)] {
        let pattern = json(&scene, &["patterns", "show", id, "--json"]);
        assert_eq!((&pattern["role"], &pattern["state"], &pattern["project"]), (&role.into(), &"verified".into(), &"web".into()));
        assert!(pattern["rate"].as_f64().is_some_and(|found| (found - rate).abs() < 1e-9), "{pattern}");
        assert_eq!((&pattern["last_used"], &pattern["is_trusted"]), (&"2026-11-15T10:00:00Z".into(), &true.into()));
    }
    // What the lens said before the rows were written is none of them.
    assert_eq!(json(&scene, &["patterns", "list", "--roles", "--json"]).as_array().map(Vec::len), Some(3));
    assert_eq!(scene.count("select count(*) from quarantine"), 0);
}

/// J13: what the outcome of a run adds to counts that were taken over.
#[test]
fn outcomes_count_on_top_of_what_was_taken_over() {
    let scene = Scene::new();
    let row = json!({"text": SAYING, "role": "sentinel", "success_count": 3, "ignore_count": 1, "ignore_weight_score": 1.5,
        "last_used": "2026-11-15T10:00:00Z"});
    let rows = scene.root().join("patterns.jsonl");
    fs::write(&rows, format!("{row}\n")).expect("rows");
    scene.done(&["import", "jkz", rows.to_str().expect("a path"), "--project", "web"]);
    scene.done(&["run", "hourly"]);
    scene.done(&["inject", "--role", "sentinel", "--project", "web", "--record", "r1", "--strict"]);
    for (ending, rate) in [("pass", 4.0 / 5.5), ("fail", 0.6)] {
        scene.done(&["outcome", "r1", ending, "--project", "web", "--strict"]);
        scene.done(&["run", "hourly"]);
        let pattern = json(&scene, &["patterns", "show", "D-001", "--json"]);
        assert!(pattern["rate"].as_f64().is_some_and(|found| (found - rate).abs() < 1e-9), "{ending}: {pattern}");
    }
}

#[test]
fn odd_files_are_named_and_the_rest_is_taken() {
    let scene = Scene::new();
    let folder = project(&scene);
    let records = folder.join("state/deliberations");
    fs::write(records.join("12-judge-1.json"), "{ not json").expect("a record");
    fs::write(records.join("notes.txt"), "x").expect("a stranger");
    fs::create_dir(records.join("archive.json")).expect("a folder");
    fs::write(folder.join("state/memory.db"), "SQLite").expect("a database");
    fs::write(scene.root().join("outside.json"), "{}").expect("a file");
    symlink(scene.root().join("outside.json"), records.join("13-judge-1.json")).expect("a link");
    symlink(scene.root().join("nowhere.json"), records.join("14-judge-1.json")).expect("a link");
    let outcome = scene.run(&["import", "jkz", folder.to_str().expect("a path")]);
    assert_eq!(outcome.code, 1, "{}", outcome.error);
    for wanted in [
        "12-judge-1.json:0: skipped: is not JSON",
        "notes.txt",
        "archive.json",
        "13-judge-1.json",
        "14-judge-1.json",
        "memory.db is not read",
    ] {
        assert!(outcome.error.contains(wanted), "{wanted} in {}", outcome.error);
    }
    scene.done(&["run", "compact"]);
    assert_eq!(scene.count("select count(*) from deliberation"), 3);
}

#[test]
fn a_folder_without_anything_of_it_is_refused() {
    let scene = Scene::new();
    let outcome = scene.run(&["import", "jkz", scene.workspace.history().to_str().expect("a path")]);
    assert!(outcome.code == 2 && outcome.error.contains("state/deliberations"), "{}", outcome.error);
    assert_eq!(scene.run(&["import", "jkz", nowhere!("/place")]).code, 2);
}

#[test]
fn a_database_is_read_directly_and_keeps_its_projects_apart() {
    let scene = Scene::new();
    let folder = scene.root().join("loop/state");
    fs::create_dir_all(&folder).expect("a folder");
    let made = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/import/sqlite");
    for name in ["memory.db", "memory.db-wal"] {
        fs::copy(made.join(name), folder.join(name)).expect("a copy");
    }
    let before = [fs::read(folder.join("memory.db")).expect("a file"), fs::read(folder.join("memory.db-wal")).expect("a file")];
    for path in [folder.parent().expect("a folder"), &folder.join("memory.db")] {
        let outcome = scene.run(&["import", "jkz", path.to_str().expect("a path")]);
        assert_eq!(outcome.code, 0, "{}", outcome.error);
        scene.done(&["run", "hourly"]);
        for (project, patterns) in [("shop", 59), ("desk", 30)] {
            let sql = format!("select count(*) from deliberation where project = '{project}' and role = 'judge'");
            assert_eq!(scene.count(&sql), patterns, "{project}");
        }
        assert_eq!(scene.count("select count(*) from deliberation where role = 'lens' and project in ('shop', 'desk')"), 2);
        assert_eq!(scene.count("select count(*) from deliberation"), 91);
        assert_eq!(scene.count("select count(*) from quarantine"), 0);
    }
    let listed = json(&scene, &["patterns", "list", "--roles", "--project", "desk", "--all", "--json"]);
    let listed = listed.as_array().expect("patterns");
    assert!(listed.iter().all(|pattern| pattern["text"].as_str().is_some_and(|text| text.contains("desk"))), "{listed:?}");
    assert_eq!(
        before,
        [fs::read(folder.join("memory.db")).expect("a file"), fs::read(folder.join("memory.db-wal")).expect("a file")]
    );
    assert_eq!(fs::read_dir(&folder).expect("the folder").count(), 2, "nothing is written beside the database");
}

#[test]
fn records_of_several_projects_stay_in_their_own() {
    let scene = Scene::new();
    let folder = scene.root().join("loop/state/deliberations");
    fs::create_dir_all(&folder).expect("a folder");
    for (issue, project) in [(1, json!("web")), (2, json!("api")), (3, Value::Null)] {
        let response = format!("## Accumulated Patterns\n- {SAYING}\n");
        let record = json!({"timestamp": "2026-11-01T10:00:00Z", "response": response, "project_id": project});
        fs::write(folder.join(format!("{issue}-judge-1.json")), record.to_string()).expect("a record");
    }
    // What the rows of one project count says nothing of another's records.
    let row = json!({"text": OTHER, "role": "judge", "project_id": "api", "last_used": "2026-11-15T10:00:00Z"});
    fs::write(folder.join("../patterns.json"), json!([row]).to_string()).expect("rows");
    scene.done(&[
        "import",
        "jkz",
        folder.parent().and_then(std::path::Path::parent).and_then(|path| path.to_str()).expect("a path"),
    ]);
    scene.done(&["run", "hourly"]);
    let sql = "select project, count(*) as n, sum(len(patterns)) as said from deliberation group by project order by project";
    let out = scene.done(&["query", sql, "--format", "csv"]).out;
    let lines: Vec<&str> = out.lines().skip(1).collect();
    assert!(lines.len() == 3 && lines[1].starts_with("loop-") && lines[1].ends_with(",1,1"), "{lines:?}");
    assert_eq!((lines[0], lines[2]), ("api,2,1", "web,1,1"));
}
