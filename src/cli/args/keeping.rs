//! The arguments of commands that share patterns and prune what is no longer needed.

use std::path::PathBuf;

use clap::Args as ClapArgs;

/// Arguments of `push` and `pull`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Patterns are shared through a folder or a git repository. CLAUDE_ORG_ID names the organisation; patterns of another one are
refused. Every entry is signed with the workspace's key, and says which project it comes from.

  CLAUDE_ORG_ID=acme outerloop push --at /srv/learnings
  CLAUDE_ORG_ID=acme outerloop pull --at git@example.org:team/learnings.git")]
pub struct ShareArgs {
    /// The folder or git repository [default: the setting `share.at`]
    #[arg(long, value_name = "PLACE")]
    pub at: Option<String>,
    /// The branch of the repository [default: the setting `share.branch`, else its own]
    #[arg(long)]
    pub branch: Option<String>,
    /// How this project is called there [default: the setting `project`, else the git repository's name]
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
Sessions, logs and archived files of the folders of runs go by their retention.yaml or the settings; lines of logs are
taken into the inbox before they are dropped. Inbox files go when all of their lines are in the lake, and old
partitions of the lake when their sums stand: no rate changes.")]
pub struct PruneArgs {
    /// A folder of runs; may be given again [default: the setting `capture.workdirs`]
    #[arg(long, value_name = "FOLDER")]
    pub workdir: Vec<PathBuf>,
    /// A run whose session stays
    #[arg(long, env = "CLOSEDLOOP_RUN_ID", value_name = "RUN")]
    pub keep_run: Option<String>,
    /// Say what would go, and change nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}
