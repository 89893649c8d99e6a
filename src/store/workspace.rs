//! Where everything lives: the folders of a workspace, and how one is found.

use std::path::{Path, PathBuf};
use std::{fs, io};

use setting::{Settings, parse_settings};
use text::diagnostic::{Diagnostic, Outcome};

use crate::durable;
use event::Kind;

/// What keeps git from a folder of ours.
const IGNORED: &str = ".gitignore";

/// The name of a workspace's folder inside a project.
pub const FOLDER: &str = ".outerloop";

/// A workspace: one folder that holds the settings, the inbox, the lake and everything published from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Workspace {
    root: PathBuf,
}

impl Workspace {
    /// The workspace in that folder, whether or not it exists yet.
    pub fn at(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// The nearest workspace at or above a folder; the folder's own if there is none.
    pub fn nearest(folder: &Path) -> Self {
        let found = folder.ancestors().map(|ancestor| ancestor.join(FOLDER)).find(|candidate| candidate.is_dir());
        Self::at(found.unwrap_or_else(|| folder.join(FOLDER)))
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    pub fn settings(&self) -> PathBuf {
        self.root.join("outerloop.toml")
    }

    /// Where events land.
    pub fn inbox(&self) -> PathBuf {
        self.root.join("inbox")
    }

    /// Refused lines.
    pub fn quarantine(&self) -> PathBuf {
        self.root.join("quarantine")
    }

    /// The events as Parquet.
    pub fn lake(&self) -> PathBuf {
        self.root.join("lake")
    }

    /// Files on their way into the lake. Inside it, so that a rename never crosses file systems.
    pub fn staging(&self) -> PathBuf {
        self.lake().join(".staging")
    }

    /// How far the inbox was read.
    pub fn checkpoint(&self) -> PathBuf {
        self.lake().join("checkpoint.json")
    }

    /// Remembers the runs of all days; may be deleted at any time.
    #[must_use]
    pub fn seen_runs(&self) -> PathBuf {
        self.lake().join(".seen-runs")
    }

    /// Held by the one job that changes the lake.
    pub fn lock(&self) -> PathBuf {
        self.root.join("lock")
    }

    /// Held by readers of the lake, so that no partition is swapped under them.
    pub fn reader_lock(&self) -> PathBuf {
        self.root.join("readers")
    }

    /// One line for each run of a job.
    pub fn history(&self) -> PathBuf {
        self.root.join("history")
    }

    /// Notes of the hooks of running agents.
    pub fn hooks(&self) -> PathBuf {
        self.root.join("hooks")
    }

    /// The salt of the coins: made once, never published.
    #[must_use]
    pub fn salt(&self) -> PathBuf {
        self.root.join("salt")
    }

    /// The coins of units of work that are under way.
    #[must_use]
    pub fn coins(&self) -> PathBuf {
        self.root.join("coins")
    }

    /// Journals of artifacts, and citations by agents.
    pub fn artifacts(&self) -> PathBuf {
        self.root.join("artifacts")
    }

    /// Errors of hooks, one per line.
    pub fn hook_history(&self) -> PathBuf {
        self.history().join("hooks.jsonl")
    }

    /// Sessions that wait to be observed.
    pub fn observing(&self) -> PathBuf {
        self.root.join("observe")
    }

    /// Policy changes, one per line.
    pub fn policy_history(&self) -> PathBuf {
        self.history().join("policies.jsonl")
    }

    pub fn published(&self) -> PathBuf {
        self.root.join("published")
    }

    /// The link to the generation that readers read.
    pub fn current(&self) -> PathBuf {
        self.published().join("current")
    }

    /// Policies that were published without a generation.
    #[must_use]
    pub fn latest_policy(&self) -> PathBuf {
        self.published().join("policy.json")
    }

    /// The figures of these, for monitoring.
    #[must_use]
    pub fn latest_policy_metrics(&self) -> PathBuf {
        self.published().join("policy.prom")
    }

    /// What the current generation was made from.
    #[must_use]
    pub fn standing(&self) -> PathBuf {
        self.published().join("standing.json")
    }

    /// The sums of pruned days.
    pub fn past(&self) -> PathBuf {
        self.root.join("past")
    }

    /// Queries that replace the built-in ones.
    pub fn queries(&self) -> PathBuf {
        self.root.join("sql")
    }

    /// Metrics of the last run.
    pub fn metrics(&self) -> PathBuf {
        self.root.join("metrics.prom")
    }

    pub fn table(&self, kind: Kind) -> PathBuf {
        self.lake().join(kind.name())
    }
}

/// Makes a folder of ours ignore itself: `git add -A` commits nothing of it and `git clean -fd` leaves it alone, whatever the project's
/// own `.gitignore` says. A file that is there stays as it is, for a project that commits its settings.
pub fn keep_from_git(folder: &Path) -> Outcome<()> {
    let path = folder.join(IGNORED);
    if fs::symlink_metadata(&path).is_ok() {
        return Ok(());
    }
    durable::create_whole(&path, b"*\n", None).map(drop)
}

/// Reads the settings of a workspace. Without a file, every setting has its default.
pub fn load_settings(workspace: &Workspace) -> Outcome<Settings> {
    let path = workspace.settings();
    let text = match fs::read_to_string(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Settings::default()),
        read => read.map_err(|error| Diagnostic::io("cannot read the settings", &path, &error))?,
    };
    parse_settings(&text).map_err(|fault| fault.at(&path))
}
