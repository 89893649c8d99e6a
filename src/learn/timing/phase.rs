//! The phases of iterations: each lasts until the next one begins, the last one until its iteration ends.

use std::collections::HashMap;

use serde::Serialize;

use super::event::{TimingEvent, UNKNOWN, seconds_between};
use crate::rounding::round_half_even;
use event::parse_time;

/// One phase of one iteration.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PhaseSpan {
    pub run_id: String,
    pub iteration: Option<i64>,
    pub phase: String,
    /// When it began, as it was written.
    pub started_at: String,
    /// When it ended, as it was written; empty if unknown.
    pub ended_at: String,
    /// How long it took, with one decimal; none if unknown.
    pub duration_s: Option<f64>,
}

/// The phases in the order in which they began, of one run or of all. Those whose beginning cannot be read come last.
#[must_use]
pub fn make_timeline(events: &[TimingEvent], run_id: Option<&str>) -> Vec<PhaseSpan> {
    let chosen = choose(events, run_id);
    let mut spans = find_spans(&chosen);
    spans.sort_by_key(|span| (span.start_micros.is_none(), span.start_micros));
    let show = |span: Span<'_>| PhaseSpan {
        run_id: span.event.run_id.clone(),
        iteration: span.event.iteration,
        phase: span.name().to_owned(),
        started_at: span.event.started.clone().unwrap_or_default(),
        ended_at: span.end.map_or_else(String::new, |end| end.text.to_owned()),
        duration_s: span.seconds().map(|seconds| round_half_even(seconds, 1)),
    };
    spans.into_iter().map(show).collect()
}

/// The events of one run, or all.
pub(super) fn choose<'e>(events: &'e [TimingEvent], run_id: Option<&str>) -> Vec<&'e TimingEvent> {
    events.iter().filter(|event| run_id.is_none_or(|run_id| event.run_id == run_id)).collect()
}

/// A phase between its beginning and its end, as far as they are known.
#[derive(Debug)]
pub(super) struct Span<'e> {
    event: &'e TimingEvent,
    start_micros: Option<i64>,
    end: Option<Instant<'e>>,
}

/// An instant, and how it was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Instant<'e> {
    micros: i64,
    text: &'e str,
}

impl<'e> Span<'e> {
    pub(super) fn name(&self) -> &'e str {
        self.event.phase.as_deref().unwrap_or(UNKNOWN)
    }

    /// How long it took, where that is known.
    pub(super) fn seconds(&self) -> Option<f64> {
        seconds_between(self.start_micros?, self.end?.micros)
    }
}

/// The phases of the events, in their order.
pub(super) fn find_spans<'e>(events: &[&'e TimingEvent]) -> Vec<Span<'e>> {
    let iteration_ends = find_iteration_ends(events);
    let mut spans: Vec<Span<'_>> = events.iter().filter(|event| event.event == "phase").map(|event| begin(event)).collect();
    let mut turns: HashMap<Turn<'_>, Vec<usize>> = HashMap::new();
    for (place, span) in spans.iter().enumerate().filter(|(_, span)| span.start_micros.is_some()) {
        turns.entry(turn(span.event)).or_default().push(place);
    }
    for (turn, mut places) in turns {
        places.sort_by_key(|place| spans[*place].start_micros);
        let starts: Vec<Option<Instant<'_>>> = places.iter().map(|place| instant(spans[*place].event.started.as_deref())).collect();
        for (order, place) in places.into_iter().enumerate() {
            let next = starts.get(order + 1).copied().unwrap_or_else(|| iteration_ends.get(&turn).copied());
            let span = &mut spans[place];
            // An end before the beginning tells of clocks that disagree, not of a duration.
            span.end = next.filter(|end| span.start_micros.is_some_and(|start| start <= end.micros));
        }
    }
    spans
}

/// A run and its iteration.
type Turn<'e> = (&'e str, Option<i64>);

fn turn(event: &TimingEvent) -> Turn<'_> {
    (&event.run_id, event.iteration)
}

fn begin(event: &TimingEvent) -> Span<'_> {
    Span { event, start_micros: event.started.as_deref().and_then(parse_time), end: None }
}

fn find_iteration_ends<'e>(events: &[&'e TimingEvent]) -> HashMap<Turn<'e>, Instant<'e>> {
    let mut ends: HashMap<Turn<'e>, Instant<'e>> = HashMap::new();
    for event in events.iter().filter(|event| event.event == "iteration") {
        if let Some(end) = instant(event.ended.as_deref()) {
            ends.entry(turn(event)).and_modify(|known| *known = end.max(*known)).or_insert(end);
        }
    }
    ends
}

fn instant(text: Option<&str>) -> Option<Instant<'_>> {
    text.and_then(|text| Some(Instant { micros: parse_time(text)?, text }))
}
