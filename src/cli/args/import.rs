//! Arguments of `import`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand};

/// Arguments of `import`.
#[derive(Debug, ClapArgs)]
pub struct ImportArgs {
    /// The tool to import from
    #[command(subcommand)]
    pub system: ImportSystem,
}

/// A tool whose data can be imported.
#[derive(Debug, Subcommand)]
pub enum ImportSystem {
    /// A `ClosedLoop` work directory: outcomes.log, runs.log, acknowledgments.log, pending learnings, org-patterns.toon
    Closedloop(ImportClosedloopArgs),
    /// A project of Code Kit Ultra: .ck/learning/, .codekit/learning/learning-store.json, outcomes.jsonl
    Codekit(ImportCodekitArgs),
    /// A project of Devflow: .memory/learning-log.jsonl, its manifest and its counts of citations
    Devflow(ImportDevflowArgs),
    /// Projects of jkz: state/memory.db, state/deliberations/*.json, or patterns.json with exported patterns
    Jkz(ImportJkzArgs),
}

/// Arguments of `import closedloop`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Finds the pattern file in ~/.closedloop-ai/learnings by itself, and says which files are not there.
Importing again lands what is new, also after rows got markers or the log was rotated. Every line is
accounted for; invalid ones are listed with their reason, and the exit code is 1.

  outerloop import closedloop .closedloop-ai/work
  outerloop adopt closedloop              imports every work directory, and follows it from then on")]
pub struct ImportClosedloopArgs {
    /// The work directory, which holds .learnings/
    pub workdir: PathBuf,
    /// The pattern file [default: ~/.closedloop-ai/learnings/org-patterns.toon, and the one in .learnings/]
    #[arg(long, value_name = "FILE")]
    pub patterns: Option<PathBuf>,
    /// The project of the events [default: the repository around the folder, else the folder's name]
    #[arg(long)]
    pub project: Option<String>,
    /// Show what would be imported, without importing it
    #[arg(long)]
    pub dry_run: bool,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `import codekit`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Outcomes become runs; a run found in both of its stores becomes one. Profiles, policies, patterns
and overlays are recomputed from the runs. Importing again is safe. Every record is accounted for;
invalid ones are listed with their reason, and the exit code is 1.

  outerloop import codekit ~/projects/shop")]
pub struct ImportCodekitArgs {
    /// The project's folder, which holds .ck/ or .codekit/; or one of the folders or files in them
    pub path: PathBuf,
    /// If a store has two records of a run, use the latest one [default: as the setting `run.replace` says]
    #[arg(long)]
    pub replace: bool,
    /// The project of the events [default: the repository around the folder, else the folder's name]
    #[arg(long)]
    pub project: Option<String>,
    /// Show what would be imported, without importing it
    #[arg(long)]
    pub dry_run: bool,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `import devflow`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Rows of the log become observations with their counts; rendered files stay in place and are adopted.
Importing again is safe. Every row is accounted for; invalid ones are listed with their reason, and
the exit code is 1.

  outerloop import devflow ~/projects/shop --dry-run
  outerloop import devflow ~/projects/shop")]
pub struct ImportDevflowArgs {
    /// The project's folder, which holds .memory/
    pub path: PathBuf,
    /// The project of the events [default: the repository around the folder, else the folder's name]
    #[arg(long)]
    pub project: Option<String>,
    /// Show what would be imported, without importing it
    #[arg(long)]
    pub dry_run: bool,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `import jkz`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Deliberation records become events. Their names, <issue>-<role>-<iteration>.json, fill in missing
fields. Rows of the table `patterns`, exported as JSON or JSONL, carry the counts of that store;
earlier deliberations are included in these counts and not counted again.
The database itself, state/memory.db, is not read. Importing again is safe. Every file and row is
accounted for; invalid ones are listed with their reason, and the exit code is 1.

  sqlite3 -json state/memory.db 'select * from patterns' > state/patterns.json
  outerloop import jkz ~/projects/shop")]
pub struct ImportJkzArgs {
    /// The project's folder, which holds state/; or one of the folders or files in it
    pub path: PathBuf,
    /// The project of the events [default: the repository around the folder, else the folder's name]
    #[arg(long)]
    pub project: Option<String>,
    /// Show what would be imported, without importing it
    #[arg(long)]
    pub dry_run: bool,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}
