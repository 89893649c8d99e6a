//! What a job is: a name, a sentence, when it starts, and its steps.

use std::time::Duration;
use std::{fmt, fs, io};

use serde::Deserialize;
use serde::de::value::{MapAccessDeserializer, StrDeserializer};
use serde::de::{self, Deserializer, IntoDeserializer as _, MapAccess, Visitor};

use super::schedule::Schedule;
use crate::workspace::Workspace;
use text::diagnostic::{Diagnostic, Outcome};

/// The jobs that are part of the program. A file of the same name in the workspace's `jobs/` takes their place.
const BUILTIN: [(&str, &str); 14] = [
    ("capture", include_str!("../../../jobs/capture.toml")),
    ("classify", include_str!("../../../jobs/classify.toml")),
    ("compact", include_str!("../../../jobs/compact.toml")),
    ("daily", include_str!("../../../jobs/daily.toml")),
    ("embed", include_str!("../../../jobs/embed.toml")),
    ("hourly", include_str!("../../../jobs/hourly.toml")),
    ("learn", include_str!("../../../jobs/learn.toml")),
    ("maintain", include_str!("../../../jobs/maintain.toml")),
    ("observe", include_str!("../../../jobs/observe.toml")),
    ("prune", include_str!("../../../jobs/prune.toml")),
    ("render", include_str!("../../../jobs/render.toml")),
    ("rewrite", include_str!("../../../jobs/rewrite.toml")),
    ("verify", include_str!("../../../jobs/verify.toml")),
    ("weekly", include_str!("../../../jobs/weekly.toml")),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Step {
    /// Take in the lessons that agents left in the folders of runs.
    Capture,
    /// Observe what recurs in the transcripts of sessions that ended.
    Observe,
    /// Take what landed in the inbox into the lake.
    Compact,
    /// Have captured lessons classified.
    Classify,
    /// Merge the small files of old partitions.
    Rewrite,
    /// Remove what is no longer needed.
    Prune,
    /// Learn from the lake and publish a generation.
    Learn,
    /// Work the published generation out anew and compare.
    Verify,
    /// Notice what people did to artifacts, and render what is ready.
    Render,
    /// Create vectors of role patterns.
    Embed,
}

impl Step {
    pub const ALL: [Self; 10] = [
        Self::Capture,
        Self::Observe,
        Self::Compact,
        Self::Classify,
        Self::Rewrite,
        Self::Prune,
        Self::Learn,
        Self::Verify,
        Self::Render,
        Self::Embed,
    ];

    /// Whether it asks the SQL engine.
    #[must_use]
    pub const fn needs_engine(self) -> bool {
        matches!(self, Self::Classify | Self::Prune | Self::Learn | Self::Verify)
    }

    /// The step's name in a job's file.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Capture => "capture",
            Self::Observe => "observe",
            Self::Compact => "compact",
            Self::Classify => "classify",
            Self::Rewrite => "rewrite",
            Self::Prune => "prune",
            Self::Learn => "learn",
            Self::Verify => "verify",
            Self::Render => "render",
            Self::Embed => "embed",
        }
    }
}

/// What becomes of a job when one of its steps fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnFailure {
    /// The steps after it are not run.
    #[default]
    Stop,
    /// The steps after it are run all the same; the job has failed nevertheless.
    GoOn,
}

/// A step of a job, and how it is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Task {
    pub step: Step,
    /// How long it may take.
    pub timeout: Option<Duration>,
    /// Number of retries on temporary failure.
    pub retries: u32,
    /// How long it waits before the first of these; twice as long before each next.
    pub backoff: Duration,
    /// What becomes of the job when it fails.
    pub on_failure: OnFailure,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    /// Its name: the stem of its file.
    pub name: String,
    pub description: String,
    /// When it starts by itself.
    pub schedule: Option<Schedule>,
    /// Its steps, in order.
    pub tasks: Vec<Task>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawJob {
    description: String,
    schedule: Option<Schedule>,
    steps: Vec<RawStep>,
}

/// A step's name alone, or a table of how it is run.
struct RawStep(RawTask);

