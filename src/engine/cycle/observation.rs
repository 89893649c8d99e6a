//! What was observed in transcripts, from the lake: its figures, and why they are what they are.

use std::collections::HashMap;
use std::sync::Arc;

use arrow::array::{Int64Array, RecordBatch};
use serde::Serialize;

use super::explain::drift;
use super::inquiry::Inquiry;
use super::{Aim, CycleOptions};
use crate::{Arguments, Horizon};
use event::row::{Rows, number_at, text_at};
use learn::observation::{
    Decay, ObservationFindings, ObservationLog, ObservationMoment, ObservationScore, confidence, fold_observations, promotion_of,
    score_observation, score_observations, take_artifacts, take_observation_decisions, take_sightings,
};
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

/// What was observed and what became of it.
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
    /// When it is ready.
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
    /// Its kind.
    pub kind: Option<String>,
    /// When it counts, in microseconds since 1970.
    pub time_micros: i64,
    /// The inbox file and line it stands in.
    pub place: Option<String>,
    /// The session.
    pub session: Option<String>,
    /// What happened.
    pub what: String,
    /// In how many sessions it had been seen afterwards.
    pub observations: i64,
    /// In how many since it was taken out of use.
    pub fresh: i64,
    /// How sure it was afterwards.
    pub confidence: f64,
    /// How far it had come afterwards.
    pub status: &'static str,
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
    let place = log.book().find(id).ok_or_else(unknown)?;
    let rules = &settings.observation;
    let lives = fold_observations(&log, rules, horizon.as_of_micros, Some(place));
    let (entry, life) = (&log.book().entries()[place as usize], &lives.lives[place as usize]);
    if !life.is_known() {
        return Err(unknown());
    }
    let sources = load_sources(&inquiry, &lives.moments)?;
    Ok(ObservationExplanation {
        observation: score_observation(entry, life, rules, horizon.as_of_micros),
        events: lives.moments.iter().map(|moment| reason(moment, &sources)).collect(),
        by_sessions: confidence(life.count(), entry.observation_type, rules),
        promotion: *promotion_of(rules, entry.observation_type),
        decay: Decay::since(life.decays_from_micros, horizon.as_of_micros, rules),
        changed_since: drift(&inquiry, generation)?,
    })
}

/// Where an event stands.
struct Source {
    event: Option<String>,
    kind: Option<String>,
    place: String,
    session: Option<String>,
}

fn load_sources(inquiry: &Inquiry<'_>, moments: &[ObservationMoment]) -> Outcome<HashMap<i64, Source>> {
    let sequences = Int64Array::from_iter_values(moments.iter().filter_map(|moment| moment.sequence));
    let asked = RecordBatch::try_from_iter([("landing_seq", Arc::new(sequences) as _)])
        .map_err(|error| Diagnostic::bug(format!("the events do not fit their table: {error}")))?;
    inquiry.ask("observation_explanation", &Arguments::NONE.with_rows("asked_event", asked), parse_sources)
}

/// Reads the rows of `sql/observation/explanation.sql`.
fn parse_sources(rows: &Rows) -> Outcome<HashMap<i64, Source>> {
    let mut sources = HashMap::with_capacity(rows.count());
    for part in rows.parts() {
        let (kinds, ids, sequences) = (part.texts("kind")?, part.texts("id")?, part.numbers("landing_seq")?);
        let (files, lines, sessions) = (part.texts("landing_file")?, part.numbers("landing_line")?, part.texts("session")?);
        sources.extend((0..part.len()).map(|row| {
            let (file, line) = (text_at(files, row).unwrap_or_default(), number_at(lines, row).unwrap_or_default());
            let (event, kind, session) = (text_at(ids, row), text_at(kinds, row), text_at(sessions, row));
            (number_at(sequences, row).unwrap_or_default(), Source { event, kind, place: format!("{file}:{line}"), session })
        }));
    }
    Ok(sources)
}

fn reason(moment: &ObservationMoment, sources: &HashMap<i64, Source>) -> ObservationReason {
    let source = moment.sequence.and_then(|sequence| sources.get(&sequence));
    ObservationReason {
        event: source.and_then(|source| source.event.clone()),
        kind: source.and_then(|source| source.kind.clone()),
        time_micros: moment.time_micros,
        place: source.map(|source| source.place.clone()),
        session: source.and_then(|source| source.session.clone()),
        what: moment.what.clone(),
        observations: moment.observations,
        fresh: moment.fresh,
        confidence: moment.base,
        status: moment.status.name(),
    }
}
