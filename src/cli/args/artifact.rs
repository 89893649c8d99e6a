//! The arguments of commands that render artifacts, notice what people did to them, and read what they say.

use std::path::PathBuf;

use clap::Args as ClapArgs;

/// Arguments of `render` and `reconcile`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Observations that are ready become files in the project's folder:

  decision    an entry of .memory/knowledge/decisions.md       ADR-001
  pitfall     an entry of .memory/knowledge/pitfalls.md        PF-001
  workflow    a slash command in .claude/commands/self-learning/
  procedural  a skill in .claude/skills/self-learning-.../

Edit or remove them freely: an edit is never overwritten; removing one lowers its confidence, and it
does not return by itself. Numbers are never reused.

`reconcile` detects edits, deletions and the leftovers of a killed run, and reports how many
artifacts were deleted, edited, repaired or unchanged; `render` does the same first. Changes are
recorded as events of the kind `artifact` and take effect with the next run.

  outerloop render --dry-run                       show the files without writing them
  outerloop render                                 write them
  outerloop reconcile --json                       deletions, edits, unchanged, healed
  outerloop index                                  list the entries, one per line")]
pub struct ArtifactArgs {
    /// The project's folder [default: the setting `artifact.root`, else the folder that holds the workspace]
    #[arg(long, value_name = "FOLDER")]
    pub project_folder: Option<PathBuf>,
    /// The project of the observations [default: the setting `project`]
    #[arg(long, value_name = "NAME")]
    pub project: Option<String>,
    /// Show what would be done, without changing anything
    #[arg(long)]
    pub dry_run: bool,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `index`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
An agent reads the list, opens entries that concern its task, and writes what it used:
`applies ADR-003`, `avoids PF-004`. --scan finds these words in its text; each counts once per
session.

  outerloop index                                  list active decisions and pitfalls, one per line
  outerloop index ADR-003                          the whole entry
  echo 'applies ADR-003' | outerloop index --scan --session s1

--scan never fails a pipeline: an error is one line on stderr.")]
pub struct IndexArgs {
    /// The entry to print in full
    #[arg(value_name = "ID", conflicts_with = "scan")]
    pub id: Option<String>,
    /// The project's folder [default: the setting `artifact.root`, else the folder that holds the workspace]
    #[arg(long, value_name = "FOLDER")]
    pub folder: Option<PathBuf>,
    /// Read an agent's text from stdin, and record what it cites and uses
    #[arg(long)]
    pub scan: bool,
    /// The session that the text belongs to
    #[arg(long, value_name = "ID", requires = "scan")]
    pub session: Option<String>,
    /// The project of the events [default: the setting `project`]
    #[arg(long, value_name = "NAME", requires = "scan")]
    pub project: Option<String>,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}
