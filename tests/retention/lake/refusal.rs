//! When the lake is not pruned, and when nothing is published.

use std::fs;

use store::lake::{Past, list_partitions};
use store::lock::join_readers;

use super::{ago, leftovers, past, prune, publish, scene, sums};
use crate::support::Scene;
use crate::support::published::set;

fn assert_refused(scene: &Scene, arguments: &[&str], words: &[&str]) {
    let before = list_partitions(&scene.workspace).expect("a list");
    let outcome = scene.run(arguments);
    assert_eq!(outcome.code, 2, "{arguments:?}: {}", outcome.error);
    for word in words {
        assert!(outcome.error.contains(word), "{word}: {}", outcome.error);
    }
    assert_eq!(list_partitions(&scene.workspace).expect("a list"), before);
}

#[test]
fn too_few_days_and_the_way_of_the_original_are_refused() {
    let scene = scene();
    for command in [&["prune"][..], &["run", "prune"]] {
        set(&scene, "[retention]\nlake_days = 5\n");
        assert_refused(&scene, command, &["`retention.lake_days` is 5", "at least 14 days"]);
        set(&scene, "compat = \"closedloop\"\n[retention]\nlake_days = 30\n");
        assert_refused(&scene, command, &["set `retention.lake_days` to 0"]);
    }
    assert!(!scene.workspace.past().exists());
    set(&scene, super::KEEP_30);
    prune(&scene);
    set(&scene, "compat = \"closedloop\"\n");
    assert_refused(&scene, &["run", "learn"], &["pruned days keep only sums", "set `compat` to \"none\""]);
}

#[test]
fn nothing_is_pruned_unless_a_setting_says_so_and_a_dry_run_changes_nothing() {
    let scene = scene();
    set(&scene, "");
    let before = super::super::snapshot(&scene.workspace.lake());
    assert_eq!(prune(&scene), (0, 0));
    set(&scene, super::KEEP_30);
    let told = scene.done(&["prune", "--dry-run", "--json"]).out;
    assert!(told.contains("\"events\":12"), "{told}");
    assert_eq!(super::super::snapshot(&scene.workspace.lake()), before);
    assert!(!scene.workspace.past().exists());
}

#[test]
fn fewer_days_pruned_than_before_leave_everything_as_it_is() {
    let scene = scene();
    prune(&scene);
    let (then, known) = (ago(0), past(&scene));
    let wanted = publish(&scene, then);
    set(&scene, "[retention]\nlake_days = 42\n");
    assert_eq!(prune(&scene), (0, 0));
    assert_eq!((past(&scene), publish(&scene, then)), (known, wanted));
}

#[test]
fn damaged_sums_are_told_and_nothing_is_published_over_them() {
    let scene = scene();
    scene.done(&["run", "hourly"]);
    prune(&scene);
    let published = scene.workspace.published();
    let names = super::super::names(&published);
    let file = scene.workspace.past().join("past.json");
    let text = fs::read_to_string(&file).expect("a file");
    let folder = scene.workspace.past().join(past(&scene).folder);
    let broken = [
        &text[..text.len() / 2],
        "",
        &text.replace("\"before\": \"2", "\"before\": \"x"),
        &text.replace("\"folder\": \"", "\"folder\": \"../"),
    ];
    for content in broken {
        fs::write(&file, content).expect("written");
        for command in [&["run", "learn"][..], &["run", "hourly"], &["prune"], &["run", "verify"], &["explain", "P-001"]] {
            assert_refused(&scene, command, &["cannot read the sums of pruned days", "past.json", "from a backup"]);
        }
    }
    fs::write(&file, &text).expect("written");
    for name in Past::SUMS {
        let sums = folder.join(format!("{name}.parquet"));
        let content = fs::read(&sums).expect("sums");
        fs::remove_file(&sums).expect("removed");
        assert_refused(&scene, &["run", "learn"], &["cannot read the sums of pruned days", "from a backup"]);
        assert_refused(&scene, &["prune"], &["cannot read the sums of pruned days", "from a backup"]);
        fs::write(&sums, &content[..content.len() - 9]).expect("written");
        assert_refused(&scene, &["run", "learn"], &["cannot read the sums of pruned days", "from a backup"]);
        assert_refused(&scene, &["doctor"], &[]);
        fs::write(&sums, content).expect("written");
    }
    assert_eq!(super::super::names(&published), names);
    super::assert_verified(&scene);
}

#[test]
fn files_whose_sums_are_lost_are_not_removed() {
    let scene = scene();
    let reader = join_readers(&scene.workspace).expect("a reader");
    prune(&scene);
    drop(reader);
    let left = leftovers(&scene);
    fs::remove_file(past(&scene).file(&scene.workspace, "application")).expect("removed");
    assert_refused(&scene, &["prune"], &["cannot read the sums of pruned days", "from a backup"]);
    assert_eq!((left.len(), leftovers(&scene)), (8, left));
}

#[test]
fn a_batch_that_was_not_put_into_the_lake_yet_comes_first() {
    let scene = scene();
    fs::create_dir_all(scene.workspace.staging()).expect("a folder");
    fs::write(scene.workspace.staging().join("0000000009-application-2026-01-01.parquet"), "half a file").expect("a file");
    // A dry run finishes nobody's work, so it cannot tell what would go.
    let outcome = scene.run(&["prune", "--dry-run"]);
    assert_eq!(outcome.code, 75, "{}", outcome.error);
    assert!(outcome.error.contains("outerloop run compact"), "{}", outcome.error);
    assert!(!scene.workspace.past().exists());
    assert_eq!(prune(&scene).0, 12);
    assert!(super::super::names(&scene.workspace.staging()).is_empty());
}

#[test]
fn files_stay_while_somebody_reads_and_go_with_the_next_pruning() {
    let scene = scene();
    let then = ago(0);
    let wanted = publish(&scene, then);
    let reader = join_readers(&scene.workspace).expect("a reader");
    assert_eq!(prune(&scene), (12, 0));
    assert_eq!(leftovers(&scene).len(), 8);
    assert_eq!(publish(&scene, then), wanted);
    assert_eq!(scene.count("select count(*) from application"), 9, "leftover files are passed over");
    assert_eq!(prune(&scene), (0, 0), "somebody still reads");
    drop(reader);
    let (events, files) = prune(&scene);
    assert_eq!((events, leftovers(&scene).len()), (0, 0));
    assert!(files >= 8);
    assert_eq!(publish(&scene, then), wanted);
    set(&scene, "[retention]\nlake_days = 15\n");
    let reader = join_readers(&scene.workspace).expect("a reader");
    prune(&scene);
    assert_eq!((sums(&scene).len(), publish(&scene, then)), (2, wanted.clone()));
    drop(reader);
    prune(&scene);
    assert_eq!((sums(&scene).len(), publish(&scene, then)), (1, wanted));
}
