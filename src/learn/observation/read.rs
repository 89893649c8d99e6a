//! What was observed and what became of it, from the rows of their queries.

use arrow::array::{Array as _, AsArray as _, StringArray};

use super::log::{ArtifactRow, ObservationDecision, ObservationLog, SightingRow};
use crate::pattern::Action;
use event::field::{ArtifactAction, ObservationType};
use event::row::{Rows, flag_at, text_at};
use text::diagnostic::Outcome;

/// Takes the rows of `sql/observation/sighting.sql`.
pub fn take_sightings(log: &mut ObservationLog, rows: &Rows) -> Outcome<()> {
    for part in rows.parts() {
        let (ids, times, sequences) = (part.texts("id")?, part.numbers("ts_us")?, part.numbers("landing_seq")?);
        let (projects, given, types) = (part.texts("project")?, part.texts("observation_id")?, part.texts("observation_type")?);
        let (patterns, evidence, details) = (part.texts("pattern")?, part.lists("evidence")?, part.texts("details")?);
        let (qualities, sessions, priors) = (part.flags("quality_ok")?, part.texts("session")?, part.texts("prior")?);
        for row in 0..part.len() {
            // The door lets no other words in.
            let Some(observation_type) = at(types, row).and_then(ObservationType::from_name) else { continue };
            let quoted = evidence.is_valid(row).then(|| evidence.value(row));
            let quoted = quoted.as_ref().and_then(|list| list.as_string_opt::<i32>());
            log.add_sighting(&SightingRow {
                id: ids.value(row),
                time_micros: times.value(row),
                sequence: sequences.value(row),
                project: projects.value(row),
                given: at(given, row),
                observation_type,
                pattern: at(patterns, row).unwrap_or_default(),
                evidence: quoted.into_iter().flat_map(|list| list.iter().flatten()).collect(),
                details: at(details, row).unwrap_or_default(),
                quality_ok: flag_at(qualities, row).unwrap_or(false),
                session: at(sessions, row),
                prior: at(priors, row),
            });
        }
    }
    Ok(())
}

/// Takes the rows of `sql/observation/artifact.sql`.
pub fn take_artifacts(log: &mut ObservationLog, rows: &Rows) -> Outcome<()> {
    for part in rows.parts() {
        let (ids, times, sequences) = (part.texts("id")?, part.numbers("ts_us")?, part.numbers("landing_seq")?);
        let (projects, actions, named) = (part.texts("project")?, part.texts("action")?, part.texts("observation_id")?);
        let (types, paths, anchors) = (part.texts("observation_type")?, part.texts("path")?, part.texts("anchor")?);
        let (hashes, reasons) = (part.texts("content_hash")?, part.texts("reason")?);
        for row in 0..part.len() {
            let Some(action) = at(actions, row).and_then(ArtifactAction::from_name) else { continue };
            log.add_artifact(ArtifactRow {
                id: text_at(ids, row).unwrap_or_default(),
                time_micros: times.value(row),
                sequence: sequences.value(row),
                project: text_at(projects, row).unwrap_or_default(),
                action,
                observation_id: text_at(named, row),
                observation_type: at(types, row).and_then(ObservationType::from_name),
                path: text_at(paths, row),
                anchor: text_at(anchors, row),
                content_hash: text_at(hashes, row),
                reason: text_at(reasons, row),
            });
        }
    }
    Ok(())
}

/// Takes the rows of `sql/observation/decision.sql`.
pub fn take_observation_decisions(log: &mut ObservationLog, rows: &Rows) -> Outcome<()> {
    for part in rows.parts() {
        let (ids, times, sequences) = (part.texts("id")?, part.numbers("ts_us")?, part.numbers("landing_seq")?);
        let (projects, named, actions) = (part.texts("project")?, part.texts("pattern_id")?, part.texts("action")?);
        let (actors, reasons, values) = (part.texts("actor")?, part.texts("reason")?, part.texts("value")?);
        for row in 0..part.len() {
            let Some(action) = at(actions, row).and_then(Action::from_name) else { continue };
            let value = at(values, row).and_then(|json| serde_json::from_str::<serde_json::Value>(json).ok());
            log.add_decision(ObservationDecision {
                id: text_at(ids, row).unwrap_or_default(),
                time_micros: times.value(row),
                sequence: sequences.value(row),
                project: text_at(projects, row).unwrap_or_default(),
                observation_id: text_at(named, row).unwrap_or_default(),
                action,
                is_forced: value.is_some_and(|value| value.get("force") == Some(&serde_json::Value::Bool(true))),
                actor: text_at(actors, row).unwrap_or_default(),
                reason: text_at(reasons, row),
            });
        }
    }
    Ok(())
}

fn at(column: &StringArray, row: usize) -> Option<&str> {
    column.is_valid(row).then(|| column.value(row))
}
