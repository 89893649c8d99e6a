//! What is learned of adapters, applied to a list of tasks before it runs.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::overlay::Overlay;
use text::key::key;

/// A task. Other fields are kept.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Task {
    pub id: String,
    /// What it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The adapter that runs it.
    #[serde(alias = "adapter", alias = "adapter_id")]
    pub adapter_id: String,
    /// How many retries it may have.
    #[serde(default, alias = "retry_limit", skip_serializing_if = "Option::is_none")]
    pub retry_limit: Option<u32>,
    /// All other members, as they were given.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// The tasks as they should run, and why.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Optimized {
    /// The tasks, in the order given.
    pub tasks: Vec<Task>,
    /// What was changed or should be.
    pub suggestions: Vec<OptimizerSuggestion>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OptimizerSuggestion {
    /// What it does to which task.
    pub id: String,
    /// `retry-policy` or `approval`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// In words.
    pub summary: String,
    pub reason: String,
    /// `high` or `medium`.
    pub impact: &'static str,
}

/// Applies overlays to tasks. Limits are only lowered; tasks of unknown adapters stay unchanged.
#[must_use]
pub fn optimize(tasks: Vec<Task>, overlays: &[Overlay]) -> Optimized {
    let mut suggestions = Vec::new();
    let tasks = tasks.into_iter().map(|mut task| {
        let adapter = key(&task.adapter_id);
        if let Some(overlay) = overlays.iter().find(|overlay| overlay.adapter_id == adapter) {
            let most = overlay.suggested_max_retries;
            task.retry_limit = Some(task.retry_limit.map_or(most, |limit| limit.min(most)));
            suggestions.push(retry_policy(&task, overlay));
            suggestions.extend(overlay.require_approval.then(|| approval(&task, overlay)));
        }
        task
    });
    Optimized { tasks: tasks.collect(), suggestions }
}

fn retry_policy(task: &Task, overlay: &Overlay) -> OptimizerSuggestion {
    let limit = task.retry_limit.unwrap_or_default();
    OptimizerSuggestion {
        id: format!("retry-{}", task.id),
        kind: "retry-policy",
        summary: format!("limit retries of {} to {limit}", overlay.adapter_id),
        reason: overlay.reason.clone(),
        impact: if overlay.require_approval { "high" } else { "medium" },
    }
}

fn approval(task: &Task, overlay: &Overlay) -> OptimizerSuggestion {
    OptimizerSuggestion {
        id: format!("approval-{}", task.id),
        kind: "approval",
        summary: format!("require approval for {}", overlay.adapter_id),
        reason: overlay.reason.clone(),
        impact: "high",
    }
}
