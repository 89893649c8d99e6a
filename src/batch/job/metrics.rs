//! The figures of the last run of every job, for monitoring.

use std::collections::BTreeMap;
use std::path::PathBuf;

use render::policy::PolicyDocument;
use render::{Metric, render_metrics};
use setting::{POLICY_METRICS_FILE, Settings, TRUTH_METRICS_FILE};
use store::durable;
use store::job::{Record, StepRecord, load_history};
use store::publish::find_current;
use store::workspace::Workspace;
use text::diagnostic::Outcome;

/// Writes the figures where monitoring looks for them, in one step.
pub(super) fn write_metrics(workspace: &Workspace, settings: &Settings) -> Outcome<()> {
    let history = load_history(workspace)?;
    // The last line of each job counts, so that one file can speak for all of them.
    let last: BTreeMap<&str, &Record> = history.iter().map(|record| (&*record.job, record)).collect();
    // What was learned stands in the generation, where it can be worked out anew.
    let current = find_current(workspace)?;
    let published = current.as_ref().map_or(0, |generation| generation.manifest.as_of_micros);
    let truth = current.as_ref().filter(|generation| generation.manifest.files.iter().any(|file| file.name == TRUTH_METRICS_FILE));
    let truth = truth.and_then(|generation| generation.read(TRUTH_METRICS_FILE).ok()).unwrap_or_default();
    let learned = if latest_policy(workspace).is_some_and(|latest| latest > published) {
        std::fs::read(workspace.latest_policy_metrics()).ok()
    } else {
        current.and_then(|generation| generation.read(POLICY_METRICS_FILE).ok())
    };
    let learned = learned.unwrap_or_default();
    let text = render_metrics(&metrics(&last)) + &String::from_utf8_lossy(&learned) + &String::from_utf8_lossy(&truth);
    durable::replace(&metrics_file(workspace, settings), text.as_bytes())
}

/// The instant of policies that were published without a generation.
fn latest_policy(workspace: &Workspace) -> Option<i64> {
    let bytes = std::fs::read(workspace.latest_policy()).ok()?;
    Some(serde_json::from_slice::<PolicyDocument>(&bytes).ok()?.as_of_micros)
}

fn metrics_file(workspace: &Workspace, settings: &Settings) -> PathBuf {
    settings.metrics.file.as_ref().map_or_else(|| workspace.metrics(), |file| workspace.root().join(file))
}

fn metrics(last: &BTreeMap<&str, &Record>) -> Vec<Metric> {
    let each = |name: &'static str, help: &'static str, value: fn(&Record) -> f64| {
        last.iter().map(move |(job, record)| Metric { name, help, labels: vec![("job", (*job).to_owned())], value: value(record) })
    };
    let mut metrics: Vec<Metric> = Vec::new();
    metrics.extend(each("job_last_end_timestamp_seconds", "When the job's last run ended.", |record| {
        record.ended.as_duration().as_secs_f64()
    }));
    metrics.extend(each("job_last_duration_seconds", "How long the job's last run took.", |record| {
        record.ended.duration_since(record.started).as_secs_f64()
    }));
    metrics.extend(each("job_last_exit_code", "The exit code of the job's last run: 0 is done.", |record| f64::from(record.exit)));
    // A job may have a step twice; one series speaks for both.
    let summed: Vec<(&str, StepRecord)> =
        last.iter().flat_map(|(job, record)| sum_steps(&record.steps).into_iter().map(move |step| (*job, step))).collect();
    let steps = || summed.iter().map(|(job, step)| (*job, step));
    metrics.extend(steps().map(|(job, step)| Metric {
        name: "step_last_duration_seconds",
        help: "How long the step took in the job's last run.",
        labels: vec![("job", job.to_owned()), ("step", step.step.clone())],
        value: step.seconds,
    }));
    metrics.extend(steps().filter(|(_, step)| step.step == "learn").map(|(job, step)| Metric {
        name: "learning_cycle_seconds",
        help: "How long the learning cycle took in the job's last run.",
        labels: vec![("job", job.to_owned())],
        value: step.seconds,
    }));
    metrics.extend(steps().flat_map(|(job, step)| {
        step.numbers.iter().map(move |(what, number)| Metric {
            name: "step_last_count",
            help: "Numbers reported by the step in the job's last run.",
            labels: vec![("job", job.to_owned()), ("step", step.step.clone()), ("what", what.clone())],
            #[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^52")]
            value: *number as f64,
        })
    }));
    metrics
}

/// The steps of a run, those of one name added up.
fn sum_steps(steps: &[StepRecord]) -> Vec<StepRecord> {
    let mut summed: Vec<StepRecord> = Vec::with_capacity(steps.len());
    for step in steps {
        match summed.iter_mut().find(|known| known.step == step.step) {
            Some(known) => {
                known.seconds += step.seconds;
                for (what, number) in &step.numbers {
                    *known.numbers.entry(what.clone()).or_default() += number;
                }
            }
            None => summed.push(step.clone()),
        }
    }
    summed
}
