//! Both tools' figures side by side: what ClosedLoop wrote, what its rules give on the same logs, what Outerloop gives, and which rule
//! makes them differ.

mod history;
mod reason;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::import::global_learnings;
use crate::printer::Printer;
use crate::table::tabulate;
use agent::iteration::{known_project, learnings_of, name_project};
use agent::published::load_scores;
use learn::Score;
use reason::{Account, Accounts, Rule};
use render::plain_text;
use render::toon::{Row, parse_toon};
use setting::{PATTERN_FILE, Settings};
use store::publish::load_current;
use store::workspace::{Workspace, load_settings};
use store::{clock, durable};
use text::diagnostic::{Diagnostic, Exit, Outcome};

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

    fn unlike<'f>(&'f self, other: &'f Self) -> impl Iterator<Item = (&'static str, &'f String, &'f String)> {
        let both = COLUMNS.into_iter().zip(self.0.iter().zip(&other.0));
        both.filter(|(_, (theirs, ours))| theirs != ours).map(|(column, (theirs, ours))| (column, theirs, ours))
    }
}

struct Difference {
    id: String,
    column: &'static str,
    theirs: String,
    ours: String,
    reasons: Vec<Rule>,
}

/// What both tools say of the patterns of a run folder.
pub struct Comparison {
    work: PathBuf,
    patterns: usize,
    differences: Vec<Difference>,
    /// Both tools' rows of the patterns that differ.
    accounts: Vec<(String, Accounts)>,
}

impl Comparison {
    /// How many figures differ.
    #[must_use]
    pub const fn differences(&self) -> usize {
        self.differences.len()
    }

    /// Whether each difference has its rule, and ClosedLoop's rules give what it wrote.
    #[must_use]
    pub fn is_explained(&self) -> bool {
        let is_open = |rule: &Rule| matches!(rule, Rule::Unexplained | Rule::AnotherLog);
        !self.differences.iter().any(|difference| difference.reasons.iter().any(is_open))
    }

    fn as_json(&self) -> Value {
        let names = |rules: &[Rule]| rules.iter().map(|rule| rule.name()).collect::<Vec<_>>();
        let list: Vec<Value> = self
            .differences
            .iter()
            .map(|one| {
                json!({"id": one.id, "column": one.column, "theirs": one.theirs, "ours": one.ours, "reasons": names(&one.reasons)})
            })
            .collect();
        let accounts: serde_json::Map<String, Value> =
            self.accounts.iter().map(|(id, both)| (id.clone(), both.as_json())).collect();
        json!({"at": clock::now().to_string(), "workdir": self.work, "patterns": self.patterns, "differences": list, "accounts": accounts})
    }
}

/// Compares both tools on the logs of a run folder, or shows the comparisons that were kept.
pub(crate) fn run(workspace: &Workspace, work: &Path, is_past: bool, as_json: bool, printer: &Printer) -> Outcome<Exit> {
    if is_past {
        history::show(workspace, as_json, printer)?;
        return Ok(Exit::Done);
    }
    let settings = load_settings(workspace)?;
    // What Outerloop says of the folder is as new as its last run.
    if known_project(workspace, work).is_some()
        && settings.capture.follow
        && run_program(workspace.root(), &["run", "hourly"])?.0 == 75
    {
        printer.note("another job is running; Outerloop's figures are those of its last run");
    }
    let comparison = compare(workspace, &settings, work)?;
    tell(&comparison, as_json, printer)?;
    Ok(if comparison.is_explained() { Exit::Done } else { Exit::Refused })
}

