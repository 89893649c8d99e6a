//! Arguments of `push`, `pull` and `prune`.

use std::path::PathBuf;

use clap::Args as ClapArgs;

/// Arguments of `push` and `pull`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Patterns are shared through a folder or a git repository. CLAUDE_ORG_ID names the organisation;
patterns of another one are refused. Every entry is signed with the workspace's key, and says which
project it comes from.

  CLAUDE_ORG_ID=acme outerloop push --at /srv/learnings
  CLAUDE_ORG_ID=acme outerloop pull --at git@example.org:team/learnings.git")]
pub struct ShareArgs {
    /// The folder or git repository [default: the setting `share.at`]
    #[arg(long, value_name = "PLACE")]
    pub at: Option<String>,
    /// The branch of the repository [default: the setting `share.branch`, else its own]
    #[arg(long)]
    pub branch: Option<String>,
    /// The name of this project in the shared place [default: the setting `project`, else the git repository's name]
    #[arg(long)]
    pub project: Option<String>,
    /// The organisation
    #[arg(long, env = "CLAUDE_ORG_ID", value_name = "NAME")]
    pub org: Option<String>,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `prune`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Removes sessions, logs and archived files of run folders as retention.yaml or the settings say; log
lines are recorded in the inbox before they are dropped. Removes inbox files whose lines are all in
the lake, and replaces old partitions of the lake by sums: no rate changes.")]
pub struct PruneArgs {
    /// A run folder; repeatable [default: the setting `capture.workdirs`]
    #[arg(long, value_name = "FOLDER")]
    pub workdir: Vec<PathBuf>,
    /// A run whose session is kept
    #[arg(long, env = "CLOSEDLOOP_RUN_ID", value_name = "RUN")]
    pub keep_run: Option<String>,
    /// Show what would be removed, without removing it
    #[arg(long)]
    pub dry_run: bool,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}
