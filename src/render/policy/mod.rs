//! Policies as files: for gates, for the original's readers, for people and for monitoring.

mod diff;
mod document;
mod graph;
mod markdown;
mod metrics;
mod report;
mod run;
mod store;

pub use diff::{PolicyChange, PolicyDiff, compare_policies, list_changes, render_policy_changes};
pub use document::{AgentEntry, PolicyDocument, Rules, ThresholdEntry, make_document, make_rules};
pub use graph::{parse_graph, render_graph};
pub use markdown::render_policy;
pub use metrics::policy_metrics;
pub use report::{AdapterLine, FailureLine, OverlayLine, PolicyReport, labelled, make_policy_report};
pub use run::render_run;
pub use store::{render_overlays, render_store};
