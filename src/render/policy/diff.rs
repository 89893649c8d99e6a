//! What differs between the policies of two generations.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::document::PolicyDocument;
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
    /// The risk or the adapter.
    pub key: String,
    pub field: String,
    pub before: Value,
    pub after: Value,
}

/// Compares the policies of two generations. Without an earlier one nothing changed: it begins.
#[must_use]
pub fn compare_policies(since: Option<String>, before: Option<&PolicyDocument>, after: &PolicyDocument) -> PolicyDiff {
    let Some(before) = before else { return PolicyDiff { since: None, changes: BTreeMap::new(), overlays: Vec::new() } };
    let (was, is) = (before.thresholds.thresholds(), after.thresholds.thresholds());
    let moved = RiskLevel::ALL.into_iter().filter_map(|risk| {
        let (before, after) = (number(was.of(risk)), number(is.of(risk)));
        (before != after).then(|| (risk.name().to_owned(), Move { before, after }))
    });
    PolicyDiff { since, changes: moved.collect(), overlays: compare_overlays(&before.overlays, &after.overlays) }
}

fn compare_overlays(before: &[Overlay], after: &[Overlay]) -> Vec<OverlayMove> {
    let known: BTreeMap<&str, &Overlay> = before.iter().map(|overlay| (&*overlay.adapter_id, overlay)).collect();
    let mut moves = Vec::new();
    for overlay in after {
        let earlier = known.get(&*overlay.adapter_id).map_or(Value::Null, |earlier| rules(earlier));
        let later = rules(overlay);
        if earlier != later {
            moves.push(OverlayMove { adapter_id: overlay.adapter_id.clone(), before: earlier, after: later });
        }
    }
    for gone in before.iter().filter(|earlier| after.iter().all(|overlay| overlay.adapter_id != earlier.adapter_id)) {
        moves.push(OverlayMove { adapter_id: gone.adapter_id.clone(), before: rules(gone), after: Value::Null });
    }
    moves
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
    let change = |scope: &str, key: &str, field: &str, before: &Value, after: &Value| PolicyChange {
        generation: generation.to_owned(),
        ts: as_of.to_owned(),
        scope: scope.to_owned(),
        key: key.to_owned(),
        field: field.to_owned(),
        before: before.clone(),
        after: after.clone(),
    };
    let mut list: Vec<PolicyChange> =
        diff.changes.iter().map(|(risk, moved)| change("threshold", risk, "threshold", &moved.before, &moved.after)).collect();
    for moved in &diff.overlays {
        for field in ["riskMultiplier", "suggestedMaxRetries", "requireApproval"] {
            let of = |rules: &Value| rules.get(field).cloned().unwrap_or(Value::Null);
            let (before, after) = (of(&moved.before), of(&moved.after));
            if before != after {
                list.push(change("overlay", &moved.adapter_id, field, &before, &after));
            }
        }
    }
    list
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
        let key = if change.scope == "threshold" { format!("{} risk", change.key) } else { change.key.clone() };
        let _ = writeln!(text, "| {} | {} | {} | {} |", cell(&key), change.field, shown(&change.before), shown(&change.after));
    }
    text
}
