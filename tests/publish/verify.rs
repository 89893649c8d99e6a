//! Proving that what is published follows from the log.

use std::fs;
use std::path::Path;

use crate::support::published::{current, learned, set};
use crate::support::{Material, Scene};

#[test]
fn what_nobody_touched_passes_also_after_more_events_and_a_rewrite() {
    let scene = Scene::with_small_batches();
    assert!(scene.done(&["run", "verify"]).error.contains("nothing is published yet"));
    for part in Material::made(26, 800).bytes.chunks(20_000) {
        scene.land("a.jsonl", part);
        scene.done(&["run", "compact"]);
    }
    scene.done(&["run", "learn"]);
    let published = current(&scene);
    scene.land("b.jsonl", &Material::made(27, 200).bytes);
    set(&scene, "[rewrite]\nleast_files = 2\n");
    let outcome = scene.done(&["run", "maintain"]);
    assert!(!outcome.error.contains("rewrite: 0 partitions"), "{}", outcome.error);
    let outcome = scene.done(&["run", "verify"]);
    assert!(outcome.error.contains(&format!("files of {published} were reproduced byte for byte")), "{}", outcome.error);
}

#[test]
fn a_published_file_that_was_changed_or_lost_is_named() {
    let scene = learned(60);
    let folder = scene.workspace.published().join(current(&scene));
    for name in ["org-patterns.toon", "patterns.parquet", "report.json", "changes.md"] {
        let path = folder.join(name);
        let content = fs::read(&path).expect("the file");
        let mut changed = content.clone();
        *changed.last_mut().expect("a byte") ^= 1;
        fs::write(&path, changed).expect("damage");
        let outcome = scene.run(&["run", "verify"]);
        assert_eq!(outcome.code, 1, "{name}: {}", outcome.error);
        assert!(outcome.error.contains(&format!("`{name}`")), "{name}: {}", outcome.error);
        fs::remove_file(&path).expect("the file");
        let outcome = scene.run(&["run", "verify"]);
        assert_eq!(outcome.code, 1, "{name}: {}", outcome.error);
        assert!(outcome.error.contains(&format!("`{name}`")), "{name}: {}", outcome.error);
        fs::write(&path, content).expect("the file as it was");
    }
    scene.done(&["run", "verify"]);
}

/// What may happen to the folder of a generation.
type Damage = fn(&Path);

/// The remedy for a damaged generation is to publish the next one, so nothing that is published may be needed for that.
#[test]
fn whatever_is_damaged_of_a_generation_the_next_run_publishes_a_whole_one() {
    let scene = learned(60);
    let damage: [(&str, Damage); 4] = [
        ("a manifest", |folder| fs::write(folder.join("manifest.json"), "{").expect("damage")),
        ("a lost manifest", |folder| fs::remove_file(folder.join("manifest.json")).expect("damage")),
        ("patterns", |folder| fs::write(folder.join("patterns.parquet"), "not Parquet").expect("damage")),
        ("a lost folder", |folder| fs::remove_dir_all(folder).expect("damage")),
    ];
    for (what, strike) in damage {
        strike(&scene.workspace.published().join(current(&scene)));
        let asked = scene.run(&["query", "select count(*) from pattern"]);
        assert!(what != "patterns" || asked.code == 2 && asked.error.contains("outerloop run hourly"), "{}", asked.error);
        let listed = scene.run(&["patterns", "list"]);
        assert!(listed.code == 2 && listed.error.contains("outerloop run hourly"), "{what}: {}", listed.error);
        let outcome = scene.run(&["run", "hourly"]);
        assert_eq!(outcome.code, 0, "{what}: {}", outcome.error);
        assert!(outcome.error.contains(&current(&scene)), "{what}: {}", outcome.error);
    }
}
