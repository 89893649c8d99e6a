//! What finished runs say, for monitoring.

use crate::metrics::Metric;
use event::parse_time;
use learn::policy::{Policies, Policy};
use learn::real;
use setting::OverlaySettings;

/// How many failures have a series of their own, the most frequent ones.
const MOST_FAILURES: usize = 100;

/// The figures that monitoring watches, grouped by name.
///
/// Where projects have rules of their own, each series of an adapter says of which project it is.
#[must_use]
pub fn policy_metrics(policies: &Policies, as_of_micros: i64, settings: &OverlaySettings) -> Vec<Metric> {
    let mut metrics = Vec::new();
    let whole = &policies.whole;
    let one = |name, help, labels: &[(&'static str, &str)], value| Metric {
        name,
        help,
        labels: labels.iter().map(|(label, value)| (*label, (*value).to_owned())).collect(),
        value,
    };
    metrics.extend(
        whole
            .totals
            .results
            .iter()
            .map(|(result, runs)| one("learning_outcomes_total", "Finished runs, by result.", &[("result", result)], real(*runs))),
    );
    metrics.extend(whole.refusals.iter().map(|(reason, lines)| {
        one("learning_outcomes_rejected_total", "Run reports that were refused.", &[("reason", reason)], real(*lines))
    }));
    metrics.push(one(
        "learning_policy_timestamp_seconds",
        "The instant that the policies hold for.",
        &[],
        real(as_of_micros) / 1e6,
    ));
    for (project, policy) in policies.parts() {
        let own = adapter_metrics(policy, as_of_micros, settings);
        metrics.extend(own.into_iter().map(|mut metric| {
            metric.labels.extend(project.map(|project| ("project", project.to_owned())));
            metric
        }));
    }
    // Series of one name stand together.
    let mut names: Vec<&'static str> = Vec::new();
    for metric in &metrics {
        if !names.contains(&metric.name) {
            names.push(metric.name);
        }
    }
    metrics.sort_by_key(|metric| names.iter().position(|name| *name == metric.name));
    metrics
}

/// The figures of the adapters of one policy.
fn adapter_metrics(policy: &Policy, as_of_micros: i64, settings: &OverlaySettings) -> Vec<Metric> {
    let mut metrics = Vec::new();
    let one = |name, help, labels: &[(&'static str, &str)], value| Metric {
        name,
        help,
        labels: labels.iter().map(|(label, value)| (*label, (*value).to_owned())).collect(),
        value,
    };
    let mut frequent: Vec<_> = policy.failures.iter().collect();
    frequent.sort_by_key(|failure| -failure.occurrences);
    // Types of failures are free text: a series for each would swamp whoever watches.
    frequent.truncate(MOST_FAILURES);
    metrics.extend(frequent.into_iter().map(|failure| {
        let labels = [("adapter", &*failure.adapter), ("type", &*failure.failure_type)];
        one("learning_pattern_occurrences", "Number of sightings of a failure.", &labels, real(failure.occurrences))
    }));
    metrics.extend(policy.adapters.iter().map(|known| {
        one("learning_reliability_score", "Reliability score of an adapter.", &[("adapter", &known.adapter)], known.score)
    }));
    metrics.extend(policy.adapters.iter().map(|known| {
        one(
            "learning_reliability_lowest_score",
            "Score of an adapter if its refused and unreported runs failed.",
            &[("adapter", &known.adapter)],
            known.lowest,
        )
    }));
    let unknown = (policy.refused.unknown > 0).then_some((String::new(), policy.refused.unknown));
    let missing = policy.refused.by_adapter.iter().map(|(adapter, runs)| (adapter.clone(), *runs));
    metrics.extend(missing.chain(unknown).map(|(adapter, runs)| {
        one("learning_refused_runs", "Refused runs that were not recorded properly since.", &[("adapter", &adapter)], real(runs))
    }));
    metrics.extend(policy.refused.unreported.iter().map(|(adapter, runs)| {
        let what = "Runs that a gate let through and that never reported.";
        one("learning_unreported_runs", what, &[("adapter", adapter)], real(*runs))
    }));
    metrics.extend(policy.overlays.iter().map(|overlay| {
        let labels = [("adapter", &*overlay.adapter_id)];
        let value = f64::from(u8::from(overlay.is_stale(as_of_micros, settings)));
        one("learning_overlay_stale", "Whether the adapter was not used for longer than `overlay.stale_days`.", &labels, value)
    }));
    metrics.extend(policy.overlays.iter().filter_map(|overlay| {
        let used = parse_time(&overlay.updated_at).filter(|used| *used > 0)?;
        let labels = [("adapter", &*overlay.adapter_id)];
        Some(one(
            "learning_overlay_updated_timestamp_seconds",
            "When the adapter was last used or annotated.",
            &labels,
            real(used) / 1e6,
        ))
    }));
    metrics.extend(policy.overlays.iter().map(|overlay| {
        let labels = [("adapter", &*overlay.adapter_id)];
        one("learning_overlay_risk_multiplier", "Risk multiplier of an adapter.", &labels, overlay.risk_multiplier)
    }));
    metrics.extend(policy.overlays.iter().map(|overlay| {
        let labels = [("adapter", &*overlay.adapter_id)];
        let value = f64::from(u8::from(overlay.require_approval));
        one("learning_overlay_requires_approval", "Whether a person must approve.", &labels, value)
    }));
    metrics.extend(policy.gates.iter().map(|count| {
        let labels = [("adapter", &*count.adapter)];
        one("learning_overlay_applied_total", "Recorded gate decisions about an adapter.", &labels, real(count.gates))
    }));
    metrics
}
