//! From the lives of observations to their figures.

use super::confidence::Decay;
use super::fold::ObservationLives;
use super::life::ObservationLife;
use super::log::ObservationLog;
use super::registry::ObservationEntry;
use super::score::ObservationScore;
use super::status::Status;
use crate::subject::VoidDecision;
use setting::ObservationSettings;
use text::time::instant;

#[derive(Debug, Clone, Default, PartialEq)]
pub struct ObservationFindings {
    /// The observations, in the order in which they were first seen.
    pub scores: Vec<ObservationScore>,
    /// Decisions that had no effect.
    pub void: Vec<VoidDecision>,
    /// How many sightings say nothing.
    pub blank: usize,
    /// How many things were seen in one session alone and may be tasks like any other.
    pub single: usize,
}

/// Works out the figures of every observation that was made.
#[must_use]
pub fn score_observations(
    log: &ObservationLog,
    lives: ObservationLives,
    settings: &ObservationSettings,
    as_of_micros: i64,
) -> ObservationFindings {
    let known = log.registry().entries().iter().zip(&lives.lives).filter(|(_, life)| life.is_known());
    let (told, single): (Vec<_>, Vec<_>) = known.partition(|(_, life)| life.is_told());
    let scores = told.into_iter().map(|(entry, life)| score_observation(entry, life, settings, as_of_micros)).collect();
    ObservationFindings { scores, void: lives.void, blank: log.blank, single: single.len() }
}

/// Works out the figures of one observation.
#[must_use]
pub fn score_observation(
    entry: &ObservationEntry,
    life: &ObservationLife,
    settings: &ObservationSettings,
    as_of_micros: i64,
) -> ObservationScore {
    let confidence = Decay::since(life.decays_from_micros, as_of_micros, settings).of(life.base);
    let rendering = life.rendering.clone().unwrap_or_default();
    ObservationScore {
        id: entry.id.clone(),
        project: entry.project.clone(),
        observation_type: entry.observation_type,
        pattern: life.wording.pattern.clone(),
        details: life.wording.details.clone(),
        evidence: life.wording.evidence(),
        status: life.status,
        confidence,
        base_confidence: life.base,
        observations: life.count(),
        first_seen: instant(life.first_micros),
        last_seen: instant(life.last_micros),
        quality_ok: life.quality_ok,
        lacks: life.lacks,
        ready_at: life.ready_micros.map(instant),
        artifact_path: rendering.path,
        anchor: rendering.anchor,
        content_hash: rendering.content_hash,
        is_edited: rendering.is_edited,
        deprecated_at: life.deprecated_micros.map(instant),
        sightings_since_deletion: life.fresh,
        stale_reason: life.stale_reason.clone(),
        needs_review: life.wording.needs_review,
        is_blocked: life.is_blocked,
        is_faded: confidence < settings.faded_below && !matches!(life.status, Status::Created | Status::Ready),
        cites: life.cites,
        last_cited: life.cited_micros.map(instant),
        note: life.note.clone(),
    }
}
