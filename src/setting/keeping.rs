//! The settings of what is kept, shared and summed up.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// How much it takes for goal statistics.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct StatisticsSettings {
    /// Fewer runs make no statistics.
    pub least_runs: u64,
    /// Fewer runs with a pattern say nothing about it.
    pub least_applications: u64,
    /// A trend takes this many runs, the last ones.
    pub trend_runs: u64,
    /// Of each goal so many runs are looked at, the last ones: what a cycle costs must not grow with the years.
    pub most_runs: u32,
}

impl Default for StatisticsSettings {
    fn default() -> Self {
        Self { least_runs: 5, least_applications: 3, trend_runs: 10, most_runs: 1000 }
    }
}

/// Where patterns are shared.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ShareSettings {
    /// A folder, or a git repository by path or address. A relative path starts at the workspace.
    pub at: Option<String>,
    /// The branch of the repository [default: its own default].
    pub branch: Option<String>,
    /// The public keys whose patterns are taken, and then no others. Without any, everybody's are whose signature holds: that
    /// proves that an entry is as its writer left it, not who the writer is.
    pub trusted_keys: Vec<String>,
    /// Whether entries that nobody signed are taken. Where keys are trusted, they never are.
    pub take_unsigned: bool,
}

/// What is kept for how long. 0 days mean for ever.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RetentionSettings {
    /// Inbox files that are wholly in the lake, by the day of their last change.
    pub inbox_days: u32,
    /// Partitions of applications and of what was found out about them. Their sums are kept for ever.
    pub lake_days: u32,
    /// Sessions of a run's folder.
    pub max_sessions: usize,
    /// Runs of a run's folder: rows of `runs.log` beyond these are dropped, once they are in the lake.
    pub max_runs: usize,
    /// Lines of each log of a run's folder, once they are in the lake.
    pub max_log_lines: usize,
    /// Captured files in `pending/archived/`.
    pub max_archive_age_days: u32,
    /// A lock of a run's folder that is older than this, and whose owner is gone, is stale.
    pub lock_stale_hours: u32,
    /// Sessions that changed within this time are left alone.
    pub protected_window_minutes: u32,
    /// A retention file in the original's format, instead of the one in each `.learnings/`.
    pub file: Option<PathBuf>,
}

impl Default for RetentionSettings {
    fn default() -> Self {
        Self {
            inbox_days: 90,
            lake_days: 0,
            max_sessions: 50,
            max_runs: 100,
            max_log_lines: 10_000,
            max_archive_age_days: 30,
            lock_stale_hours: 4,
            protected_window_minutes: 30,
            file: None,
        }
    }
}
