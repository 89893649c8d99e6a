//! What the machine can do to publishing: each fault is reported, and readers still see a whole generation.

use std::fs;
use std::process::{Command, Stdio};

use crate::support::published::{current, generations, learned, leftovers, read_whole, set};
use crate::support::shim::{self, Strike};
use crate::support::{Material, Scene};

/// The calls of a run, those on its lock file included.
const CALLS: &str = "sync rename write mkdir unlink symlink";

#[test]
fn every_failed_call_is_reported_and_leaves_the_generation_whole() {
    let scene = learned(60);
    set(&scene, "[publish]\nkeep = 1\n[[publish.targets]]\nto = \"copies/org-patterns.toon\"\n");
    let calls = shim::count(&mut scene.command(&["run", "learn", "--full"]), CALLS);
    let mut reported = 0;
    for call in 1..=calls {
        let before = current(&scene);
        // Without a copy there is one to be written.
        let _ = fs::remove_file(scene.root().join("copies/org-patterns.toon"));
        let mut command = scene.command(&["run", "learn", "--full"]);
        shim::load(&mut command, Strike::Fail(call), CALLS);
        let output = command.stdin(Stdio::null()).output().expect("the program starts");
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        generations(&scene);
        if output.status.success() {
            continue;
        }
        reported += 1;
        assert!(matches!(output.status.code(), Some(2 | 75)), "call {call}: {error}");
        for part in ["error: ", " --> ", "cause: ", "remedy: "] {
            assert!(error.contains(part), "call {call}: {error}");
        }
        assert!(current(&scene) == before || !error.contains("published/.staging"), "call {call}: {error}");
    }
    // A folder that is there already and a leftover that is not are no matter.
    assert!(calls > 20 && reported + 6 > calls, "only {reported} of {calls} failures were reported");
    let mut command = scene.command(&["run", "learn", "--full"]);
    shim::load(&mut command, Strike::Fail(1), "remove");
    let output = command.stdin(Stdio::null()).output().expect("the program starts");
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(75) && error.contains("cannot remove the old generation"), "{error}");
    scene.done(&["run", "learn", "--full"]);
    assert_eq!(leftovers(&scene), [""; 0].map(std::path::PathBuf::from));
}

/// A real file system of a few megabytes that is full when a generation is published.
#[test]
fn a_full_disk_keeps_the_old_generation_and_the_next_run_publishes() {
    let scene = Scene::new();
    let mount = scene.root().join("small");
    fs::create_dir(&mount).expect("a folder");
    fs::write(scene.root().join("material"), Material::made(24, 300).bytes).expect("material");
    let script = r#"
        set -eu
        mount -t tmpfs -o size=4m none "$MOUNT"
        run() { "$PROGRAM" --root "$MOUNT/w" "$@"; }
        run init 2> /dev/null
        cp "$SCENE/material" "$MOUNT/w/inbox/a.jsonl"
        run run hourly 2> /dev/null
        cp -r "$MOUNT/w/published" "$SCENE/before"
        head -c 8388608 /dev/zero > "$MOUNT/ballast" 2> /dev/null || true
        for room in 0 16384 32768; do
            truncate -s "-$room" "$MOUNT/ballast"
            code=0; run run learn --full 2>> "$SCENE/learn.err" || code=$?; echo "$code" >> "$SCENE/learn.code"
            cp -r "$MOUNT/w/published" "$SCENE/full-$room"
        done
        rm "$MOUNT/ballast"
        run run learn --full 2> "$SCENE/again.err"
        cp -r "$MOUNT/w/published" "$SCENE/after"
    "#;
    let is_root = rustix::process::geteuid().is_root();
    let mut command = Command::new("unshare");
    command.arg("--mount").args(if is_root { &[][..] } else { &["--user", "--map-root-user"][..] });
    command.args(["sh", "-c", script]).env("MOUNT", &mount).env("SCENE", scene.root());
    let output = command.env("PROGRAM", env!("CARGO_BIN_EXE_outerloop")).output().expect("unshare starts");
    let text = |name: &str| fs::read_to_string(scene.root().join(name)).unwrap_or_default();
    assert!(output.status.success(), "{}\n{}", String::from_utf8_lossy(&output.stderr), text("again.err"));
    assert_eq!(text("learn.code"), "75\n75\n75\n", "{}", text("learn.err"));
    assert_eq!(text("learn.err").matches("remedy: free some space").count(), 3, "{}", text("learn.err"));
    let seen = |stage: &str| {
        let folder = scene.root().join(stage);
        let name = fs::read_link(folder.join("current")).expect("a link");
        read_whole(&folder.join(name)).expect("a whole generation").generation
    };
    for stage in ["full-0", "full-16384", "full-32768"] {
        assert_eq!(seen(stage), seen("before"));
    }
    assert_ne!(seen("after"), seen("before"));
}
