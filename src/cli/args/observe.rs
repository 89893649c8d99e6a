//! The arguments of `observe`.

use std::path::PathBuf;

use clap::Args as ClapArgs;

/// Arguments of `observe`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Workflows, ways of doing something, decisions with their reason, and pitfalls become events, one for each session that they
were seen in. Built-in rules find them, or the command of the setting `observe.command`, whose calls count as a day's runs.

  outerloop observe ~/.claude/projects/-home-me-shop/5b7c0f6e.jsonl       what one session shows
  outerloop observe ~/.claude/projects/-home-me-shop --dry-run            what all sessions of a project show; nothing lands
  outerloop observe session.jsonl --channels                              what is read of it
  outerloop observe --queued                                              the sessions that ended since the last time")]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
pub struct ObserveArgs {
    /// Transcripts in JSONL, or folders with *.jsonl below them
    #[arg(value_name = "TRANSCRIPT", required_unless_present = "queued", conflicts_with = "queued")]
    pub transcripts: Vec<PathBuf>,
    /// Observe the sessions that hooks put into the queue, as the hourly job does
    #[arg(long, conflicts_with_all = ["project", "dry_run", "channels"])]
    pub queued: bool,
    /// The project [default: that of the folder in which the session worked]
    #[arg(long, value_name = "NAME")]
    pub project: Option<String>,
    /// Print what is seen and land nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Print what people said, and what they answered to, one JSON object a session; observe nothing
    #[arg(long)]
    pub channels: bool,
    /// Print what is seen as JSON
    #[arg(long)]
    pub json: bool,
}
