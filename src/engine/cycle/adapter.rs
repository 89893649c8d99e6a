//! Why an adapter has its score: the runs behind it, and what each of them contributes.

use serde::Serialize;

use super::explain::drift;
use super::inquiry::Inquiry;
use super::{Aim, CycleOptions};
use crate::Arguments;
use event::row::{Rows, flag_at, number_at, text_at};
use learn::policy::{Tally, parse_refusals};
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
    /// The adapter.
    pub adapter: String,
    /// The runs that used it, the latest first.
    pub runs: Vec<AdapterRun>,
    /// What those of them that count add up to.
    pub tally: Tally,
    /// Refused runs that name the adapter and were not recorded properly since.
    pub refused: i64,
    /// Such runs that name no adapter.
    pub refused_unknown: i64,
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
    /// When it ended, in microseconds since 1970.
    pub time_micros: i64,
    pub project: String,
    pub run_id: String,
    /// How it ended.
    pub result: String,
    pub retries: i64,
    /// Its quality; what names none has the best one if it succeeded, else none.
    pub quality: f64,
    /// What failed.
    pub failure_type: Option<String>,
    /// The inbox file it stands in.
    pub file: String,
    /// The line of that file.
    pub line: i64,
    /// What it contributes to the score, which is the mean of these; none if it does not count.
    pub contribution: Option<f64>,
}

/// Explains an adapter's score in a published generation, by adding its runs up anew.
pub fn explain_adapter(
    workspace: &Workspace,
    generation: &Generation,
    options: CycleOptions<'_>,
    adapter: &str,
) -> Outcome<AdapterExplanation> {
    let inquiry = Inquiry::of_cycle(workspace, options, Aim::None)?;
    let asked = Arguments::values([("adapter", adapter.into())]);
    let (runs, tally) = inquiry.ask(QUERY, &asked, |rows| parse_runs(rows, &options.settings.reliability))?;
    let refusals = inquiry.load("policy_refused", parse_refusals)?;
    let node = inquiry.node(QUERY)?;
    Ok(AdapterExplanation {
        adapter: adapter.to_owned(),
        runs,
        tally,
        refused: refusals.by_adapter.get(adapter).copied().unwrap_or_default(),
        refused_unknown: refusals.unknown,
        query: node.stem.clone().unwrap_or_default(),
        hash: node.hash.clone().unwrap_or_default(),
        drift: drift(&inquiry, generation)?,
    })
}

/// Reads the rows of `sql/policy/explanation.sql`, and adds up those that count.
fn parse_runs(rows: &Rows, settings: &ReliabilitySettings) -> Outcome<(Vec<AdapterRun>, Tally)> {
    let (mut runs, mut tally) = (Vec::with_capacity(rows.count()), Tally::default());
    for part in rows.parts() {
        let (times, projects, ids) = (part.numbers("ts_us")?, part.texts("project")?, part.texts("run_id")?);
        let (results, successes, denied) = (part.texts("result")?, part.flags("success")?, part.flags("is_denied")?);
        let (retries, qualities) = (part.numbers("retries")?, part.numbers("quality_millionths")?);
        let (failures, files, lines) = (part.texts("failure_type")?, part.texts("landing_file")?, part.numbers("landing_line")?);
        for row in 0..part.len() {
            let is_success = flag_at(successes, row).unwrap_or(false);
            let millionths = number_at(qualities, row).unwrap_or_default();
            let mut run = AdapterRun {
                time_micros: number_at(times, row).unwrap_or_default(),
                project: text_at(projects, row).unwrap_or_default(),
                run_id: text_at(ids, row).unwrap_or_default(),
                result: text_at(results, row).unwrap_or_default(),
                retries: number_at(retries, row).unwrap_or_default(),
                quality: real(millionths) / 1e6,
                failure_type: text_at(failures, row),
                file: text_at(files, row).unwrap_or_default(),
                line: number_at(lines, row).unwrap_or_default(),
                contribution: None,
            };
            if !flag_at(denied, row).unwrap_or(false) {
                run.contribution = Some(contribution(is_success, &run, settings));
                tally.add(is_success, run.retries, millionths);
            }
            runs.push(run);
        }
    }
    Ok((runs, tally))
}

/// What a run contributes. Their mean is the score, as long as there are not more retries on average than the settings count.
fn contribution(is_success: bool, run: &AdapterRun, settings: &ReliabilitySettings) -> f64 {
    let success = if is_success { settings.success_weight } else { 0.0 };
    success + settings.retry_weight * (1.0 - real(run.retries) / settings.most_retries) + settings.quality_weight * run.quality
}
