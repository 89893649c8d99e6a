//! Adapters with their gates and bounds, failures, agents; roles and how they agree.

use super::markup::{Markup, said};
use super::table::{Cell, Look, MOST, Table, column, figures};
use super::{PageData, nothing};
use crate::overview::{Tone, adapter_weeks, grouped};
use crate::policy::{AdapterLine, OverlayLine, PolicyReport, labelled};
use crate::report::Report;
use learn::real;

pub(super) fn write_adapters(page: &mut Markup, report: &Report<'_>, data: &PageData<'_>) {
    let policy = &report.policy;
    if policy.runs == 0 && policy.overlays.is_empty() {
        return nothing(page, "No finished run was recorded yet. Record one:", "outerloop record --help");
    }
    let results: Vec<String> = policy.results.iter().map(|(result, runs)| format!("{} {}", grouped(*runs), said(result))).collect();
    page.leaf("p", &[("class", "lead")], &format!("{} runs ended: {}.", grouped(policy.runs), results.join(", ")));
    adapter_table(page, policy, data);
    failure_table(page, policy);
    agent_table(page, policy);
}

fn adapter_table(page: &mut Markup, policy: &PolicyReport, data: &PageData<'_>) {
    let columns = [
        figures("gate", Look::Chip, "gate"),
        column("adapter", Look::Id),
        figures("score", Look::Decimal, "score"),
        figures("bounds", Look::Text, "score"),
        figures("succeeded", Look::Percent, "adapter"),
        figures("range", Look::Range, "adapter"),
        figures("runs", Look::Count, "adapter"),
        figures("12 weeks", Look::Spark, "adapter"),
        figures("risk", Look::Text, "gate"),
        figures("retries", Look::Count, "gate"),
        column("why", Look::Lesson),
    ];
    let weeks = adapter_weeks(&data.history.adapters);
    let mut lines: Vec<(&OverlayLine, Option<&AdapterLine>)> = policy
        .overlays
        .iter()
        .map(|line| {
            (
                line,
                policy.adapters.iter().find(|known| (&known.adapter, &known.project) == (&line.overlay.adapter_id, &line.project)),
            )
        })
        .collect();
    lines.sort_by(|one, other| {
        let gated = |line: &OverlayLine| !line.overlay.require_approval;
        let runs = |line: &OverlayLine| std::cmp::Reverse(line.overlay.basis.runs);
        (gated(one.0), runs(one.0)).cmp(&(gated(other.0), runs(other.0)))
    });
    let all = lines.len();
    let rows = lines.into_iter().take(MOST).map(|(line, known)| {
        let overlay = &line.overlay;
        let (tone, word) = match (overlay.require_approval, line.is_stale) {
            (true, _) => (Tone::Bad, "approval"),
            (false, true) => (Tone::Neutral, "stale"),
            (false, false) => (Tone::Good, "free"),
        };
        let weeks = weeks
            .get(&(&*overlay.adapter_id, line.project.as_deref()))
            .map(|known| known.weeks.iter().map(|(runs, good)| (*runs > 0).then(|| real(*good) / real(*runs))).collect::<Vec<_>>());
        vec![
            Cell::Chip(tone, word.to_owned()),
            Cell::Text(said(&labelled(&overlay.adapter_id, line.project.as_deref()))),
            overlay.basis.score.into(),
            bounds(known),
            known.map(|known| known.success_rate).into(),
            known.map_or(Cell::Empty, |known| Cell::Range([known.lower, known.success_rate, known.upper], tone)),
            overlay.basis.runs.into(),
            weeks.map_or(Cell::Empty, Cell::Spark),
            Cell::Text(format!("\u{d7} {}", overlay.risk_multiplier)),
            Cell::Number(f64::from(overlay.suggested_max_retries)),
            Cell::Text(said(&overlay.reason)),
        ]
    });
    let table = Table {
        id: "adapter-table",
        caption: "Adapters, those that need approval first",
        columns: &columns,
        rows: rows.collect(),
        all,
        command: "outerloop policy list --json",
    };
    table.write(page);
}

/// The bounds of a score, where refused runs leave it open.
fn bounds(known: Option<&AdapterLine>) -> Cell {
    known.filter(|known| known.refused > 0).map_or(Cell::Empty, |known| {
        Cell::Text(format!("{:.2} to {:.2}, {} refused", known.lowest_score, known.highest_score, known.refused))
    })
}

fn failure_table(page: &mut Markup, policy: &PolicyReport) {
    if policy.failures.is_empty() {
        return;
    }
    let columns = [
        column("failure", Look::Id),
        figures("seen", Look::Count, "failure"),
        figures("confidence", Look::Percent, "failure"),
        column("last seen", Look::Text),
        column("remedy", Look::Lesson),
    ];
    let rows = policy.failures.iter().map(|line| {
        vec![
            Cell::Text(said(&labelled(&line.id, line.project.as_deref()))),
            line.occurrences.into(),
            Cell::Number(line.effective_confidence),
            Cell::Text(line.last_seen.get(..10).unwrap_or_default().to_owned()),
            Cell::Text(said(&line.fix)),
        ]
    });
    page.leaf("h3", &[], "Most frequent failures");
    let table = Table {
        id: "failure-table",
        caption: "Most frequent failures",
        columns: &columns,
        rows: rows.collect(),
        all: policy.known_failures,
        command: "outerloop policy list",
    };
    table.write(page);
}

