//! What was observed and what became of it: the events of the lake, as far as the fold needs them.

use std::collections::HashSet;

use xxhash_rust::xxh3::xxh3_128;

use super::prior::Prior;
use super::registry::{ObservationPlace, ObservationRegistry, Sighted};
use super::row::{ArtifactRow, ObservationDecision, SightingRow};
use event::field::Lack;

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
    pub(super) lacks: Option<Lack>,
    /// Whether it may be told in other words than those before.
    pub(super) is_reworded: bool,
}

/// What was observed and what became of it, in the order of landing.
#[derive(Debug)]
pub struct ObservationLog {
    pub(super) registry: ObservationRegistry,
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
            registry: ObservationRegistry::default(),
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
        let seen = Sighted { project, observation_type, given, pattern: row.pattern, details: row.details, meaning: &row.meaning };
        let is_visible = row.time_micros <= self.as_of_micros;
        let Some(place) = self.registry.see(seen) else {
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
            lacks: row.lacks,
            is_reworded: !row.meaning.is_empty() && row.given.is_none(),
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

    /// The registry.
    #[must_use]
    pub const fn registry(&self) -> &ObservationRegistry {
        &self.registry
    }
}

/// What tells an event or a session from all others. No part holds the separator.
fn key(parts: &[&str]) -> u128 {
    xxh3_128(parts.join("\0").as_bytes())
}
