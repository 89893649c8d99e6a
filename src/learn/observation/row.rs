//! What was observed and what became of it: the rows of `sql/observation/`.

use super::log::ObservationLog;
use crate::subject::Decision;
use event::field::{ArtifactAction, Lack, ObservationType};
use event::row::Rows;
use text::diagnostic::Outcome;

event::row! {
    /// A row of `sql/observation/sighting.sql`.
    #[derive(Debug, Clone)]
    pub struct SightingRow<'r> {
        pub id: &'r str,
        pub time_micros: i64 = "ts_us",
        pub sequence: i64 = "landing_seq",
        pub project: &'r str,
        /// The id that it was given by whoever saw it.
        pub given: Option<&'r str> = "observation_id",
        pub observation_type: ObservationType,
        /// What recurs.
        pub pattern: &'r str,
        /// What is quoted for it.
        pub evidence: Vec<&'r str>,
        /// The rest of it.
        pub details: &'r str,
        /// Whether it is good enough to become an artifact.
        pub quality_ok: bool,
        pub session: Option<&'r str>,
        /// What another store knew of it, as JSON.
        pub prior: Option<&'r str>,
        /// The terms by which it is known in other words; of a workflow one item a step.
        pub meaning: Vec<&'r str>,
        /// What it lacks to be good enough.
        pub lacks: Option<Lack>,
    }
}

event::row! {
    /// What became of an artifact: a row of `sql/observation/artifact.sql`.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct ArtifactRow {
        pub id: String,
        pub time_micros: i64 = "ts_us",
        pub sequence: i64 = "landing_seq",
        pub project: String,
        pub action: ArtifactAction,
        pub observation_id: Option<String>,
        pub observation_type: Option<ObservationType>,
        /// The file.
        pub path: Option<String>,
        /// The entry in it.
        pub anchor: Option<String>,
        /// The SHA-256 of what stands there.
        pub content_hash: Option<String>,
        pub reason: Option<String>,
    }
}

event::row! {
    /// A row of `sql/observation/decision.sql`. It may be about all observations of its project.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct ObservationDecision {
        pub id: String,
        pub project: String,
        pub decision: Decision,
    }
}

/// Takes the rows of `sql/observation/sighting.sql`.
pub fn take_sightings(log: &mut ObservationLog, rows: &Rows) -> Outcome<()> {
    rows.each(|row: SightingRow<'_>| {
        log.add_sighting(&row);
        Ok(())
    })
}

/// Takes the rows of `sql/observation/artifact.sql`.
pub fn take_artifacts(log: &mut ObservationLog, rows: &Rows) -> Outcome<()> {
    rows.each(|row: ArtifactRow| {
        log.add_artifact(row);
        Ok(())
    })
}

/// Takes the rows of `sql/observation/decision.sql`.
pub fn take_observation_decisions(log: &mut ObservationLog, rows: &Rows) -> Outcome<()> {
    rows.each(|row: ObservationDecision| {
        log.add_decision(row);
        Ok(())
    })
}
