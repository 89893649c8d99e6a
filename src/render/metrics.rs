//! The figures of a run in the text format of Prometheus.

use std::fmt::Write as _;

/// One figure.
#[derive(Debug, Clone, PartialEq)]
pub struct Metric {
    /// Its name, without the program's prefix.
    pub name: &'static str,
    pub help: &'static str,
    pub labels: Vec<(&'static str, String)>,
    pub value: f64,
}

/// Renders figures, which come grouped by name. Those whose name ends in `_total` only grow while the log does, so they are counters.
pub fn render_metrics(metrics: &[Metric]) -> String {
    let mut text = String::new();
    for group in metrics.chunk_by(|one, other| one.name == other.name) {
        let Some(first) = group.first() else { continue };
        let kind = if first.name.ends_with("_total") { "counter" } else { "gauge" };
        let _ = writeln!(text, "# HELP outerloop_{} {}\n# TYPE outerloop_{} {kind}", first.name, first.help, first.name);
        for metric in group {
            let labels: Vec<String> = metric.labels.iter().map(|(name, value)| format!("{name}=\"{}\"", escaped(value))).collect();
            let labels = if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.join(",")) };
            let _ = writeln!(text, "outerloop_{}{labels} {}", metric.name, metric.value);
        }
    }
    text
}

fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
