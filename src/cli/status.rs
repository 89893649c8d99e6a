//! `outerloop status`: what landed, what waits and what is in quarantine.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead as _, BufReader};

use clap::Args as ClapArgs;
use serde_json::json;

use super::printer::Printer;
use super::require;
use super::table::{grouped, sized, tabulate};
use super::truth::loop_line;
use crate::args::OutputArgs;
use render::plain_text;
use store::lake;
use store::lake::{Checkpoint, PartitionFacts, Quarantined, Waiting};
use store::workspace::Workspace;
use text::diagnostic::{Diagnostic, Exit, Outcome};

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  outerloop status                                 events per table, files in the inbox, lines in quarantine
  outerloop status --days                          one line per table and day
  outerloop status --json | jq .quarantine         why lines were refused")]
pub struct StatusArgs {
    /// Show every day instead of one line per table
    #[arg(long)]
    days: bool,
    #[command(flatten)]
    output: OutputArgs,
}

/// What stands in the workspace.
struct Status {
    partitions: Vec<PartitionFacts>,
    waiting: Vec<Waiting>,
    /// Lines in quarantine by day and reason.
    quarantine: BTreeMap<(String, String), u64>,
    checkpoint: Option<Checkpoint>,
}

/// Prints the status.
pub(crate) fn run(workspace: &Workspace, options: &StatusArgs, printer: &Printer) -> Outcome<Exit> {
    require(workspace)?;
    let status = load_status(workspace)?;
    let truth = loop_line(workspace);
    if options.output.json {
        let mut document = as_json(&status);
        if let Some(sentence) = truth {
            document["truth"] = sentence.into();
        }
        printer.line(&document.to_string())?;
        return Ok(Exit::Done);
    }
    printer.heading("Lake")?;
    printer.line(&lake_table(&status.partitions, options.days))?;
    printer.heading("\nInbox")?;
    printer.line(&inbox_table(&status.waiting))?;
    printer.heading("\nQuarantine")?;
    printer.line(&quarantine_table(&status.quarantine))?;
    if let Some(sentence) = truth {
        printer.heading("\nDoes it help?")?;
        printer.line(&sentence)?;
    }
    if let Some(checkpoint) = &status.checkpoint {
        let counts = checkpoint.counts();
        printer.line(&format!(
            "\n{} lines read so far = {} taken + {} duplicates + {} quarantined + {} blank; {} secrets redacted",
            grouped(counts.lines),
            grouped(counts.taken),
            grouped(counts.duplicates),
            grouped(counts.quarantined),
            grouped(counts.blank),
            grouped(counts.redacted),
        ))?;
    }
    Ok(Exit::Done)
}

fn load_status(workspace: &Workspace) -> Outcome<Status> {
    Ok(Status {
        partitions: lake::inspect_lake(workspace)?,
        waiting: lake::inspect_inbox(workspace)?.0,
        quarantine: count_quarantine(workspace)?,
        checkpoint: Checkpoint::load(workspace)?,
    })
}

fn count_quarantine(workspace: &Workspace) -> Outcome<BTreeMap<(String, String), u64>> {
    let mut counts = BTreeMap::new();
    for path in lake::list_quarantine(workspace)? {
        let failed = |error: std::io::Error| Diagnostic::io("cannot read the quarantine", &path, &error);
        for line in BufReader::new(File::open(&path).map_err(failed)?).lines() {
            // What a person edited by hand may be anything; it is not a line that was set aside.
            if let Ok(entry) = serde_json::from_str::<Quarantined>(&line.map_err(failed)?) {
                let day = entry.quarantined_at.get(..10).unwrap_or_default().to_owned();
                *counts.entry((day, entry.code)).or_insert(0) += 1;
            }
        }
    }
    Ok(counts)
}

fn lake_table(partitions: &[PartitionFacts], by_day: bool) -> String {
    if partitions.is_empty() {
        return "empty; `outerloop run compact` ingests the inbox".to_owned();
    }
    let days = if by_day { "day" } else { "days" };
    let rows = summed(partitions, by_day)
        .into_iter()
        .map(|facts| [facts.table, facts.days, grouped(facts.rows), grouped(facts.files), sized(facts.bytes)]);
    tabulate(["table", days, "#events", "#files", "#size"], rows)
}

struct Summed {
    table: String,
    days: String,
    rows: u64,
    files: u64,
    bytes: u64,
}

/// Partitions as rows of the table: each for itself, or one a table. They come sorted by table and day.
fn summed(partitions: &[PartitionFacts], by_day: bool) -> Vec<Summed> {
    let mut rows: Vec<Summed> = Vec::new();
    for group in partitions.chunk_by(|one, other| !by_day && one.partition.kind == other.partition.kind) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else { continue };
        let (first_day, last_day) = (first.partition.day, last.partition.day);
        rows.push(Summed {
            table: first.partition.kind.name().to_owned(),
            days: if first_day == last_day { first_day.to_string() } else { format!("{first_day} to {last_day}") },
            rows: group.iter().map(|facts| facts.rows).sum(),
            files: group.iter().map(|facts| facts.files).sum(),
            bytes: group.iter().map(|facts| facts.bytes).sum(),
        });
    }
    rows
}

fn inbox_table(waiting: &[Waiting]) -> String {
    if waiting.is_empty() {
        return "no files".to_owned();
    }
    let rows = waiting.iter().map(|one| [plain_text(&one.file, 100), sized(one.bytes), sized(one.waiting_bytes)]);
    tabulate(["file", "#size", "#waiting"], rows)
}

fn quarantine_table(counts: &BTreeMap<(String, String), u64>) -> String {
    if counts.is_empty() {
        return "nothing".to_owned();
    }
    let rows = counts.iter().map(|((day, code), lines)| [day.clone(), code.clone(), grouped(*lines)]);
    tabulate(["day", "reason", "#lines"], rows)
}

fn as_json(status: &Status) -> serde_json::Value {
    let partitions = status.partitions.iter().map(|facts| {
        json!({"table": facts.partition.kind.name(), "day": facts.partition.day.to_string(), "events": facts.rows, "files": facts.files, "bytes": facts.bytes})
    });
    let waiting =
        status.waiting.iter().map(|one| json!({"file": one.file, "bytes": one.bytes, "waiting_bytes": one.waiting_bytes}));
    let quarantine = status.quarantine.iter().map(|((day, code), lines)| json!({"day": day, "reason": code, "lines": lines}));
    json!({
        "lake": partitions.collect::<Vec<_>>(),
        "inbox": waiting.collect::<Vec<_>>(),
        "quarantine": quarantine.collect::<Vec<_>>(),
        "counts": status.checkpoint.as_ref().map(Checkpoint::counts),
    })
}
