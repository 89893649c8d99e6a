//! Why a role's pattern has its score: the events of its life, and what counted after each.

use std::collections::HashMap;
use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, RecordBatch};
use serde::Serialize;

use super::explain::drift;
use super::inquiry::Inquiry;
use super::role::load_role_log;
use super::{Aim, CycleOptions};
use crate::Arguments;
use event::row::{Rows, text_at};
use learn::pattern::role_pattern_place;
use learn::recall::weight;
use learn::role::{Moment, RoleScore, fold_roles, score_roles};
use store::publish::Generation;
use store::workspace::Workspace;
use text::diagnostic::{Diagnostic, Outcome};

/// Why a role's pattern has its score.
#[derive(Debug, Clone, PartialEq)]
pub struct RoleExplanation {
    /// The pattern with its figures, worked out anew.
    pub score: RoleScore,
    /// What happened to it, in the order of time.
    pub moments: Vec<RoleMoment>,
    /// What a saying of its sort weighs.
    pub weight: f64,
    /// What differs from when the generation was made, so that figures may differ too.
    pub drift: Vec<String>,
}

/// An event that happened to a pattern, and what counted afterwards.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RoleMoment {
    /// The event's id.
    pub event: String,
    /// Its kind.
    pub kind: String,
    /// The inbox file and line it stands in.
    pub place: String,
    /// When it counts, in microseconds since 1970.
    pub time_micros: i64,
    /// What happened, in words.
    pub what: String,
    /// What counted for the pattern afterwards.
    pub successes: u32,
    /// What counted against it afterwards.
    pub penalty: f64,
    /// How far it had come afterwards.
    pub state: &'static str,
}

/// Explains a role's pattern of a published generation, by folding its life anew.
pub fn explain_role(
    workspace: &Workspace,
    generation: &Generation,
    options: CycleOptions<'_>,
    id: &str,
) -> Outcome<RoleExplanation> {
    let CycleOptions { settings, horizon, .. } = options;
    let inquiry = Inquiry::of_cycle(workspace, options, Aim::None)?;
    let log = load_role_log(&inquiry, options)?;
    let unknown = || {
        Diagnostic::edit(
            format!("there is no pattern `{}`", id.escape_default()),
            "`outerloop patterns list --roles --all` shows all patterns of roles with their ids",
        )
    };
    let place = role_pattern_place(id).ok_or_else(unknown)?;
    let lives = fold_roles(&log, settings, horizon.as_of_micros, Some(place));
    let moments = lives.moments.clone();
    let findings = score_roles(&log, lives, settings, horizon.as_of_micros);
    let score = findings.scores.into_iter().find(|score| score.id == id).ok_or_else(unknown)?;
    let places = load_places(&inquiry, &moments)?;
    Ok(RoleExplanation {
        moments: moments.into_iter().map(|moment| describe(moment, &places)).collect(),
        weight: weight(&score.category, &settings.inject.score),
        score,
        drift: drift(&inquiry, generation)?,
    })
}

/// The kind, the id and the place of an event.
type Told = (String, String, String);

/// Where the events of some moments stand, by their place in the order of landing.
fn load_places(inquiry: &Inquiry<'_>, moments: &[Moment]) -> Outcome<HashMap<i64, Told>> {
    let mut asked: Vec<i64> = moments.iter().map(|moment| moment.sequence).collect();
    asked.sort_unstable();
    // One verdict may say two things of a pattern.
    asked.dedup();
    let rows = RecordBatch::try_from_iter([("landing_seq", Arc::new(Int64Array::from(asked)) as ArrayRef)])
        .map_err(|error| Diagnostic::bug(format!("the events do not fit their table: {error}")))?;
    inquiry.ask("role_moment", &Arguments::NONE.with_rows("asked_event", rows), parse_places)
}

fn parse_places(rows: &Rows) -> Outcome<HashMap<i64, Told>> {
    let mut places = HashMap::with_capacity(rows.count());
    for part in rows.parts() {
        let (kinds, ids, sequences) = (part.texts("kind")?, part.texts("id")?, part.numbers("landing_seq")?);
        let (files, lines) = (part.texts("landing_file")?, part.numbers("landing_line")?);
        for row in 0..part.len() {
            let place = format!("{}:{}", text_at(files, row).unwrap_or_default(), lines.value(row));
            let told = (text_at(kinds, row).unwrap_or_default(), text_at(ids, row).unwrap_or_default(), place);
            places.insert(sequences.value(row), told);
        }
    }
    Ok(places)
}

#[expect(clippy::cast_precision_loss, reason = "nothing is rejected so often")]
fn describe(moment: Moment, places: &HashMap<i64, Told>) -> RoleMoment {
    let (kind, event, place) = places.get(&moment.sequence).cloned().unwrap_or_default();
    RoleMoment {
        event,
        kind,
        place,
        time_micros: moment.time_micros,
        what: moment.what,
        successes: moment.successes,
        penalty: moment.penalty_millionths as f64 / 1e6,
        state: moment.stage.name(),
    }
}
