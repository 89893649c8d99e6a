//! Sums of time: how often, how long, and what of it was passed over.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

use super::event::{TimingEvent, UNKNOWN};
use super::phase::{choose, find_spans};
use crate::rounding::round_half_even;

/// Time per phase. Phases without a measurement are ignored.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct TimingSummary {
    /// The iterations, one by one, and together.
    pub iterations: Iterations,
    /// The phases by name, the longest in all first.
    pub phases: Vec<PhaseTime>,
    /// The steps by name, the longest in all first.
    pub pipeline_steps: Vec<StepTime>,
    /// The parts of steps, by step and number.
    pub pipeline_substeps: Vec<SubStepTime>,
    /// The agents by name, the longest in all first.
    pub agents: Vec<AgentTime>,
}

/// The iterations of runs.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Iterations {
    /// One by one, by their numbers; runs are mixed.
    pub rows: Vec<IterationTime>,
    /// Together; none if no duration is known.
    pub summary: Option<Stats>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct IterationTime {
    pub iteration: Option<i64>,
    /// How long it took, with one decimal.
    pub duration_s: Option<f64>,
    pub status: Option<String>,
    pub run_id: String,
}

/// How often and how long, with one decimal.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Stats {
    pub count: u64,
    pub avg_s: f64,
    pub min_s: f64,
    pub max_s: f64,
    pub total_s: f64,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PhaseTime {
    pub phase: String,
    #[serde(flatten)]
    pub stats: Stats,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StepTime {
    pub step_name: String,
    /// Its figures, to which each time it was passed over counts with no seconds.
    #[serde(flatten)]
    pub stats: Stats,
    /// How often it was passed over.
    pub skip_count: u64,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SubStepTime {
    pub step_name: String,
    #[serde(serialize_with = "serialize_number")]
    pub sub_step: Option<f64>,
    pub sub_step_name: String,
    #[serde(flatten)]
    pub stats: Stats,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AgentTime {
    pub agent_name: String,
    #[serde(flatten)]
    pub stats: Stats,
}

impl TimingSummary {
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.iterations.rows.is_empty()
            && self.phases.is_empty()
            && self.pipeline_steps.is_empty()
            && self.pipeline_substeps.is_empty()
            && self.agents.is_empty()
    }
}

/// Sums up the events of one run, or of all. Names of equal total are in the order of the alphabet.
#[must_use]
pub fn summarize_timing(events: &[TimingEvent], run_id: Option<&str>) -> TimingSummary {
    let chosen = choose(events, run_id);
    TimingSummary {
        iterations: sum_iterations(&chosen),
        phases: sum_phases(&chosen),
        pipeline_steps: sum_steps(&chosen),
        pipeline_substeps: sum_sub_steps(&chosen),
        agents: sum_agents(&chosen),
    }
}

/// A sum under way.
#[derive(Debug, Clone, Copy)]
struct Tally {
    count: u32,
    min: f64,
    max: f64,
    total: f64,
    skipped: u64,
}

impl Default for Tally {
    fn default() -> Self {
        Self { count: 0, min: f64::INFINITY, max: 0.0, total: 0.0, skipped: 0 }
    }
}

impl Tally {
    fn add(&mut self, seconds: f64, is_skipped: bool) {
        self.count = self.count.saturating_add(1);
        self.min = self.min.min(seconds);
        self.max = self.max.max(seconds);
        self.total += seconds;
        self.skipped += u64::from(is_skipped);
    }

    fn stats(&self) -> Stats {
        let round = |seconds: f64| round_half_even(seconds, 1);
        Stats {
            count: u64::from(self.count),
            avg_s: round(self.total / f64::from(self.count.max(1))),
            min_s: round(self.min.min(self.max)),
            max_s: round(self.max),
            total_s: round(self.total),
        }
    }
}

fn sum_iterations(events: &[&TimingEvent]) -> Iterations {
    let mut iterations: Vec<&TimingEvent> = events.iter().copied().filter(|event| event.event == "iteration").collect();
    iterations.sort_by_key(|event| event.iteration);
    let mut tally = Tally::default();
    for seconds in iterations.iter().filter_map(|event| event.duration_seconds()) {
        tally.add(seconds, false);
    }
    let row = |event: &TimingEvent| IterationTime {
        iteration: event.iteration,
        duration_s: event.duration_seconds().map(|seconds| round_half_even(seconds, 1)),
        status: event.status.clone(),
        run_id: event.run_id.clone(),
    };
    Iterations { rows: iterations.into_iter().map(row).collect(), summary: (tally.count > 0).then(|| tally.stats()) }
}

fn sum_phases(events: &[&TimingEvent]) -> Vec<PhaseTime> {
    let spans = find_spans(events);
    let known = spans.iter().filter_map(|span| Some((span.name(), span.seconds()?, false)));
    let show = |(phase, tally): (&str, Tally)| PhaseTime { phase: phase.to_owned(), stats: tally.stats() };
    longest_first(known).into_iter().map(show).collect()
}

fn sum_steps(events: &[&TimingEvent]) -> Vec<StepTime> {
    let steps = events.iter().filter(|event| event.event == "pipeline_step" && event.sub_step.is_none());
    let show = |(step_name, tally): (&str, Tally)| StepTime {
        step_name: step_name.to_owned(),
        stats: tally.stats(),
        skip_count: tally.skipped,
    };
    longest_first(steps.filter_map(|event| measured(event.step_name.as_deref(), event))).into_iter().map(show).collect()
}

fn sum_agents(events: &[&TimingEvent]) -> Vec<AgentTime> {
    let agents = events.iter().filter(|event| event.event == "agent");
    let show = |(agent, tally): (&str, Tally)| AgentTime { agent_name: agent.to_owned(), stats: tally.stats() };
    longest_first(agents.filter_map(|event| measured(event.agent.as_deref(), event))).into_iter().map(show).collect()
}

fn sum_sub_steps(events: &[&TimingEvent]) -> Vec<SubStepTime> {
    let is_part = |event: &&&TimingEvent| match &*event.event {
        "pipeline_step" => event.sub_step.is_some(),
        "pipeline_substep" => true,
        _ => false,
    };
    let mut tallies: BTreeMap<(&str, Option<Ordered>, &str), Tally> = BTreeMap::new();
    for event in events.iter().filter(is_part) {
        let Some((step_name, seconds, is_skipped)) = measured(event.step_name.as_deref(), event) else { continue };
        let key = (step_name, event.sub_step.map(Ordered), event.sub_step_name.as_deref().unwrap_or(UNKNOWN));
        tallies.entry(key).or_default().add(seconds, is_skipped);
    }
    let show = |((step_name, sub_step, sub_step_name), tally): ((&str, Option<Ordered>, &str), Tally)| SubStepTime {
        step_name: step_name.to_owned(),
        sub_step: sub_step.map(|number| number.0),
        sub_step_name: sub_step_name.to_owned(),
        stats: tally.stats(),
    };
    tallies.into_iter().map(show).collect()
}

/// A name, the seconds, and whether it was passed over.
type Measured<'e> = (&'e str, f64, bool);

fn measured<'e>(name: Option<&'e str>, event: &TimingEvent) -> Option<Measured<'e>> {
    Some((name.unwrap_or(UNKNOWN), event.duration_seconds()?, event.skipped == Some(true)))
}

