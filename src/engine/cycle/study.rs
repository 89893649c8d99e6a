//! The tables that the program computes, and what it computes them from: each is worked out when it is first needed, and once.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, RecordBatch, StringArray};

use super::CycleOptions;
use super::inquiry::Inquiry;
use super::truth::{self, Holding};
use crate::Arguments;
use event::row::Rows;
use learn::HISTORY_DAYS;
use learn::pattern::{Decision, Entry, FoldRule, Registry, ToolLesson, fold_lessons, fold_tool_lessons, parse_lessons};
use learn::policy::{Clear, Curations, Settlement, parse_curations};
use learn::{Attribution, Subject, attribute, candidates};
use setting::Settings;
use text::diagnostic::{Diagnostic, Outcome};
use text::time::DAY_MICROS;

/// Which patterns an inquiry is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Aim {
    Every,
    /// All of them, and words that nobody knows: these count for a pattern of their own, so that what was found out about them is
    /// not lost.
    EveryAndStrangers,
    /// The one of this id. Events that cannot count for it are left out.
    One(String),
    /// None: it is about roles, observations or adapters.
    None,
    /// None: it is about all policies.
    Policy,
}

/// The lessons, folded.
#[derive(Debug)]
pub struct Lessons {
    pub registry: Registry,
    pub tool_lessons: Vec<ToolLesson>,
}

/// What the tables of the program depend on.
pub(super) struct Study<'o> {
    options: CycleOptions<'o>,
    aim: Aim,
    lessons: OnceCell<Rc<Lessons>>,
    subjects: OnceCell<Vec<Subject>>,
    attribution: OnceCell<Rc<Attribution>>,
    curations: OnceCell<Rc<Curations>>,
    holding: OnceCell<Holding>,
}

impl<'o> Study<'o> {
    pub(super) const fn new(options: CycleOptions<'o>, aim: Aim) -> Self {
        Self {
            options,
            aim,
            lessons: OnceCell::new(),
            subjects: OnceCell::new(),
            attribution: OnceCell::new(),
            curations: OnceCell::new(),
            holding: OnceCell::new(),
        }
    }
}

