//! Jobs: how they are read, run, repeated, stopped, and what they leave for people and monitoring.

mod definition;
mod history;
mod metrics;
mod runner;

use std::fs;

use crate::support::Scene;

/// Puts a job of the workspace's own in place.
fn put_job(scene: &Scene, name: &str, text: &str) {
    let folder = scene.root().join("jobs");
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(folder.join(format!("{name}.toml")), text).expect("a job");
}

/// The last line of the history.
fn last_run(scene: &Scene) -> serde_json::Value {
    let text = fs::read_to_string(scene.workspace.history().join("runs.jsonl")).expect("a history");
    serde_json::from_str(text.lines().last().expect("a line")).expect("JSON")
}

/// The outcome and the attempts of each step of a run.
fn steps(run: &serde_json::Value) -> Vec<(&str, &str, u64)> {
    let steps = run["steps"].as_array().expect("steps").iter();
    steps
        .map(|step| {
            let (name, outcome) = (step["step"].as_str().expect("a step"), step["outcome"].as_str().expect("an outcome"));
            (name, outcome, step["attempts"].as_u64().expect("a number"))
        })
        .collect()
}