impl<'de> Deserialize<'de> for RawStep {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // An untagged enum would only say that neither form fits, not what is wrong with the one that was meant.
        deserializer.deserialize_any(StepVisitor).map(Self)
    }
}

struct StepVisitor;

impl<'de> Visitor<'de> for StepVisitor {
    type Value = RawTask;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the name of a step or a table")
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<RawTask, E> {
        let name: StrDeserializer<'_, E> = name.into_deserializer();
        let step = Step::deserialize(name)?;
        Ok(RawTask { step, timeout_minutes: None, retries: 0, backoff_seconds: default_backoff(), on_failure: OnFailure::Stop })
    }

    fn visit_map<A: MapAccess<'de>>(self, table: A) -> Result<RawTask, A::Error> {
        RawTask::deserialize(MapAccessDeserializer::new(table))
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawTask {
    step: Step,
    timeout_minutes: Option<u32>,
    #[serde(default)]
    retries: u32,
    #[serde(default = "default_backoff")]
    backoff_seconds: u32,
    #[serde(default)]
    on_failure: OnFailure,
}

const fn default_backoff() -> u32 {
    2
}

impl From<RawStep> for Task {
    fn from(RawStep(raw): RawStep) -> Self {
        Self {
            step: raw.step,
            timeout: raw.timeout_minutes.map(|minutes| Duration::from_secs(60 * u64::from(minutes))),
            retries: raw.retries,
            backoff: Duration::from_secs(raw.backoff_seconds.into()),
            on_failure: raw.on_failure,
        }
    }
}

/// All jobs: the program's, those of the workspace in their place, and those that only the workspace has. By name.
pub fn list_jobs(workspace: &Workspace) -> Outcome<Vec<Job>> {
    list_names(workspace)?.iter().map(|name| find_job(workspace, name)).collect()
}

fn list_names(workspace: &Workspace) -> Outcome<Vec<String>> {
    let mut names: Vec<String> = BUILTIN.iter().map(|(name, _)| (*name).to_owned()).collect();
    let folder = workspace.root().join("jobs");
    match fs::read_dir(&folder) {
        Ok(entries) => {
            let files = entries.flatten().map(|entry| entry.path());
            let own = files.filter(|path| path.extension().is_some_and(|ending| ending == "toml"));
            names.extend(own.filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned())).filter(|name| is_name(name)));
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(Diagnostic::io("cannot list the jobs", &folder, &error)),
    }
    names.sort_unstable();
    names.dedup();
    Ok(names)
}

/// The jobs that start by themselves.
pub fn scheduled_jobs(workspace: &Workspace) -> Outcome<Vec<(String, Schedule)>> {
    let jobs = list_jobs(workspace)?;
    let mut scheduled: Vec<(String, Schedule)> = jobs.into_iter().filter_map(|job| Some((job.name, job.schedule?))).collect();
    scheduled.sort_by(|one, other| one.1.cmp(&other.1).then_with(|| one.0.cmp(&other.0)));
    Ok(scheduled)
}

/// The job of that name: the workspace's own, else the program's.
pub fn find_job(workspace: &Workspace, name: &str) -> Outcome<Job> {
    let unknown = || {
        let known = list_names(workspace).unwrap_or_default();
        Diagnostic::edit(format!("there is no job `{}`", name.escape_default()), format!("the jobs are: {}", known.join(", ")))
    };
    if !is_name(name) {
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

/// A name is at once a file's stem, a unit's and an argument.
fn is_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
}

fn parse_job(name: &str, text: &str) -> Outcome<Job> {
    let steps: Vec<&str> = Step::ALL.iter().map(|step| step.name()).collect();
    let raw: RawJob = toml::from_str(text).map_err(|error| {
        let remedy = format!(
            "correct the line; a step is a name ({}) or a table with step, timeout_minutes, retries, backoff_seconds and on_failure",
            steps.join(", ")
        );
        Diagnostic::edit(format!("the job `{name}` is not valid"), remedy).because(error.to_string().trim_end())
    })?;
    Ok(Job {
        name: name.to_owned(),
        description: raw.description,
        schedule: raw.schedule,
        tasks: raw.steps.into_iter().map(Task::from).collect(),
    })
}
