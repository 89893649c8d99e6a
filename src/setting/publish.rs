//! The settings of what is published and shared, and the names of published files.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::section::{at_least, choices, kinds, settings};

/// The pattern file.
pub const PATTERN_FILE: &str = "org-patterns.toon";

/// The table of patterns.
pub const TABLE_FILE: &str = "patterns.parquet";

/// Lessons about the tool itself.
pub const TOOL_FILE: &str = "closedloop-learnings.json";

/// What hooks read to show patterns to an agent.
pub const INJECTION_FILE: &str = "injection.tsv";

/// The table of role patterns.
pub const ROLE_FILE: &str = "role-patterns.parquet";

/// The table of observations.
pub const OBSERVATION_FILE: &str = "observations.parquet";

/// The table of applications.
pub const OUTCOME_FILE: &str = "outcome.parquet";

/// The table of patterns by day.
pub const PATTERN_DAY_FILE: &str = "pattern-days.parquet";

/// The table of runs by adapter.
pub const RUN_ADAPTER_FILE: &str = "run-adapters.parquet";

/// The table of adapters by day.
pub const ADAPTER_DAY_FILE: &str = "adapter-days.parquet";

/// The report as a page.
pub const PAGE_FILE: &str = "report.html";

/// The policies that gates read.
pub const POLICY_FILE: &str = "policy.json";

/// The changes of policies since the previous generation.
pub const DIFF_FILE: &str = "policy-diff.json";

/// The policies, for monitoring.
pub const POLICY_METRICS_FILE: &str = "policy.prom";

/// Whether the loop, its patterns and experiments help, with the sums behind every figure.
pub const TRUTH_FILE: &str = "truth.json";

/// The table of verdicts.
pub const VERDICT_FILE: &str = "truth.parquet";

/// The table of the sums behind the verdicts.
pub const SUM_FILE: &str = "truth-cells.parquet";

/// The verdicts, for monitoring.
pub const TRUTH_METRICS_FILE: &str = "truth.prom";

settings! {
    /// Publishing of results.
    #[derive(Eq)]
    pub struct PublishSettings {
        /// How many patterns the pattern file holds.
        cap: usize = 50;
        /// How the pattern file is written: "toon" as its specification says, or "closedloop" as that tool writes it. Both tools read either;
        /// only the latter keeps quotes and backslashes, and writes rates as 0.90.
        dialect: PatternDialect;
        /// How many generations to keep, the current one included.
        keep: usize = 48, in at_least(1.0);
        /// For how many days the tables of analysts (`outcome.parquet`, `run-adapters.parquet`) hold a row for each application and
        /// run; older ones are summed. These two tables stand in the last two generations only.
        row_days: u32 = 90;
        /// Copies of published files, written after every generation: the name of the published file, and where its copy goes. The
        /// previous copy is kept beside it as `.bak`. A relative path starts at the workspace.
        targets: Vec<Target>, example r#"[{ file = "org-patterns.toon", to = "/home/me/.closedloop-ai/learnings/org-patterns.toon" }]"#;
    }

    /// Sharing of patterns with other projects (`outerloop push`, `outerloop pull`).
    #[derive(Eq)]
    pub struct ShareSettings {
        /// A folder, or a git repository by path or address. A relative path starts at the workspace. An address holds no password: ssh
        /// or a credential helper of git provides it.
        at: Option<String>, example r#""git@example.org:team/learnings.git""#;
        /// Branch of the repository. Without this, its default branch.
        branch: Option<String>, example r#""main""#;
        /// The public keys whose patterns are accepted, as 64 hexadecimal digits each; all others are refused. Without any, every entry
        /// with a valid signature is accepted: that proves that nobody changed it, not who wrote it.
        trusted_keys: Vec<String>;
        /// Whether to accept unsigned entries, such as those of the original tool. Never done while keys are trusted.
        take_unsigned: bool = false;
    }
}

/// How the pattern file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PatternDialect {
    /// As the specification of TOON says, without anything that ClosedLoop's readers take differently.
    #[default]
    Toon,
    /// As ClosedLoop writes it.
    ClosedLoop,
}

choices! { PatternDialect }

/// A copy of a published file.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Target {
    /// The published file's name.
    #[serde(default = "pattern_file")]
    pub file: String,
    /// Where the copy goes. A relative path starts at the workspace.
    pub to: PathBuf,
}

fn pattern_file() -> String {
    PATTERN_FILE.to_owned()
}

kinds! { Target => "a table with `file` and `to`"; }
