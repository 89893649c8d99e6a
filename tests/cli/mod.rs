//! What a person types and sees: one test a command and an exit code.

mod adopt;
mod claude;
mod contract;
mod diff;
mod document;
mod explain;
pub mod hostile;
mod hud;
mod import;
mod jkz;
mod learn;
mod learned;
mod memory;
mod patterns;
mod plugin;
mod policy;
mod query;
mod registration;
mod report;
mod role;
mod schedule;
mod schema;
mod settings;
mod sql;
mod truth;

use std::fs;

use crate::support::{Material, Scene, command};

const EVENT: &str = "{\"kind\":\"build\",\"ts\":\"2026-10-01T00:00:00Z\",\"id\":\"one\",\"run_id\":\"r\",\"passed\":true}\n";

#[test]
fn record_takes_the_good_lines_and_reports_the_bad_ones_with_their_numbers() {
    let scene = Scene::new();
    let input = format!("{EVENT}oops\n\n{}", EVENT.replace("one", "two").replace("build", "party"));
    let outcome = scene.run_with(&["record", "--json"], input.as_bytes());
    assert_eq!(outcome.code, 1);
    assert_eq!(outcome.out.trim(), r#"{"recorded":1,"refused":2,"redacted":0}"#);
    assert!(outcome.error.contains("stdin:2: not_json:") && outcome.error.contains("stdin:4: unknown_kind:"), "{}", outcome.error);
}

#[test]
fn record_fills_in_kind_time_and_project() {
    let scene = Scene::new();
    let outcome =
        scene.run_with(&["record", "--kind", "build", "--project", "shop"], b"{\"run_id\":\"r\",\"passed\":\"failed\"}\n");
    assert_eq!(outcome.code, 0, "{}", outcome.error);
    scene.done(&["run", "compact"]);
    assert_eq!(scene.count("select count(*) from build where project = 'shop' and not passed and ts > timestamp '2026-01-01'"), 1);
}

#[test]
fn record_redacts_secrets_before_they_touch_the_disk() {
    let scene = Scene::new();
    let secret = format!("AK{}", "IAZ7Q2M4X9P3L8K5T1");
    let line = EVENT.replace("\"passed\"", &format!("\"details\":\"key {secret}\",\"passed\""));
    let outcome = scene.run_with(&["record", "--json"], line.as_bytes());
    assert_eq!(outcome.out.trim(), r#"{"recorded":1,"refused":0,"redacted":1}"#);
    for entry in fs::read_dir(scene.workspace.inbox()).expect("the inbox") {
        let text = fs::read_to_string(entry.expect("an entry").path()).expect("text");
        assert!(!text.contains(&secret) && text.contains("[REDACTED:"), "{text}");
    }
}

#[test]
fn files_are_private_to_the_user() {
    use std::os::unix::fs::PermissionsExt as _;
    let scene = Scene::new();
    scene.run_with(&["record"], EVENT.as_bytes());
    scene.done(&["run", "compact"]);
    let mut folders = vec![scene.root().to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let entry = entry.expect("an entry");
            let metadata = entry.metadata().expect("metadata");
            assert_eq!(metadata.permissions().mode() & 0o077, 0, "{}", entry.path().display());
            if metadata.is_dir() {
                folders.push(entry.path());
            }
        }
    }
}

#[test]
fn query_prints_every_format() {
    let scene = Scene::new();
    let line = EVENT
        .replace("build", "application")
        .replace("\"passed\":true", "\"status\":\"applied\",\"trigger\":\"a,\\u001b[31mb\",\"citations\":[\"x:1\",\"y:2\"]");
    scene.run_with(&["record"], line.as_bytes());
    scene.done(&["run", "compact"]);
    let ask = |format: &str| scene.done(&["query", "select id, trigger, citations from application", "--format", format]).out;
    assert_eq!(ask("csv"), "id,trigger,citations\none,\"a,\u{1b}[31mb\",\"[\"\"x:1\"\",\"\"y:2\"\"]\"\n");
    assert_eq!(ask("json"), "[{\"id\":\"one\",\"trigger\":\"a,\\u001b[31mb\",\"citations\":[\"x:1\",\"y:2\"]}]\n");
    assert_eq!(ask("jsonl").lines().count(), 1);
    let table = ask("table");
    assert!(table.contains("[x:1, y:2]") && !table.contains('\u{1b}'), "{table}");
    let path = scene.root().join("rows.parquet");
    scene.done(&["query", "from application", "--format", "parquet", "--output", path.to_str().expect("a path")]);
    assert_eq!(&fs::read(&path).expect("the file")[..4], b"PAR1");
}

#[test]
fn query_reads_a_file_and_stdin() {
    let scene = Scene::new();
    let path = scene.root().join("question.sql");
    fs::write(&path, "select 40 + 2 as answer").expect("a query");
    assert!(scene.done(&["query", "-f", path.to_str().expect("a path"), "--format", "csv"]).out.contains("42"));
    assert!(scene.run_with(&["query", "--format", "csv"], b"select 40 + 3 as answer").out.contains("43"));
}

#[test]
fn query_only_reads() {
    let scene = Scene::new();
    scene.run_with(&["record"], EVENT.as_bytes());
    scene.done(&["run", "compact"]);
    let target = scene.workspace.lake().join("x.parquet");
    for sql in [
        format!("copy (select 1) to '{}'", target.display()),
        "create table t as select 1".to_owned(),
        "drop view build".to_owned(),
        "select 1; create table t (a int)".to_owned(),
        "attach 'x.db'".to_owned(),
        "set lock_configuration = false".to_owned(),
        "from read_text('/etc/hosts')".to_owned(),
        "from '/etc/hosts'".to_owned(),
        "install httpfs".to_owned(),
    ] {
        let outcome = scene.run(&["query", &sql]);
        assert_eq!(outcome.code, 2, "{sql}: {}", outcome.out);
        assert!(outcome.error.contains("remedy: "), "{}", outcome.error);
    }
    assert!(!target.exists());
}

#[test]
fn a_bad_query_gets_a_hint() {
    let scene = Scene::new();
    let outcome = scene.run(&["query", "select agnt from application"]);
    assert_eq!(outcome.code, 2);
    assert!(
        outcome.error.contains("agent") && outcome.error.contains("the tables are adapter_day, aftermath, application"),
        "{}",
        outcome.error
    );
    let outcome = scene.run(&["query", "selec 1"]);
    assert_eq!(outcome.code, 2);
    assert!(outcome.error.contains("syntax error"), "{}", outcome.error);
}

#[test]
fn every_table_can_be_asked_before_anything_landed() {
    let scene = Scene::new();
    for kind in event::Kind::ALL {
        assert_eq!(scene.count(&format!("select count(*) from \"{}\" where date is null and landing_seq is null", kind.name())), 0);
    }
    assert_eq!(scene.count("select count(*) from quarantine"), 0);
}

#[test]
fn an_empty_table_has_the_columns_of_a_full_one() {
    let (empty, full) = (Scene::new(), Scene::new());
    full.land("a.jsonl", &Material::made(3, 3000).bytes);
    full.done(&["run", "compact"]);
    for name in event::Kind::ALL.iter().map(|kind| kind.name()).chain(["quarantine"]) {
        let columns = format!("select column_name, column_type from (describe \"{name}\") order by column_name");
        let of = |scene: &Scene| scene.done(&["query", &columns, "--format", "csv"]).out;
        assert_eq!(of(&empty), of(&full), "{name}");
    }
}

#[test]
fn status_adds_up() {
    let scene = Scene::new();
    scene.land("a.jsonl", &Material::made(4, 500).bytes);
    let waiting = scene.done(&["status", "--json"]).out;
    let waiting: serde_json::Value = serde_json::from_str(&waiting).expect("JSON");
    assert_eq!(waiting["inbox"][0]["waiting_bytes"], waiting["inbox"][0]["bytes"]);
    scene.done(&["run", "compact"]);
    let status: serde_json::Value = serde_json::from_str(&scene.done(&["status", "--json"]).out).expect("JSON");
    let sum = |list: &str, field: &str| {
        status[list].as_array().expect("a list").iter().map(|row| row[field].as_u64().expect("a number")).sum::<u64>()
    };
    assert_eq!(sum("lake", "events"), status["counts"]["taken"].as_u64().expect("a number"));
    assert_eq!(sum("quarantine", "lines"), status["counts"]["quarantined"].as_u64().expect("a number"));
    assert_eq!(sum("inbox", "waiting_bytes"), 0);
    let shown = scene.done(&["status", "--days"]).out;
    assert!(shown.contains("Lake\n") && shown.contains("lines read so far"), "{shown}");
}

#[test]
fn doctor_is_content_with_a_healthy_workspace_and_names_what_is_not() {
    let scene = Scene::new();
    scene.land("a.jsonl", &Material::made(4, 100).bytes);
    scene.done(&["run", "compact"]);
    let healthy = scene.done(&["doctor"]).out;
    assert!(!healthy.contains("bad ") && healthy.contains("engine"), "{healthy}");
    fs::write(scene.workspace.settings(), "[rewrite]\nafter_weeks = 1\n").expect("settings");
    fs::write(scene.workspace.lake().join("stray.txt"), "x").expect("a stranger");
    fs::write(scene.workspace.inbox().join("old.jsonl.gz"), "x").expect("a compressed file");
    let outcome = scene.run(&["doctor"]);
    assert_eq!(outcome.code, 2);
    for wanted in ["after_weeks", "stray.txt", "old.jsonl.gz", "remedy: "] {
        assert!(outcome.out.contains(wanted), "{wanted} in {}", outcome.out);
    }
}

#[test]
fn a_second_run_exits_at_once_and_says_so() {
    let scene = Scene::new();
    let _lock = store::lock::take_lock(&scene.workspace, "2026-01-01T00:00:00Z").expect("the lock");
    let outcome = scene.run(&["run", "compact"]);
    assert_eq!(outcome.code, 75);
    assert!(
        outcome.error.contains("another run is active") && outcome.error.contains(&std::process::id().to_string()),
        "{}",
        outcome.error
    );
}

#[test]
fn jobs_lists_steps_and_a_dry_run_shows_them() {
    let scene = Scene::new();
    assert!(scene.done(&["jobs"]).out.contains("maintain"));
    assert_eq!(scene.done(&["run", "maintain", "--dry-run"]).out, "compact\nrewrite\n");
    assert_eq!(scene.done(&["run", "maintain", "--dry-run", "--from", "rewrite"]).out, "rewrite\n");
    let outcome = scene.run(&["run", "nightly"]);
    assert_eq!(outcome.code, 2);
    assert!(outcome.error.contains("the jobs are"), "{}", outcome.error);
    assert_eq!(scene.run(&["run", "../compact"]).code, 2);
}

#[test]
fn without_a_workspace_every_command_says_how_to_make_one() {
    let folder = tempfile::TempDir::new().expect("a folder");
    for arguments in [&["record"][..], &["run", "compact"], &["status"], &["query", "select 1"], &["doctor"]] {
        let output = command(&folder.path().join("nothing"), arguments)
            .stdin(std::process::Stdio::null())
            .output()
            .expect("the program starts");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("outerloop init"), "{arguments:?}");
    }
}

