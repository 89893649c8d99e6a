//! Judging a run by a goal: where it is judged, when the goal is reached, and how nearly.

use std::io;
use std::io::BufReader;
use std::path::PathBuf;
use std::time::Duration;

use jiff::Timestamp;

use super::definition::{COVERAGE_PERCENT, Goal, ITERATIONS, MAXIMIZE_COVERAGE, MINIMIZE_TOKENS, REDUCE_FAILURES, TOTAL_TOKENS};
use super::evaluator::judge_by_evaluator;
use super::outcome::{GoalOutcome, number};
use super::report::judge_coverage;
use super::session::judge_tokens;
use super::start::read_highest_iteration;
use super::test_run::judge_tests;
use store::durable;
use text::diagnostic::{Diagnostic, Outcome};
use text::fit::quoted;

/// Judges a run by a goal. What cannot be measured is an outcome that says so; only files that are there and cannot be read are
/// errors.
pub fn evaluate(goal: &Goal, situation: &Situation) -> Outcome<GoalOutcome> {
    let measure = Measure::of(goal, situation);
    let mut outcome = match measure {
        Measure::Tests(test_command) => judge_tests(goal.name(), test_command, situation),
        Measure::Iterations(threshold) => judge_iterations(goal.name(), threshold, load_iteration(situation)?),
        Measure::Tokens(threshold) => judge_tokens(goal.name(), threshold, situation),
        Measure::Coverage(threshold) => judge_coverage(goal, threshold, situation),
        Measure::Evaluator => judge_by_evaluator(goal, situation),
    };
    if !goal.evaluator().is_empty() && measure != Measure::Evaluator {
        outcome = outcome.noting("the goal's evaluator was not called: the goal's name or test command determines the measurement");
    }
    if let Some((threshold, metric)) = measure.figure().filter(|(threshold, metric)| threshold.metric != *metric) {
        let note = format!("the goal's metric {} was not measured: the goal's name implies `{metric}`", quoted(&threshold.metric));
        outcome = outcome.noting(&note);
    }
    Ok(outcome)
}

