//! What a job is: a name, a sentence and its steps.

use std::fs;
use std::io;

use serde::Deserialize;

use crate::diagnostic::{Diagnostic, Outcome};
use crate::workspace::Workspace;

/// The jobs that are part of the program. A file of the same name in the workspace's `jobs/` takes their place.
const BUILTIN: [(&str, &str); 3] = [
    ("compact", include_str!("../../jobs/compact.toml")),
    ("maintain", include_str!("../../jobs/maintain.toml")),
    ("rewrite", include_str!("../../jobs/rewrite.toml")),
];

/// A step that a job can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Step {
    /// Take what landed in the inbox into the lake.
    Compact,
    /// Merge the small files of old partitions.
    Rewrite,
}

impl Step {
    /// The step's name in a job's file.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Compact => "compact",
            Self::Rewrite => "rewrite",
        }
    }
}

/// A job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    /// Its name: the stem of its file.
    pub name: String,
    /// What it does, in a sentence.
    pub description: String,
    /// Its steps, in order.
    pub steps: Vec<Step>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawJob {
    description: String,
    steps: Vec<Step>,
}

/// The jobs that are part of the program.
pub fn builtin_jobs() -> Outcome<Vec<Job>> {
    BUILTIN.iter().map(|(name, text)| parse_job(name, text)).collect()
}

/// The job of that name: the workspace's own, else the program's.
pub fn find_job(workspace: &Workspace, name: &str) -> Outcome<Job> {
    let known: Vec<&str> = BUILTIN.iter().map(|(name, _)| *name).collect();
    let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
    let unknown =
        || Diagnostic::edit(format!("there is no job `{}`", name.escape_default()), format!("the jobs are: {}", known.join(", ")));
    if !is_name {
        return Err(unknown());
    }
    let path = workspace.root().join("jobs").join(format!("{name}.toml"));
    match fs::read_to_string(&path) {
        Ok(text) => parse_job(name, &text).map_err(|fault| fault.at(&path)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let (name, text) = BUILTIN.iter().find(|(builtin, _)| *builtin == name).ok_or_else(unknown)?;
            parse_job(name, text)
        }
        Err(error) => Err(Diagnostic::io("cannot read the job", &path, &error)),
    }
}

fn parse_job(name: &str, text: &str) -> Outcome<Job> {
    let raw: RawJob = toml::from_str(text).map_err(|error| {
        Diagnostic::edit(format!("the job `{name}` is not valid"), "correct the line; the steps are: compact, rewrite")
            .because(error.to_string().trim_end())
    })?;
    Ok(Job { name: name.to_owned(), description: raw.description, steps: raw.steps })
}
