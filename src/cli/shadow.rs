//! Both tools' figures side by side: what ClosedLoop wrote, what its rules give on the same logs, what Outerloop's rules give, and why
//! they differ.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::json;

use crate::import::global_learnings;
use crate::iteration::run_program;
use crate::printer::Printer;
use crate::table::tabulate;
use agent::iteration::learnings_of;
use agent::published::load_scores;
use learn::Score;
use render::plain_text;
use render::toon::{Row, parse_toon};
use setting::PATTERN_FILE;
use store::durable;
use store::publish::load_current;
use store::workspace::Workspace;
use text::diagnostic::{Diagnostic, Exit, Outcome};

/// Why two figures differ. `docs/differences.md` explains each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Reason {
    Matching,
    Goal,
    Staleness,
    History,
    Refused,
    Unexplained,
}

impl Reason {
    const fn name(self) -> &'static str {
        match self {
            Self::Matching => "matching",
            Self::Goal => "goal",
            Self::Staleness => "staleness",
            Self::History => "history",
            Self::Refused => "refused-rows",
            Self::Unexplained => "unexplained",
        }
    }

    const fn explain(self) -> &'static str {
        match self {
            Self::Matching => {
                "an application counts for the pattern that its text fits best; ClosedLoop counts it for every pattern"
            }
            Self::Goal => "the latest goal of a row counts, relevance lies within 0 and 1; ClosedLoop takes the first goal",
            Self::Staleness => "iterations count in time order; ClosedLoop compares their numbers across runs",
            Self::History => "what was not seen here counts in part; ClosedLoop keeps the old figures and flags it as untested",
            Self::Refused => "rows that cannot be read are in quarantine; ClosedLoop reads their figures and not their times",
            Self::Unexplained => "not explained: please report it with the logs",
        }
    }
}

/// The figures of a pattern, as a pattern file shows them.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Figures([String; 4]);

/// The columns that are compared.
const COLUMNS: [&str; 4] = ["seen_count", "success_rate", "confidence", "flags"];

impl Figures {
    fn of_row(row: &Row) -> Self {
        let rate = row.success_rate.map(|rate| format!("{rate:.2}")).unwrap_or_default();
        Self([row.seen_count.to_string(), rate, row.confidence.clone(), row.flags.clone()])
    }

    fn of_score(score: &Score) -> Self {
        let rate = score.known_rate().map(|rate| format!("{rate:.2}")).unwrap_or_default();
        Self([score.known_seen().to_string(), rate, score.confidence.name().to_owned(), score.flag.tag()])
    }
}

struct Difference {
    id: String,
    column: &'static str,
    theirs: String,
    ours: String,
    reason: Reason,
}

/// Compares both tools on the logs of a run folder.
pub(crate) fn run(workspace: &Workspace, work: &Path, as_json: bool, printer: &Printer) -> Outcome<Exit> {
    let rows = load_rows(work)?;
    let scratch = workspace.root().join("shadow");
    let _ = fs::remove_dir_all(&scratch);
    let (original, is_whole) = count(&scratch.join("original"), work, "compat = \"closedloop\"\n")?;
    let (own, _) = count(&scratch.join("own"), work, "")?;
    let _ = fs::remove_dir_all(&scratch);
    let mut differences = Vec::new();
    for row in &rows {
        let (Some(as_original), Some(ours)) = (original.get(&row.id), own.get(&row.id)) else {
            differences.push(Difference {
                id: row.id.clone(),
                column: "id",
                theirs: row.summary.clone(),
                ours: String::new(),
                reason: if is_whole { Reason::Unexplained } else { Reason::Refused },
            });
            continue;
        };
        let theirs = Figures::of_row(row);
        // Where ClosedLoop's rules on the same logs do not give what it wrote, the logs are not what it counted.
        let unlike = if is_whole { Reason::Unexplained } else { Reason::Refused };
        push(&mut differences, &row.id, &theirs, &Figures::of_score(as_original), |_| unlike);
        let reason = |column: usize| reason_of(column, as_original, ours);
        push(&mut differences, &row.id, &Figures::of_score(as_original), &Figures::of_score(ours), reason);
    }
    tell(&rows, &differences, as_json, printer)?;
    let is_explained = differences.iter().all(|difference| difference.reason != Reason::Unexplained);
    Ok(if is_explained { Exit::Done } else { Exit::Refused })
}

