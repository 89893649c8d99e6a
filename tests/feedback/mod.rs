//! What pipelines tell of their roles, through the program: from reports on the disk to what a pattern is worth.

mod execution;
mod failure;
mod hostile;
mod labelled;
mod store;
mod trial;
mod worked;

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::support::{Outcome, Scene};

/// A saying that a role gathers.
pub const SAYING: &str = "Validate webhook signatures before the body is parsed";

/// The comment that a program reads a verdict from.
pub fn verdict(json: &str) -> String {
    format!("<!-- jkz:verdict-json {json} -->\n")
}

/// A report that gathers sayings, quotes a place and ends in a verdict.
pub fn report(sayings: &[&str], json: &str) -> String {
    let items: Vec<String> = sayings.iter().map(|saying| format!("- {saying}\n")).collect();
    format!(
        "# Review\n\nThe body is read first, see src/hook.rs:3\n`let body = parse(raw);`\n\n## Accumulated Patterns\n{}\n{}",
        items.concat(),
        verdict(json)
    )
}

/// A pipeline with a workspace of its own.
pub struct Pipeline {
    pub scene: Scene,
}

impl Pipeline {
    pub fn new() -> Self {
        Self { scene: Scene::new() }
    }

    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.scene.root().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(&path, text).expect("a file");
        path
    }

    /// Hands in the reports of a role and its validator.
    pub fn feed(&self, roles: [&str; 2], reports: [&str; 2], more: &[&str]) -> Outcome {
        let (role, validator) = (self.write("role.md", reports[0]), self.write("validator.md", reports[1]));
        let mut arguments = vec!["feedback", "--adversarial-role", roles[0], "--validator-role", roles[1], "--project", "web"];
        arguments.extend(["--adversarial", role.to_str().expect("a path"), "--validator", validator.to_str().expect("a path")]);
        arguments.extend(more);
        self.scene.run(&arguments)
    }

    /// The same for a judge and an inspector, which must succeed.
    pub fn judge(&self, reports: [&str; 2], more: &[&str]) -> Value {
        let outcome = self.feed(["judge", "inspector"], reports, &[more, &["--json", "--strict"]].concat());
        assert_eq!(outcome.code, 0, "{}", outcome.error);
        let told: Value = serde_json::from_str(&outcome.out).expect("JSON");
        assert_eq!(told["ok"], true, "{told}");
        told
    }

    /// Runs a command that must succeed, and reads its JSON.
    pub fn json(&self, arguments: &[&str]) -> Value {
        let out = self.scene.done(arguments).out;
        serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out}"))
    }

    pub fn learn(&self) {
        self.scene.done(&["run", "hourly"]);
    }

    pub fn pattern(&self, id: &str) -> Value {
        self.json(&["patterns", "show", id, "--json"])
    }

    /// How many lines landed.
    pub fn landed(&self) -> usize {
        let entries = fs::read_dir(self.scene.workspace.inbox()).expect("the inbox").map(|entry| entry.expect("an entry").path());
        entries.map(|path| fs::read_to_string(path).expect("text").lines().count()).sum()
    }
}

#[track_caller]
pub fn assert_near(value: &Value, expected: f64) {
    let value = value.as_f64().expect("a number");
    assert!((value - expected).abs() < 5e-4, "{value} is not {expected}");
}
