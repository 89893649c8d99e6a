//! The settings of the files that observations become.

use std::path::PathBuf;

use crate::parse::Conflict;
use crate::section::{at_least, settings};

settings! {
    /// Files made from observations in a project's folder (`outerloop render`, `outerloop reconcile`, and a step of the jobs): entries
    /// of .memory/knowledge/, slash commands and skills in .claude/.
    #[derive(Eq)]
    pub struct ArtifactSettings {
        /// The project's folder. Without this, the folder that holds the workspace. A relative path starts at the workspace.
        root: Option<PathBuf>, example r#""/home/me/projects/shop""#;
        /// Whether jobs render too. They do so only where `root` is set or the folder has a .memory or a .claude already.
        render: bool = true;
        /// A program and its arguments that words an artifact better than the template. It gets {"protocol": 1, "type": ..., "title": ...,
        /// "details": ..., "evidence": [...], ...} on stdin and answers with {"title": "...", "details": ...}. Each answer is checked
        /// and recorded as an event, so nothing is asked twice; a refused one leaves the template's words. Without one, templates.
        command: Vec<String>, example r#"["python3", "/home/me/author.py"]"#;
        /// Time limit of one call, in seconds.
        timeout_seconds: u64 = 120;
        /// How often a call whose answer cannot be read is retried within one run.
        retries: u32 = 1;
        /// How many calls to make per day, failed ones included.
        calls_per_day: u32 = 20;
        /// Longest answer to read, in KiB.
        most_answer_kib: usize = 64;
        /// Number of entries of one file from which on a warning says that it fills up.
        soft_start: usize = 50;
        /// How many entries of one file can be in use.
        ceiling: usize = 100, in at_least(1.0);
    }
}

pub(crate) fn check(settings: &ArtifactSettings) -> Result<(), Conflict> {
    let ArtifactSettings { soft_start, ceiling, .. } = settings;
    Conflict::unless(soft_start <= ceiling, &["artifact.soft_start", "artifact.ceiling"], || {
        (
            format!("`artifact.soft_start` is {soft_start}, more than `artifact.ceiling`"),
            "lower it, or raise the ceiling".to_owned(),
        )
    })
}
