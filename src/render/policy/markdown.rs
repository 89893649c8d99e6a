//! The part of a report that finished runs fill, for people.

use std::fmt::Write as _;

use super::document::{AgentEntry, ThresholdEntry};
use super::report::{AdapterLine, PolicyReport, labelled};
use crate::figure::bar;
use crate::markdown::cell;

/// How many skills are shown.
const MOST_SKILLS: usize = 10;

/// Renders it. Where no run was ever reported, there is nothing to say.
pub fn render_policy(text: &mut String, report: &PolicyReport) {
    if report.runs == 0 && report.rejected == 0 && report.overlays.is_empty() {
        return;
    }
    runs(text, report);
    // Runs of a loop without adapters say nothing about any.
    if !report.overlays.is_empty() {
        adapters(text, report);
        failures(text, report);
        overlays(text, report);
    }
    agents(text, report);
    skills(text, report);
    suggestions(text, report);
    decisions(text, report);
}

fn runs(text: &mut String, report: &PolicyReport) {
    let results: Vec<String> = report.results.iter().map(|(result, runs)| format!("{runs} {}", cell(result))).collect();
    let _ = writeln!(
        text,
        "\n## Runs\n\n{} runs ended: {}.",
        report.runs,
        if results.is_empty() { "none".to_owned() } else { results.join(", ") }
    );
    if report.rejected > 0 {
        let reasons: Vec<String> = report.rejections.iter().map(|(code, lines)| format!("{lines} {}", cell(code))).collect();
        let _ = writeln!(
            text,
            "\nRefused: {} run reports ({}). Missing runs may bias these figures: see the quarantine.",
            report.rejected,
            reasons.join(", ")
        );
        refused(text, report);
    }
    unreported(text, report);
}

/// Runs that a gate let through and that never reported.
fn unreported(text: &mut String, report: &PolicyReport) {
    let unreported: Vec<String> = report.unreported.iter().map(|(adapter, runs)| format!("{runs} of {}", cell(adapter))).collect();
    if !unreported.is_empty() {
        let _ = writeln!(
            text,
            "\nLet through by a gate and never reported: {}. Rules assume that these runs failed.",
            unreported.join(", ")
        );
    }
}

fn refused(text: &mut String, report: &PolicyReport) {
    let mut parts: Vec<String> = report.refused.iter().map(|(adapter, runs)| format!("{runs} of {}", cell(adapter))).collect();
    if report.refused_unknown > 0 {
        parts.push(format!("{} that name no adapter", report.refused_unknown));
    }
    if !parts.is_empty() {
        let _ = writeln!(text, "\nNot recorded properly since: {}. Rules assume that these runs failed.", parts.join(", "));
    }
}

fn adapters(text: &mut String, report: &PolicyReport) {
    for (heading, lines) in [("Strongest adapters", &report.strongest), ("Weakest adapters", &report.weakest)] {
        let _ = writeln!(text, "\n### {heading}\n");
        if lines.is_empty() {
            text.push_str(if report.adapters.is_empty() { "No runs with adapters.\n" } else { "None besides those above.\n" });
            continue;
        }
        text.push_str(
            "| adapter | score | | success | interval | retries | runs | refused | unreported |\n|---|---:|---|---:|---|---:|---:|---:|---:|\n",
        );
        for line in lines {
            adapter_row(text, line);
        }
    }
}

fn adapter_row(text: &mut String, line: &AdapterLine) {
    let _ = writeln!(
        text,
        "| {} | {} | {} | {:.3} | {:.2} to {:.2} | {:.2} | {} | {} | {} |",
        cell(&labelled(&line.adapter, line.project.as_deref())),
        score_cell(line),
        bar(Some(line.score)),
        line.success_rate,
        line.lower,
        line.upper,
        line.average_retries,
        line.runs,
        line.refused,
        line.unreported
    );
}

/// The score, and its bounds where runs are missing.
fn score_cell(line: &AdapterLine) -> String {
    if line.refused + line.unreported == 0 {
        return format!("{:.3}", line.score);
    }
    format!("{:.3} ({:.3} to {:.3})", line.score, line.lowest_score, line.highest_score)
}

fn failures(text: &mut String, report: &PolicyReport) {
    if report.failures.is_empty() {
        return;
    }
    let _ = writeln!(text, "\n### Most frequent failures, of {}\n", report.known_failures);
    text.push_str("| failure | seen | confidence | last seen | remedy |\n|---|---:|---:|---|---|\n");
    for line in &report.failures {
        let _ = writeln!(
            text,
            "| {} | {} | {:.2} | {} | {} |",
            cell(&labelled(&line.id, line.project.as_deref())),
            line.occurrences,
            line.effective_confidence,
            line.last_seen.get(..10).unwrap_or_default(),
            cell(&line.fix)
        );
    }
}

