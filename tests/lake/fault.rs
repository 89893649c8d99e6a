//! What the machine can do to us: each fault gives a clear error and loses nothing.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::shim::{self, Strike};
use crate::support::{Material, Scene, expected};

/// Runs compaction with a fault. It must fail with the code and name its remedy; then an undisturbed run must find all.
fn struck(scene: &Scene, strike: Strike, only: &str) -> Option<String> {
    let mut command = scene.command(&["run", "compact"]);
    shim::load(&mut command, strike, only);
    let output = command.stdin(Stdio::null()).output().expect("the program starts");
    if output.status.success() {
        return None;
    }
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(75), "{error}");
    assert!(error.contains("error: ") && error.contains(" --> ") && error.contains("remedy: "), "{error}");
    scene.done(&["run", "compact"]);
    scene.assert_all_held(&format!("{strike:?} {only}"));
    Some(error)
}

#[test]
fn every_failed_sync_is_reported_and_loses_nothing() {
    let material = Material::made(6, 300);
    let mut call = 0;
    loop {
        call += 1;
        let scene = Scene::with_small_batches();
        scene.land("a.jsonl", &material.bytes);
        let Some(error) = struck(&scene, Strike::Fail(call), "sync") else { break };
        assert!(error.contains("durable"), "{error}");
    }
    assert!(call > 5, "the run syncs only {call} times: does the shim count?");
}

#[test]
fn every_failed_write_and_rename_is_reported_and_loses_nothing() {
    let material = Material::made(7, 200);
    for only in ["write", "rename"] {
        let mut call = 1;
        loop {
            let scene = Scene::with_small_batches();
            scene.land("a.jsonl", &material.bytes);
            if struck(&scene, Strike::Fail(call), only).is_none() {
                break;
            }
            call += 1 + call / 4;
        }
        assert!(call > 5, "the run does only {call} {only}s: does the shim count?");
    }
}

#[test]
fn a_record_whose_sync_fails_says_to_send_the_events_again() {
    let scene = Scene::new();
    let events = scene.root().join("events");
    fs::write(&events, "{\"kind\":\"build\",\"id\":\"x\",\"run_id\":\"r\",\"passed\":true}\n").expect("events");
    let mut command = scene.command(&["record", events.to_str().expect("a path")]);
    shim::load(&mut command, Strike::Fail(1), "sync");
    let output = command.output().expect("the program starts");
    assert_eq!(output.status.code(), Some(75));
    assert!(String::from_utf8_lossy(&output.stderr).contains("same ids"));
    scene.done(&["record", events.to_str().expect("a path")]);
    scene.done(&["run", "compact"]);
    assert_eq!(scene.count("select count(*) from build"), 1);
}

#[test]
fn a_record_that_finds_the_disk_full_leaves_no_half_line() {
    let scene = Scene::new();
    let good = "{\"kind\":\"build\",\"id\":\"x\",\"run_id\":\"r\",\"passed\":true}\n";
    assert_eq!(scene.run_with(&["record"], good.as_bytes()).code, 0);
    let events = scene.root().join("events");
    fs::write(&events, good.replace('x', "y")).expect("events");
    let mut command = scene.command(&["record", events.to_str().expect("a path")]);
    shim::load(&mut command, Strike::Fail(1), "write");
    let output = command.output().expect("the program starts");
    assert_eq!(output.status.code(), Some(75));
    assert!(String::from_utf8_lossy(&output.stderr).contains("free some space"));
    scene.done(&["run", "compact"]);
    assert_eq!((scene.count("select count(*) from build"), scene.count("select count(*) from quarantine")), (1, 0));
}