fn longest_first<'e>(measured: impl Iterator<Item = Measured<'e>>) -> Vec<(&'e str, Tally)> {
    let mut tallies: BTreeMap<&str, Tally> = BTreeMap::new();
    for (name, seconds, is_skipped) in measured {
        tallies.entry(name).or_default().add(seconds, is_skipped);
    }
    let mut sums: Vec<_> = tallies.into_iter().collect();
    sums.sort_by(|(_, one), (_, other)| other.total.total_cmp(&one.total));
    sums
}

/// A number that can be sorted by.
#[derive(Debug, Clone, Copy)]
struct Ordered(f64);

impl PartialEq for Ordered {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Ordered {}

impl PartialOrd for Ordered {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ordered {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

/// Whole numbers are written without a fraction, as they were read.
#[expect(clippy::ref_option, reason = "serde hands over the field as it is")]
fn serialize_number<S: Serializer>(number: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
    /// Beyond this, not every whole number has a value of its own.
    const MOST_WHOLE: f64 = 9_007_199_254_740_992.0;
    match number {
        Some(number) if number.fract() == 0.0 && number.abs() < MOST_WHOLE => {
            #[expect(clippy::cast_possible_truncation, reason = "the number is whole and far within the range")]
            let whole = *number as i64;
            serializer.serialize_some(&whole)
        }
        other => other.serialize(serializer),
    }
}
