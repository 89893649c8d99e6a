//! What roles have learned, from the lake.

use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, RecordBatch};

use super::CycleOptions;
use super::inquiry::Inquiry;
use crate::Query;
use event::row::Rows;
use learn::role::{
    Insights, RoleFindings, RoleLog, fold_roles, parse_agreements, parse_standings, score_roles, take_deliberations, take_endings,
    take_exposures, take_role_decisions, take_verdicts,
};
use text::diagnostic::{Diagnostic, Outcome};
use text::time::DAY_MICROS;

/// Works out the figures of every pattern of a role.
pub fn compute_roles(inquiry: &Inquiry, options: CycleOptions<'_>) -> Outcome<RoleFindings> {
    let log = load_role_log(inquiry, options)?;
    inquiry.check()?;
    let as_of_micros = options.horizon.as_of_micros;
    let lives = fold_roles(&log, options.settings, as_of_micros, None);
    let mut findings = score_roles(&log, lives, options.settings, as_of_micros);
    findings.insights = load_insights(inquiry, options)?;
    Ok(findings)
}

fn load_insights(inquiry: &Inquiry, options: CycleOptions<'_>) -> Outcome<Insights> {
    let settings = &options.settings.deliberation.insight;
    let span = i64::from(settings.trend_days) * DAY_MICROS;
    let since = options.horizon.as_of_micros.saturating_sub(span);
    let one = |value: i64| Arc::new(Int64Array::from(vec![value])) as ArrayRef;
    let rows = RecordBatch::try_from_iter([("since_us", one(since)), ("before_us", one(since.saturating_sub(span)))])
        .map_err(|error| Diagnostic::bug(format!("the spans do not fit their table: {error}")))?;
    inquiry.session.load_table("trend", "since_us bigint, before_us bigint", &[rows])?;
    Ok(Insights {
        standings: inquiry.load(Query::RoleStanding, |rows| parse_standings(rows, settings))?,
        agreements: inquiry.load(Query::RoleAgreement, |rows| parse_agreements(rows, settings))?,
    })
}

/// Takes the rows of a query into a log.
type Take = fn(&mut RoleLog, &Rows) -> Outcome<()>;

/// What roles said and what became of it. Deliberations come first: all others speak of them.
pub(super) fn load_role_log(inquiry: &Inquiry, options: CycleOptions<'_>) -> Outcome<RoleLog> {
    let mut log = RoleLog::new(options.settings, options.horizon.as_of_micros);
    let takes: [(Query, Take); 5] = [
        (Query::RoleDeliberation, take_deliberations),
        (Query::RoleVerdict, take_verdicts),
        (Query::RoleExposure, take_exposures),
        (Query::RoleEnding, take_endings),
        (Query::RoleDecision, take_role_decisions),
    ];
    for (query, take) in takes {
        inquiry.load(query, |rows| take(&mut log, rows))?;
    }
    Ok(log)
}
