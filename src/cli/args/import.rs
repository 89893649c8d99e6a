//! The arguments of commands that take over what another system has gathered.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand};

/// Arguments of `import`.
#[derive(Debug, ClapArgs)]
pub struct ImportArgs {
    /// The other system
    #[command(subcommand)]
    pub system: ImportSystem,
}

/// A system whose gatherings can be taken over.
#[derive(Debug, Subcommand)]
pub enum ImportSystem {
    /// A `ClosedLoop` work directory: outcomes.log, runs.log, acknowledgments.log, pending learnings, org-patterns.toon
    Closedloop(ImportClosedloopArgs),
    /// A project of Code Kit Ultra: .ck/learning/, .codekit/learning/learning-store.json, outcomes.jsonl
    Codekit(ImportCodekitArgs),
    /// A project of Devflow: .memory/learning-log.jsonl, its manifest and its counts of citations
    Devflow(ImportDevflowArgs),
    /// A project of jkz: state/deliberations/*.json, and patterns.json or patterns.jsonl if its patterns were exported
    Jkz(ImportJkzArgs),
}

/// Arguments of `import closedloop`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
What was taken over before is recognised, so importing a growing log again is safe. Every line is accounted for; those
that cannot be taken are named with their reason, and the exit code is 1.

  outerloop import closedloop .closedloop-ai/work --patterns ~/.closedloop-ai/learnings/org-patterns.toon")]
pub struct ImportClosedloopArgs {
    /// The work directory, which holds .learnings/
    pub workdir: PathBuf,
    /// The pattern file [default: org-patterns.toon in .learnings/, if there is one]
    #[arg(long, value_name = "FILE")]
    pub patterns: Option<PathBuf>,
    /// The project of the events [default: the setting `project`, else the name of the project's folder]
    #[arg(long)]
    pub project: Option<String>,
    /// Say what would be taken over, and take nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `import codekit`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Outcomes become runs; a run that both of its systems know becomes one. Profiles, policies, patterns and overlays are not
taken over but worked out anew from the runs. What was taken over before is recognised. Every record is accounted for;
those that cannot be taken are named with their reason, and the exit code is 1.

  outerloop import codekit ~/projects/shop")]
pub struct ImportCodekitArgs {
    /// The project's folder, which holds .ck/ or .codekit/; or one of the folders or files in them
    pub path: PathBuf,
    /// Let the last record count where a store tells twice of a run [default: the first; others that differ are left out]
    #[arg(long)]
    pub replace: bool,
    /// The project of the events [default: the setting `project`, else the name of the project's folder]
    #[arg(long)]
    pub project: Option<String>,
    /// Say what would be taken over, and take nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `import devflow`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Rows of the log become observations with what is known of them; what was rendered stays where it is
and is known from then on. What was taken over before is recognised. Every row is accounted for;
those that cannot be taken are named with their reason, and the exit code is 1.

  outerloop import devflow ~/projects/shop --dry-run
  outerloop import devflow ~/projects/shop")]
pub struct ImportDevflowArgs {
    /// The project's folder, which holds .memory/
    pub path: PathBuf,
    /// The project of the events [default: the setting `project`, else the name of the project's folder]
    #[arg(long)]
    pub project: Option<String>,
    /// Say what would be taken over, and take nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `import jkz`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Records of deliberations become events. Their names, <issue>-<role>-<iteration>.json, say what
the records leave out. Rows of the table `patterns`, exported as JSON or as a line each, bring the
counts of that store along; what was said up to the last of them is counted there and not again.
The database itself, state/memory.db, is not read. What was taken over before is recognised. Every
file and row is accounted for; those that cannot be taken are named with their reason, and the
exit code is 1.

  sqlite3 -json state/memory.db 'select * from patterns' > state/patterns.json
  outerloop import jkz ~/projects/shop")]
pub struct ImportJkzArgs {
    /// The project's folder, which holds state/; or one of the folders or files in it
    pub path: PathBuf,
    /// The project of the events [default: the setting `project`, else the name of the project's folder]
    #[arg(long)]
    pub project: Option<String>,
    /// Say what would be taken over, and take nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}
