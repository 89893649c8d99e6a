//! What roles learn from what they say, from what validators say of it, and from what became of it.

mod confirmation;
mod fold;
mod law;
mod lifecycle;
mod naive;
mod review;
mod verdict;

use learn::role::{DeliberationRow, EndingRow, ExposureRow, RoleFindings, RoleLog, RoleScore, VerdictRow, fold_roles, score_roles};
use learn::subject::{Action, Decision};
use setting::Settings;

pub const DAY: i64 = 86_400_000_000;
/// 2026-03-01.
const START: i64 = 1_772_323_200_000_000;

pub const fn day(number: i64) -> i64 {
    START + number * DAY
}

/// A log under construction: events happen in the order in which they are told, unless they say otherwise.
pub struct Story {
    pub settings: Settings,
    pub log: RoleLog,
    sequence: i64,
}

impl Story {
    pub fn new() -> Self {
        Self::with(Settings::default())
    }

    pub fn with(settings: Settings) -> Self {
        let log = RoleLog::new(&settings, i64::MAX);
        Self { settings, log, sequence: 0 }
    }

    fn next(&mut self) -> i64 {
        self.sequence += 1;
        self.sequence
    }

    /// A role of the project `web` says something about an issue on a day.
    pub fn say(&mut self, id: &str, role: &str, on: i64, issue: &str, sayings: &[&str]) {
        let row = DeliberationRow { id, role, time_micros: day(on), issue: Some(issue), patterns: sayings.to_vec(), ..heard() };
        self.hear(row);
    }

    pub fn hear(&mut self, row: DeliberationRow<'_>) {
        let sequence = self.next();
        self.log.add_deliberation(&DeliberationRow { sequence, ..row });
    }

    /// A validator rejects findings of a deliberation.
    pub fn reject(&mut self, id: &str, role: &str, on: i64, deliberation: &str, findings: &[&str]) {
        self.judge(VerdictRow {
            id,
            adversarial_role: Some(role),
            time_micros: day(on),
            deliberation: Some(deliberation),
            rejected: findings.to_vec(),
            ..judged()
        });
    }

    /// A validator lets a role's work of a run pass, on evidence.
    pub fn pass(&mut self, id: &str, role: &str, on: i64, run: &str) {
        let row =
            VerdictRow { id, adversarial_role: Some(role), time_micros: day(on), run: Some(run), has_passed: true, ..judged() };
        self.judge(VerdictRow { level: Some(2), ..row });
    }

    pub fn judge(&mut self, row: VerdictRow<'_>) {
        let sequence = self.next();
        self.log.add_verdict(&VerdictRow { sequence, ..row });
    }

    /// A role is shown a pattern in a run.
    pub fn show(&mut self, pattern_id: &str, role: &str, on: i64, run: &str) {
        let time = day(on);
        let row = ExposureRow {
            project: "web",
            run: Some(run),
            role: Some(role),
            pattern_id,
            first_micros: time,
            last_micros: time,
            ..ExposureRow::default()
        };
        self.log.add_exposure(row);
    }

    pub fn end(&mut self, run: &str, on: i64, has_passed: bool) {
        let sequence = self.next();
        self.log.add_ending(EndingRow { project: "web", run, has_passed, time_micros: day(on), sequence });
    }

    pub fn decide(&mut self, pattern_id: &str, action: Action, on: i64, is_forced: bool) {
        let (sequence, reason) = (self.next(), Some("because".to_owned()));
        let (subject, actor) = (pattern_id.to_owned(), "ann".to_owned());
        let value = is_forced.then(|| r#"{"force":true}"#.to_owned());
        self.log.add_decision(Decision { time_micros: day(on), sequence, subject, action, actor, reason, value });
    }

    pub fn findings(&self, on: i64) -> RoleFindings {
        let lives = fold_roles(&self.log, &self.settings, day(on), None);
        score_roles(&self.log, lives, &self.settings, day(on))
    }

    /// The pattern of an id on a day.
    pub fn pattern(&self, id: &str, on: i64) -> RoleScore {
        self.findings(on).scores.into_iter().find(|score| score.id == id).expect("a pattern")
    }

    /// The only pattern on a day.
    pub fn only(&self, on: i64) -> RoleScore {
        let scores = self.findings(on).scores;
        assert_eq!(scores.len(), 1, "{scores:#?}");
        scores.into_iter().next().expect("a pattern")
    }
}

pub fn heard() -> DeliberationRow<'static> {
    DeliberationRow { project: "web", role: "judge", level: Some(3), ..DeliberationRow::default() }
}

pub fn judged() -> VerdictRow<'static> {
    VerdictRow { project: "web", ..VerdictRow::default() }
}

#[track_caller]
pub fn assert_near(actual: f64, expected: f64, tolerance: f64) {
    assert!((actual - expected).abs() <= tolerance, "{actual} is not {expected}");
}
