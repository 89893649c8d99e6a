//! What roles have learned, from the lake.

use super::CycleOptions;
use super::inquiry::Inquiry;
use crate::Arguments;
use event::row::Rows;
use learn::role::{
    Insights, RoleFindings, RoleLog, fold_roles, parse_agreements, parse_standings, score_roles, take_deliberations, take_endings,
    take_exposures, take_role_decisions, take_verdicts,
};
use text::diagnostic::Outcome;
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
