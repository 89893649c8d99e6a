//! What differs between the policies of two generations.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::document::{PolicyDocument, Rules};
use super::report::labelled;
use crate::markdown::cell;
use learn::policy::{Overlay, number};
use setting::RiskLevel;

/// What differs between the policies of two generations.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PolicyDiff {
    /// The earlier generation; none before the first.
    pub since: Option<String>,
    /// Thresholds that moved, by risk.
    pub changes: BTreeMap<String, Move>,
    /// The same of each project, where each has its own.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub projects: BTreeMap<String, BTreeMap<String, Move>>,
    /// Overlays that changed, appeared or went.
    pub overlays: Vec<OverlayMove>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Move {
    pub before: Value,
    pub after: Value,
}

/// What became of an overlay.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OverlayMove {
    /// The project, where each has rules of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// The adapter.
    pub adapter_id: String,
    /// Its rules before; null if there were none.
    pub before: Value,
    /// Its rules; null if there are none.
    pub after: Value,
}

/// One change, as history keeps it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PolicyChange {
    /// The generation that brought it.
    pub generation: String,
    /// The instant that generation holds for.
    pub ts: String,
    /// `threshold` or `overlay`.
    pub scope: String,
    /// The project, where each has rules of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// The risk or the adapter.
    pub key: String,
    pub field: String,
    pub before: Value,
    pub after: Value,
}

/// Compares the policies of two generations. Without an earlier one nothing changed: it begins.
#[must_use]
pub fn compare_policies(since: Option<String>, before: Option<&PolicyDocument>, after: &PolicyDocument) -> PolicyDiff {
    let nothing = PolicyDiff { since: None, changes: BTreeMap::new(), projects: BTreeMap::new(), overlays: Vec::new() };
    let Some(before) = before else { return nothing };
    if before.projects.is_empty() && after.projects.is_empty() {
        let (changes, overlays) = (compare_thresholds(&before.whole, &after.whole), compare_overlays(None, before, after));
        return PolicyDiff { since, changes, overlays, ..nothing };
    }
    let names: BTreeSet<&str> = before.names().into_iter().chain(after.names()).collect();
    let mut diff = PolicyDiff { since, ..nothing };
    for name in names {
        let moved = before.rules_of(name).zip(after.rules_of(name)).map(|(before, after)| compare_thresholds(before, after));
        diff.projects.extend(moved.filter(|moved| !moved.is_empty()).map(|moved| (name.to_owned(), moved)));
        diff.overlays.extend(compare_overlays(Some(name), before, after));
    }
    diff
}

fn compare_thresholds(before: &Rules, after: &Rules) -> BTreeMap<String, Move> {
    let (was, is) = (before.thresholds.thresholds(), after.thresholds.thresholds());
    let moved = RiskLevel::ALL.into_iter().filter_map(|risk| {
        let (before, after) = (number(was.of(risk)), number(is.of(risk)));
        (before != after).then(|| (risk.name().to_owned(), Move { before, after }))
    });
    moved.collect()
}

/// What became of the overlays of a project, or of all.
fn compare_overlays(project: Option<&str>, before: &PolicyDocument, after: &PolicyDocument) -> Vec<OverlayMove> {
    let of = |document: &'_ PolicyDocument| -> Vec<Overlay> {
        let rules = project.map_or(Some(&document.whole), |project| document.rules_of(project));
        rules.map(|rules| rules.overlays.clone()).unwrap_or_default()
    };
    let (before, after) = (of(before), of(after));
    let known: BTreeMap<&str, &Overlay> = before.iter().map(|overlay| (&*overlay.adapter_id, overlay)).collect();
    let moved = |adapter: &str, before: Value, after: Value| OverlayMove {
        project: project.map(str::to_owned),
        adapter_id: adapter.to_owned(),
        before,
        after,
    };
    let mut list = Vec::new();
    for overlay in &after {
        let earlier = known.get(&*overlay.adapter_id).map_or(Value::Null, |earlier| rules(earlier));
        let later = rules(overlay);
        if earlier != later {
            list.push(moved(&overlay.adapter_id, earlier, later));
        }
    }
    for gone in before.iter().filter(|earlier| after.iter().all(|overlay| overlay.adapter_id != earlier.adapter_id)) {
        list.push(moved(&gone.adapter_id, rules(gone), Value::Null));
    }
    list
}

fn rules(overlay: &Overlay) -> Value {
    json!({
        "riskMultiplier": number(overlay.risk_multiplier),
        "suggestedMaxRetries": overlay.suggested_max_retries,
        "requireApproval": overlay.require_approval,
    })
}

/// The same changes one by one, as history keeps them.
#[must_use]
pub fn list_changes(diff: &PolicyDiff, generation: &str, as_of: &str) -> Vec<PolicyChange> {
    let change = |scope: &str, project: Option<&str>, key: &str, field: &str, before: &Value, after: &Value| PolicyChange {
        generation: generation.to_owned(),
        ts: as_of.to_owned(),
        scope: scope.to_owned(),
        project: project.map(str::to_owned),
        key: key.to_owned(),
        field: field.to_owned(),
        before: before.clone(),
        after: after.clone(),
    };
    let shared = diff.changes.iter().map(|(risk, moved)| (None, risk, moved));
    let own =
        diff.projects.iter().flat_map(|(project, moves)| moves.iter().map(move |(risk, moved)| (Some(&**project), risk, moved)));
    let mut list: Vec<PolicyChange> = shared
        .chain(own)
        .map(|(project, risk, moved)| change("threshold", project, risk, "threshold", &moved.before, &moved.after))
        .collect();
    for moved in &diff.overlays {
        for field in ["riskMultiplier", "suggestedMaxRetries", "requireApproval"] {
            let of = |rules: &Value| rules.get(field).cloned().unwrap_or(Value::Null);
            let (before, after) = (of(&moved.before), of(&moved.after));
            if before != after {
                list.push(change("overlay", moved.project.as_deref(), &moved.adapter_id, field, &before, &after));
            }
        }
    }
    list
}

impl PolicyChange {
    /// What changed, in words: an adapter or a risk, and its project where each has its own.
    #[must_use]
    pub fn subject(&self) -> String {
        let name = if self.scope == "threshold" { format!("{} risk", self.key) } else { self.key.clone() };
        labelled(&name, self.project.as_deref())
    }
}

/// Renders the changes of policies as Markdown, to follow the other changes.
#[must_use]
pub fn render_policy_changes(diff: &PolicyDiff) -> String {
    let list = list_changes(diff, "", "");
    if list.is_empty() {
        return String::new();
    }
    let mut text = "\n### Policies\n\n| policy | what | before | after |\n|---|---|---:|---:|\n".to_owned();
    let shown = |value: &Value| if value.is_null() { "-".to_owned() } else { value.to_string() };
    for change in list {
        let subject = cell(&change.subject());
        let _ = writeln!(text, "| {subject} | {} | {} | {} |", change.field, shown(&change.before), shown(&change.after));
    }
    text
}
