//! The arguments of `observe`.

use std::path::PathBuf;

use clap::Args as ClapArgs;

/// Arguments of `observe`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Workflows, procedures, decisions with their reason, and pitfalls become events, one for each session
in which they occur. Built-in rules find them, or the program of the setting `observe.command`,
which has a daily call limit.

  outerloop observe ~/.claude/projects/-home-me-shop/5b7c0f6e.jsonl       observe one session
  outerloop observe ~/.claude/projects/-home-me-shop --dry-run            all sessions, dry run
  outerloop observe session.jsonl --channels                              print the extracted turns
  outerloop observe --queued                                              all queued sessions")]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
pub struct ObserveArgs {
    /// Transcripts in JSONL, or folders with *.jsonl below them
    #[arg(value_name = "TRANSCRIPT", required_unless_present = "queued", conflicts_with = "queued")]
    pub transcripts: Vec<PathBuf>,
    /// Observe the sessions that hooks put into the queue, as the hourly job does
    #[arg(long, conflicts_with_all = ["project", "dry_run", "channels"])]
    pub queued: bool,
    /// The project [default: the project of the session's folder]
    #[arg(long, value_name = "NAME")]
    pub project: Option<String>,
    /// Print the observations without recording them
    #[arg(long)]
    pub dry_run: bool,
    /// Print the user's turns and the turns they answer, one JSON object per session; observe nothing
    #[arg(long)]
    pub channels: bool,
    /// Print the observations as JSON
    #[arg(long)]
    pub json: bool,
}
