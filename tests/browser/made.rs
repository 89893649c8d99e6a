//! A workspace made up for the page: ten weeks of a shop's agents, with lessons, goals, adapters, roles and refused lines.

use std::fmt::Write as _;

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use crate::support::Scene;

/// The instant of every made-up report.
pub const AS_OF: &str = "2026-11-17T12:00:00Z";

const LESSONS: [&str; 12] = [
    "Run database migrations inside a transaction and check the row count first",
    "Quote every path that reaches the shell",
    "Stop the dev server before regenerating the client",
    "Always rewrite the whole file instead of patching it",
    "Prefer small commits with one topic each",
    "Pin time zones in every fixture that formats dates",
    "Ask for the schema before writing a parser",
    "Close every file that a test opens",
    "Read the error message to its end before changing code",
    "Check the lock file in with every new dependency",
    "Name the failing test in the commit message",
    "Never retry a request that is not idempotent",
];

/// A number from 0 to 99 that follows from where it is used.
fn dice(seed: u64) -> u64 {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x2545_f491_4f6c_dd1d;
    state ^= state >> 29;
    state = state.wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (state ^ state >> 32) % 100
}

/// A workspace with so many lessons, published.
pub fn shop(lessons: usize) -> Scene {
    let scene = Scene::new();
    scene.land("made.jsonl", events(lessons).as_bytes());
    scene.done(&["run", "hourly", "--as-of", AS_OF]);
    scene
}

fn lesson(number: usize) -> String {
    match LESSONS.get(number) {
        Some(text) => (*text).to_owned(),
        None => format!("Lesson {number}: word{number}a before word{number}b, unless word{number}c"),
    }
}

fn events(lessons: usize) -> String {
    let mut lines = String::new();
    let mut add = |event: Value| {
        let _ = writeln!(lines, "{event}");
    };
    let end: Timestamp = AS_OF.parse().expect("a time");
    let ago = |hours: u64| (end - SignedDuration::from_hours(i64::try_from(hours).expect("few"))).to_string();
    for number in 0..lessons {
        let hours = if number % 9 == 8 { 30 } else { 24 * 75 };
        let agent = ["builder", "reviewer", "*"][number % 3];
        add(json!({"kind": "learning", "id": format!("l{number}"), "ts": ago(hours), "pattern_id": format!("P-{:03}", number + 1),
            "summary": lesson(number), "applies_to": [agent]}));
    }
    for run in 0..480_u64 {
        let (seed, hours) = (run + 1, run * 3 + 1);
        let week = hours / 168;
        let met = dice(seed) < 76 - 3 * week.min(9);
        let name = format!("run-{run}");
        add(json!({"kind": "goal", "id": format!("g{run}"), "ts": ago(hours), "run_id": name, "goal": "ship", "success": met,
            "score": if met { 0.9 } else { 0.3 }}));
        let adapter = ["git", "npm", "github", "postgres"][usize::try_from(run % 4).expect("few")];
        let fails = dice(seed + 9_000) < if adapter == "github" && week == 0 { 75 } else { 15 };
        let result = if fails { "failure" } else { "success" };
        let mut finished = json!({"kind": "run", "ts": ago(hours), "run_id": name, "result": result, "adapters": [adapter],
            "quality": if fails { 0.2 } else { 0.9 }});
        if fails {
            finished["failure_type"] = "auth".into();
        }
        add(finished);
        for shown in 0..3_u64 {
            let number = usize::try_from(dice(seed * 7 + shown) * 31 + run).expect("few") % lessons;
            let is_bad = number % 12 == 3;
            let used = dice(seed * 13 + shown) < if is_bad { 20 } else { 80 };
            add(json!({"kind": "application", "id": format!("a{run}-{shown}"), "ts": ago(hours), "run_id": name, "iteration": 1,
                "agent": "builder", "pattern_id": format!("P-{:03}", number + 1), "status": if used { "applied" } else { "injected" }}));
        }
    }
    for verdict in 0..30_u64 {
        let passes = dice(verdict + 77) < 70;
        add(
            json!({"kind": "deliberation", "id": format!("d{verdict}"), "ts": ago(verdict * 20 + 2), "run_id": format!("run-{verdict}"),
            "role": "judge", "verdict": if passes { "PASS" } else { "FAIL" }, "text": "The change is small and tested."}),
        );
        add(
            json!({"kind": "verdict", "id": format!("v{verdict}"), "ts": ago(verdict * 20 + 1), "run_id": format!("run-{verdict}"),
            "role": "judge", "validator": "senior", "must_fix": if verdict % 4 == 0 { vec!["Add a test"] } else { Vec::new() }}),
        );
    }
    lines.push_str("{\"kind\":\"run\",\"ts\":\"2026-11-16T00:00:00Z\",\"run_id\":\"broken\",\"quality\":7}\nnot JSON\n");
    lines
}

