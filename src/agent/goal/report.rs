//! Goals that a coverage report decides.

use std::fs::{self, File};
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use jiff::Timestamp;

use super::coverage::{Coverage, read_coverage};
use super::criterion::{Direction, Threshold, rounded, rounded_score};
use super::definition::Goal;
use super::outcome::{GoalOutcome, number};
use super::situation::Situation;
use store::durable;

/// Where tools put their reports, below the folder of a run.
const USUAL: [&str; 21] = [
    "lcov.info",
    "coverage/lcov.info",
    "coverage.lcov",
    "coverage.xml",
    "coverage/coverage.xml",
    "cobertura.xml",
    "coverage/cobertura.xml",
    "coverage/cobertura-coverage.xml",
    "coverage.json",
    "coverage/coverage.json",
    "llvm-cov.json",
    "target/lcov.info",
    "target/coverage/lcov.info",
    "target/llvm-cov/lcov.info",
    "target/llvm-cov/cobertura.xml",
    "target/llvm-cov/llvm-cov.json",
    "target/llvm-cov.json",
    "target/tarpaulin/lcov.info",
    "target/tarpaulin/cobertura.xml",
    "target/site/cobertura/coverage.xml",
    "build/lcov.info",
];

/// The largest report that is read, in bytes.
const MOST_BYTES: u64 = 512 << 20;

/// Judges a run by the coverage of its tests. A report from before the run says nothing about it, and without a report there is
/// no score.
pub(super) fn judge_coverage(goal: &Goal, threshold: &Threshold, situation: &Situation) -> GoalOutcome {
    let failed = |error: &str, details: &str| GoalOutcome::failed(goal.name(), None, error, details);
    let Some((path, modified)) = find_report(&situation.workdir, goal.report()) else {
        return failed("coverage_report_not_found", "no coverage report was found");
    };
    let shown = path.strip_prefix(&situation.workdir).unwrap_or(&path).display().to_string();
    if situation.run_started.is_some_and(|started| is_before(modified, started)) {
        return failed("coverage_report_stale", &format!("the coverage report {shown} is older than the run"));
    }
    match load_coverage(&path) {
        Err(reason) => failed("coverage_report_unreadable", &format!("the coverage report {shown} cannot be used: {reason}")),
        Ok(coverage) => judge(goal.name(), threshold, &coverage, &shown),
    }
}

fn judge(goal: &str, threshold: &Threshold, coverage: &Coverage, report: &str) -> GoalOutcome {
    let part = coverage.percent / 100.0;
    let score = rounded_score(match threshold.direction {
        Direction::Above => part,
        Direction::Below => 1.0 - part,
    });
    let mut outcome = GoalOutcome::measured(goal, threshold.is_reached(coverage.percent), Some(score))
        .with("coverage_percent", rounded(coverage.percent));
    for (metric, lines) in [("lines_covered", coverage.lines_covered), ("lines_valid", coverage.lines_valid)] {
        if let Some(lines) = lines {
            outcome = outcome.with(metric, lines);
        }
    }
    outcome
        .with("target", number(threshold.target))
        .saying(&format!("{:.2} percent of the lines are covered; the target is {} ({report})", coverage.percent, threshold.target))
}

/// The report that is named, or else the latest of those in the usual places.
fn find_report(workdir: &Path, named: Option<&Path>) -> Option<(PathBuf, SystemTime)> {
    let dated = |path: PathBuf| {
        let found = fs::symlink_metadata(&path).ok().filter(fs::Metadata::is_file)?;
        Some((path, found.modified().ok()?))
    };
    match named {
        Some(named) => dated(workdir.join(named)),
        // Of equally late ones the last counts, so the order is turned round.
        None => USUAL.iter().rev().filter_map(|usual| dated(workdir.join(usual))).max_by_key(|(_, modified)| *modified),
    }
}

fn is_before(modified: SystemTime, started: Timestamp) -> bool {
    modified < SystemTime::from(started)
}

fn load_coverage(path: &Path) -> Result<Coverage, String> {
    let file = durable::open_regular(path).map_err(|error| error.to_string())?;
    let size = file.metadata().as_ref().map_or(0, fs::Metadata::len);
    if size > MOST_BYTES {
        return Err(format!("it has {size} bytes, more than {MOST_BYTES}"));
    }
    read_coverage(BufReader::<File>::with_capacity(1 << 16, file))
}
