//! What was observed in transcripts, from the lake: its figures, and why they are what they are.

use std::collections::HashMap;

use serde::Serialize;

use super::explain::drift;
use super::history::{Told, load_told};
use super::inquiry::Inquiry;
use super::{Aim, CycleOptions};
use crate::Horizon;
use learn::observation::{
    Decay, ObservationCount, ObservationFindings, ObservationLog, ObservationScore, confidence, fold_observations, promotion_of,
    score_observation, score_observations, take_artifacts, take_observation_decisions, take_sightings,
};
use learn::subject::Transition;
use setting::PromotionSettings;
use store::publish::Generation;
use store::workspace::Workspace;
use text::diagnostic::{Diagnostic, Outcome};

/// Works out the figures of every observation.
pub fn compute_observations(inquiry: &Inquiry<'_>) -> Outcome<ObservationFindings> {
    let options = inquiry.options()?;
    let log = load_observation_log(inquiry, options.horizon)?;
    inquiry.check()?;
    let (settings, as_of_micros) = (&options.settings.observation, options.horizon.as_of_micros);
    let lives = fold_observations(&log, settings, as_of_micros, None);
    Ok(score_observations(&log, lives, settings, as_of_micros))
}

fn load_observation_log(inquiry: &Inquiry<'_>, horizon: Horizon) -> Outcome<ObservationLog> {
    let mut log = ObservationLog::new(horizon.as_of_micros);
    inquiry.load("observation_sighting", |rows| take_sightings(&mut log, rows))?;
    inquiry.load("observation_artifact", |rows| take_artifacts(&mut log, rows))?;
    inquiry.load("observation_decision", |rows| take_observation_decisions(&mut log, rows))?;
    Ok(log)
}

/// Why an observation has its figures.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ObservationExplanation {
    /// The observation with its figures, worked out anew.
    pub observation: ObservationScore,
    /// What happened to it, in the order of time.
    pub events: Vec<ObservationReason>,
    /// How sure its sessions alone make it.
    pub by_sessions: f64,
    pub promotion: PromotionSettings,
    /// What time has left of its confidence.
    pub decay: Decay,
    /// What differs from when the generation was made, so that figures may differ too.
    pub changed_since: Vec<String>,
}

/// An event behind an observation's figures, or the passing of time.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ObservationReason {
    /// The event's id; none where only time passed.
    pub event: Option<String>,
    pub kind: Option<String>,
    pub time_micros: i64,
    /// The inbox file and line it stands in.
    pub place: Option<String>,
    pub session: Option<String>,
    pub what: String,
    #[serde(flatten)]
    pub after: ObservationCount,
}

/// Explains an observation of a published generation, by folding its events anew.
pub fn explain_observation(
    workspace: &Workspace,
    generation: &Generation,
    options: CycleOptions<'_>,
    id: &str,
) -> Outcome<ObservationExplanation> {
    let CycleOptions { settings, horizon, .. } = options;
    let inquiry = Inquiry::of_cycle(workspace, options, Aim::None)?;
    let log = load_observation_log(&inquiry, horizon)?;
    let unknown = || {
        Diagnostic::edit(
            format!("there is no observation `{}`", id.escape_default()),
            "`outerloop query \"select id, pattern from observation_pattern\"` lists all observations with their ids",
        )
    };
    let place = log.registry().find(id).ok_or_else(unknown)?;
    let rules = &settings.observation;
    let lives = fold_observations(&log, rules, horizon.as_of_micros, Some(place));
    let (entry, life) = (&log.registry().entries()[place as usize], &lives.lives[place as usize]);
    if !life.is_known() {
        return Err(unknown());
    }
    let told = load_told(&inquiry, "observation_explanation", &lives.transitions)?;
    Ok(ObservationExplanation {
        observation: score_observation(entry, life, rules, horizon.as_of_micros),
        events: lives.transitions.iter().map(|transition| reason(transition, &told)).collect(),
        by_sessions: confidence(life.count(), entry.observation_type, rules),
        promotion: *promotion_of(rules, entry.observation_type),
        decay: Decay::since(life.decays_from_micros, horizon.as_of_micros, rules),
        changed_since: drift(&inquiry, generation)?,
    })
}

fn reason(transition: &Transition<ObservationCount>, told: &HashMap<i64, Told>) -> ObservationReason {
    let told = transition.sequence.and_then(|sequence| told.get(&sequence));
    ObservationReason {
        event: told.map(|told| told.event.clone()),
        kind: told.map(|told| told.kind.clone()),
        time_micros: transition.time_micros,
        place: told.map(Told::place),
        session: told.and_then(|told| told.session.clone()),
        what: transition.what.clone(),
        after: transition.after,
    }
}
