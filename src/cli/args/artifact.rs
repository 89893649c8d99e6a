//! The arguments of commands that render artifacts, notice what people did to them, and read what they say.

use std::path::PathBuf;

use clap::Args as ClapArgs;

/// Arguments of `render` and `reconcile`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Observations that are ready become what people and agents use, in the project's folder:

  decision    an entry of .memory/knowledge/decisions.md       ADR-001
  pitfall     an entry of .memory/knowledge/pitfalls.md        PF-001
  workflow    a slash command in .claude/commands/self-learning/
  procedural  a skill in .claude/skills/self-learning-.../

Edit them or remove them as you like: an edit is never overwritten, and what you remove lowers its
confidence and does not come back by itself. Numbers are never used twice.

`reconcile` notices what people did and what a killed run left, and says how many artifacts were
deleted, edited, healed or stand unchanged; `render` does the same first. What happened lands as
events of the kind `artifact`, and counts from the next run on.

  outerloop render --dry-run                       what would be written
  outerloop render                                 write it
  outerloop reconcile --json                       deletions, edits, unchanged, healed
  outerloop index                                  the entries, one a line")]
pub struct ArtifactArgs {
    /// The project's folder [default: the setting `artifact.root`, else the folder that holds the workspace]
    #[arg(long, value_name = "FOLDER")]
    pub project_folder: Option<PathBuf>,
    /// The project whose observations are meant [default: the setting `project`]
    #[arg(long, value_name = "NAME")]
    pub project: Option<String>,
    /// Say what would be done, and change nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `index`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
An agent reads the list, opens what touches its task, and says what it went by: `applies ADR-003`,
`avoids PF-004`. --scan takes these words from its text; each counts once in a session.

  outerloop index                                  decisions and pitfalls that hold, one a line
  outerloop index ADR-003                          the whole entry
  echo 'applies ADR-003' | outerloop index --scan --session s1

--scan never fails inside of a pipeline: what goes wrong is one line on stderr.")]
pub struct IndexArgs {
    /// The entry to print in full
    #[arg(value_name = "ID", conflicts_with = "scan")]
    pub id: Option<String>,
    /// The project's folder [default: the setting `artifact.root`, else the folder that holds the workspace]
    #[arg(long, value_name = "FOLDER")]
    pub folder: Option<PathBuf>,
    /// Read an agent's text on stdin, and land what it cites and uses
    #[arg(long)]
    pub scan: bool,
    /// The session that the text belongs to
    #[arg(long, value_name = "ID", requires = "scan")]
    pub session: Option<String>,
    /// The project of what lands [default: the setting `project`]
    #[arg(long, value_name = "NAME", requires = "scan")]
    pub project: Option<String>,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}
