//! What finished runs say, all of it.

use std::collections::BTreeMap;

use super::adapter::{Refusals, Reliability};
use super::agent::AgentProfile;
use super::curation::Curations;
use super::failure::FailurePattern;
use super::overlay::Overlay;
use super::replay::GraphEvent;
use super::run::FinishedRun;
use super::skill::SkillStat;
use super::suggestion::{Constraint, SuggestionCount};
use super::threshold::Thresholds;
use event::row::Rows;
use setting::RiskLevel;
use text::diagnostic::Outcome;

/// What finished runs say.
#[derive(Debug, Clone, PartialEq)]
pub struct Policy {
    /// How runs ended.
    pub totals: RunTotals,
    /// How reliable adapters are, in the order in which they were first seen.
    pub adapters: Vec<Reliability>,
    /// Failures that were seen, in the order in which they were first seen.
    pub failures: Vec<FailurePattern>,
    /// The rules for the next runs, in the order of the adapters.
    pub overlays: Vec<Overlay>,
    /// What is known of the agents.
    pub agents: Vec<AgentProfile>,
    /// How much agreement a run needs.
    pub thresholds: Thresholds,
    /// How skills fare.
    pub skills: Vec<SkillStat>,
    /// What runs suggest to change.
    pub suggestions: Vec<SuggestionCount>,
    /// How many reports of runs could not be taken, by reason.
    pub refusals: Vec<(String, i64)>,
    /// Refused runs that were not recorded properly since, by adapter.
    pub refused: Refusals,
    /// What people decided.
    pub curations: Curations,
    pub gates: Vec<GateCount>,
    /// The last runs.
    pub recent: Vec<FinishedRun>,
    /// What they changed.
    pub graph: Vec<GraphEvent>,
}

impl Policy {
    /// Whether there is nothing to tell.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.totals.results.is_empty() && self.refusals.is_empty() && self.overlays.is_empty()
    }
}

/// What finished runs say, of all projects together and of each.
#[derive(Debug, Clone, PartialEq)]
pub struct Policies {
    /// Of all projects together. Rules follow it only where projects share them, or where there is one.
    pub whole: Policy,
    pub division: Division,
}

/// How rules are divided among projects.
#[derive(Debug, Clone, PartialEq)]
pub enum Division {
    /// All projects share them.
    Shared,
    /// There is one project at most, and the whole is its own.
    One(Option<String>),
    /// Each project has its own.
    Apart(BTreeMap<String, Policy>),
}

impl Policies {
    /// The policies that rules follow, each with its project where there are several.
    #[must_use]
    pub fn parts(&self) -> Vec<(Option<&str>, &Policy)> {
        match &self.division {
            Division::Apart(projects) => projects.iter().map(|(project, policy)| (Some(&**project), policy)).collect(),
            Division::Shared | Division::One(_) => vec![(None, &self.whole)],
        }
    }

    /// How many adapters have rules for their next run, and for how many of them a person must approve.
    #[must_use]
    pub fn count_rules(&self) -> (usize, usize) {
        let overlays = || self.parts().into_iter().flat_map(|(_, policy)| &policy.overlays);
        (overlays().count(), overlays().filter(|overlay| overlay.require_approval).count())
    }
}

/// How runs ended.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RunTotals {
    pub results: BTreeMap<String, i64>,
    /// By risk, without those that a person did not let happen.
    pub risks: BTreeMap<RiskLevel, i64>,
    /// Where the first one lies in the order of landing, and the last.
    pub reach: Option<(i64, i64)>,
    /// When the last one ended, in microseconds since 1970.
    pub last_micros: Option<i64>,
    /// When the last one ended that moved a threshold or could have.
    pub last_risk_micros: Option<i64>,
    /// What they suggest to change.
    pub suggested: BTreeMap<Constraint, Suggested>,
}

/// How often runs suggest to change something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Suggested {
    /// How often.
    pub made: i64,
    /// The place of the last such run in the order of landing.
    pub last_sequence: i64,
}

impl RunTotals {
    /// How many runs there are.
    #[must_use]
    pub fn runs(&self) -> i64 {
        self.results.values().sum()
    }
}

event::row! {
    /// How often gates were asked about an adapter: a row of `sql/policy/gate.sql`.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct GateCount {
        /// The adapter.
        pub adapter: String,
        pub gates: i64,
        /// How often a person had to approve.
        pub approvals: i64,
    }
}

event::row! {
    struct TotalRow {
        result: String,
        risk: Option<RiskLevel>,
        is_rolled_back: bool,
        is_overridden: bool,
        is_about_shell: bool,
        runs: i64,
        counted: i64,
        first_seq: i64,
        last_seq: i64,
        last_us: Option<i64>,
        last_counted_us: Option<i64>,
    }
}

/// Reads the rows of `sql/policy/total.sql`.
pub fn parse_totals(rows: &Rows) -> Outcome<RunTotals> {
    let mut totals = RunTotals::default();
    for row in rows.read::<TotalRow>()? {
        let signs = [
            (Constraint::MutationScope, row.is_rolled_back),
            (Constraint::ApprovalPauses, row.is_overridden),
            (Constraint::ShellPatternBlocklist, row.is_about_shell),
        ];
        for (constraint, _) in signs.into_iter().filter(|(_, is_sign)| *is_sign) {
            let suggested = totals.suggested.entry(constraint).or_default();
            suggested.made += row.runs;
            suggested.last_sequence = suggested.last_sequence.max(row.last_seq);
        }
        *totals.results.entry(row.result).or_default() += row.runs;
        if let Some(risk) = row.risk {
            *totals.risks.entry(risk).or_default() += row.counted;
            totals.last_risk_micros = totals.last_risk_micros.max(row.last_counted_us);
        }
        let (from, to) = totals.reach.unwrap_or((i64::MAX, i64::MIN));
        totals.reach = Some((from.min(row.first_seq), to.max(row.last_seq)));
        totals.last_micros = totals.last_micros.max(row.last_us);
    }
    Ok(totals)
}

event::row! {
    struct RefusedRow {
        code: String,
        lines: i64,
    }
}

/// Reads the rows of `sql/policy/refusal.sql`.
pub fn parse_refused_runs(rows: &Rows) -> Outcome<Vec<(String, i64)>> {
    Ok(rows.read::<RefusedRow>()?.into_iter().map(|row| (row.code, row.lines)).collect())
}
