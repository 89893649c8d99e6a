//! Where a run is judged: everything that is to be known about it from outside.

use std::path::PathBuf;
use std::time::Duration;

use jiff::Timestamp;

/// Where a run is judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Situation {
    /// The run.
    pub run_id: String,
    /// The folder that the run works in. Commands run there, reports are looked for there.
    pub workdir: PathBuf,
    /// The iteration that the run is in. Where it is not known, `runs.log` in the folder is asked.
    pub iteration: Option<i64>,
    /// When the run began. Reports from before say nothing about it.
    pub run_started: Option<Timestamp>,
    /// The transcript of the run's session.
    pub session_file: Option<PathBuf>,
    /// The session, where its transcript has to be looked for.
    pub session_id: Option<String>,
    /// Where transcripts lie [default: `.claude/sessions` in the home folder].
    pub sessions: Option<PathBuf>,
    /// The home folder, below which transcripts are looked for.
    pub home: Option<PathBuf>,
    /// The program that judges goals which name none of their own.
    pub evaluator: Option<PathBuf>,
    /// How long a test command may take.
    pub test_limit: Duration,
    /// How long an evaluator may take.
    pub evaluator_limit: Duration,
}

impl Situation {
    /// A run in its folder, of which nothing else is known.
    #[must_use]
    pub fn new(run_id: impl Into<String>, workdir: impl Into<PathBuf>) -> Self {
        Self {
            run_id: run_id.into(),
            workdir: workdir.into(),
            iteration: None,
            run_started: None,
            session_file: None,
            session_id: None,
            sessions: None,
            home: None,
            evaluator: None,
            test_limit: Duration::from_secs(300),
            evaluator_limit: Duration::from_secs(60),
        }
    }
}
