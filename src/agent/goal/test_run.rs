//! Goals that a test command decides.

use std::process::Command;
use std::sync::LazyLock;

use regex::Regex;

use super::evaluate::{Situation, rounded_score};
use super::outcome::GoalOutcome;
use store::subprocess::{Allowance, Ending, Finished, run};

/// Test commands talk a lot, and say how it went at the end.
const MOST_OUTPUT_BYTES: usize = 16 << 20;

/// How many tests passed and failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TestCounts {
    pub passed: u64,
    /// Tests that failed, and tests that could not be run.
    pub failed: u64,
}

impl TestCounts {
    /// The part that passed. Zero where no tests were counted.
    #[expect(clippy::cast_precision_loss, reason = "nobody has that many tests")]
    pub fn score(&self) -> f64 {
        match self.passed.saturating_add(self.failed) {
            0 => 0.0,
            all => rounded_score(self.passed as f64 / all as f64),
        }
    }
}

/// Counts tests in what a command wrote: the first number before `passed`, before `failed` and before `error` or `errors`, in
/// stdout or else in stderr. Errors count only in a line that counts tests as well: many other things are called so.
pub fn count_tests(stdout: &str, stderr: &str) -> TestCounts {
    static PASSED: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new("([0-9]+) passed").ok());
    static FAILED: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new("([0-9]+) failed").ok());
    static ERRORS: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"([0-9]+) errors?\b").ok());
    let either = |find: &dyn Fn(&str) -> Option<u64>| find(stdout).or_else(|| find(stderr)).unwrap_or(0);
    let has_tests = |line: &&str| first(&PASSED, line).or_else(|| first(&FAILED, line)).is_some();
    let errors = either(&|text| text.lines().filter(has_tests).find_map(|line| first(&ERRORS, line)));
    let failed = either(&|text| first(&FAILED, text));
    TestCounts { passed: either(&|text| first(&PASSED, text)), failed: failed.saturating_add(errors) }
}

/// Judges a run by whether a command succeeds in its folder.
pub(super) fn judge_tests(goal: &str, test_command: &str, situation: &Situation) -> GoalOutcome {
    let mut command = Command::new("sh");
    command.arg("-c").arg(test_command).current_dir(&situation.workdir);
    let allowance = Allowance { time: situation.test_limit, output_bytes: MOST_OUTPUT_BYTES };
    match run(&mut command, &[], allowance) {
        Err(error) => GoalOutcome::unmeasured(goal, "not_started", &format!("the test command could not be started: {error}")),
        Ok(Finished { ending: Ending::TimedOut, .. }) => {
            let details = format!("the test command took longer than {:?} and was stopped", situation.test_limit);
            // Tests that do not end do not pass: that much was measured.
            GoalOutcome::measured(goal, false, Some(0.0)).with("error", "timeout").saying(&details)
        }
        Ok(finished) => judge(goal, &finished),
    }
}

fn judge(goal: &str, finished: &Finished) -> GoalOutcome {
    let counts = count_tests(&String::from_utf8_lossy(&finished.stdout), &String::from_utf8_lossy(&finished.stderr));
    let details = format!("{} tests passed, {} failed ({})", counts.passed, counts.failed, finished.describe());
    let outcome = GoalOutcome::measured(goal, finished.is_success(), Some(counts.score()))
        .with("tests_passed", counts.passed)
        .with("tests_failed", counts.failed)
        .saying(&details);
    if finished.is_cut {
        return outcome.noting("the test command wrote too much; only tests at the start of its output were counted");
    }
    outcome
}

/// The first number that a pattern finds. One beyond all measure is the largest there is.
fn first(pattern: &LazyLock<Option<Regex>>, text: &str) -> Option<u64> {
    let digits = pattern.as_ref()?.captures(text)?.get(1)?;
    Some(digits.as_str().parse().unwrap_or(u64::MAX))
}
