//! `outerloop relevance`: how relevant each pattern is to what an iteration changed.

use std::fs;
use std::io;
use std::path::Path;
use std::path::PathBuf;

use clap::Args as ClapArgs;
use serde_json::json;

use super::{Desk, changes_since};
use super::{SinceArgs, TurnArgs};
use crate::landing::unfit;
use crate::printer::Printer;
use crate::table::tabulate;
use agent::iteration::relevance_lines;
use learn::change::Changes;
use learn::relevance::{METHOD, Rater};
use render::plain_text;
use render::toon::{Row, parse_toon};
use setting::{Compat, PATTERN_FILE, RelevanceSettings, TagMatch};
use store::publish::find_current;
use store::workspace::Workspace;
use text::diagnostic::{Diagnostic, Exit, Outcome};

#[derive(Debug, ClapArgs)]
pub struct RelevanceArgs {
    #[command(flatten)]
    turn: TurnArgs,
    #[command(flatten)]
    since: SinceArgs,
    /// The patterns [default: the published ones, else .learnings/org-patterns.toon]
    #[arg(long, value_name = "FILE")]
    patterns: Option<PathBuf>,
}

/// Rates the patterns.
pub(crate) fn run(workspace: &Workspace, options: &RelevanceArgs, printer: &Printer) -> Outcome<Exit> {
    let desk = Desk::open(workspace, &options.turn, printer)?;
    let changes = changes_since(&desk.repository()?, &options.since)?;
    let patterns = load_patterns(&desk, options.patterns.as_deref())?;
    let rated = rate(&desk, &changes, &patterns)?;
    if options.turn.dry_run {
        return Ok(Exit::Done);
    }
    if options.turn.output.json {
        let scores: Vec<_> = rated
            .iter()
            .map(|(row, score, matched)| json!({"pattern_id": row.id, "score": score, "method": METHOD, "matched_concepts": matched}))
            .collect();
        printer.line(&serde_json::Value::from(scores).to_string())?;
    } else if !rated.is_empty() {
        let rows = rated.iter().map(|(row, score, matched)| {
            [plain_text(&row.id, 40), format!("{score:.2}"), plain_text(&matched.join(" "), 60), plain_text(&row.summary, 80)]
        });
        printer.line(&tabulate(["pattern", "#relevance", "by", "lesson"], rows))?;
    }
    printer.note(&summary(&changes, rated.len()));
    Ok(Exit::Done)
}

/// What was rated, in a sentence.
pub(super) fn summary(changes: &Changes, rated: usize) -> String {
    match rated {
        0 if changes.files.is_empty() => "no changes, so no patterns rated".to_owned(),
        0 => "no patterns to rate".to_owned(),
        _ => format!("{rated} patterns rated by {} changed files", changes.files.len()),
    }
}

/// Rates patterns and lands the ratings. Where nothing changed there is nothing to rate by, and nothing is said.
pub(super) fn rate<'p>(desk: &Desk<'_>, changes: &Changes, patterns: &'p [Row]) -> Outcome<Vec<(&'p Row, f64, Vec<String>)>> {
    if changes.files.is_empty() || patterns.is_empty() {
        return Ok(Vec::new());
    }
    let paths: Vec<String> = changes.files.iter().map(|file| file.path.clone()).collect();
    let rater = Rater::new(&paths, &settings_of(desk));
    desk.land(&relevance_lines(&desk.turn, patterns, &rater).map_err(unfit)?)?;
    let scored = patterns.iter().map(|row| {
        let relevance = rater.rate(&row.summary, &row.context);
        (row, relevance.score, relevance.matched)
    });
    Ok(scored.collect())
}

/// The original finds tags anywhere in a path.
fn settings_of(desk: &Desk<'_>) -> RelevanceSettings {
    let mut settings = desk.settings.relevance.clone();
    if desk.settings.compat == Compat::ClosedLoop {
        settings.matching = TagMatch::Substring;
    }
    settings
}

/// The patterns of a file that was named, else the published ones, else those of the run's folder.
pub(super) fn load_patterns(desk: &Desk<'_>, named: Option<&Path>) -> Outcome<Vec<Row>> {
    let bytes = match (named, find_current(desk.workspace)?) {
        (Some(path), _) => load(path)?
            .ok_or_else(|| Diagnostic::io("cannot read the patterns", path, &io::Error::from(io::ErrorKind::NotFound)))?,
        (None, Some(generation)) => generation.read(PATTERN_FILE)?,
        (None, None) => load(&desk.learnings().join(PATTERN_FILE))?.unwrap_or_default(),
    };
    let document = parse_toon(&String::from_utf8_lossy(&bytes));
    for odd in &document.odd {
        desk.printer.note(&format!("note: the pattern file, line {}: {}", odd.line, plain_text(&odd.reason, 200)));
    }
    Ok(document.rows.into_iter().map(|located| located.row).filter(|row| !row.id.trim().is_empty()).collect())
}

fn load(path: &Path) -> Outcome<Option<Vec<u8>>> {
    match fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        read => read.map(Some).map_err(|error| Diagnostic::io("cannot read the patterns", path, &error)),
    }
}
