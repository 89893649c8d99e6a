//! Why an adapter has its score: the runs behind it, and what each of them contributes.

use serde::Serialize;

use super::explain::drift;
use super::inquiry::Inquiry;
use super::policy::load_missing;
use super::{Aim, CycleOptions};
use crate::Arguments;
use event::row::Rows;
use learn::policy::{Missing, Tally};
use learn::real;
use setting::ReliabilitySettings;
use store::publish::Generation;
use store::workspace::Workspace;
use text::diagnostic::Outcome;

/// The question that lists its runs.
const QUERY: &str = "policy_explanation";

/// Why an adapter has its score.
#[derive(Debug, Clone, PartialEq)]
pub struct AdapterExplanation {
    pub adapter: String,
    /// The runs that used it, the latest first.
    pub runs: Vec<AdapterRun>,
    /// What those of them that count add up to.
    pub tally: Tally,
    /// Refused runs that name the adapter and were not recorded properly since.
    pub refused: i64,
    /// Such runs that name no adapter.
    pub refused_unknown: i64,
    /// Both together, runs that a gate let through and that never reported, and what is known of any of them.
    pub missing: Missing,
    /// The query that found them.
    pub query: String,
    /// The SHA-256 of that query.
    pub hash: String,
    /// What differs from when the generation was made, so that figures may differ too.
    pub drift: Vec<String>,
}

/// A run behind an adapter's score.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AdapterRun {
    pub time_micros: i64,
    pub project: String,
    pub run_id: String,
    pub result: String,
    /// As what it counts instead, and why.
    pub correction: Option<Correction>,
    pub retries: i64,
    /// Its quality; what names none has the best one if it succeeded, else none.
    pub quality: f64,
    pub failure_type: Option<String>,
    /// The inbox file it stands in.
    pub file: String,
    pub line: i64,
    /// What it contributes to the score, which is the mean of these; none if it does not count.
    pub contribution: Option<f64>,
}

/// Why a run does not count as it said itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Correction {
    pub is_success: bool,
    pub why: String,
}

/// Explains an adapter's score, by adding its runs up anew: those of one project, or of all. Where a generation published it, what changed since is told.
pub fn explain_adapter(
    workspace: &Workspace,
    generation: Option<&Generation>,
    options: CycleOptions<'_>,
    adapter: &str,
    project: Option<&str>,
) -> Outcome<AdapterExplanation> {
    let inquiry = Inquiry::of_cycle(workspace, options, Aim::None)?;
    let inquiry = project.map_or(Ok(None), |project| inquiry.of_project(project).map(Some))?.unwrap_or(inquiry);
    let asked = Arguments::values([("adapter", adapter.into())]);
    let (runs, tally) = add_up(inquiry.ask(QUERY, &asked, Rows::read)?, &options.settings.reliability);
    let refusals = load_missing(&inquiry, options.settings, options.horizon.as_of_micros)?;
    let node = inquiry.node(QUERY)?;
    Ok(AdapterExplanation {
        adapter: adapter.to_owned(),
        runs,
        tally,
        refused: refusals.by_adapter.get(adapter).copied().unwrap_or_default(),
        refused_unknown: refusals.unknown,
        missing: refusals.of(adapter),
        query: node.stem.clone().unwrap_or_default(),
        hash: node.hash.clone().unwrap_or_default(),
        drift: generation.map_or_else(|| Ok(Vec::new()), |generation| drift(&inquiry, generation))?,
    })
}

event::row! {
    struct Listed {
        time_micros: i64 = "ts_us",
        project: String,
        run_id: String,
        result: String,
        is_success: bool = "success",
        is_denied: bool,
        retries: i64,
        quality_millionths: i64,
        failure_type: Option<String>,
        file: String = "landing_file",
        line: i64 = "landing_line",
        corrected: Option<bool>,
        late_passed: Option<bool>,
        late_reason: Option<String>,
        is_rolled_back: bool,
        is_overridden: bool,
    }
}

/// Why a run counts as it does, where that is not what it said itself.
fn correction_of(one: &Listed, settings: &ReliabilitySettings) -> Option<Correction> {
    let is_success = one.corrected.filter(|corrected| *corrected != (one.result == "success"))?;
    let word = if is_success { "pass" } else { "fail" };
    let why = match (one.late_passed, &one.late_reason) {
        (Some(passed), Some(reason)) if settings.late_results && passed == is_success => format!("outcome {word}: {reason}"),
        (Some(passed), None) if settings.late_results && passed == is_success => format!("outcome {word}"),
        _ if one.is_rolled_back && settings.rollback_fails => "rolled back".to_owned(),
        _ if one.is_overridden && settings.override_fails => "overruled by a person".to_owned(),
        _ => "known later".to_owned(),
    };
    Some(Correction { is_success, why })
}

fn add_up(listed: Vec<Listed>, settings: &ReliabilitySettings) -> (Vec<AdapterRun>, Tally) {
    let (mut runs, mut tally) = (Vec::with_capacity(listed.len()), Tally::default());
    for one in listed {
        let correction = correction_of(&one, settings);
        let mut run = AdapterRun {
            correction,
            time_micros: one.time_micros,
            project: one.project,
            run_id: one.run_id,
            result: one.result,
            retries: one.retries,
            quality: real(one.quality_millionths) / 1e6,
            failure_type: one.failure_type,
            file: one.file,
            line: one.line,
            contribution: None,
        };
        if !one.is_denied {
            run.contribution = Some(contribution(one.is_success, &run, settings));
            tally.add(one.is_success, run.retries, one.quality_millionths);
        }
        runs.push(run);
    }
    (runs, tally)
}

/// What a run contributes. Their mean is the score, as long as there are not more retries on average than the settings count.
fn contribution(is_success: bool, run: &AdapterRun, settings: &ReliabilitySettings) -> f64 {
    let success = if is_success { settings.success_weight } else { 0.0 };
    success + settings.retry_weight * (1.0 - real(run.retries) / settings.most_retries) + settings.quality_weight * run.quality
}