/// What coins of a made-up loop are to show.
#[derive(Debug, Clone, Copy)]
pub struct Measured {
    /// How many tasks had a coin, over sixty days.
    pub tasks: u64,
    /// How many of a hundred tasks meet their goal without lessons, and by how many more they do with them.
    pub without: i64,
    pub lift: i64,
}

/// A workspace whose hooks tossed coins: four of five tasks get lessons, and each lesson is held back from some of them. One lesson
/// helps, one hurts.
pub fn measured(world: Measured) -> Scene {
    let scene = Scene::new();
    scene.land("made.jsonl", coins(world).as_bytes());
    scene.done(&["run", "hourly", "--as-of", AS_OF]);
    scene
}

fn coins(Measured { tasks, without, lift }: Measured) -> String {
    let mut lines = String::new();
    let mut add = |event: Value| {
        let _ = writeln!(lines, "{event}");
    };
    let end: Timestamp = AS_OF.parse().expect("a time");
    let ago = |minutes: u64| (end - SignedDuration::from_mins(i64::try_from(minutes).expect("few"))).to_string();
    for (number, text) in LESSONS.iter().enumerate() {
        add(
            json!({"kind": "learning", "id": format!("l{number}"), "ts": ago(61 * 1440), "pattern_id": format!("P-{:03}", number + 1),
            "summary": text, "applies_to": ["*"]}),
        );
    }
    let step = 60 * 1440 / tasks;
    for task in 0..tasks {
        let (seed, at, name) = (task * 101 + 1, 1440 + (tasks - 1 - task) * step, format!("task-{task}"));
        let is_on = dice(seed) < 80;
        add(json!({"kind": "assignment", "id": format!("c{task}"), "ts": ago(at), "run_id": name, "unit": name,
            "arm": if is_on { "on" } else { "off" }, "propensity": 0.8}));
        let mut chance = without + if is_on { lift } else { 0 };
        for place in 0..3_u64 {
            let number = (task + place * 5) % 12;
            let is_shown = is_on && dice(seed + 7 + place) < 80;
            if is_on {
                let status = if !is_shown {
                    "withheld"
                } else if dice(seed + 31 + place) < 70 {
                    "applied"
                } else {
                    "injected"
                };
                add(json!({"kind": "application", "id": format!("a{task}-{place}"), "ts": ago(at), "run_id": name, "unit": name,
                    "iteration": 1, "agent": "builder", "pattern_id": format!("P-{:03}", number + 1), "status": status, "propensity": 0.8}));
            }
            chance += match (is_shown, number) {
                (true, 0) => 25,
                (true, 3) => -25,
                _ => 0,
            };
        }
        let met = i64::try_from(dice(seed + 57)).expect("small") < chance;
        add(json!({"kind": "goal", "id": format!("g{task}"), "ts": ago(at - 30), "run_id": name, "goal": "ship", "success": met,
            "score": if met { 0.9 } else { 0.3 }}));
        let adapter = ["git", "npm", "github", "postgres"][usize::try_from(task % 4).expect("few")];
        add(json!({"kind": "run", "ts": ago(at - 30), "run_id": name, "unit": name, "adapters": [adapter],
            "result": if met { "success" } else { "failure" }, "failure_type": if met { Value::Null } else { "test".into() },
            "quality": if met { 0.9 } else { 0.4 }}));
    }
    lines
}