/// Compares, and keeps the result.
pub fn compare(workspace: &Workspace, settings: &Settings, work: &Path) -> Outcome<Comparison> {
    let file = find_patterns(workspace, settings, work)?;
    let bytes = fs::read(&file).map_err(|error| Diagnostic::io("cannot read the pattern file", &file, &error))?;
    let rows: Vec<Row> = parse_toon(&String::from_utf8_lossy(&bytes)).rows.into_iter().map(|located| located.row).collect();
    let scratch = history::folder(workspace).join("scratch");
    let _ = fs::remove_dir_all(&scratch);
    let project = name_project(workspace, settings, work);
    let source = Source { work, patterns: &file, project: &project };
    let (original, is_whole) = count(&scratch.join("original"), &source, "compat = \"closedloop\"\n")?;
    let is_followed = known_project(workspace, work).is_some() && load_current(workspace)?.is_some();
    let own = if is_followed { workspace.clone() } else { count(&scratch.join("own"), &source, "")?.0 };
    let comparison = differ(work, &rows, is_whole, &original, &own);
    let _ = fs::remove_dir_all(&scratch);
    let comparison = comparison?;
    history::keep(workspace, &comparison.as_json())?;
    Ok(comparison)
}

fn differ(work: &Path, rows: &[Row], is_whole: bool, original: &Workspace, own: &Workspace) -> Outcome<Comparison> {
    let (as_original, ours) = (scores_of(original)?, scores_of(own)?);
    let mut comparison =
        Comparison { work: work.to_path_buf(), patterns: rows.len(), differences: Vec::new(), accounts: Vec::new() };
    for row in rows {
        let push = |list: &mut Vec<Difference>, column, theirs: &str, ours: &str, reasons| {
            list.push(Difference { id: row.id.clone(), column, theirs: theirs.to_owned(), ours: ours.to_owned(), reasons });
        };
        let unlike = if is_whole { Rule::AnotherLog } else { Rule::RefusedRows };
        let (Some(theirs), Some(ours)) = (find(&as_original, row), find(&ours, row)) else {
            let reason = if is_whole { Rule::Unexplained } else { Rule::RefusedRows };
            push(&mut comparison.differences, "id", &row.summary, "", vec![reason]);
            continue;
        };
        let (written, by_rules, by_ours) = (Figures::of_row(row), Figures::of_score(theirs), Figures::of_score(ours));
        // Where ClosedLoop's rules on the same logs do not give what it wrote, the logs are not what it counted.
        for (column, written, counted) in written.unlike(&by_rules) {
            push(&mut comparison.differences, column, written, counted, vec![unlike]);
        }
        if by_rules == by_ours {
            continue;
        }
        let accounts = Accounts::new(account(original, &theirs.id)?, account(own, &ours.id)?);
        for (column, theirs, ours) in by_rules.unlike(&by_ours) {
            push(&mut comparison.differences, column, theirs, ours, accounts.reasons(column, theirs, ours));
        }
        comparison.accounts.push((row.id.clone(), accounts));
    }
    Ok(comparison)
}

/// The pattern of a row: the one that says the same, else the one of its number.
fn find<'s>(scores: &'s [Score], row: &Row) -> Option<&'s Score> {
    scores.iter().find(|score| score.summary == row.summary).or_else(|| scores.iter().find(|score| score.id == row.id))
}

/// The pattern file that ClosedLoop wrote: the one of the home folder, else the run's. Where Outerloop publishes there, the one that
/// was kept when it began.
fn find_patterns(workspace: &Workspace, settings: &Settings, work: &Path) -> Outcome<PathBuf> {
    let is_ours = |path: &PathBuf| settings.publish.targets.iter().any(|target| workspace.root().join(&target.to) == *path);
    let global = global_learnings().map(|folder| folder.join(PATTERN_FILE));
    let kept = workspace.root().join("adopted").join(PATTERN_FILE);
    let places = global.into_iter().map(|path| if is_ours(&path) { kept.clone() } else { path });
    places.chain([learnings_of(work).join(PATTERN_FILE)]).find(|path| path.is_file()).ok_or_else(|| {
        Diagnostic::edit("ClosedLoop has no pattern file to compare with", "let it run once, or name its run folder with --workdir")
            .at(work)
    })
}

/// What is counted.
struct Source<'s> {
    work: &'s Path,
    patterns: &'s Path,
    project: &'s str,
}

