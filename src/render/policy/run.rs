//! What one run changed, as a report of its own.

use std::fmt::Write as _;

use serde_json::Value;

use crate::markdown::cell;
use learn::policy::GraphEvent;

/// Renders what a run changed, from its events.
#[must_use]
pub fn render_run(run_id: &str, events: &[GraphEvent]) -> String {
    let of = |kind: &str| events.iter().filter(|event| event.kind == kind).map(|event| &event.data).collect::<Vec<_>>();
    let (agents, thresholds) = (of("agent_reliability_updated"), of("threshold_policy_updated"));
    let (suggestions, skills) = (of("constraint_suggestion_created"), of("skill_stat_updated"));
    let overlays = of("overlay_changed");
    let mut text = format!("# Effect of run {}\n", cell(run_id));
    if let Some(first) = events.first() {
        let _ = writeln!(text, "\nIt ended at {}: {}.", first.timestamp, word(&first.data, "result"));
    }
    let _ = writeln!(
        text,
        "\n## Summary\n\nUpdated: {} agents, {} thresholds, {} overlays, {} skills. Suggested constraints: {}.",
        agents.len(),
        thresholds.len(),
        overlays.len(),
        skills.len(),
        suggestions.len()
    );
    section(
        &mut text,
        "Policy changes",
        "No changes.",
        thresholds.into_iter().flat_map(threshold_lines).chain(overlays.into_iter().map(overlay_line)),
    );
    let failures = of("pattern_updated")
        .into_iter()
        .map(|data| format!("{}: seen {} times, confidence {}", word(data, "id"), data["occurrences"], data["confidence"]));
    section(&mut text, "Failures", "None.", failures);
    let scores = of("reliability_changed").into_iter().map(|data| moved(data, &word(data, "adapterId")));
    section(&mut text, "Adapters", "No change of scores.", scores);
    let constraints = suggestions
        .into_iter()
        .map(|data| format!("{}: {} ({}) — {}", word(data, "key"), word(data, "action"), data["confidence"], word(data, "reason")));
    section(&mut text, "Suggested constraints", "None.", constraints);
    section(&mut text, "Agents", "None.", agents.into_iter().map(|data| moved(data, &word(data, "agent"))));
    let skills = skills.into_iter().map(|data| {
        let name = word(data, "skillId");
        format!(
            "{name}: score={}, runs={}, success={}, failure={}",
            data["score"], data["runs"], data["successes"], data["failures"]
        )
    });
    section(&mut text, "Skills", "None.", skills);
    text
}

fn section(text: &mut String, heading: &str, nothing: &str, lines: impl Iterator<Item = String>) {
    let _ = writeln!(text, "\n## {heading}\n");
    let mut is_empty = true;
    for line in lines {
        let _ = writeln!(text, "- {line}");
        is_empty = false;
    }
    if is_empty {
        let _ = writeln!(text, "- {nothing}");
    }
}

fn threshold_lines(data: &Value) -> Vec<String> {
    let moves = data.as_object().into_iter().flatten();
    moves.map(|(risk, change)| moved(change, &format!("{} risk", cell(risk)))).collect()
}

fn overlay_line(data: &Value) -> String {
    let rules = |rules: &Value| {
        if rules.is_null() {
            return "none".to_owned();
        }
        let approval = if rules["requireApproval"] == Value::Bool(true) { ", approval" } else { "" };
        format!("× {}, {} retries{approval}", rules["riskMultiplier"], rules["suggestedMaxRetries"])
    };
    format!("{}: {} -> {}", word(data, "adapterId"), rules(&data["before"]), rules(&data["after"]))
}

fn moved(change: &Value, name: &str) -> String {
    let before = if change["before"].is_null() { "none".to_owned() } else { change["before"].to_string() };
    format!("{name}: {before} -> {}", change["after"])
}

fn word(data: &Value, name: &str) -> String {
    cell(data.get(name).and_then(Value::as_str).unwrap_or_default())
}
