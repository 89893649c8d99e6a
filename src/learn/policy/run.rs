//! Finished runs, one by one: what the recent past is told from.

use serde::Deserialize;

use event::field::RunResult;
use event::row::{Rows, flag_at, list_at, number_at, text_at};
use setting::RiskLevel;
use text::diagnostic::{Diagnostic, Outcome};

/// The failure type of a run that a person did not let happen. It says nothing about the adapter: were it counted, strict
/// policies would make themselves stricter.
pub const DENIED: &str = "approval-denied";

/// A finished run.
#[derive(Debug, Clone, PartialEq)]
pub struct FinishedRun {
    /// Its place in the order of landing.
    pub sequence: i64,
    /// The project that it belongs to.
    pub project: String,
    /// Its name, within its project.
    pub run_id: String,
    /// When it ended, in microseconds since 1970.
    pub micros: i64,
    /// How it ended.
    pub result: RunResult,
    /// Its retries.
    pub retries: i64,
    /// Its quality, in millionths.
    pub quality_millionths: i64,
    /// The adapters that it used, each once.
    pub adapters: Vec<String>,
    /// What failed.
    pub failure_type: Option<String>,
    /// How much could go wrong.
    pub risk: Option<RiskLevel>,
    /// Whether it was rolled back.
    pub is_rolled_back: bool,
    /// Whether a person stepped in.
    pub is_overridden: bool,
    /// How long it took.
    pub duration_millis: Option<i64>,
    /// What went wrong, in words.
    pub issues: Vec<String>,
    /// The skills that it used, each once.
    pub skills: Vec<String>,
    /// What its agents decided.
    pub decisions: Vec<AgentDecision>,
}

/// What an agent decided in a run.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct AgentDecision {
    /// The agent.
    pub agent: String,
    /// `approve`, `needs-review` or `reject`.
    pub decision: Option<String>,
    /// How sure it was.
    pub confidence: f64,
}

impl FinishedRun {
    /// Whether it succeeded.
    #[must_use]
    pub fn is_success(&self) -> bool {
        self.result == RunResult::Success
    }

    /// Whether it failed because a person did not approve.
    #[must_use]
    pub fn is_denied(&self) -> bool {
        self.failure_type.as_deref().is_some_and(|kind| kind.to_lowercase() == DENIED)
    }
}

/// Reads the rows of `sql/policy/recent.sql`, which come in the order of landing.
pub fn parse_runs(rows: &Rows) -> Outcome<Vec<FinishedRun>> {
    let mut runs = Vec::with_capacity(rows.count());
    for part in rows.parts() {
        let (sequences, ids, times) = (part.numbers("landing_seq")?, part.texts("run_id")?, part.numbers("ts_us")?);
        let projects = part.texts("project")?;
        let (results, retries, quality) = (part.texts("result")?, part.numbers("retries")?, part.numbers("quality_millionths")?);
        let (adapters, failures, risks) = (part.lists("adapters")?, part.texts("failure_type")?, part.texts("risk")?);
        let (rollbacks, overrides) = (part.flags("rollback")?, part.flags("human_override")?);
        let (durations, issues, skills) = (part.numbers("duration_ms")?, part.lists("issues")?, part.lists("skills")?);
        let decisions = part.texts("decisions_json")?;
        for row in 0..part.len() {
            runs.push(FinishedRun {
                sequence: sequences.value(row),
                project: text_at(projects, row).unwrap_or_default(),
                run_id: text_at(ids, row).unwrap_or_default(),
                micros: times.value(row),
                result: parse_result(text_at(results, row).as_deref()),
                // Rows of an earlier version may hold numbers that no sum holds.
                retries: number_at(retries, row).unwrap_or_default().min(i64::from(u32::MAX)),
                quality_millionths: quality.value(row),
                adapters: list_at(adapters, row),
                failure_type: text_at(failures, row),
                risk: text_at(risks, row).and_then(|risk| RiskLevel::from_name(&risk)),
                is_rolled_back: flag_at(rollbacks, row).unwrap_or(false),
                is_overridden: flag_at(overrides, row).unwrap_or(false),
                duration_millis: number_at(durations, row),
                issues: list_at(issues, row),
                skills: list_at(skills, row),
                decisions: parse_decisions(text_at(decisions, row).as_deref())?,
            });
        }
    }
    Ok(runs)
}

/// How a run ended, by the word under which it is stored.
pub(super) fn parse_result(word: Option<&str>) -> RunResult {
    match word {
        Some("success") => RunResult::Success,
        Some("partial") => RunResult::Partial,
        _ => RunResult::Failure,
    }
}

fn parse_decisions(json: Option<&str>) -> Outcome<Vec<AgentDecision>> {
    let Some(json) = json else { return Ok(Vec::new()) };
    serde_json::from_str::<Option<Vec<AgentDecision>>>(json)
        .map(Option::unwrap_or_default)
        .map_err(|error| Diagnostic::bug(format!("the decisions of a run cannot be read: {error}")))
}
