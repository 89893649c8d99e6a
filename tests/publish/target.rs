//! Copies of published files, where other programs look for them.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use crate::support::published::{learned, read, set};
use crate::support::{Material, Scene};

/// A workspace with more events than its published generation knows of.
fn with_news() -> Scene {
    let scene = learned(60);
    scene.land("b.jsonl", &Material::made(25, 200).bytes);
    scene
}

#[test]
fn a_copy_keeps_what_was_there_and_its_mode_and_is_written_when_it_differs() {
    let scene = with_news();
    let copy = scene.root().join("deep/er/org-patterns.toon");
    let backup = copy.with_extension("bak");
    set(&scene, "[[publish.targets]]\nto = \"deep/er/org-patterns.toon\"\n");
    let outcome = scene.done(&["run", "learn"]);
    assert!(outcome.error.contains("1 copies written"), "{}", outcome.error);
    let first = fs::read_to_string(&copy).expect("the copy, below folders that were not there");
    assert_eq!(first, read(&scene, "org-patterns.toon"));
    assert!(!backup.exists());

    fs::set_permissions(&copy, fs::Permissions::from_mode(0o640)).expect("mode");
    let stamp = fs::metadata(&copy).and_then(|metadata| metadata.modified()).expect("a time");
    let outcome = scene.done(&["run", "learn", "--full"]);
    assert!(outcome.error.contains("0 copies written"), "{}", outcome.error);
    assert_eq!(fs::metadata(&copy).and_then(|metadata| metadata.modified()).expect("a time"), stamp);
    assert!(!backup.exists());

    scene.done(&["run", "hourly"]);
    let second = fs::read_to_string(&copy).expect("the copy");
    assert!(second != first && second == read(&scene, "org-patterns.toon"));
    assert_eq!(fs::read_to_string(&backup).expect("the copy before"), first);
    assert_eq!(fs::metadata(&copy).expect("metadata").permissions().mode() & 0o777, 0o640);
}

#[test]
fn a_copy_that_fails_is_named_and_does_not_stop_the_others() {
    let scene = learned(60);
    let outside = scene.root().join("outside.md");
    fs::write(&outside, "mine").expect("a file");
    symlink(&outside, scene.root().join("link.md")).expect("a link");
    symlink("nowhere", scene.root().join("dangling.md")).expect("a link");
    fs::create_dir(scene.root().join("folder.md")).expect("a folder");
    set(
        &scene,
        "[[publish.targets]]\nfile = \"report.md\"\nto = \"link.md\"\n\
         [[publish.targets]]\nfile = \"report.md\"\nto = \"dangling.md\"\n\
         [[publish.targets]]\nfile = \"nothing.md\"\nto = \"nothing.md\"\n\
         [[publish.targets]]\nfile = \"../outerloop.toml\"\nto = \"settings.md\"\n\
         [[publish.targets]]\nfile = \"report.md\"\nto = \"folder.md\"\n\
         [[publish.targets]]\nfile = \"report.md\"\nto = \"good.md\"\n",
    );
    let outcome = scene.run(&["run", "learn"]);
    assert_eq!(outcome.code, 2, "{}", outcome.error);
    for wanted in [
        "link.md\n",
        "dangling.md\n",
        "a copy would replace a symbolic link",
        "name the file itself",
        "no file `nothing.md` is published",
        "no file `../outerloop.toml` is published",
        "changes.md",
        "folder.md\n",
        "a folder is in the place of a file",
    ] {
        assert!(outcome.error.contains(wanted), "{wanted} in {}", outcome.error);
    }
    assert_eq!(outcome.error.matches("error: ").count(), 5, "{}", outcome.error);
    assert_eq!(fs::read_to_string(&outside).expect("the file"), "mine");
    assert!(scene.root().join("link.md").is_symlink() && scene.root().join("dangling.md").is_symlink());
    assert!(!scene.root().join("nowhere").exists() && !scene.root().join("nothing.md").exists());
    assert_eq!(fs::read_to_string(scene.root().join("good.md")).expect("the good copy"), read(&scene, "report.md"));
}