fn agent_table(page: &mut Markup, policy: &PolicyReport) {
    let shared = policy.agents.iter().filter(|_| policy.projects.is_empty()).map(|agent| (agent, None));
    let own = policy.projects.iter().flat_map(|line| line.agents.iter().map(|agent| (agent, Some(&*line.project))));
    let known: Vec<_> = shared.chain(own).filter(|(agent, _)| agent.total_runs > 0).collect();
    if known.is_empty() {
        return;
    }
    let columns = [
        column("agent", Look::Text),
        figures("reliability", Look::Percent, "success"),
        figures("runs", Look::Count, "success"),
        figures("succeeded", Look::Count, "success"),
    ];
    let rows = known.iter().map(|(agent, project)| {
        let name = said(&labelled(&agent.agent, *project));
        vec![Cell::Text(name), Cell::Number(agent.reliability), agent.total_runs.into(), agent.successes.into()]
    });
    page.leaf("h3", &[], "Agents");
    let table = Table {
        id: "agent-table",
        caption: "Agents that decided about runs",
        columns: &columns,
        rows: rows.collect(),
        all: known.len(),
        command: "outerloop optimize --help",
    };
    table.write(page);
}

pub(super) fn write_roles(page: &mut Markup, report: &Report<'_>) {
    let roles = &report.roles;
    if roles.patterns == 0 && roles.standings.is_empty() {
        return nothing(page, "No role has spoken yet. A review becomes events with", "outerloop feedback --help");
    }
    let states: Vec<String> = roles
        .by_state
        .iter()
        .filter(|state| state.patterns > 0)
        .map(|state| format!("{} {}", state.patterns, state.name))
        .collect();
    page.leaf("p", &[("class", "lead")], &format!("{} patterns of roles: {}.", roles.patterns, states.join(", ")));
    standing_table(page, report);
    agreement_table(page, report);
    if roles.best.is_empty() {
        return;
    }
    let columns = [
        column("id", Look::Id),
        column("role", Look::Text),
        column("state", Look::Text),
        figures("score", Look::Decimal, "role"),
        figures("successes", Look::Count, "role"),
        figures("rejected", Look::Count, "role"),
        column("finding", Look::Lesson),
    ];
    let rows = roles.best.iter().map(|line| {
        vec![
            Cell::Text(line.id.clone()),
            Cell::Text(said(&line.role)),
            Cell::Text(line.state.to_string()),
            Cell::Number(line.score),
            line.successes.into(),
            line.ignored.into(),
            Cell::Text(said(&line.text)),
        ]
    });
    page.leaf("h3", &[], "Highest score");
    let table = Table {
        id: "role-table",
        caption: "Patterns of roles with the highest score",
        columns: &columns,
        rows: rows.collect(),
        all: roles.patterns,
        command: "outerloop patterns list --roles --all --json",
    };
    table.write(page);
}

fn standing_table(page: &mut Markup, report: &Report<'_>) {
    if report.roles.standings.is_empty() {
        return;
    }
    let columns = [
        column("role", Look::Text),
        column("project", Look::Text),
        figures("pass", Look::Percent, "pass"),
        figures("verdicts", Look::Count, "pass"),
        figures("runs", Look::Count, "pass"),
        figures("lately", Look::Points, "pass"),
        column("note", Look::Chip),
    ];
    let rows = report.roles.standings.iter().map(|standing| {
        let note = match (standing.is_low, standing.is_thin) {
            (true, _) => Cell::Chip(Tone::Bad, "low pass rate".to_owned()),
            (_, true) => Cell::Chip(Tone::Neutral, "few runs".to_owned()),
            _ => Cell::Empty,
        };
        vec![
            Cell::Text(said(&standing.role)),
            Cell::Text(said(&standing.project)),
            Cell::Number(standing.pass_rate),
            standing.verdicts.into(),
            standing.runs.into(),
            standing.trend.into(),
            note,
        ]
    });
    page.leaf("h3", &[], "Verdicts by role");
    let table = Table {
        id: "standing-table",
        caption: "Verdicts by role",
        columns: &columns,
        rows: rows.take(MOST).collect(),
        all: report.roles.standings.len(),
        command: "outerloop patterns status",
    };
    table.write(page);
}

fn agreement_table(page: &mut Markup, report: &Report<'_>) {
    if report.roles.agreements.is_empty() {
        return;
    }
    let columns = [
        column("role", Look::Text),
        column("validator", Look::Text),
        figures("agree", Look::Percent, "agreement"),
        figures("verdicts", Look::Count, "agreement"),
        column("what it means", Look::Text),
    ];
    let rows = report.roles.agreements.iter().map(|agreement| {
        let thin = if agreement.is_thin { ", few verdicts" } else { "" };
        vec![
            Cell::Text(said(&agreement.role)),
            Cell::Text(said(&agreement.validator)),
            Cell::Number(agreement.agreement),
            agreement.verdicts.into(),
            Cell::Text(format!("{}{thin}", agreement.accord.describe())),
        ]
    });
    page.leaf("h3", &[], "Agreement of validators");
    let table = Table {
        id: "agreement-table",
        caption: "Agreement of validators with roles",
        columns: &columns,
        rows: rows.take(MOST).collect(),
        all: report.roles.agreements.len(),
        command: "outerloop patterns status",
    };
    table.write(page);
}
