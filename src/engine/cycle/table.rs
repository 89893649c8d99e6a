//! The tables of a generation that analysts take its figures apart with: single applications and runs, and figures by day.

use std::collections::BTreeMap;

use super::CycleOptions;
use super::compute::Findings;
use super::inquiry::Inquiry;
use crate::Arguments;
use event::cell::Micros;
use event::row::Rows;
use learn::pattern::pattern_id;
use learn::policy::Tally;
use learn::table::{AdapterDay, OutcomeRow, PatternDay, RunAdapter};
use learn::truth::Lift;
use learn::{Credit, HISTORY_DAYS, Offer, TracePoint, closedloop, real};
use render::render_table;
use setting::{ADAPTER_DAY_FILE, Compat, OUTCOME_FILE, PATTERN_DAY_FILE, RUN_ADAPTER_FILE, Settings};
use store::publish::File;
use text::day::Day;
use text::diagnostic::Outcome;
use text::time::DAY_MICROS;

/// The tables. The first depends on which days are pruned; the others are a function of log, settings and instant.
pub(super) fn analysts_files(inquiry: &Inquiry<'_>, findings: &Findings) -> Outcome<[File; 4]> {
    let CycleOptions { settings, horizon, .. } = inquiry.options()?;
    let first_micros = horizon.as_of_micros.saturating_sub(i64::from(settings.publish.row_days) * DAY_MICROS);
    let outcomes = load_outcomes(inquiry, settings, Day::of_micros(first_micros))?;
    let after = Arguments::values([("after_us", (first_micros.div_euclid(DAY_MICROS) * DAY_MICROS).into())]);
    let runs: Vec<CountedRun> = inquiry.ask("table_run_adapter", &after, Rows::read)?;
    let days = adapter_days(&runs, settings);
    let runs: Vec<RunAdapter> = runs.into_iter().map(RunAdapter::from).collect();
    Ok([
        File::new(OUTCOME_FILE, render_table(&outcomes)?),
        File::new(RUN_ADAPTER_FILE, render_table(&runs)?),
        File::new(ADAPTER_DAY_FILE, render_table(&days)?),
        File::new(PATTERN_DAY_FILE, render_table(&pattern_days(findings, horizon.as_of_micros))?),
    ])
}

event::row! {
    /// A row of `sql/table/outcome.sql`.
    struct Told {
        id: Option<String>,
        last_micros: Option<i64> = "ts_us",
        first_micros: Option<i64> = "first_us",
        project: String,
        run_id: Option<String>,
        iteration: Option<i64>,
        agent: Option<String>,
        unit: Option<String>,
        pattern: Option<u32>,
        tier: Option<String>,
        named_id: Option<String>,
        named_text: Option<String>,
        status: String,
        tool: Option<String>,
        acted: Option<bool>,
        is_unverified: bool,
        is_goal_met: Option<bool>,
        relevance_millionths: Option<i64>,
        is_build_failed: Option<bool>,
        applications: i64,
        file: Option<String> = "landing_file",
        line: Option<i64> = "landing_line",
    }
}

fn load_outcomes(inquiry: &Inquiry<'_>, settings: &Settings, first_day: Day) -> Outcome<Vec<OutcomeRow>> {
    if settings.compat == Compat::ClosedLoop {
        let told: Vec<ToldAsRead> = inquiry.load("compat_outcome", Rows::read)?;
        return Ok(told.into_iter().map(OutcomeRow::from).collect());
    }
    let first_day = first_day.to_string();
    let told: Vec<Told> = inquiry.ask("table_outcome", &Arguments::values([("first_day", (&*first_day).into())]), Rows::read)?;
    Ok(told.into_iter().map(|told| told.judge(settings)).collect())
}

impl Told {
    fn judge(self, settings: &Settings) -> OutcomeRow {
        let relevance = self.relevance_millionths.map(|sum| real(sum) / 1e6);
        let offer = || Offer::of(self.tool.is_some(), self.acted, relevance, &settings.rate);
        let credit = Credit {
            status: &self.status,
            is_unverified: self.is_unverified,
            is_goal_met: self.is_goal_met,
            relevance,
            is_build_failed: self.is_build_failed,
            applications: self.applications,
            offer: self.id.is_some().then(offer),
        };
        let is_known = self.pattern.is_some();
        OutcomeRow {
            weight: credit.weight(&settings.rate).filter(|_| is_known),
            reason: if is_known { credit.reason(&settings.rate) } else { "matches no pattern" }.to_owned(),
            relevance: credit.relevance,
            application: self.id,
            ts: self.last_micros.map(Micros),
            first_ts: self.first_micros.map(Micros),
            project: self.project,
            run_id: self.run_id,
            iteration: self.iteration,
            agent: self.agent,
            unit: self.unit,
            pattern: self.pattern.map(pattern_id),
            tier: self.tier,
            named_id: self.named_id,
            named_text: self.named_text,
            is_unverified: self.is_unverified,
            is_goal_met: self.is_goal_met,
            is_build_failed: self.is_build_failed,
            applications: self.applications,
            file: self.file,
            line: self.line,
            status: self.status,
        }
    }
}

event::row! {
    /// A row of `sql/compat/outcome.sql`: the original lists only what matches, for each pattern that it matches.
    struct ToldAsRead {
        id: String,
        micros: i64 = "ts_us",
        file: String = "landing_file",
        line: i64 = "landing_line",
        run_id: Option<String>,
        iteration: Option<i64>,
        agent: Option<String>,
        status: String,
        pattern: u32,
        tier: String,
        is_unverified: bool,
        is_goal_met: Option<bool>,
        relevance: Option<f64>,
    }
}

