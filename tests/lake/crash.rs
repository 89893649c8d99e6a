//! Processes that die at any instant, and many that work at once.

use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::support::shim::{self, Strike};
use crate::support::{Material, Scene};

/// How often compaction is killed at a random instant.
const KILLS: u64 = 220;

#[test]
fn compaction_killed_at_random_instants_loses_nothing_and_doubles_nothing() {
    let scene = Scene::with_small_batches();
    let mut random = fastrand::Rng::with_seed(20_261_116);
    let material = Material::made(11, 120 * KILLS);
    let mut lines = material.lines();
    let mut killed = 0;
    // How long an undisturbed run takes with as much input as each round brings.
    scene.land("a.jsonl", &lines.by_ref().take(120).flatten().copied().collect::<Vec<_>>());
    let start = Instant::now();
    scene.done(&["run", "compact"]);
    let usual = start.elapsed();
    while killed < KILLS {
        let name = ["a.jsonl", "b.jsonl", "c.jsonl"][random.usize(..3)];
        scene.land(name, &lines.by_ref().take(119).flatten().copied().collect::<Vec<_>>());
        let mut child = scene.spawn(&["run", "compact"]);
        thread::sleep(Duration::from_nanos(random.u64(..u64::try_from(usual.as_nanos()).unwrap_or(u64::MAX))));
        child.kill().expect("the process can be killed");
        // A run that was faster than the knife was not killed.
        killed += u64::from(child.wait().expect("the process ends").code().is_none());
        if random.u32(..16) == 0 {
            scene.done(&["run", "maintain"]);
        }
    }
    scene.done(&["run", "compact"]);
    scene.assert_all_held("at the end");
}

#[test]
fn compaction_killed_at_every_step_is_finished_by_the_next_run() {
    let material = Material::made(5, 400);
    let mut step = 0;
    loop {
        step += 1;
        let scene = Scene::with_small_batches();
        scene.land("a.jsonl", &material.bytes);
        let mut command = scene.command(&["run", "compact"]);
        shim::load(&mut command, Strike::Kill(step), "sync rename write mkdir unlink");
        let status = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status().expect("the program starts");
        scene.done(&["run", "compact"]);
        scene.assert_all_held(&format!("killed at step {step}"));
        if status.code() == Some(0) {
            break;
        }
        // Late steps repeat what every file of a batch goes through.
        step += step / 8;
    }
    assert!(step > 40, "the run has only {step} steps: does the shim count?");
}

#[test]
fn sixteen_recorders_lose_nothing_while_compaction_loops() {
    let scene = Scene::with_small_batches();
    let finished = AtomicBool::new(false);
    thread::scope(|scope| {
        let recorders: Vec<_> = (0..16)
            .map(|recorder| {
                let scene = &scene;
                scope.spawn(move || {
                    for call in 0..12 {
                        let lines: Vec<String> = (0..5).map(|line| build(&format!("{recorder}-{call}-{line}"))).collect();
                        let arguments: &[&str] = if call % 2 == 0 { &["record"] } else { &["record", "--batch"] };
                        let outcome = scene.run_with(arguments, lines.concat().as_bytes());
                        assert_eq!(outcome.code, 0, "{}", outcome.error);
                    }
                })
            })
            .collect();
        scope.spawn(|| {
            while !finished.load(Ordering::Relaxed) {
                scene.done(&["run", "compact"]);
            }
        });
        for recorder in recorders {
            recorder.join().expect("the recorder is content");
        }
        finished.store(true, Ordering::Relaxed);
    });
    scene.done(&["run", "compact"]);
    assert_eq!(scene.count("select count(*) from build"), 16 * 12 * 5);
    assert_eq!(scene.count("select count(distinct id) from build"), 16 * 12 * 5);
    assert_eq!(scene.count("select count(*) from quarantine"), 0);
}

#[test]
fn a_killed_recorder_leaves_at_most_half_a_line_which_the_next_one_ends() {
    let scene = Scene::new();
    scene.land(&today_file(), b"{\"kind\":\"build\",\"id\":\"torn\",\"run_");
    let outcome = scene.run_with(&["record"], b"{\"kind\":\"build\",\"id\":\"whole\",\"run_id\":\"r\",\"passed\":true}\n");
    assert_eq!(outcome.code, 0, "{}", outcome.error);
    scene.done(&["run", "compact"]);
    assert_eq!(scene.count("select count(*) from build where id = 'whole'"), 1);
    assert_eq!(scene.count("select count(*) from quarantine where code = 'not_json'"), 1);
}

fn today_file() -> String {
    let today = text::day::Day::of_micros(store::clock::now().as_microsecond());
    format!("record-{today}.jsonl")
}

fn build(id: &str) -> String {
    format!("{{\"kind\":\"build\",\"id\":\"{id}\",\"run_id\":\"r\",\"passed\":true}}\n")
}
