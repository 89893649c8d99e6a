//! What was observed and what became of it: the events of the lake, as far as the fold needs them.

use std::collections::HashSet;

use xxhash_rust::xxh3::xxh3_128;

use super::prior::Prior;
use crate::pattern::{Action, ObservationBook, ObservationPlace, Sighted};
use event::field::{ArtifactAction, ObservationType};

/// A row of `sql/observation/sighting.sql`.
#[derive(Debug, Clone)]
pub struct SightingRow<'r> {
    /// The event's id.
    pub id: &'r str,
    /// When it happened.
    pub time_micros: i64,
    /// Its place in the order of landing.
    pub sequence: i64,
    /// The project.
    pub project: &'r str,
    /// The id that it was given.
    pub given: Option<&'r str>,
    /// The type.
    pub observation_type: ObservationType,
    /// What recurs.
    pub pattern: &'r str,
    /// What is quoted for it.
    pub evidence: Vec<&'r str>,
    /// The rest of it.
    pub details: &'r str,
    /// Whether it is good enough to become an artifact.
    pub quality_ok: bool,
    /// The session.
    pub session: Option<&'r str>,
    /// What another store knew of it, as JSON.
    pub prior: Option<&'r str>,
}

/// A sighting.
#[derive(Debug)]
pub(super) struct Seen {
    pub(super) time_micros: i64,
    pub(super) sequence: i64,
    pub(super) place: ObservationPlace,
    pub(super) session: u128,
    pub(super) pattern: String,
    pub(super) details: String,
    pub(super) evidence: Vec<String>,
    pub(super) quality_ok: bool,
    pub(super) prior: Option<Prior>,
}

/// What became of an artifact: a row of `sql/observation/artifact.sql`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArtifactRow {
    /// The event's id.
    pub id: String,
    /// When it happened.
    pub time_micros: i64,
    /// Its place in the order of landing.
    pub sequence: i64,
    /// The project.
    pub project: String,
    /// What happened.
    pub action: ArtifactAction,
    /// The observation.
    pub observation_id: Option<String>,
    /// Its type.
    pub observation_type: Option<ObservationType>,
    /// The file.
    pub path: Option<String>,
    /// The entry in it.
    pub anchor: Option<String>,
    /// The SHA-256 of what stands there.
    pub content_hash: Option<String>,
    /// Why.
    pub reason: Option<String>,
}

/// What a person decided about an observation: a row of `sql/observation/decision.sql`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObservationDecision {
    /// The event's id.
    pub id: String,
    /// When it happened.
    pub time_micros: i64,
    /// Its place in the order of landing.
    pub sequence: i64,
    /// The project.
    pub project: String,
    /// The observation, or `obs:all` for all of the project.
    pub observation_id: String,
    /// What was decided.
    pub action: Action,
    /// Whether it holds although nobody found the observation good enough.
    pub is_forced: bool,
    /// Who decided.
    pub actor: String,
    /// Why.
    pub reason: Option<String>,
}

/// What was observed and what became of it, in the order of landing.
#[derive(Debug)]
pub struct ObservationLog {
    pub(super) book: ObservationBook,
    pub(super) sightings: Vec<Seen>,
    pub(super) artifacts: Vec<ArtifactRow>,
    pub(super) decisions: Vec<ObservationDecision>,
    /// How many sightings say nothing.
    pub(super) blank: usize,
    told: HashSet<u128>,
    as_of_micros: i64,
}

impl ObservationLog {
    /// An empty log, seen from an instant.
    #[must_use]
    pub fn new(as_of_micros: i64) -> Self {
        Self {
            book: ObservationBook::default(),
            sightings: Vec::new(),
            artifacts: Vec::new(),
            decisions: Vec::new(),
            blank: 0,
            told: HashSet::new(),
            as_of_micros,
        }
    }

    /// Adds a sighting. Rows come in the order of landing; those behind the horizon take their ids too, and are otherwise not known
    /// yet. One that was delivered on two days counts once.
    pub fn add_sighting(&mut self, row: &SightingRow<'_>) {
        if !self.told.insert(key(&["observation", row.project, row.id])) {
            return;
        }
        let (project, observation_type, given) = (row.project, row.observation_type, row.given);
        let seen = Sighted { project, observation_type, given, pattern: row.pattern, details: row.details };
        let is_visible = row.time_micros <= self.as_of_micros;
        let Some(place) = self.book.see(seen) else {
            self.blank += usize::from(is_visible);
            return;
        };
        if !is_visible {
            return;
        }
        // Whoever names no session may be in any: each such event is one of its own.
        let session = match row.session {
            Some(session) => key(&["session", session]),
            None => key(&["event", row.id]),
        };
        self.sightings.push(Seen {
            time_micros: row.time_micros,
            sequence: row.sequence,
            place,
            session,
            pattern: row.pattern.to_owned(),
            details: row.details.to_owned(),
            evidence: row.evidence.iter().map(|quotation| (*quotation).to_owned()).collect(),
            quality_ok: row.quality_ok,
            prior: row.prior.and_then(Prior::parse),
        });
    }

    /// Adds what became of an artifact. One that was told twice counts once.
    pub fn add_artifact(&mut self, row: ArtifactRow) {
        if self.told.insert(key(&["artifact", &row.project, &row.id])) {
            self.artifacts.push(row);
        }
    }

    /// Adds what a person decided. One that was told twice counts once.
    pub fn add_decision(&mut self, decision: ObservationDecision) {
        if self.told.insert(key(&["decision", &decision.project, &decision.id])) {
            self.decisions.push(decision);
        }
    }

    /// The book.
    #[must_use]
    pub const fn book(&self) -> &ObservationBook {
        &self.book
    }
}

/// What tells an event or a session from all others. No part holds the separator.
fn key(parts: &[&str]) -> u128 {
    xxh3_128(parts.join("\0").as_bytes())
}