fn overlays(text: &mut String, report: &PolicyReport) {
    text.push_str("\n### Active overlays\n\n");
    let active: Vec<_> = report.overlays.iter().filter(|line| line.is_active).collect();
    if active.is_empty() {
        text.push_str("All adapters are within the expected range.\n");
    } else {
        text.push_str("| adapter | approval | risk | retries | why |\n|---|---|---:|---:|---|\n");
        for line in &active {
            let overlay = &line.overlay;
            let approval = if overlay.require_approval { "needed" } else { "-" };
            let _ = writeln!(
                text,
                "| {} | {approval} | × {} | {} | {} |",
                cell(&labelled(&overlay.adapter_id, line.project.as_deref())),
                overlay.risk_multiplier,
                overlay.suggested_max_retries,
                cell(&overlay.reason)
            );
        }
    }
    if !report.stale.is_empty() {
        let names: Vec<String> = report.stale.iter().map(|name| cell(name)).collect();
        let _ = writeln!(text, "\nStale rules, not used for long: {}.", names.join(", "));
    }
}

fn agents(text: &mut String, report: &PolicyReport) {
    if !report.is_in_use() {
        return;
    }
    if report.projects.is_empty() {
        text.push_str("\n### Agents\n\n");
        agents_of(text, &report.thresholds, &report.agents);
    }
    for line in &report.projects {
        let _ = writeln!(text, "\n### Agents of {}\n", cell(&line.project));
        agents_of(text, &line.thresholds, &line.agents);
    }
}

fn agents_of(text: &mut String, thresholds: &ThresholdEntry, agents: &[AgentEntry]) {
    let _ = writeln!(
        text,
        "Required agreement: {} at low risk, {} at medium, {} at high.",
        thresholds.low, thresholds.medium, thresholds.high
    );
    text.push_str("\n| agent | reliability | | runs | succeeded | failed |\n|---|---:|---|---:|---:|---:|\n");
    for agent in agents {
        let _ = writeln!(
            text,
            "| {} | {:.4} | {} | {} | {} | {} |",
            cell(&agent.agent),
            agent.reliability,
            bar(Some(agent.reliability)),
            agent.total_runs,
            agent.successes,
            agent.failures
        );
    }
}

fn skills(text: &mut String, report: &PolicyReport) {
    if report.skills.is_empty() {
        return;
    }
    text.push_str("\n### Skills\n\n| skill | score | runs | succeeded | failed |\n|---|---:|---:|---:|---:|\n");
    for skill in report.skills.iter().take(MOST_SKILLS) {
        let _ = writeln!(
            text,
            "| {} | {:.4} | {} | {} | {} |",
            cell(&labelled(&skill.skill, skill.project.as_deref())),
            skill.score,
            skill.runs,
            skill.successes,
            skill.failures
        );
    }
    let more = report.skills.len().saturating_sub(MOST_SKILLS);
    if more > 0 {
        let _ = writeln!(text, "\nand {more} more.");
    }
}

fn suggestions(text: &mut String, report: &PolicyReport) {
    if report.suggestions.is_empty() {
        return;
    }
    text.push_str(
        "\n### Suggested constraints\n\n| constraint | action | open | made | last run | why |\n|---|---|---:|---:|---|---|\n",
    );
    for line in &report.suggestions {
        let _ = writeln!(
            text,
            "| {} | {} ({}) | {} | {} | {} | {} |",
            cell(&labelled(line.key, line.project.as_deref())),
            line.action,
            line.confidence,
            line.open,
            line.made,
            cell(&line.last_run),
            line.reason
        );
    }
}

fn decisions(text: &mut String, report: &PolicyReport) {
    if !report.decisions.is_empty() {
        text.push_str("\n### Decisions about adapters\n\n| when | who | what | about | why |\n|---|---|---|---|---|\n");
        for line in &report.decisions {
            let day = line.ts.get(..10).unwrap_or_default();
            let (actor, target, note) =
                (cell(&line.actor), cell(&labelled(&line.target, line.project.as_deref())), cell(&line.note));
            let _ = writeln!(text, "| {day} | {actor} | {} | {target} | {note} |", line.action);
        }
    }
    for (target, why) in &report.void_decisions {
        let _ = writeln!(text, "\nA decision about {} had no effect: {}.", cell(target), cell(why));
    }
}
