//! Sums in the place of old days: no figure changes, whatever happens while they are made.

mod crash;
mod horizon;
mod late;
mod law;
mod refusal;
mod tell;

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use event::Kind;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use store::lake::{Partition, Past, list_partitions};
use store::publish::load_current;

use crate::support::Scene;
use crate::support::published::set;

const KNOWN: &str = "Check input before use";
const KEEP_30: &str = "[retention]\nlake_days = 30\n";

/// A workspace whose lake holds events of many days, the oldest of which landed last.
fn scene() -> Scene {
    let scene = Scene::new();
    land(&scene, &story());
    scene.done(&["run", "compact"]);
    set(&scene, KEEP_30);
    scene
}

/// Some days of work: a lesson, who used it, and what was found out about that.
fn story() -> Vec<Value> {
    let mut events = vec![event("learning", "lesson", 60, json!({"summary": KNOWN}))];
    for day in [1, 5, 20, 40, 45] {
        let run = format!("run-{day}");
        let turn = json!({"run_id": run, "iteration": 1});
        let mut add = |kind: &str, more: Value| {
            let id = format!("{kind}-{}-{day}", events.len());
            let mut event = event(kind, &id, day, turn.clone());
            merge(&mut event, more);
            events.push(event);
        };
        add("application", json!({"trigger": KNOWN, "status": "applied", "agent": "implementation-subagent"}));
        add("application", json!({"pattern_id": "P-001", "status": "injected"}));
        add("application", json!({"trigger": "Words that nobody knows", "status": "applied"}));
        add("relevance", json!({"trigger": KNOWN, "score": 0.5, "method": "context_tags"}));
        add("citation", json!({"trigger": KNOWN, "path": "a.rs", "cited_line": 1, "verified": day != 45}));
        add("build", json!({"passed": day != 40}));
        add("goal", json!({"goal": "reduce-failures", "success": day % 2 == 0}));
    }
    events
}

/// An event of a project, some days ago.
fn event(kind: &str, id: &str, days_ago: i64, more: Value) -> Value {
    let mut event = json!({"kind": kind, "id": id, "ts": ago(days_ago).to_string(), "project": "shop"});
    merge(&mut event, more);
    event
}

fn merge(event: &mut Value, more: Value) {
    let Value::Object(members) = more else { panic!("no object") };
    event.as_object_mut().expect("an object").extend(members);
}

fn ago(days: i64) -> Timestamp {
    store::clock::now() - SignedDuration::from_hours(24 * days)
}

/// An instant before anything landed and after everything happened: whatever lands later is seen from there too.
fn instant() -> Timestamp {
    store::clock::now() - SignedDuration::from_mins(30)
}

fn land(scene: &Scene, events: &[Value]) {
    let lines: Vec<String> = events.iter().map(|event| format!("{event}\n")).collect();
    scene.land("a.jsonl", lines.concat().as_bytes());
}

/// What the program publishes for an instant. Its name tells every byte of its files.
fn publish(scene: &Scene, as_of: Timestamp) -> String {
    let out = scene.done(&["run", "learn", "--as-of", &as_of.to_string(), "--json"]).out;
    let told: Value = serde_json::from_str(&out).expect("JSON");
    told["generation"].as_str().expect("a generation").to_owned()
}

/// The figures of a generation, without what was refused and how many events there are.
fn figures(scene: &Scene, generation: &str) -> BTreeMap<&'static str, Vec<u8>> {
    let folder = scene.workspace.published().join(generation);
    ["patterns.parquet", "org-patterns.toon"].map(|name| (name, fs::read(folder.join(name)).expect("a file"))).into()
}

fn read_report(scene: &Scene) -> String {
    crate::support::published::read(scene, "report.json")
}

/// Prunes the lake. Gives how many events and files went.
fn prune(scene: &Scene) -> (i64, i64) {
    let told: Value = serde_json::from_str(&scene.done(&["prune", "--json"]).out).expect("JSON");
    let number = |name: &str| told["lake"][name].as_i64().expect("a number");
    (number("events"), number("files"))
}

fn past(scene: &Scene) -> Past {
    Past::load(&scene.workspace).expect("it can be read").expect("a past")
}

/// The folders of days that are pruned and still stand there.
fn leftovers(scene: &Scene) -> Vec<PathBuf> {
    let past = past(scene);
    let partitions = list_partitions(&scene.workspace).expect("a list").into_iter().map(|found| found.partition);
    let is_old = |kind: Kind, day| past.first_kept(kind).is_some_and(|first| day < first);
    partitions.filter(|partition| is_old(partition.kind, partition.day)).map(Partition::folder).collect()
}

/// What stands beside `past.json`.
fn sums(scene: &Scene) -> Vec<String> {
    super::names(&scene.workspace.past()).into_iter().filter(|name| name != "past.json").collect()
}

/// The settings that the published generation was made with are those of the scene, so it can be worked out anew.
fn assert_verified(scene: &Scene) {
    let generation = load_current(&scene.workspace).expect("the link").expect("a generation").manifest.generation;
    let outcome = scene.done(&["run", "verify"]);
    assert!(outcome.error.contains(&format!("of {generation} were reproduced byte for byte")), "{}", outcome.error);
}
