//! Publishing that is killed: readers see the old generation or the new one, and all of it.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::support::published::{current, generations, learned, leftovers, read, read_current, set};
use crate::support::shim::{self, Strike};
use crate::support::{Material, Scene};

/// How often publishing is killed at a random instant.
const KILLS: u32 = 100;

/// The calls that change the disk.
const CALLS: &str = "sync rename write mkdir unlink symlink remove";

#[test]
fn a_reader_never_sees_a_part_of_a_generation_however_often_publishing_is_killed() {
    let scene = learned(60);
    set(&scene, "[publish]\nkeep = 10\n");
    let material = Material::made(22, 3000);
    let mut lines = material.lines();
    let start = Instant::now();
    scene.done(&["run", "hourly"]);
    let usual = start.elapsed();
    let is_over = AtomicBool::new(false);
    let seen = thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let mut seen = BTreeSet::new();
            while !is_over.load(Ordering::Relaxed) {
                let manifest = read_current(&scene.workspace).expect("what is published is whole");
                seen.insert(manifest.expect("something is published").generation);
                thread::sleep(Duration::from_millis(5));
            }
            seen
        });
        let mut random = fastrand::Rng::with_seed(20_261_117);
        let mut killed = 0;
        while killed < KILLS {
            scene.land("a.jsonl", &lines.by_ref().take(11).flatten().copied().collect::<Vec<_>>());
            let mut child = scene.spawn(&["run", "hourly"]);
            // Most of a run works out figures; every other kill waits until something is being written.
            if killed % 2 == 0 {
                thread::sleep(usual.mul_f64(random.f64()));
            } else if wait_for_staging(&scene, &mut child) {
                thread::sleep(usual.mul_f64(random.f64() / 3.0));
            }
            child.kill().expect("the process can be killed");
            killed += u32::from(child.wait().expect("the process ends").code().is_none());
        }
        scene.done(&["run", "hourly"]);
        is_over.store(true, Ordering::Relaxed);
        reader.join().expect("the reader is content")
    });
    assert!(seen.len() > 5, "the reader saw only {} generations", seen.len());
    assert!(generations(&scene).len() <= 10);
    assert_eq!(leftovers(&scene), [""; 0].map(std::path::PathBuf::from));
    assert!(scene.done(&["run", "verify"]).error.contains(&current(&scene)));
}

/// Waits until a run writes. Says whether it did before it ended.
fn wait_for_staging(scene: &Scene, child: &mut Child) -> bool {
    while child.try_wait().expect("the process can be asked").is_none() {
        if leftovers(scene).iter().any(|path| path.to_string_lossy().contains(".staging-") && path.join("report.json").exists()) {
            return true;
        }
        thread::sleep(Duration::from_millis(1));
    }
    false
}

#[test]
fn publishing_killed_at_every_call_leaves_whole_generations_and_whole_copies() {
    let scene = learned(60);
    let copy = scene.root().join("copies/org-patterns.toon");
    set(&scene, "[publish]\nkeep = 1\n[[publish.targets]]\nto = \"copies/org-patterns.toon\"\n");
    scene.done(&["run", "learn"]);
    fs::set_permissions(&copy, fs::Permissions::from_mode(0o644)).expect("mode");
    let mut contents = BTreeSet::from([read(&scene, "org-patterns.toon")]);
    let material = Material::made(23, 1500);
    let mut lines = material.lines();
    let mut call = 0;
    loop {
        call += 1;
        scene.land("a.jsonl", &lines.by_ref().take(12).flatten().copied().collect::<Vec<_>>());
        scene.done(&["run", "compact"]);
        let mut command = scene.command(&["run", "learn"]);
        shim::load(&mut command, Strike::Kill(call), CALLS);
        let status = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status().expect("the program starts");
        current(&scene);
        generations(&scene);
        contents.insert(read(&scene, "org-patterns.toon"));
        assert!(contents.contains(&fs::read_to_string(&copy).expect("the copy")), "a part of a copy at call {call}");
        assert_eq!(fs::metadata(&copy).expect("the copy").permissions().mode() & 0o777, 0o644, "at call {call}");
        if status.code() == Some(0) {
            break;
        }
    }
    assert!(call > 30, "the run has only {call} calls: does the shim count?");
    assert!(contents.len() > 5, "the generations are all alike");
    assert_eq!(leftovers(&scene), [""; 0].map(std::path::PathBuf::from));
    assert_eq!(generations(&scene).len(), 1);
    assert_eq!(fs::read_to_string(&copy).expect("the copy"), read(&scene, "org-patterns.toon"));
}
