//! Why a role's pattern has its score: the events of its history, and what counted after each.

use std::collections::HashMap;
use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, RecordBatch};
use serde::Serialize;

use super::explain::drift;
use super::inquiry::Inquiry;
use super::role::load_role_log;
use super::{Aim, CycleOptions};
use crate::Arguments;
use event::cell::Row as _;
use learn::recall::weight;
use learn::role::{RoleCount, RoleScore, fold_roles, role_pattern_place, score_roles};
use learn::subject::Transition;
use store::publish::Generation;
use store::workspace::Workspace;
use text::diagnostic::{Diagnostic, Outcome};

/// Why a role's pattern has its score.
#[derive(Debug, Clone, PartialEq)]
pub struct RoleExplanation {
    /// The pattern with its figures, worked out anew.
    pub score: RoleScore,
    /// What happened to it, in the order of time.
    pub moments: Vec<RoleReason>,
    /// What a saying of its sort weighs.
    pub weight: f64,
    /// What differs from when the generation was made, so that figures may differ too.
    pub drift: Vec<String>,
}

/// An event that happened to a pattern, and what counted afterwards.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RoleReason {
    /// The event's id.
    pub event: String,
    pub kind: String,
    /// The inbox file and line it stands in.
    pub place: String,
    pub time_micros: i64,
    /// What happened, in words.
    pub what: String,
    #[serde(flatten)]
    pub after: RoleCount,
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
    let transitions = lives.transitions.clone();
    let findings = score_roles(&log, lives, settings, horizon.as_of_micros);
    let score = findings.scores.into_iter().find(|score| score.id == id).ok_or_else(unknown)?;
    let told = load_told(&inquiry, "role_moment", &transitions)?;
    Ok(RoleExplanation {
        moments: transitions.into_iter().map(|transition| describe(transition, &told)).collect(),
        weight: weight(score.category.name(), &settings.inject.score),
        score,
        drift: drift(&inquiry, generation)?,
    })
}

event::row! {
    /// Where an event stands that a history tells of.
    pub(super) struct Told {
        sequence: i64 = "landing_seq",
        pub(super) kind: String,
        pub(super) event: String = "id",
        file: String = "landing_file",
        line: i64 = "landing_line",
        /// Events about roles name none.
        pub(super) session: Option<String>,
    }
}

impl Told {
    /// The inbox file and line.
    pub(super) fn place(&self) -> String {
        format!("{}:{}", self.file, self.line)
    }
}

/// Where the events of some transitions stand, by their place in the order of landing.
pub(super) fn load_told<A>(inquiry: &Inquiry<'_>, question: &str, transitions: &[Transition<A>]) -> Outcome<HashMap<i64, Told>> {
    let mut asked: Vec<i64> = transitions.iter().filter_map(|transition| transition.sequence).collect();
    asked.sort_unstable();
    // One verdict may say two things of a pattern.
    asked.dedup();
    let rows = RecordBatch::try_from_iter([("landing_seq", Arc::new(Int64Array::from(asked)) as ArrayRef)])
        .map_err(|error| Diagnostic::bug(format!("the events do not fit their table: {error}")))?;
    let told: Vec<Told> =
        inquiry.ask(question, &Arguments::NONE.with_rows("asked_event", rows), |rows| rows.padded(&Told::schema())?.read())?;
    Ok(told.into_iter().map(|told| (told.sequence, told)).collect())
}

fn describe(transition: Transition<RoleCount>, told: &HashMap<i64, Told>) -> RoleReason {
    let told = transition.sequence.and_then(|sequence| told.get(&sequence));
    RoleReason {
        event: told.map(|told| told.event.clone()).unwrap_or_default(),
        kind: told.map(|told| told.kind.clone()).unwrap_or_default(),
        place: told.map(Told::place).unwrap_or_default(),
        time_micros: transition.time_micros,
        what: transition.what,
        after: transition.after,
    }
}
