//! What roles have learned, from the lake, and how much texts are like the one that is sought.

use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array, Int64Array, RecordBatch};

use super::CycleOptions;
use super::inquiry::Inquiry;
use crate::{Arguments, Horizon};
use event::field::Vector;
use event::row::Rows;
use learn::role::{
    Insights, RoleFindings, RoleLog, fold_roles, parse_agreements, parse_standings, score_roles, take_deliberations, take_endings,
    take_exposures, take_role_decisions, take_verdicts,
};
use store::deadline::Deadline;
use store::workspace::Workspace;
use text::diagnostic::{Diagnostic, Outcome};
use text::time::DAY_MICROS;

/// Works out the figures of every pattern of a role.
pub fn compute_roles(inquiry: &Inquiry<'_>) -> Outcome<RoleFindings> {
    let options = inquiry.options()?;
    let log = load_role_log(inquiry, options)?;
    inquiry.check()?;
    let as_of_micros = options.horizon.as_of_micros;
    let lives = fold_roles(&log, options.settings, as_of_micros, None);
    let mut findings = score_roles(&log, lives, options.settings, as_of_micros);
    findings.insights = load_insights(inquiry, options)?;
    Ok(findings)
}

fn load_insights(inquiry: &Inquiry<'_>, options: CycleOptions<'_>) -> Outcome<Insights> {
    let settings = &options.settings.deliberation.insight;
    let span = i64::from(settings.trend_days) * DAY_MICROS;
    let since = options.horizon.as_of_micros.saturating_sub(span);
    let spans = Arguments::values([("since_us", since.into()), ("before_us", since.saturating_sub(span).into())]);
    Ok(Insights {
        standings: inquiry.ask("role_standing", &spans, |rows| parse_standings(rows, settings))?,
        agreements: inquiry.load("role_agreement", |rows| parse_agreements(rows, settings))?,
    })
}

/// Takes the rows of a query into a log.
type Take = fn(&mut RoleLog, &Rows) -> Outcome<()>;

/// What roles said and what became of it. Deliberations come first: all others speak of them.
pub(super) fn load_role_log(inquiry: &Inquiry<'_>, options: CycleOptions<'_>) -> Outcome<RoleLog> {
    let mut log = RoleLog::new(options.settings, options.horizon.as_of_micros);
    let takes: [(&str, Take); 5] = [
        ("role_deliberation", take_deliberations),
        ("role_verdict", take_verdicts),
        ("role_exposure", take_exposures),
        ("role_ending", take_endings),
        ("role_decision", take_role_decisions),
    ];
    for (query, take) in takes {
        inquiry.load(query, |rows| take(&mut log, rows))?;
    }
    Ok(log)
}

/// What is sought, and among what.
#[derive(Debug, Clone, Copy)]
pub struct Sought<'s> {
    /// The project whose texts are compared with it.
    pub project: &'s str,
    pub model: &'s str,
    pub vector: &'s Vector,
}

/// How much each text that has a vector to compare is like what is sought, by the text's hash.
pub fn load_similarities(workspace: &Workspace, sought: Sought<'_>, deadline: Deadline) -> Outcome<Vec<(String, f64)>> {
    let inquiry = Inquiry::open(workspace, Horizon::EVERYTHING, deadline)?;
    let numbers = sought.vector.get();
    let places = Int64Array::from_iter_values((1..).take(numbers.len()));
    let vector = [("place", Arc::new(places) as ArrayRef), ("value", Arc::new(Float64Array::from(numbers.to_vec())))];
    let space = Arguments::values([("project", sought.project.into()), ("model", sought.model.into())]);
    let similarities: Vec<Similarity> =
        inquiry.ask("role_similarity", &space.with_rows("asked_vector", batch(vector)?), Rows::read)?;
    Ok(similarities.into_iter().map(|one| (one.text_hash, one.similarity)).collect())
}

fn batch(columns: [(&str, ArrayRef); 2]) -> Outcome<RecordBatch> {
    RecordBatch::try_from_iter(columns).map_err(|error| Diagnostic::bug(format!("what is sought does not fit its table: {error}")))
}

event::row! {
    struct Similarity {
        text_hash: String,
        similarity: f64,
    }
}
