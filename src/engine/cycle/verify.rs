//! Proving that what is published follows from the log: it is worked out anew and compared; and statistics of goals and timings.

use std::collections::BTreeMap;

use super::compute::compute;
use super::inquiry::Inquiry;
use super::write::{draft, hash_settings};
use super::{Aim, CycleOptions, Phase};
use event::cell::Row as _;
use event::row::Rows;
use learn::statistics::{GoalPattern, GoalRun, GoalStatistics, compute_statistics};
use learn::timing::{TimingEvent, TimingSummary, summarize_timing};
use setting::{DIFF_FILE, OUTCOME_FILE, Settings};
use store::deadline::Deadline;
use store::lake::Past;
use store::publish::{Generation, load_current};
use store::workspace::Workspace;
use text::diagnostic::{Diagnostic, Exit, Outcome};
use text::digest::sha256;
use text::program::Program;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verification {
    pub generation: Option<String>,
    /// How many of its files were compared, and are what they should be.
    pub files: usize,
    /// Why they could not be compared.
    pub obstacle: Option<String>,
}

/// Works the published generation out anew, from what was known then, and compares every byte. What changed since the
/// generation before cannot be worked out anew; there the manifest is the witness.
pub fn verify(
    workspace: &Workspace,
    settings: &Settings,
    program: &Program,
    deadline: Deadline,
    report: impl FnMut(Phase),
) -> Outcome<Verification> {
    let Some(generation) = load_current(workspace)? else {
        return Ok(Verification { generation: None, files: 0, obstacle: Some("nothing is published yet".to_owned()) });
    };
    let manifest = &generation.manifest;
    let name = Some(manifest.generation.clone());
    let options = CycleOptions::of_generation(&generation, settings, program, deadline);
    if Past::load(workspace)?.is_some_and(|past| !options.horizon.covers(&past)) {
        let obstacle = Some("days pruned since then include later knowledge".to_owned());
        return Ok(Verification { generation: name, files: 0, obstacle });
    }
    let inquiry = Inquiry::of_cycle(workspace, options, Aim::Every)?;
    if hash_settings(settings)? != manifest.settings_hash || inquiry.hashes() != manifest.queries {
        let obstacle = Some("the settings or queries changed since then".to_owned());
        return Ok(Verification { generation: name, files: 0, obstacle });
    }
    if manifest.program != *program {
        // The report names the program, so its bytes differ.
        let obstacle = Some(format!("the program has changed since: it was made by {}", manifest.program));
        return Ok(Verification { generation: name, files: 0, obstacle });
    }
    let findings = compute(&inquiry, report)?;
    let drafted = draft(workspace, &inquiry, &findings, options)?;
    for file in &drafted.files {
        // What changed depends on what was published before: of it only the manifest knows.
        // Of days that were pruned since, only sums are left.
        let is_pruned = inquiry.has_past() && file.name == OUTCOME_FILE;
        let is_relative = file.name.starts_with("changes.") || file.name == DIFF_FILE || is_pruned;
        let follows = (!is_relative).then(|| sha256(&file.content));
        check(&generation, &file.name, follows)?;
    }
    Ok(Verification { generation: name, files: drafted.files.len(), obstacle: None })
}

/// A file must be what its manifest lists, and what follows from the log where that is known.
fn check(generation: &Generation, name: &str, follows: Option<String>) -> Outcome<()> {
    let listed = generation.manifest.files.iter().find(|listed| listed.name == name).map(|listed| &listed.sha256);
    let refused = || {
        Diagnostic::new(
            Exit::Refused,
            format!("`{name}` of the published generation cannot be reproduced from the log"),
            "find out what changed the file or the lake; `outerloop doctor` checks the lake, `outerloop run hourly` publishes again",
        )
        .at(&generation.folder)
    };
    let stands = sha256(&generation.read(name).map_err(|fault| refused().because(fault.cause.unwrap_or(fault.what)))?);
    if listed == Some(&stands) && follows.is_none_or(|follows| follows == stands) { Ok(()) } else { Err(refused()) }
}

/// How many patterns a goal lists in each direction.
const MOST_PATTERNS: usize = 100;
/// How many single iterations are listed.
const MOST_ITERATIONS: usize = 20;

pub(super) fn load_statistics(inquiry: &Inquiry<'_>, settings: &Settings) -> Outcome<Vec<GoalStatistics>> {
    let runs = inquiry.load("goal_run", parse_runs)?;
    if runs.is_empty() {
        return Ok(Vec::new());
    }
    let mut patterns = inquiry.load("goal_pattern", parse_patterns)?;
    let statistics = runs.into_iter().map(|(goal, runs)| {
        let used = patterns.remove(&goal).unwrap_or_default();
        let mut statistics = compute_statistics(&goal, &runs, &used, &settings.statistics, settings.flag.review_below);
        statistics.contributing.truncate(MOST_PATTERNS);
        statistics.underperforming.truncate(MOST_PATTERNS);
        statistics
    });
    Ok(statistics.collect())
}

/// Sums up where the time of the most recent runs went.
pub(super) fn load_timing(inquiry: &Inquiry<'_>) -> Outcome<TimingSummary> {
    // What nobody sums up, such as exit codes, is not asked for.
    let events: Vec<TimingEvent> = inquiry.load("recent_timing", |rows| rows.padded(&TimingEvent::schema())?.read())?;
    let mut summary = summarize_timing(&events, None);
    let single: Vec<TimingEvent> = events.into_iter().filter(|event| event.event == "iteration").collect();
    let latest = &single[single.len().saturating_sub(MOST_ITERATIONS)..];
    summary.iterations.rows = summarize_timing(latest, None).iterations.rows;
    Ok(summary)
}

event::row! {
    struct RunRow {
        goal: String,
        run: GoalRun,
    }
}

event::row! {
    struct PatternRow {
        goal: String,
        pattern: GoalPattern,
    }
}

fn parse_runs(rows: &Rows) -> Outcome<BTreeMap<String, Vec<GoalRun>>> {
    Ok(by_goal(rows.read()?.into_iter().map(|RunRow { goal, run }| (goal, run))))
}

fn parse_patterns(rows: &Rows) -> Outcome<BTreeMap<String, Vec<GoalPattern>>> {
    Ok(by_goal(rows.read()?.into_iter().map(|PatternRow { goal, pattern }| (goal, pattern))))
}

fn by_goal<T>(rows: impl Iterator<Item = (String, T)>) -> BTreeMap<String, Vec<T>> {
    let mut goals: BTreeMap<String, Vec<T>> = BTreeMap::new();
    for (goal, row) in rows {
        goals.entry(goal).or_default().push(row);
    }
    goals
}
