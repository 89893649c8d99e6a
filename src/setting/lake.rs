//! The settings of intake, storage and retention.

use std::path::PathBuf;

use crate::section::settings;

settings! {
    /// Compaction of the inbox into the lake (`outerloop run compact`).
    #[derive(Copy, Eq)]
    pub struct CompactSettings {
        /// Size of a batch in KiB. Larger batches make fewer files and need more memory.
        batch_kib: u32 = 48 << 10;
        /// How many event ids to hold in memory to recognise redelivered events, at about 25 bytes each. Days with more ids are read
        /// again for every batch.
        held_ids: usize = 4_000_000;
    }

    /// Validation of finished runs (`run` events).
    #[derive(Copy, Eq)]
    pub struct RunSettings {
        /// Whether to accept runs that name no adapters, or that failed without a failure type. Otherwise they go to quarantine.
        lenient: bool = false;
        /// Whether the latest report of a run replaces earlier ones. Otherwise the first one counts, and a different report of the same day
        /// goes to quarantine. A run counts once in either case.
        replace: bool = true;
    }

    /// Merging of small files in old partitions (`outerloop run rewrite`).
    #[derive(Copy, Eq)]
    pub struct RewriteSettings {
        /// Leaves alone partitions of this many recent days, which still grow.
        after_days: u16 = 2;
        /// How many small files a partition must have before they are merged.
        least_files: usize = 4;
        /// Files below this size in MiB are small.
        small_mib: u64 = 64;
    }

    /// How long data is kept (`outerloop prune`, and a step of the daily job). 0 days mean forever.
    #[derive(Eq)]
    pub struct RetentionSettings {
        /// Days to keep inbox files that are wholly in the lake, counted from their last change.
        inbox_days: u32 = 90;
        /// Days to keep partitions of applications and of the findings about them. Their sums are kept forever, so no rate changes.
        lake_days: u32 = 0;
        /// How many sessions a run folder keeps, where its own `retention.yaml` does not say otherwise. This holds for all keys below.
        max_sessions: usize = 50;
        /// How many rows `runs.log` of a run folder keeps. Rows are dropped only once they are in the lake.
        max_runs: usize = 100;
        /// How many lines each log of a run folder keeps. Lines are dropped only once they are in the lake.
        max_log_lines: usize = 10_000;
        /// Days to keep captured files in `pending/archived/`.
        max_archive_age_days: u32 = 30;
        /// A run folder is left alone while the process that holds its lock is alive. A process that is unknown here may run in a
        /// container: its lock counts until it is this many hours old. With 0, it does not count.
        lock_stale_hours: u32 = 4;
        /// Leaves alone sessions that changed within this many minutes.
        protected_window_minutes: u32 = 30;
        /// A retention file for all run folders, instead of their own. A relative path starts at the workspace.
        file: Option<PathBuf>, example r#""retention.yaml""#;
    }

    /// Metrics of every run, for the node exporter of Prometheus.
    #[derive(Eq)]
    pub struct MetricsSettings {
        /// The text file to write. Without one, `metrics.prom` in the workspace.
        file: Option<PathBuf>, example r#""/var/lib/prometheus/node-exporter/outerloop.prom""#;
    }
}
