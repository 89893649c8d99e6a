//! Judging a run by a goal.

use std::io::{self, BufReader};

use super::criterion::{Criterion, Threshold};
use super::definition::{COVERAGE_PERCENT, Goal, ITERATIONS, MAXIMIZE_COVERAGE, MINIMIZE_TOKENS, REDUCE_FAILURES, TOTAL_TOKENS};
use super::evaluator::judge_by_evaluator;
use super::iteration::read_highest_iteration;
use super::outcome::{GoalOutcome, number};
use super::report::judge_coverage;
use super::session::judge_tokens;
use super::situation::Situation;
use super::test_run::judge_tests;
use store::durable;
use text::diagnostic::{Diagnostic, Outcome};
use text::fit::quoted;

/// How many iterations a run is said to have taken of which nothing is known.
const UNKNOWN_ITERATIONS: i64 = 10;

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
        // A generous target must not make a success of an unknown run.
        return GoalOutcome::measured(goal, false, Some(0.0))
            .with("iterations", UNKNOWN_ITERATIONS)
            .with("target", target)
            .with("error", "iterations_unknown")
            .saying(&format!("the run's iterations are unknown; {UNKNOWN_ITERATIONS} are assumed"));
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