impl<'o> Inquiry<'o> {
    fn study(&self) -> Outcome<&Study<'o>> {
        self.study.as_ref().ok_or_else(|| Diagnostic::bug("a question that depends on settings came without any"))
    }

    pub(super) fn options(&self) -> Outcome<CycleOptions<'o>> {
        Ok(self.study()?.options)
    }

    /// The rows of a table that the program computes.
    pub(super) fn supply(&self, name: &str) -> Outcome<Vec<RecordBatch>> {
        let CycleOptions { settings, horizon, .. } = self.options()?;
        Ok(match name {
            "attribution" => vec![self.attribution()?.table(self.subjects()?)?],
            "builder" => vec![builders(settings)?],
            "considered" => vec![considered(settings)?],
            "correction" => self.run("policy_correction", &corrections(settings))?.batches,
            "recent" => vec![recent(self.options()?.horizon.as_of_micros)?],
            "silence" => vec![silence(settings)?],
            "cleared" => vec![clears(&self.curations()?.clears)?],
            "settled" => vec![settlements(&self.curations()?.settlements)?],
            "constraint_decision" => vec![constraint_decisions(&*self.curations()?)?],
            "infrastructure" => vec![truth::infrastructure(settings)?],
            "truth_period" => vec![truth::periods(self.truth_holding()?, settings, horizon)?],
            "truth_restart" => vec![truth::restarts(self.lessons()?.registry.patterns())?],
            "truth_rule" => vec![truth::rules(settings, horizon)?],
            _ => return Err(Diagnostic::bug(format!("nobody computes the table `{name}`"))),
        })
    }

    /// The pattern registry.
    pub(super) fn lessons(&self) -> Outcome<Rc<Lessons>> {
        let study = self.study()?;
        let CycleOptions { settings, horizon, .. } = study.options;
        once(&study.lessons, || {
            let lessons = self.load("lesson", parse_lessons)?;
            let decisions: Vec<Decision> = self.load("decision", Rows::read)?;
            let mut entries: Vec<Entry> =
                lessons.into_iter().map(Entry::Lesson).chain(decisions.into_iter().map(Entry::Decision)).collect();
            entries.sort_by_key(|entry| entry.source().sequence);
            let tool_lessons = fold_tool_lessons(&entries, horizon.as_of_micros);
            let rule = FoldRule { overlap: settings.merge.overlap, as_of_micros: horizon.as_of_micros };
            Ok(Rc::new(Lessons { registry: fold_lessons(entries, rule), tool_lessons }))
        })
        .cloned()
    }

    /// The ways in which events name a pattern, as far as the inquiry is about them.
    pub(super) fn subjects(&self) -> Outcome<&[Subject]> {
        let study = self.study()?;
        let settings = study.options.settings;
        let subjects = once(&study.subjects, || {
            let subjects: Vec<Subject> = self.load("subject", Rows::read)?;
            let Aim::One(id) = &study.aim else { return Ok(subjects) };
            let lessons = self.lessons()?;
            let number = lessons.registry.find_id(id).map(|pattern| pattern.number);
            Ok(number.map_or_else(Vec::new, |number| {
                candidates(&lessons.registry, &subjects, number, &settings.attribution, settings.compat)
            }))
        })?;
        Ok(subjects)
    }

    /// The only pattern whose rows of a table are wanted. Both the figures and the events behind them are read from `outcome`.
    pub(super) fn only_pattern(&self, table: &str) -> Outcome<Option<u32>> {
        match self.study.as_ref().map(|study| &study.aim) {
            Some(Aim::One(id)) if table == "outcome" => Ok(self.lessons()?.registry.find_id(id).map(|pattern| pattern.number)),
            _ => Ok(None),
        }
    }

    /// Which events count for which pattern.
    pub(super) fn attribution(&self) -> Outcome<Rc<Attribution>> {
        let study = self.study()?;
        let settings = study.options.settings;
        once(&study.attribution, || {
            let (lessons, subjects) = (self.lessons()?, self.subjects()?);
            self.check()?;
            let attribution = attribute(&lessons.registry, subjects, &settings.attribution, settings.compat)?;
            let with_strangers = study.aim == Aim::EveryAndStrangers;
            Ok(Rc::new(if with_strangers { attribution.with_strangers(subjects) } else { attribution }))
        })
        .cloned()
    }

    /// What there is to measure.
    pub(super) fn truth_holding(&self) -> Outcome<Holding> {
        once(&self.study()?.holding, || {
            let rows: Vec<Holding> = self.load("truth_holding", Rows::read)?;
            Ok(rows.into_iter().next().unwrap_or_default())
        })
        .copied()
    }

    /// What people decided about policies.
    pub(super) fn curations(&self) -> Outcome<Rc<Curations>> {
        once(&self.study()?.curations, || Ok(Rc::new(self.load("policy_curation", parse_curations)?))).cloned()
    }
}

/// The value of a cell, worked out if it is not there.
fn once<T>(cell: &OnceCell<T>, work: impl FnOnce() -> Outcome<T>) -> Outcome<&T> {
    if cell.get().is_none() {
        let value = work()?;
        return Ok(cell.get_or_init(|| value));
    }
    cell.get().ok_or_else(|| Diagnostic::bug("a value that was worked out is gone"))
}

/// What makes a report of a run count otherwise than it says.
fn corrections(settings: &Settings) -> Arguments {
    let rules = &settings.reliability;
    Arguments::values([
        ("replaces", settings.run.replace.into()),
        ("late_results", rules.late_results.into()),
        ("rollback_fails", rules.rollback_fails.into()),
        ("override_fails", rules.override_fails.into()),
    ])
}

