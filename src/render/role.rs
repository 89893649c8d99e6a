//! What roles have learned, for reports.

use std::cmp::Ordering;
use std::fmt::Write as _;

use serde::Serialize;

use super::figure::{bar, rounded};
use super::markdown::{cell, void_decisions};
use learn::role::{Agreement, RoleFindings, RoleScore, RoleStanding, Share, Stage, Unmatched};
use learn::subject::VoidDecision;
use text::review::Kind;

/// How many patterns of each sort a report lists.
const MOST_LINES: usize = 10;

/// What roles have learned.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RoleReport {
    pub patterns: usize,
    /// By how far they have come.
    pub by_state: Vec<Share>,
    /// Number of patterns exempt from decay.
    pub immune: usize,
    /// The patterns that are worth most.
    pub best: Vec<RoleLine>,
    /// Trusted patterns that were rejected.
    pub regressions: Vec<RoleLine>,
    /// Verified patterns that wait for a person.
    pub waiting: Vec<RoleLine>,
    pub waiting_count: usize,
    /// Rejected findings that are no pattern.
    pub unmatched: Vec<Unmatched>,
    pub void_decisions: Vec<VoidDecision>,
    /// How the verdicts of each role came out.
    pub standings: Vec<RoleStanding>,
    /// How often validators agree with the roles that they judge.
    pub agreements: Vec<Agreement>,
}

/// A pattern of a role in a report.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RoleLine {
    pub id: String,
    pub project: String,
    pub role: String,
    pub category: Kind,
    pub state: Stage,
    pub score: f64,
    /// Share of the weight that supports the pattern.
    pub rate: f64,
    pub successes: i64,
    /// How often it was rejected.
    pub ignored: i64,
    pub reinforced: i64,
    pub text: String,
}

impl RoleLine {
    fn new(score: &RoleScore) -> Self {
        Self {
            id: score.id.clone(),
            project: score.project.clone(),
            role: score.role.clone(),
            category: score.category,
            state: score.state,
            score: score.score,
            rate: score.rate,
            successes: score.successes,
            ignored: score.ignored,
            reinforced: score.reinforced,
            text: score.text.clone(),
        }
    }
}

/// The order of patterns: what they are worth, what counts for them, their last use, their id.
pub fn compare_roles(one: &RoleScore, other: &RoleScore) -> Ordering {
    let by_worth = other.score.total_cmp(&one.score).then(other.successes.cmp(&one.successes));
    let by_time = by_worth.then_with(|| other.last_used.cmp(&one.last_used));
    by_time.then_with(|| (one.id.len(), &one.id).cmp(&(other.id.len(), &other.id)))
}

/// Makes the report of what roles have learned.
pub fn make_role_report(findings: &RoleFindings) -> RoleReport {
    let scores = &findings.scores;
    let mut ranked: Vec<&RoleScore> = scores.iter().filter(|score| score.is_in_use()).collect();
    ranked.sort_unstable_by(|one, other| compare_roles(one, other));
    let waits = |score: &&&RoleScore| score.state == Stage::Verified;
    let lines = |scores: &mut dyn Iterator<Item = &RoleScore>| scores.take(MOST_LINES).map(RoleLine::new).collect::<Vec<_>>();
    RoleReport {
        patterns: scores.len(),
        by_state: Stage::ALL
            .iter()
            .map(|stage| Share { name: stage.to_string(), patterns: scores.iter().filter(|score| score.state == *stage).count() })
            .collect(),
        immune: scores.iter().filter(|score| score.is_immune).count(),
        best: lines(&mut ranked.iter().copied()),
        regressions: lines(&mut scores.iter().filter(|score| score.regressed.is_some())),
        waiting: lines(&mut ranked.iter().filter(waits).copied()),
        waiting_count: ranked.iter().filter(waits).count(),
        unmatched: findings.unmatched.clone(),
        void_decisions: findings.void.clone(),
        standings: findings.insights.standings.clone(),
        agreements: findings.insights.agreements.clone(),
    }
}

/// Renders the section of the report. Where no role ever spoke there is none.
pub(super) fn render_roles(text: &mut String, report: &RoleReport) {
    if report.patterns == 0 && report.standings.is_empty() {
        return;
    }
    text.push_str("\n## Roles\n\n");
    let states: Vec<String> = report
        .by_state
        .iter()
        .filter(|state| state.patterns > 0)
        .map(|state| format!("{} {}", state.patterns, state.name))
        .collect();
    let _ = writeln!(
        text,
        "{} role patterns{}. {} exempt from decay.",
        report.patterns,
        if states.is_empty() { String::new() } else { format!(": {}", states.join(", ")) },
        report.immune
    );
    lines(text, "Highest score", &report.best);
    lines(text, "Regressions", &report.regressions);
    lines(text, "Verified, waiting for promotion", &report.waiting);
    if report.waiting_count > report.waiting.len() {
        let _ = writeln!(text, "\n{} more are waiting.", report.waiting_count - report.waiting.len());
    }
    standings(text, &report.standings);
    agreements(text, &report.agreements);
    for unmatched in &report.unmatched {
        let _ = writeln!(
            text,
            "\n{} rejected findings of {} in {} match no pattern.",
            unmatched.findings,
            cell(&unmatched.role),
            cell(&unmatched.project)
        );
    }
    void_decisions(text, &report.void_decisions);
}

fn lines(text: &mut String, heading: &str, lines: &[RoleLine]) {
    if lines.is_empty() {
        return;
    }
    let _ = writeln!(text, "\n### {heading}\n");
    text.push_str("| pattern | project | role | state | score | rate | | successes | rejected | reinforced | text |\n");
    text.push_str("|---|---|---|---|---:|---:|---|---:|---:|---:|---|\n");
    for line in lines {
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} {} | {:.2} | {} | {} | {} | {} | {} | {} |",
            line.id,
            cell(&line.project),
            cell(&line.role),
            line.state,
            line.category,
            line.score,
            rounded(Some(line.rate)),
            bar(Some(line.rate)),
            line.successes,
            line.ignored,
            line.reinforced,
            cell(&line.text)
        );
    }
}

fn standings(text: &mut String, standings: &[RoleStanding]) {
    if standings.is_empty() {
        return;
    }
    text.push_str("\n### Verdicts by role\n\n| project | role | verdicts | runs | pass | | recent | |\n|---|---|---:|---:|---:|---|---:|---|\n");
    for standing in standings {
        let notes = [(standing.is_low, "low pass rate"), (standing.is_thin, "thin data")];
        let notes: Vec<&str> = notes.into_iter().filter_map(|(holds, note)| holds.then_some(note)).collect();
        let trend = standing.trend.map_or_else(|| "-".to_owned(), |trend| format!("{trend:+.2}"));
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {trend} | {} |",
            cell(&standing.project),
            cell(&standing.role),
            standing.verdicts,
            standing.runs,
            rounded(Some(standing.pass_rate)),
            bar(Some(standing.pass_rate)),
            notes.join(", ")
        );
    }
}

fn agreements(text: &mut String, agreements: &[Agreement]) {
    if agreements.is_empty() {
        return;
    }
    text.push_str(
        "\n### Validator agreement\n\n| project | role | validator | verdicts | agree | | |\n|---|---|---|---:|---:|---|---|\n",
    );
    for agreement in agreements {
        let thin = if agreement.is_thin { ", thin data" } else { "" };
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {}{thin} |",
            cell(&agreement.project),
            cell(&agreement.role),
            cell(&agreement.validator),
            agreement.verdicts,
            rounded(Some(agreement.agreement)),
            bar(Some(agreement.agreement)),
            agreement.accord.describe()
        );
    }
}