impl From<ToldAsRead> for OutcomeRow {
    fn from(told: ToldAsRead) -> Self {
        let is_sighting = matches!(&*told.status, "applied" | "injected");
        let row = closedloop::Row {
            iteration: told.iteration,
            is_injected: told.status == "injected",
            is_unverified: told.is_unverified,
            is_goal_met: told.is_goal_met,
            relevance: told.relevance,
        };
        Self {
            application: Some(told.id),
            ts: Some(Micros(told.micros)),
            first_ts: Some(Micros(told.micros)),
            project: String::new(),
            run_id: told.run_id,
            iteration: told.iteration,
            agent: told.agent,
            unit: None,
            pattern: Some(pattern_id(told.pattern)),
            tier: Some(told.tier),
            named_id: None,
            named_text: None,
            is_unverified: told.is_unverified,
            is_goal_met: told.is_goal_met,
            relevance: told.relevance,
            is_build_failed: None,
            applications: 1,
            weight: is_sighting.then(|| row.weight()),
            reason: "as the original counts".to_owned(),
            file: Some(told.file),
            line: Some(told.line),
            status: told.status,
        }
    }
}

event::row! {
    /// A row of `sql/table/run_adapter.sql`.
    struct CountedRun {
        adapter: String,
        micros: Option<i64> = "ts_us",
        project: Option<String>,
        run_id: Option<String>,
        success: bool,
        is_denied: bool,
        runs: i64,
        retries: i64,
        quality_millionths: i64,
    }
}

impl From<CountedRun> for RunAdapter {
    fn from(run: CountedRun) -> Self {
        Self {
            adapter: run.adapter,
            ts: run.micros.map(Micros),
            project: run.project,
            run_id: run.run_id,
            success: run.success,
            is_denied: run.is_denied,
            runs: run.runs,
            retries: run.retries,
            quality: real(run.quality_millionths) / 1e6,
        }
    }
}

/// The score of each adapter at the end of each day on which it ran: in each project, and in all of them together.
fn adapter_days(runs: &[CountedRun], settings: &Settings) -> Vec<AdapterDay> {
    let mut days: BTreeMap<(&str, Option<&str>), BTreeMap<i64, Tally>> = BTreeMap::new();
    for run in runs.iter().filter(|run| !run.is_denied) {
        let day = run.micros.unwrap_or_default().div_euclid(DAY_MICROS);
        let scopes = [None].into_iter().chain(run.project.as_deref().map(Some));
        for project in scopes {
            let tally = days.entry((&run.adapter, project)).or_default().entry(day).or_default();
            tally.runs += run.runs;
            tally.successes += if run.success { run.runs } else { 0 };
            tally.retries += run.retries;
            tally.quality_millionths += run.quality_millionths;
        }
    }
    let mut rows = Vec::new();
    for ((adapter, project), days) in days {
        let mut sum = Tally::default();
        for (day, tally) in days {
            sum.runs += tally.runs;
            sum.successes += tally.successes;
            sum.retries += tally.retries;
            sum.quality_millionths += tally.quality_millionths;
            rows.push(AdapterDay {
                adapter: adapter.to_owned(),
                project: project.map(str::to_owned),
                ts: Micros((day + 1).saturating_mul(DAY_MICROS)),
                day_runs: tally.runs,
                day_successes: tally.successes,
                runs: sum.runs,
                success_rate: sum.success_rate(),
                average_retries: sum.average_retries(),
                score: sum.score(&settings.reliability),
            });
        }
    }
    rows
}

/// The figures of each pattern on each of the last days, of those that have any of these days.
fn pattern_days(findings: &Findings, as_of_micros: i64) -> Vec<PatternDay> {
    let traces = &findings.history.traces;
    let lifts = &findings.truth.lifts;
    let mut numbers: Vec<u32> = traces.keys().chain(lifts.keys()).copied().collect();
    numbers.sort_unstable();
    numbers.dedup();
    let mut rows = Vec::new();
    for number in numbers {
        for days_ago in (0..=HISTORY_DAYS).rev() {
            let at = as_of_micros.saturating_sub(days_ago * DAY_MICROS);
            let point = usize::try_from(days_ago).ok().and_then(|days| traces.get(&number)?.ago(days).copied());
            let point = point.unwrap_or_else(|| steady(findings, number));
            let lift = lifts.get(&number).and_then(|lifts| lift_on(lifts, at.div_euclid(DAY_MICROS)));
            rows.push(PatternDay {
                pattern: pattern_id(number),
                ts: Micros(at),
                days_ago,
                seen: point.seen,
                rate: point.rate,
                flag: point.flag.name().to_owned(),
                lift: lift.map(|lift| lift.lift),
                lift_lower: lift.map(|lift| lift.lower()),
                lift_upper: lift.map(|lift| lift.upper()),
            });
        }
    }
    rows
}

/// What holds on all of the days for a pattern without evidence of these days.
fn steady(findings: &Findings, number: u32) -> TracePoint {
    let id = pattern_id(number);
    let score = findings.scores.iter().find(|score| score.id == id);
    score.map(|score| TracePoint { seen: score.seen, rate: score.rate, flag: score.flag }).unwrap_or_default()
}

/// The lift at the end of a day: that of the last day by then on which any coin fell.
fn lift_on(lifts: &[(i64, Option<Lift>)], day: i64) -> Option<Lift> {
    lifts.iter().rev().find(|(fallen, _)| *fallen <= day).and_then(|(_, lift)| *lift)
}
