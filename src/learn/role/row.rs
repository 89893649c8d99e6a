//! What roles said and what became of it: the rows of `sql/role/`.

use super::log::RoleLog;
use crate::subject::Decision;
use event::row::Rows;
use text::diagnostic::Outcome;

event::row! {
    /// A row of `sql/role/deliberation.sql`.
    #[derive(Debug, Clone, Default)]
    pub struct DeliberationRow<'r> {
        pub id: &'r str,
        pub time_micros: i64 = "ts_us",
        pub sequence: i64 = "landing_seq",
        pub project: &'r str,
        pub role: &'r str,
        pub run: Option<&'r str> = "run_id",
        pub session: Option<&'r str>,
        pub iteration: Option<i64>,
        pub phase: Option<&'r str>,
        pub issue: Option<&'r str>,
        pub pull_request: Option<&'r str>,
        pub labels: Vec<&'r str>,
        pub files: Vec<&'r str>,
        /// How well it is founded.
        pub level: Option<i64> = "evidence_level",
        /// The patterns that the role says it has gathered.
        pub patterns: Vec<&'r str>,
        /// What another store knew of them, as JSON.
        pub prior: Option<&'r str>,
    }
}

event::row! {
    /// A row of `sql/role/verdict.sql`.
    #[derive(Debug, Clone, Default)]
    pub struct VerdictRow<'r> {
        pub id: &'r str,
        pub time_micros: i64 = "ts_us",
        pub sequence: i64 = "landing_seq",
        pub project: &'r str,
        /// The role whose deliberation is judged.
        pub adversarial_role: Option<&'r str>,
        pub run: Option<&'r str> = "run_id",
        pub iteration: Option<i64>,
        /// The deliberation that is judged.
        pub deliberation: Option<&'r str> = "deliberation_id",
        /// The validator's own deliberation.
        pub validator: Option<&'r str> = "validator_id",
        pub has_passed: bool,
        /// How well the judged deliberation is founded.
        pub level: Option<i64> = "evidence_level",
        /// How well the validator's own is founded.
        pub validator_level: Option<i64>,
        pub phase: Option<&'r str>,
        pub labels: Vec<&'r str>,
        /// The files that were changed.
        pub files: Vec<&'r str>,
        /// What it rejects, as the validator names it.
        pub false_positives: Vec<&'r str>,
        /// What it rejects, in the judged role's words.
        pub rejected: Vec<&'r str>,
        /// What the judged role found, as JSON.
        pub issues: Option<&'r str>,
        /// The patterns that it reinforces.
        pub reinforced: Vec<&'r str>,
    }
}

event::row! {
    /// A row of `sql/role/exposure.sql`.
    #[derive(Debug, Clone, Copy, Default)]
    pub struct ExposureRow<'r> {
        pub project: &'r str,
        pub run: Option<&'r str> = "run_id",
        pub session: Option<&'r str>,
        pub iteration: Option<i64>,
        /// The role, else the agent.
        pub role: Option<&'r str>,
        pub pattern_id: &'r str,
        /// When it was first shown.
        pub first_micros: i64 = "first_us",
        /// When it was last shown.
        pub last_micros: i64 = "last_us",
    }
}

event::row! {
    /// A row of `sql/role/ending.sql`: how the work of a run turned out, the last word on it.
    #[derive(Debug, Clone, Copy)]
    pub struct EndingRow<'r> {
        pub project: &'r str,
        pub run: &'r str = "run_id",
        pub has_passed: bool = "passed",
        pub time_micros: i64 = "ts_us",
        pub sequence: i64 = "landing_seq",
    }
}

/// Takes the rows of `sql/role/deliberation.sql`.
pub fn take_deliberations(log: &mut RoleLog, rows: &Rows) -> Outcome<()> {
    rows.each(|row: DeliberationRow<'_>| {
        log.add_deliberation(&row);
        Ok(())
    })
}

/// Takes the rows of `sql/role/verdict.sql`.
pub fn take_verdicts(log: &mut RoleLog, rows: &Rows) -> Outcome<()> {
    rows.each(|row: VerdictRow<'_>| {
        log.add_verdict(&row);
        Ok(())
    })
}

/// Takes the rows of `sql/role/exposure.sql`.
pub fn take_exposures(log: &mut RoleLog, rows: &Rows) -> Outcome<()> {
    rows.each(|row: ExposureRow<'_>| {
        log.add_exposure(row);
        Ok(())
    })
}

/// Takes the rows of `sql/role/ending.sql`.
pub fn take_endings(log: &mut RoleLog, rows: &Rows) -> Outcome<()> {
    rows.each(|row: EndingRow<'_>| {
        log.add_ending(row);
        Ok(())
    })
}

/// Takes the rows of `sql/role/decision.sql`.
pub fn take_role_decisions(log: &mut RoleLog, rows: &Rows) -> Outcome<()> {
    rows.each(|decision: Decision| {
        log.add_decision(decision);
        Ok(())
    })
}