/// A real file system of a few megabytes that fills up while compaction and recording are at work.
#[test]
fn a_full_disk_loses_nothing_once_space_returns() {
    let scene = Scene::new();
    let mount = scene.root().join("small");
    let result = scene.root().join("result.csv");
    fs::create_dir(&mount).expect("a folder");
    fs::write(scene.root().join("material"), Material::made(8, 6000).bytes).expect("material");
    let script = r#"
        set -eu
        mount -t tmpfs -o size=8m none "$MOUNT"
        run() { "$PROGRAM" --root "$MOUNT/w" "$@"; }
        run init
        cp "$SCENE/material" "$MOUNT/w/inbox/a.jsonl"
        head -c 16777216 /dev/zero > "$MOUNT/ballast" 2>/dev/null || true
        code=0; run run compact 2> "$SCENE/compact.err" || code=$?; echo "$code" > "$SCENE/compact.code"
        code=0; run record "$SCENE/material" 2> "$SCENE/record.err" || code=$?; echo "$code" > "$SCENE/record.code"
        rm "$MOUNT/ballast"
        run run compact 2> "$SCENE/again.err"
        run query "select count(*) as n, count(distinct id) as d from (
            select id from application union all select id from relevance union all select id from goal union all
            select id from build union all select id from citation union all select id from run union all
            select id from learning union all select id from observation union all select id from deliberation union all
            select id from verdict union all select id from curation)" --format csv > "$SCENE/result.csv"
        run query "select count(*) from quarantine" --format csv >> "$SCENE/result.csv"
        cp -r "$MOUNT/w/inbox" "$SCENE/taken"
    "#;
    let is_root = rustix::process::geteuid().is_root();
    let mut command = Command::new("unshare");
    command.arg("--mount").args(if is_root { &[][..] } else { &["--user", "--map-root-user"][..] });
    command
        .args(["sh", "-c", script])
        .env("MOUNT", &mount)
        .env("SCENE", scene.root())
        .env("PROGRAM", env!("CARGO_BIN_EXE_outerloop"));
    let output = command.output().expect("unshare starts");
    let read = |name: &str| fs::read_to_string(scene.root().join(name)).unwrap_or_default();
    assert!(output.status.success(), "{}\n{}", String::from_utf8_lossy(&output.stderr), read("again.err"));
    assert_eq!(read("compact.code").trim(), "75", "{}", read("compact.err"));
    assert!(read("compact.err").contains("free some space"), "{}", read("compact.err"));
    assert_eq!(read("record.code").trim(), "75", "{}", read("record.err"));
    // Everything that was in the inbox when space returned, and nothing else.
    let shadow = Scene::new();
    fs::remove_dir_all(shadow.workspace.inbox()).expect("the empty inbox");
    fs::rename(scene.root().join("taken"), shadow.workspace.inbox()).expect("the inbox as it was");
    let wanted = expected(&shadow.workspace);
    let numbers: Vec<&str> = Box::leak(fs::read_to_string(&result).expect("the result").into_boxed_str()).lines().collect();
    assert_eq!(numbers[1], format!("{0},{0}", wanted.ids.len()));
    assert_eq!(numbers[3], wanted.quarantined.len().to_string());
}

#[test]
fn a_damaged_checkpoint_is_named_and_repaired_without_loss() {
    let scene = Scene::with_small_batches();
    scene.land("a.jsonl", &Material::made(9, 500).bytes);
    scene.done(&["run", "compact"]);
    fs::write(scene.workspace.checkpoint(), "{\"version\": 1, \"next").expect("damage");
    let outcome = scene.run(&["run", "compact"]);
    assert_eq!(outcome.code, 2);
    assert!(outcome.error.contains("checkpoint is damaged") && outcome.error.contains("doctor --repair"), "{}", outcome.error);
    scene.done(&["doctor", "--repair"]);
    scene.land("a.jsonl", &Material::made(10, 100).bytes);
    scene.done(&["run", "compact"]);
    scene.assert_all_held("at the end");
}

#[test]
fn a_lost_checkpoint_costs_time_and_no_event() {
    let scene = Scene::with_small_batches();
    scene.land("a.jsonl", &Material::made(9, 500).bytes);
    scene.done(&["run", "compact"]);
    fs::remove_file(scene.workspace.checkpoint()).expect("the checkpoint");
    scene.land("a.jsonl", &Material::made(12, 100).bytes);
    scene.done(&["run", "compact"]);
    scene.assert_all_held("at the end");
}

#[test]
fn a_damaged_file_of_the_lake_is_named_and_its_events_are_read_again() {
    let scene = Scene::with_small_batches();
    scene.land("a.jsonl", &Material::made(13, 500).bytes);
    scene.done(&["run", "compact"]);
    let partition = store::lake::list_partitions(&scene.workspace).expect("partitions").swap_remove(0);
    fs::write(&partition.files[0], b"not Parquet").expect("damage");
    let duplicate = fs::read(scene.workspace.inbox().join("a.jsonl")).expect("the inbox file");
    scene.land("b.jsonl", &duplicate);
    let outcome = scene.run(&["run", "compact"]);
    assert_eq!(outcome.code, 2);
    assert!(outcome.error.contains("damaged") && outcome.error.contains(".parquet"), "{}", outcome.error);
    assert_eq!(scene.run(&["doctor"]).code, 2);
    scene.done(&["doctor", "--repair"]);
    scene.done(&["run", "compact"]);
    scene.assert_all_held("at the end");
}