/// Counts the folder's logs in a workspace of their own. Gives it, and whether every row could be read.
fn count(root: &Path, source: &Source<'_>, settings: &str) -> Outcome<(Workspace, bool)> {
    let workspace = Workspace::at(root);
    crate::init::make(&workspace)?;
    durable::replace(&workspace.settings(), settings.as_bytes())?;
    let (work, patterns) = (source.work.to_string_lossy(), source.patterns.to_string_lossy());
    let import = ["import", "closedloop", &work, "--project", source.project, "--patterns", &patterns, "--json"];
    let (_, told) = run_program(root, &import)?;
    for job in ["compact", "learn"] {
        let (code, _) = run_program(root, &["run", job])?;
        if code != 0 {
            let what = format!("the job `{job}` of the comparison ended with exit code {code}");
            return Err(
                Diagnostic::edit(what, "check the run folder with `outerloop import closedloop FOLDER --dry-run`").at(source.work)
            );
        }
    }
    Ok((workspace, is_whole(&told)))
}

/// Whether every row of the log was read that ClosedLoop reads. It passes over short rows itself.
fn is_whole(imported: &[u8]) -> bool {
    let told: Value = serde_json::from_slice(imported).unwrap_or_default();
    let logs = told["files"].as_array().into_iter().flatten();
    let logs = logs.filter(|file| file["file"].as_str().is_some_and(|path| path.ends_with("outcomes.log")));
    let mut odd = logs.filter_map(|file| file["odd"].as_array()).flatten();
    odd.all(|odd| odd["taken"] == true || odd["reason"].as_str().is_some_and(|reason| reason.contains("fewer than")))
}

fn scores_of(workspace: &Workspace) -> Outcome<Vec<Score>> {
    let generation = load_current(workspace)?.ok_or_else(|| Diagnostic::bug("the comparison published nothing"))?;
    load_scores(&generation)
}

/// The rows behind a pattern's figures.
fn account(workspace: &Workspace, id: &str) -> Outcome<Account> {
    let (_, text) = run_program(workspace.root(), &["explain", id, "--json"])?;
    serde_json::from_slice(&text).map_err(|error| Diagnostic::bug(format!("`outerloop explain {id}` cannot be read: {error}")))
}

/// Runs the program for a workspace. Gives its exit code and what it printed.
pub(crate) fn run_program(root: &Path, arguments: &[&str]) -> Outcome<(i32, Vec<u8>)> {
    let failed = |error: std::io::Error| {
        Diagnostic::edit("cannot start `outerloop`", "install both programs into one folder, `outerloop` and `outerloop-engine`")
            .because(error)
    };
    // Jobs run in the other program of the same folder.
    let program = std::env::current_exe().map_err(failed)?.with_file_name("outerloop");
    let output = Command::new(program).arg("--root").arg(root).args(arguments).output().map_err(failed)?;
    Ok((output.status.code().unwrap_or(70), output.stdout))
}

fn tell(comparison: &Comparison, as_json: bool, printer: &Printer) -> Outcome<()> {
    if as_json {
        return printer.line(&comparison.as_json().to_string());
    }
    let differences = &comparison.differences;
    if differences.is_empty() {
        printer.note(&format!("{} patterns, no differences", comparison.patterns));
        return Ok(());
    }
    let lines = differences.iter().map(|one| {
        let text = |text: &str| plain_text(text, 60);
        let reasons: Vec<&str> = one.reasons.iter().map(|rule| rule.name()).collect();
        [text(&one.id), one.column.to_owned(), text(&one.theirs), text(&one.ours), reasons.join(" ")]
    });
    printer.line(&tabulate(["pattern", "figure", "ClosedLoop", "Outerloop", "rules"], lines))?;
    for (id, accounts) in &comparison.accounts {
        let mut lines = accounts.tell().into_iter();
        printer.note(&format!("{}: {}", plain_text(id, 40), plain_text(&lines.next().unwrap_or_default(), 300)));
        lines.for_each(|line| printer.note(&format!("  {}", plain_text(&line, 300))));
    }
    let mut rules: Vec<Rule> = differences.iter().flat_map(|one| one.reasons.iter().copied()).collect();
    rules.sort_unstable();
    rules.dedup();
    for rule in rules {
        printer.note(&format!("{}: {}", rule.name(), rule.explain()));
    }
    Ok(())
}
