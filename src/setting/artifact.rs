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