/// Why Outerloop's own figure is another than the one by ClosedLoop's rules.
fn reason_of(column: usize, original: &Score, ours: &Score) -> Reason {
    let is_rate_same = Figures::of_score(original).0[1] == Figures::of_score(ours).0[1];
    match column {
        _ if original.seen != ours.seen && !(column == 3 && is_rate_same) => Reason::Matching,
        _ if ours.history > 0.0 => Reason::History,
        3 if is_rate_same => Reason::Staleness,
        1..=3 => Reason::Goal,
        _ => Reason::Unexplained,
    }
}

fn push(differences: &mut Vec<Difference>, id: &str, one: &Figures, other: &Figures, reason: impl Fn(usize) -> Reason) {
    for (column, (theirs, ours)) in one.0.iter().zip(&other.0).enumerate().filter(|(_, (theirs, ours))| theirs != ours) {
        let (theirs, ours) = (theirs.clone(), ours.clone());
        differences.push(Difference { id: id.to_owned(), column: COLUMNS[column], theirs, ours, reason: reason(column) });
    }
}

/// The pattern file that ClosedLoop writes: the one of the home folder, else the run's.
fn load_rows(work: &Path) -> Outcome<Vec<Row>> {
    let places = global_learnings().into_iter().chain([learnings_of(work)]).map(|folder| folder.join(PATTERN_FILE));
    let path = places.into_iter().find(|path| path.is_file()).ok_or_else(|| {
        Diagnostic::edit("ClosedLoop has no pattern file to compare with", "let it run once, or name its run folder with --workdir")
            .at(work)
    })?;
    let text = fs::read(&path).map_err(|error| Diagnostic::io("cannot read the pattern file", &path, &error))?;
    Ok(parse_toon(&String::from_utf8_lossy(&text)).rows.into_iter().map(|located| located.row).collect())
}

/// The figures of the folder's logs in a workspace of their own, and whether every row could be read.
fn count(root: &Path, work: &Path, settings: &str) -> Outcome<(BTreeMap<String, Score>, bool)> {
    let workspace = Workspace::at(root);
    crate::init::make(&workspace)?;
    durable::replace(&workspace.settings(), settings.as_bytes())?;
    let path = work.to_string_lossy();
    let imported = run_program(root, &["import", "closedloop", &path, "--project", "shadow"])?;
    for job in ["compact", "learn"] {
        let code = run_program(root, &["run", job])?;
        if code != 0 {
            let what = format!("the job `{job}` of the comparison ended with exit code {code}");
            return Err(Diagnostic::edit(what, "check the run folder with `outerloop import closedloop FOLDER --dry-run`").at(work));
        }
    }
    let generation = load_current(&workspace)?.ok_or_else(|| Diagnostic::bug("the comparison published nothing"))?;
    let scores = load_scores(&generation)?;
    Ok((scores.into_iter().map(|score| (score.id.clone(), score)).collect(), imported == 0))
}

fn tell(rows: &[Row], differences: &[Difference], as_json: bool, printer: &Printer) -> Outcome<()> {
    if as_json {
        let list: Vec<_> = differences
            .iter()
            .map(|one| json!({"id": one.id, "column": one.column, "theirs": one.theirs, "ours": one.ours, "reason": one.reason.name()}))
            .collect();
        return printer.line(&json!({"patterns": rows.len(), "differences": list}).to_string());
    }
    if differences.is_empty() {
        printer.note(&format!("{} patterns, no differences", rows.len()));
        return Ok(());
    }
    let lines = differences.iter().map(|one| {
        let text = |text: &str| plain_text(text, 60);
        [text(&one.id), one.column.to_owned(), text(&one.theirs), text(&one.ours), one.reason.name().to_owned()]
    });
    printer.line(&tabulate(["pattern", "figure", "ClosedLoop", "Outerloop", "reason"], lines))?;
    let mut reasons: Vec<Reason> = differences.iter().map(|one| one.reason).collect();
    reasons.sort_unstable();
    reasons.dedup();
    for reason in reasons {
        printer.note(&format!("{}: {}", reason.name(), reason.explain()));
    }
    Ok(())
}