#[test]
fn lost_staged_files_of_a_committed_batch_are_read_again() {
    let scene = Scene::with_small_batches();
    scene.land("a.jsonl", &Material::made(14, 300).bytes);
    // The first rename commits the first batch; the second would move its first file into place.
    let mut command = scene.command(&["run", "compact"]);
    shim::load(&mut command, Strike::Kill(2), "rename");
    assert!(command.status().expect("the program starts").code().is_none());
    fs::remove_dir_all(scene.workspace.staging()).expect("the staging area");
    let outcome = scene.done(&["run", "compact"]);
    assert!(outcome.error.contains("is read again"), "{}", outcome.error);
    scene.assert_all_held("at the end");
}

#[test]
fn a_folder_where_a_file_should_be_is_named_and_the_rest_is_taken() {
    let scene = Scene::new();
    scene.land("a.jsonl", &Material::made(15, 50).bytes);
    fs::create_dir(scene.workspace.inbox().join("b.jsonl")).expect("a folder");
    std::os::unix::fs::symlink("/etc/hosts", scene.workspace.inbox().join("c.jsonl")).expect("a link");
    let outcome = scene.run(&["run", "compact"]);
    assert_eq!(outcome.code, 2);
    assert!(
        outcome.error.contains("b.jsonl") && outcome.error.contains("c.jsonl") && outcome.error.contains("symbolic link"),
        "{}",
        outcome.error
    );
    fs::remove_dir(scene.workspace.inbox().join("b.jsonl")).expect("the folder");
    fs::remove_file(scene.workspace.inbox().join("c.jsonl")).expect("the link");
    scene.assert_all_held("at the end");
}

#[test]
fn a_folder_in_place_of_the_checkpoint_or_the_record_file_is_named() {
    let scene = Scene::new();
    scene.land("a.jsonl", &Material::made(16, 50).bytes);
    fs::create_dir(scene.workspace.checkpoint()).expect("a folder");
    let outcome = scene.run(&["run", "compact"]);
    assert_eq!(outcome.code, 2);
    assert!(
        outcome.error.contains("checkpoint.json") && outcome.error.contains("a folder is in the place of a file"),
        "{}",
        outcome.error
    );
    fs::remove_dir(scene.workspace.checkpoint()).expect("the folder");
    scene.done(&["run", "compact"]);
    scene.assert_all_held("at the end");
}

/// Permission checks do not bind the superuser, so the program runs as nobody there.
#[test]
fn a_missing_permission_is_named_and_loses_nothing() {
    let scene = Scene::new();
    scene.land("a.jsonl", &Material::made(17, 50).bytes);
    let locked = [scene.workspace.lake(), scene.workspace.inbox().join("a.jsonl")];
    let parent = scene.root().parent().expect("a parent");
    for path in [parent, scene.root(), &scene.workspace.inbox(), &scene.workspace.lake(), &scene.workspace.history()] {
        fs::set_permissions(path, fs::Permissions::from_mode(0o777)).expect("mode");
    }
    for path in &locked {
        let before = fs::metadata(path).expect("metadata").permissions();
        fs::set_permissions(path, fs::Permissions::from_mode(0o000)).expect("mode");
        let output = as_nobody(&scene).output().expect("the program starts");
        fs::set_permissions(path, before).expect("mode");
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert!(error.contains("Permission denied") && error.contains("give this user access"), "{error}");
        let _ = fs::remove_file(scene.workspace.lock());
    }
    scene.done(&["run", "compact"]);
    scene.assert_all_held("at the end");
}

fn as_nobody(scene: &Scene) -> Command {
    use std::os::unix::process::CommandExt as _;
    let mut command = scene.command(&["run", "compact"]);
    if rustix::process::geteuid().is_root() {
        // Copies in a place that everybody may reach: both programs, and the library that one of them loads from beside itself.
        let folder = std::env::temp_dir().join(format!("outerloop-as-nobody-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let program = Path::new(env!("CARGO_BIN_EXE_outerloop"));
        let library = std::env::var_os("DUCKDB_LIB_DIR").map(|folder| Path::new(&folder).join("libduckdb.so"));
        for file in [program.to_path_buf(), program.with_file_name("outerloop-engine")].into_iter().chain(library) {
            let copy = folder.join(file.file_name().expect("a name"));
            fs::copy(&file, &copy).expect("a copy");
            fs::set_permissions(&copy, fs::Permissions::from_mode(0o755)).expect("mode");
        }
        command = Command::new(folder.join("outerloop"));
        command.arg("--root").arg(scene.root()).args(["run", "compact"]).current_dir("/").uid(65_534).gid(65_534);
    }
    command
}
