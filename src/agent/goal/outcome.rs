//! Whether a run reached its goal, as an event and as the file that other tools read.

use jiff::Timestamp;
use serde_json::{Map, Value, json};

use event::Draft;
use render::plain_text;
use text::time::to_microseconds;

/// The longest text from elsewhere that an outcome holds, in characters.
pub(super) const MOST_CHARACTERS: usize = 300;

/// Whether a run reached its goal.
#[derive(Debug, Clone, PartialEq)]
pub struct GoalOutcome {
    pub goal: String,
    /// Whether it was reached. What could not be measured was not.
    pub success: bool,
    /// Whether it could be measured. An outcome that could not says nothing about the patterns that were used.
    pub is_measured: bool,
    /// How nearly, from 0 to 1. None where nothing was measured: a number would enter averages as if it had been.
    pub score: Option<f64>,
    /// What was measured, in this order. Where measuring failed, `error` holds a word for the reason.
    pub metrics: Map<String, Value>,
    /// The result in a sentence: one line of printable characters.
    pub details: String,
    /// What was odd and had to be passed over.
    pub notes: Vec<String>,
}

impl GoalOutcome {
    /// The members of a `goal` event, in an event that has its run and iteration already.
    pub fn event(&self, draft: Draft) -> Draft {
        draft
            .with("goal", &*self.goal)
            .with("success", self.success)
            .with_some("measured", (!self.is_measured).then_some(false))
            .with_some("score", self.score)
            .with("metrics", self.metrics.clone())
            .with("details", &*self.details)
            .with_items("notes", self.notes.clone())
    }

    /// The line of a `goal` event, or why it would be refused.
    pub fn event_line(&self, project: &str, run_id: &str, iteration: Option<i64>, time: Timestamp) -> Result<String, String> {
        self.event(Draft::new("goal", time, project).of_turn(run_id, iteration)).finish()
    }

    /// Whether the goal was reached, in a word.
    pub const fn verdict(&self) -> &'static str {
        match (self.is_measured, self.success) {
            (false, _) => "not measured",
            (true, true) => "met",
            (true, false) => "missed",
        }
    }

    /// The content of `goal-outcome.json`, its members in the order that its readers know. A score that is not known is `null`.
    pub fn json(&self, run_id: &str, evaluated_at: Timestamp) -> String {
        let content = json!({
            "goal": self.goal,
            "run_id": run_id,
            "success": self.success,
            "score": self.score,
            "metrics": self.metrics,
            "details": self.details,
            "evaluated_at": to_microseconds(evaluated_at),
        });
        format!("{content:#}")
    }

    pub(super) fn measured(goal: &str, success: bool, score: Option<f64>) -> Self {
        Self {
            goal: goal.to_owned(),
            success,
            is_measured: true,
            score,
            metrics: Map::new(),
            details: String::new(),
            notes: Vec::new(),
        }
    }

    /// An outcome that could not be measured: a word for programs and a sentence for people.
    pub(super) fn unmeasured(goal: &str, error: &str, details: &str) -> Self {
        Self { is_measured: false, ..Self::measured(goal, false, None) }.with("error", error).saying(details)
    }

    /// The outcome with one more figure.
    pub(super) fn with(mut self, metric: &str, value: impl Into<Value>) -> Self {
        self.metrics.insert(metric.to_owned(), value.into());
        self
    }

    /// The outcome in words. They may hold words of others.
    pub(super) fn saying(mut self, details: &str) -> Self {
        self.details = plain_text(details, MOST_CHARACTERS);
        self
    }

    pub(super) fn noting(mut self, note: &str) -> Self {
        self.notes.push(plain_text(note, MOST_CHARACTERS));
        self
    }
}

/// A figure as JSON: whole ones without a fraction, as they are written in files of goals.
pub(super) fn number(figure: f64) -> Value {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    #[expect(clippy::cast_possible_truncation, reason = "whole and within the exact range of a double")]
    if figure.fract() == 0.0 && figure.abs() < EXACT { Value::from(figure as i64) } else { Value::from(figure) }
}