fn builders(settings: &Settings) -> Outcome<RecordBatch> {
    let agents: BTreeSet<&str> = settings.rate.build_agents.iter().map(String::as_str).collect();
    let column: ArrayRef = Arc::new(StringArray::from_iter_values(agents));
    RecordBatch::try_from_iter([("agent", column)]).map_err(|error| unfit(&error))
}

fn considered(settings: &Settings) -> Outcome<RecordBatch> {
    let column: ArrayRef = Arc::new(Int64Array::from(vec![i64::from(settings.statistics.most_runs)]));
    RecordBatch::try_from_iter([("runs", column)]).map_err(|error| unfit(&error))
}

fn recent(as_of_micros: i64) -> Outcome<RecordBatch> {
    let after = as_of_micros.saturating_sub(HISTORY_DAYS * DAY_MICROS);
    table([
        ("as_of_us", Arc::new(Int64Array::from(vec![as_of_micros])) as ArrayRef),
        ("after_us", Arc::new(Int64Array::from(vec![after]))),
    ])
}

#[expect(clippy::cast_possible_truncation, reason = "a relevance lies from 0 to 1")]
fn silence(settings: &Settings) -> Outcome<RecordBatch> {
    let column: ArrayRef = Arc::new(Int64Array::from(vec![(settings.rate.silence_relevance * 1e6).round() as i64]));
    RecordBatch::try_from_iter([("relevance_millionths", column)]).map_err(|error| unfit(&error))
}

fn clears(clears: &[Clear]) -> Outcome<RecordBatch> {
    let kinds = clears.iter().map(|clear| {
        let id = clear.failure.as_deref()?;
        Some(id.strip_prefix(&*clear.adapter).and_then(|rest| rest.strip_prefix("::")).unwrap_or(id))
    });
    table([
        ("adapter", Arc::new(StringArray::from_iter_values(clears.iter().map(|clear| &clear.adapter))) as ArrayRef),
        ("failure_key", Arc::new(kinds.collect::<StringArray>())),
        ("seq", Arc::new(Int64Array::from_iter_values(clears.iter().map(|clear| clear.sequence)))),
        ("ts_us", Arc::new(Int64Array::from_iter_values(clears.iter().map(|clear| clear.micros)))),
    ])
}

fn settlements(settlements: &[Settlement]) -> Outcome<RecordBatch> {
    table([
        ("adapter", Arc::new(settlements.iter().map(|settled| settled.adapter.as_deref()).collect::<StringArray>()) as ArrayRef),
        ("ts_us", Arc::new(Int64Array::from_iter_values(settlements.iter().map(|settled| settled.micros)))),
    ])
}

fn constraint_decisions(curations: &Curations) -> Outcome<RecordBatch> {
    let decisions = &curations.constraints;
    table([
        ("suggestion", Arc::new(StringArray::from_iter_values(decisions.iter().map(|decision| &decision.key))) as ArrayRef),
        ("run_id", Arc::new(decisions.iter().map(|decision| decision.run_id.as_deref()).collect::<StringArray>())),
        ("status", Arc::new(StringArray::from_iter_values(decisions.iter().map(|decision| decision.status)))),
        ("seq", Arc::new(Int64Array::from_iter_values(decisions.iter().map(|decision| decision.sequence)))),
        ("ts_us", Arc::new(Int64Array::from_iter_values(decisions.iter().map(|decision| decision.micros)))),
    ])
}

pub(super) fn table<const N: usize>(columns: [(&'static str, ArrayRef); N]) -> Outcome<RecordBatch> {
    RecordBatch::try_from_iter_with_nullable(columns.map(|(name, column)| (name, column, true))).map_err(|error| unfit(&error))
}

fn unfit(error: &arrow::error::ArrowError) -> Diagnostic {
    Diagnostic::bug(format!("rows do not fit their table: {error}"))
}
