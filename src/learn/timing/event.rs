//! One measurement of time, and the lines of `perf.jsonl` that hold them.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use event::{Timing, parse_time};
use text::limit;

/// What a missing name counts as.
pub(super) const UNKNOWN: &str = "unknown";

/// More seconds than anything takes. Larger numbers are taken as unknown, which also keeps sums finite.
const MOST_SECONDS: f64 = 1e12;

event::row! {
    /// One measurement of time. Its fields are those of the events of the kind `timing`.
    #[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
    #[serde(default)]
    pub struct TimingEvent {
        pub run_id: String,
        pub iteration: Option<i64>,
        /// What was measured: `iteration`, `phase`, `pipeline_step`, `pipeline_substep`, `agent`, or anything else.
        pub event: String,
        /// The number of a step, which may have a fraction.
        pub step: Option<f64>,
        /// The name of a step, or of the step that a part belongs to.
        pub step_name: Option<String>,
        /// The number of a part of a step.
        pub sub_step: Option<f64>,
        /// The name of a part of a step.
        pub sub_step_name: Option<String>,
        pub agent: Option<String>,
        pub phase: Option<String>,
        /// How it ended.
        pub status: Option<String>,
        /// When it began, as it was written.
        pub started: Option<String>,
        /// When it ended, as it was written.
        pub ended: Option<String>,
        pub seconds: Option<f64>,
        pub exit_code: Option<f64>,
        /// Whether a step was passed over.
        pub skipped: Option<bool>,
        pub command: Option<String>,
    }
}

impl TimingEvent {
    /// How long it took: as it was measured, else from its beginning to its end. Nothing that was passed over took time.
    #[must_use]
    pub fn duration_seconds(&self) -> Option<f64> {
        if self.skipped == Some(true) {
            return Some(0.0);
        }
        let between =
            || seconds_between(self.started.as_deref().and_then(parse_time)?, self.ended.as_deref().and_then(parse_time)?);
        self.seconds.or_else(between).filter(|seconds| (0.0..=MOST_SECONDS).contains(seconds))
    }
}

impl From<&Timing<'_>> for TimingEvent {
    fn from(timing: &Timing<'_>) -> Self {
        let label = |label: &Option<event::field::Label<'_>>| label.as_ref().map(|label| label.get().to_owned());
        Self {
            run_id: timing.run_id.get().to_owned(),
            iteration: timing.iteration.map(|iteration| iteration.get()),
            event: timing.event.get().to_owned(),
            step: timing.step.map(|step| step.get()),
            step_name: label(&timing.step_name),
            sub_step: timing.sub_step.map(|step| step.get()),
            sub_step_name: label(&timing.sub_step_name),
            agent: timing.agent.as_ref().map(|agent| agent.get().to_owned()),
            phase: label(&timing.phase),
            status: label(&timing.status),
            started: label(&timing.started),
            ended: label(&timing.ended),
            seconds: timing.seconds.map(|seconds| seconds.get()),
            exit_code: timing.exit_code.map(|code| code.get()),
            skipped: timing.skipped.map(|skipped| skipped.get()),
            command: label(&timing.command),
        }
    }
}

/// A line that holds no measurement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadLine {
    pub line: usize,
    /// Why it was passed over.
    pub reason: String,
}

/// Reads the lines of `perf.jsonl`. Members of an unfit type count as absent, broken characters are replaced, and blank
/// lines mean nothing; every other line is either a measurement or a [`BadLine`].
#[must_use]
pub fn parse_perf(text: &[u8]) -> (Vec<TimingEvent>, Vec<BadLine>) {
    let text = text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text);
    let (mut events, mut bad_lines) = (Vec::new(), Vec::new());
    for (line, bytes) in (1..).zip(text.split(|byte| *byte == b'\n')) {
        let bytes = bytes.trim_ascii();
        if bytes.is_empty() {
            continue;
        }
        match parse_line(bytes) {
            Ok(event) => events.push(event),
            Err(reason) => bad_lines.push(BadLine { line, reason }),
        }
    }
    (events, bad_lines)
}

/// The seconds from one instant to another; none if they run backwards.
pub(super) fn seconds_between(start_micros: i64, end_micros: i64) -> Option<f64> {
    let micros = end_micros.checked_sub(start_micros).filter(|micros| *micros >= 0)?;
    #[expect(clippy::cast_precision_loss, reason = "a span of a century has fewer microseconds than 2^52")]
    let seconds = micros as f64 / 1e6;
    Some(seconds)
}

fn parse_line(bytes: &[u8]) -> Result<TimingEvent, String> {
    if bytes.len() > limit::LINE_BYTES {
        return Err(format!("has {} bytes, more than the {} of a line", bytes.len(), limit::LINE_BYTES));
    }
    match serde_json::from_str(&String::from_utf8_lossy(bytes)) {
        Ok(Value::Object(object)) => read_object(&object).ok_or_else(|| "names no event".to_owned()),
        Ok(_) => Err("is not an object".to_owned()),
        Err(fault) => Err(format!("is not JSON: {fault}")),
    }
}

/// The measurement in an object, in the spellings of `perf.jsonl` and in our own.
fn read_object(object: &Map<String, Value>) -> Option<TimingEvent> {
    let members = Members(object);
    Some(TimingEvent {
        run_id: members.text(&["run_id"]).unwrap_or_else(|| UNKNOWN.to_owned()),
        iteration: members.find(&["iteration"], whole),
        event: members.text(&["event"])?,
        step: members.find(&["step"], number),
        step_name: members.text(&["step_name", "parent_step_name"]),
        sub_step: members.find(&["sub_step"], number),
        sub_step_name: members.text(&["sub_step_name"]),
        agent: members.text(&["agent", "agent_name"]),
        phase: members.text(&["phase"]),
        status: members.text(&["status"]),
        started: members.text(&["started", "started_at"]),
        ended: members.text(&["ended", "ended_at"]),
        seconds: members.find(&["seconds", "duration_s"], number),
        exit_code: members.find(&["exit_code", "claude_exit_code"], number),
        skipped: members.find(&["skipped"], Value::as_bool),
        command: members.text(&["command"]),
    })
}

/// The members of a line by their spellings.
struct Members<'a>(&'a Map<String, Value>);

impl Members<'_> {
    /// The first of the spellings whose value fits.
    fn find<T>(&self, spellings: &[&str], read: impl Fn(&Value) -> Option<T>) -> Option<T> {
        spellings.iter().find_map(|name| self.0.get(*name).and_then(&read))
    }

    fn text(&self, spellings: &[&str]) -> Option<String> {
        let read = |value: &Value| value.as_str().filter(|text| !text.trim().is_empty()).map(str::to_owned);
        self.find(spellings, read)
    }
}

fn number(value: &Value) -> Option<f64> {
    let number = match value {
        Value::String(text) => text.trim().parse().ok(),
        _ => value.as_f64(),
    };
    number.filter(|number| number.is_finite())
}

fn whole(value: &Value) -> Option<i64> {
    match value {
        Value::String(text) => text.trim().parse().ok(),
        _ => value.as_i64(),
    }
}