#[test]
fn the_demo_ends_in_an_answer() {
    let scene = Scene::new();
    let folder = scene.root().join("demo");
    let outcome = scene.done(&["demo", "--keep", folder.to_str().expect("a path")]);
    assert!(outcome.out.contains("applied_rate") && outcome.out.contains("agent-001"), "{}", outcome.out);
}

#[test]
fn the_sample_is_what_its_recipe_makes() {
    let scene = Scene::new();
    let readme = include_str!("../../data/README.md");
    let recipe =
        readme.split_once("outerloop generate").and_then(|(_, rest)| rest.split_once('>')).expect("a recipe").0.replace('\\', " ");
    let arguments: Vec<&str> = ["generate"].into_iter().chain(recipe.split_whitespace()).collect();
    let output = scene.command(&arguments).output().expect("the program starts");
    assert!(output.stdout == include_bytes!("../../data/sample.jsonl"), "data/sample.jsonl is not what its README says");
}

#[test]
fn completions_and_help_are_there() {
    let scene = Scene::new();
    assert!(scene.done(&["completions", "bash"]).out.contains("outerloop"));
    assert!(scene.done(&["--help"]).out.contains("Exit codes: 0 done"));
    assert_eq!(scene.run(&["no-such-command"]).code, 2);
}

/// The hot path must not pay for the engine: the program that records does not even load it.
#[test]
fn record_does_not_load_the_engine() {
    let scene = Scene::new();
    // The loader lists what the program needs instead of starting it.
    let listed = |program: &str| {
        let output = std::process::Command::new(program)
            .arg("record")
            .env("LD_TRACE_LOADED_OBJECTS", "1")
            .current_dir(scene.root())
            .output();
        String::from_utf8_lossy(&output.expect("the loader starts").stdout).into_owned()
    };
    let needed = listed(env!("CARGO_BIN_EXE_outerloop"));
    assert!(needed.contains("libc.so") && !needed.contains("duckdb"), "{needed}");
}

#[test]
fn instants_are_printed_in_every_format() {
    let scene = Scene::new();
    scene.land("a.jsonl", EVENT.as_bytes());
    scene.done(&["run", "compact"]);
    for (format, wanted) in [
        ("table", "2026-10-01T00:00:00Z"),
        ("csv", "2026-10-01T00:00:00Z"),
        ("json", r#"[{"ts":"2026-10-01T00:00:00Z"}]"#),
        ("jsonl", r#"{"ts":"2026-10-01T00:00:00Z"}"#),
    ] {
        let out = scene.done(&["query", "select ts from build", "--format", format]).out;
        assert!(out.contains(wanted), "{format}:\n{out}");
    }
}

#[test]
fn nothing_is_done_for_an_instant_in_the_future() {
    let scene = Scene::new();
    scene.land("a.jsonl", EVENT.as_bytes());
    let outcome = scene.run(&["run", "hourly", "--as-of", "2999-01-01T00:00:00Z"]);
    assert_eq!(outcome.code, 2);
    assert!(outcome.error.contains("is in the future") && !outcome.error.contains("compact:"), "{}", outcome.error);
    assert!(!scene.workspace.checkpoint().exists());
}
