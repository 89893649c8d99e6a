//! `outerloop status`: what landed, what waits and what is in quarantine.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufRead as _, BufReader};

use clap::Args as ClapArgs;
use serde_json::json;

use super::printer::Printer;
use super::require;
use super::table::{grouped, sized, tabulate};
use super::truth::loop_line;
use crate::args::OutputArgs;
use agent::hook::{PublishedCoins, published_coins};
use event::Kind;
use render::plain_text;
use setting::{Compat, Tossing};
use store::lake;
use store::lake::{Checkpoint, PartitionFacts, Quarantined, Waiting};
use store::workspace::{Workspace, load_settings};
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

/// Lines in quarantine by day and reason.
type Counts = BTreeMap<(String, String), u64>;

/// What stands in the workspace.
struct Status {
    partitions: Vec<PartitionFacts>,
    waiting: Vec<Waiting>,
    quarantine: Counts,
    /// What is wrong with these lines, the most frequent fault first.
    faults: Vec<Fault>,
    checkpoint: Option<Checkpoint>,
    holdout: Holdout,
}

/// What is wrong with lines in quarantine, and what to do.
struct Fault {
    reason: String,
    remedy: String,
    lines: u64,
    /// The last such line: when it was refused, its file and its number.
    last: (String, String, u64),
}

/// How many faults are told to people; `--json` lists more.
const FAULTS_SHOWN: usize = 5;
/// How many faults are told apart: reasons may quote what stands in a line.
const FAULTS_KNOWN: usize = 100;

/// Which coins are tossed.
struct Holdout {
    /// Why none is, if none is.
    off: Option<&'static str>,
    /// The coins as they are published: of the loop, and the least and the greatest of patterns.
    published: PublishedCoins,
    /// Arms that were recorded, of units and of experiments.
    assignments: u64,
    /// Units under way.
    units: usize,
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
    for fault in status.faults.iter().take(FAULTS_SHOWN) {
        printer.line(&fault_line(fault))?;
    }
    printer.heading("\nHoldout")?;
    printer.line(&holdout_line(&status.holdout))?;
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
    let partitions = lake::inspect_lake(workspace)?;
    let (quarantine, faults) = count_quarantine(workspace)?;
    Ok(Status {
        holdout: load_holdout(workspace, &partitions)?,
        partitions,
        waiting: lake::inspect_inbox(workspace)?.0,
        quarantine,
        faults,
        checkpoint: Checkpoint::load(workspace)?,
    })
}

fn load_holdout(workspace: &Workspace, partitions: &[PartitionFacts]) -> Outcome<Holdout> {
    let settings = load_settings(workspace)?;
    let published = published_coins(workspace)?;
    let off = match (settings.compat, settings.truth.on) {
        (Compat::ClosedLoop, _) => Some("`compat` reproduces a tool that tosses none"),
        (_, Tossing::Never) if settings.inject.prune_chance > 0.0 => {
            Some("`truth.on` is never; only patterns flagged PRUNE are left to chance (`inject.prune_chance`)")
        }
        (_, Tossing::Never) => Some("`truth.on` is never"),
        _ if published.whole.is_none() && published.least.is_none() => {
            Some("begins by itself once hooks have shown patterns and goals were judged, with the next run (`truth.on`)")
        }
        _ => None,
    };
    let of_units = partitions.iter().filter(|facts| facts.partition.kind == Kind::Assignment);
    let units = fs::read_dir(workspace.coins()).map_or(0, |files| files.flatten().count());
    Ok(Holdout { off, published, assignments: of_units.map(|facts| facts.rows).sum(), units })
}

fn holdout_line(holdout: &Holdout) -> String {
    let published = || format!("{}, to measure what helps; off with `truth.on = \"never\"`", published_line(&holdout.published));
    let coins = holdout.off.map_or_else(published, |why| format!("no coin is tossed: {why}"));
    format!("{coins}; {} arms recorded, {} units under way", grouped(holdout.assignments), holdout.units)
}

fn published_line(coins: &PublishedCoins) -> String {
    let percent = |chance: f64| format!("{:.0}%", 100.0 * chance);
    let all = || "all tasks are shown patterns".to_owned();
    let whole = coins.whole.map_or_else(all, |whole| format!("{} of tasks are shown patterns", percent(whole)));
    match (coins.least, coins.most) {
        (Some(least), Some(most)) if (most - least).abs() < f64::EPSILON => {
            format!("{whole}; each pattern where it fits in {}", percent(least))
        }
        (Some(least), Some(most)) => format!("{whole}; each pattern where it fits in {} to {}", percent(least), percent(most)),
        _ => whole,
    }
}

fn count_quarantine(workspace: &Workspace) -> Outcome<(Counts, Vec<Fault>)> {
    let mut counts = BTreeMap::new();
    let mut faults: BTreeMap<String, Fault> = BTreeMap::new();
    for path in lake::list_quarantine(workspace)? {
        let failed = |error: std::io::Error| Diagnostic::io("cannot read the quarantine", &path, &error);
        for line in BufReader::new(File::open(&path).map_err(failed)?).lines() {
            // What a person edited by hand may be anything; it is not a line that was set aside.
            if let Ok(entry) = serde_json::from_str::<Quarantined>(&line.map_err(failed)?) {
                let day = entry.quarantined_at.get(..10).unwrap_or_default().to_owned();
                *counts.entry((day, entry.code)).or_insert(0) += 1;
                if faults.len() < FAULTS_KNOWN || faults.contains_key(&entry.reason) {
                    let last = (entry.quarantined_at, entry.file, entry.line);
                    let fresh = || Fault { reason: entry.reason.clone(), remedy: entry.remedy, lines: 0, last: last.clone() };
                    let fault = faults.entry(entry.reason.clone()).or_insert_with(fresh);
                    fault.lines += 1;
                    fault.last = last.max(std::mem::take(&mut fault.last));
                }
            }
        }
    }
    let mut faults: Vec<Fault> = faults.into_values().collect();
    faults.sort_by_key(|fault| std::cmp::Reverse(fault.lines));
    Ok((counts, faults))
}

/// What is wrong, where it was seen last, and what to do.
fn fault_line(fault: &Fault) -> String {
    let Fault { reason, remedy, lines, last: (_, file, line) } = fault;
    let (reason, remedy, file) = (plain_text(reason, 200), plain_text(remedy, 400), plain_text(file, 100));
    let count = if *lines == 1 { "1 line".to_owned() } else { format!("{} lines", grouped(*lines)) };
    format!("{count}, the last is {file}:{line}: {reason}; {remedy}")
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
    let faults = status.faults.iter().map(|fault| {
        json!({"reason": fault.reason, "remedy": fault.remedy, "lines": fault.lines, "file": fault.last.1, "line": fault.last.2})
    });
    json!({
        "lake": partitions.collect::<Vec<_>>(),
        "inbox": waiting.collect::<Vec<_>>(),
        "quarantine": quarantine.collect::<Vec<_>>(),
        "faults": faults.collect::<Vec<_>>(),
        "holdout": {
            "off": status.holdout.off, "loop_coin": status.holdout.published.whole, "least_coin": status.holdout.published.least,
            "greatest_coin": status.holdout.published.most, "assignments": status.holdout.assignments, "units_under_way": status.holdout.units,
        },
        "counts": status.checkpoint.as_ref().map(Checkpoint::counts),
    })
}
