//! A folder that a run works in.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use agent::goal::{Goal, GoalOutcome, Situation, evaluate, load_goals};
use tempfile::TempDir;

pub struct Place {
    folder: TempDir,
    pub situation: Situation,
}

impl Place {
    pub fn new() -> Self {
        let folder = TempDir::new().expect("a temporary folder");
        let situation = Situation::new("run-1", folder.path());
        Self { folder, situation }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(&path, content).expect("a file");
        path
    }

    /// Writes a script of the shell that can be run. Another process does so: a file that this one had open for writing while
    /// another test starts a program could not be run.
    pub fn script(&self, name: &str, body: &str) -> PathBuf {
        let text = self.write(&format!("{name}.text"), format!("#!/bin/sh\n{body}\n"));
        let path = self.path(name);
        let installed = Command::new("install").arg("-m755").arg(text).arg(&path).status().expect("install runs");
        assert!(installed.success());
        path
    }

    /// The goal that a file of goals makes of a name.
    pub fn goal(&self, yaml: &str, name: Option<&str>) -> Goal {
        let path = self.write("goal.yaml", yaml);
        load_goals(Some(&path)).and_then(|goals| goals.choose(name)).unwrap_or_else(|fault| panic!("{fault}"))
    }

    pub fn judge(&self, goal: &Goal) -> GoalOutcome {
        evaluate(goal, &self.situation).unwrap_or_else(|fault| panic!("{fault}"))
    }
}

/// A goal that needs no definition.
pub fn known(name: &str) -> Goal {
    Goal::well_known(name).expect("a goal that is known by its name")
}

/// The word for why something could not be measured.
pub fn error_of(outcome: &GoalOutcome) -> Option<&str> {
    outcome.metrics.get("error").and_then(|error| error.as_str())
}

/// The success and the score of an outcome.
pub fn result(outcome: &GoalOutcome) -> (bool, Option<f64>) {
    (outcome.success, outcome.score)
}