/// How a goal is measured.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Measure<'g> {
    Iterations(&'g Threshold),
    Tests(&'g str),
    Tokens(&'g Threshold),
    Coverage(&'g Threshold),
    Evaluator,
}

impl<'g> Measure<'g> {
    /// The figure that is measured here, and the threshold that it is held against.
    const fn figure(self) -> Option<(&'g Threshold, &'static str)> {
        match self {
            Self::Iterations(threshold) => Some((threshold, ITERATIONS)),
            Self::Tokens(threshold) => Some((threshold, TOTAL_TOKENS)),
            Self::Coverage(threshold) => Some((threshold, COVERAGE_PERCENT)),
            Self::Tests(_) | Self::Evaluator => None,
        }
    }

    fn of(goal: &'g Goal, situation: &Situation) -> Self {
        let threshold = match goal.criterion() {
            Some(Criterion::Binary { test_command }) => return Self::Tests(test_command),
            Some(Criterion::Threshold(threshold)) => threshold,
            None => return Self::Evaluator,
        };
        let has_evaluator = !goal.evaluator().is_empty() || situation.evaluator.is_some();
        match (goal.name(), &*threshold.metric) {
            (REDUCE_FAILURES, _) => Self::Iterations(threshold),
            (MINIMIZE_TOKENS, _) => Self::Tokens(threshold),
            (MAXIMIZE_COVERAGE, _) => Self::Coverage(threshold),
            _ if has_evaluator => Self::Evaluator,
            // A goal of another name that is about a figure which is measured anyway.
            (_, ITERATIONS) => Self::Iterations(threshold),
            (_, TOTAL_TOKENS) => Self::Tokens(threshold),
            (_, COVERAGE_PERCENT) => Self::Coverage(threshold),
            _ => Self::Evaluator,
        }
    }
}

fn judge_iterations(goal: &str, threshold: &Threshold, iterations: Option<i64>) -> GoalOutcome {
    let target = number(threshold.target);
    let Some(iterations) = iterations else {
        return GoalOutcome::unmeasured(goal, "iterations_unknown", "the run's iterations are unknown").with("target", target);
    };
    #[expect(clippy::cast_precision_loss, reason = "no run takes that many iterations")]
    let value = iterations as f64;
    GoalOutcome::measured(goal, threshold.is_reached(value), Some(threshold.score(value)))
        .with("iterations", iterations)
        .with("target", target)
        .saying(&format!("iterations: {iterations}; the target is {}", threshold.target))
}

/// The iteration that is given, or else the highest one in the log of runs.
fn load_iteration(situation: &Situation) -> Outcome<Option<i64>> {
    if let Some(iteration) = situation.iteration.filter(|iteration| *iteration >= 0) {
        return Ok(Some(iteration));
    }
    let path = situation.workdir.join("runs.log");
    let failed = |error: io::Error| Diagnostic::io("cannot read the log of runs", &path, &error);
    match durable::open_regular(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed(error)),
        Ok(file) => read_highest_iteration(BufReader::new(file), &situation.run_id).map_err(failed),
    }
}

/// Where a run is judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Situation {
    pub run_id: String,
    /// The folder that the run works in. Commands run there, reports are looked for there.
    pub workdir: PathBuf,
    /// The iteration that the run is in. Where it is not known, `runs.log` in the folder is asked.
    pub iteration: Option<i64>,
    /// When the run began. Reports from before say nothing about it.
    pub run_started: Option<Timestamp>,
    /// The transcript of the run's session.
    pub session_file: Option<PathBuf>,
    /// The session, where its transcript has to be looked for.
    pub session_id: Option<String>,
    /// Where transcripts lie [default: `.claude/sessions` in the home folder].
    pub sessions: Option<PathBuf>,
    /// The home folder, below which transcripts are looked for.
    pub home: Option<PathBuf>,
    /// The program that judges goals which name none of their own.
    pub evaluator: Option<PathBuf>,
    /// How long a test command may take.
    pub test_limit: Duration,
    /// How long an evaluator may take.
    pub evaluator_limit: Duration,
}

impl Situation {
    pub fn new(run_id: impl Into<String>, workdir: impl Into<PathBuf>) -> Self {
        Self {
            run_id: run_id.into(),
            workdir: workdir.into(),
            iteration: None,
            run_started: None,
            session_file: None,
            session_id: None,
            sessions: None,
            home: None,
            evaluator: None,
            test_limit: Duration::from_secs(300),
            evaluator_limit: Duration::from_secs(60),
        }
    }
}

/// When a goal is reached.
#[derive(Debug, Clone, PartialEq)]
pub enum Criterion {
    /// A figure lies on the right side of a target.
    Threshold(Threshold),
    /// A command succeeds.
    Binary { test_command: String },
}

/// A figure and where it has to lie.
#[derive(Debug, Clone, PartialEq)]
pub struct Threshold {
    /// The name of the figure.
    pub metric: String,
    /// Where the right side begins; the target itself lies on it. Finite.
    pub target: f64,
    /// Which side is right.
    pub direction: Direction,
}

/// Which side of a target is right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// At least the target.
    Above,
    /// At most the target.
    Below,
}

impl Direction {
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "above" => Some(Self::Above),
            "below" => Some(Self::Below),
            _ => None,
        }
    }
}

impl Threshold {
    /// Whether a value lies on the right side.
    pub fn is_reached(&self, value: f64) -> bool {
        match self.direction {
            Direction::Above => value >= self.target,
            Direction::Below => value <= self.target,
        }
    }

    /// How well a value does, from 0 to 1. The target itself is worth a half: below it as much is gained as is spared, above it
    /// as much as is won, up to twice the target. A target of zero or less has no such scale: reached is 1, missed is 0.
    pub fn score(&self, value: f64) -> f64 {
        if self.target <= 0.0 {
            return if self.is_reached(value) { 1.0 } else { 0.0 };
        }
        let part = value / (2.0 * self.target);
        rounded_score(match self.direction {
            Direction::Above => part,
            Direction::Below => 1.0 - part,
        })
    }
}

/// A score within 0 to 1 and with two decimals. A tie of the exact binary value goes to the even digit.
pub fn rounded_score(score: f64) -> f64 {
    rounded(score.clamp(0.0, 1.0))
}

/// A figure with two decimals.
pub(super) fn rounded(figure: f64) -> f64 {
    // The formatter rounds the exact binary value, which multiplying by a hundred would change first.
    format!("{figure:.2}").parse().unwrap_or(figure)
}
