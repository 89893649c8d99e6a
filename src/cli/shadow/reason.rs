//! Why two figures differ: the rows behind each, joined by their ids, and the rule by which a row counts otherwise.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Value, json};

/// A rule by which both tools differ. `docs/differences.md` explains each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rule {
    Matching,
    Silence,
    OwnEvents,
    Citation,
    Goal,
    Relevance,
    Build,
    Staleness,
    History,
    RefusedRows,
    AnotherLog,
    Unexplained,
}

impl Rule {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Matching => "matching",
            Self::Silence => "silence",
            Self::OwnEvents => "own-events",
            Self::Citation => "citation",
            Self::Goal => "goal",
            Self::Relevance => "relevance",
            Self::Build => "build",
            Self::Staleness => "staleness",
            Self::History => "history",
            Self::RefusedRows => "refused-rows",
            Self::AnotherLog => "another-log",
            Self::Unexplained => "unexplained",
        }
    }

    pub(super) const fn explain(self) -> &'static str {
        match self {
            Self::Matching => {
                "a row counts for the one pattern that its text fits best; ClosedLoop counts it for every pattern it matches"
            }
            Self::Silence => {
                "a pattern that was shown and not used counts only where it could have been used; ClosedLoop counts it always"
            }
            Self::OwnEvents => "Outerloop's hooks told of an exposure that ClosedLoop's log does not hold, or does not hold alone",
            Self::Citation => {
                "each claim is checked by its own places, once, against what its iteration changed; ClosedLoop checks all acknowledgments again each time"
            }
            Self::Goal => {
                "the goal of the row's own iteration counts, else the latest; ClosedLoop takes the first that was appended"
            }
            Self::Relevance => {
                "relevance is rated for the pattern; ClosedLoop looks ids up in texts, and takes 0.5 or a goal's result"
            }
            Self::Build => "a failed build lowers the weight as `rate.failed_build` says; ClosedLoop never reads builds",
            Self::Staleness => {
                "iterations count in time order, also those without any application; ClosedLoop compares their numbers across runs"
            }
            Self::History => "what was not seen here counts in part; ClosedLoop keeps the old figures and flags it as untested",
            Self::RefusedRows => "rows that cannot be read are in quarantine; ClosedLoop reads their figures and not their times",
            Self::AnotherLog => {
                "ClosedLoop's own rules do not give this on this log: it keeps one pattern file for all projects, and the last run to count \
                 it counted another log, or an earlier state of this one"
            }
            Self::Unexplained => "not explained: please report it with the logs",
        }
    }
}

/// A row behind a figure, as `outerloop explain --json` lists it.
#[derive(Debug, Clone, Deserialize)]
struct Row {
    event: String,
    run_id: String,
    iteration: Option<i64>,
    agent: Option<String>,
    tier: String,
    is_unverified: bool,
    is_goal_met: Option<bool>,
    relevance: Option<f64>,
    is_build_failed: Option<bool>,
    /// None if it does not count.
    weight: Option<f64>,
    /// Why it does not count.
    passed_over: Option<String>,
}

/// What one tool's rules make of a pattern.
#[derive(Debug, Clone, Deserialize)]
struct Figures {
    seen: i64,
    rate: Option<f64>,
    expected: Option<f64>,
    history: f64,
    prior_rate: Option<f64>,
    iterations_since: i64,
}

/// Why a pattern has its figures.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Account {
    pattern: Figures,
    applications: Vec<Row>,
}

impl Account {
    fn counted(&self) -> impl Iterator<Item = (&Row, f64)> {
        self.applications.iter().filter_map(|row| Some((row, row.weight?)))
    }

    fn sum(&self) -> f64 {
        self.counted().map(|(_, weight)| weight).sum()
    }

    /// Whether the rows add up to the figures.
    fn is_sound(&self) -> bool {
        let Figures { seen, rate, expected, history, prior_rate, .. } = self.pattern;
        if usize::try_from(seen).ok() != Some(self.counted().count()) {
            return false;
        }
        let near = |one: f64, other: f64| (one - other).abs() < 5e-7;
        let of_rows = (seen > 0).then(|| (self.sum() / learn::real(seen)).clamp(0.0, 1.0));
        let is_rate_sound = match (of_rows, rate) {
            (Some(of_rows), Some(rate)) => near(of_rows, rate),
            (of_rows, rate) => of_rows.is_none() && rate.is_none(),
        };
        let mixed = (self.sum() + history * prior_rate.unwrap_or(0.0)) / (learn::real(seen) + history);
        is_rate_sound && (history <= 0.0 || expected.is_some_and(|expected| near(expected, mixed)))
    }

    /// The arithmetic behind the rate.
    fn arithmetic(&self) -> String {
        let Figures { seen, history, prior_rate, .. } = self.pattern;
        let (sum, more) = (self.sum(), history > 0.0);
        let above = if more { format!("{sum:.4} + {history} * {:.2}", prior_rate.unwrap_or(0.0)) } else { format!("{sum:.4}") };
        let below = if more { format!("{seen} + {history}") } else { seen.to_string() };
        format!("({above}) / ({below})")
    }
}

/// A row that counts otherwise, and why.
#[derive(Debug, Clone)]
struct Cause {
    rule: Rule,
    row: Row,
    theirs: Option<f64>,
    ours: Option<f64>,
}

/// Both tools' rows of one pattern, compared.
#[derive(Debug, Clone)]
pub(super) struct Accounts {
    theirs: Account,
    ours: Account,
    causes: Vec<Cause>,
}

impl Accounts {
    pub(super) fn new(theirs: Account, ours: Account) -> Self {
        let causes = compare(&theirs, &ours);
        Self { theirs, ours, causes }
    }

    fn rules(&self, is_meant: impl Fn(&Cause) -> bool) -> Vec<Rule> {
        let mut rules: Vec<Rule> = self.causes.iter().filter(|cause| is_meant(cause)).map(|cause| cause.rule).collect();
        rules.sort_unstable();
        rules.dedup();
        rules
    }

    /// The rules that made the difference in a column of the pattern file.
    pub(super) fn reasons(&self, column: &str, theirs: &str, ours: &str) -> Vec<Rule> {
        const STALE: &str = "[STALE]";
        let mut rules = match column {
            "seen_count" => self.rules(|cause| cause.theirs.is_none() != cause.ours.is_none()),
            "flags" if (theirs == STALE) != (ours == STALE) && theirs != "[PRUNE]" && ours != "[PRUNE]" => Vec::new(),
            _ => self.rules(|_| true),
        };
        if column == "flags"
            && self.theirs.pattern.iterations_since != self.ours.pattern.iterations_since
            && [theirs, ours].contains(&STALE)
        {
            rules.push(Rule::Staleness);
        }
        if column != "seen_count" && self.ours.pattern.history > 0.0 && !rules.contains(&Rule::Staleness) {
            rules.push(Rule::History);
        }
        if rules.is_empty() || !self.theirs.is_sound() || !self.ours.is_sound() {
            rules.push(Rule::Unexplained);
        }
        rules
    }

    pub(super) fn as_json(&self) -> Value {
        let rows: Vec<Value> = self
            .causes
            .iter()
            .map(|Cause { rule, row, theirs, ours }| {
                json!({"rule": rule.name(), "event": row.event, "run": row.run_id, "iteration": row.iteration, "agent": row.agent,
                    "matched_by": row.tier, "theirs": theirs, "ours": ours})
            })
            .collect();
        json!({"theirs": self.theirs.arithmetic(), "ours": self.ours.arithmetic(), "rows": rows})
    }

    /// The arithmetic of both, and the first rows of each rule, for people.
    pub(super) fn tell(&self) -> Vec<String> {
        const SHOWN: usize = 3;
        let mut lines = vec![format!("ClosedLoop {}, Outerloop {}", self.theirs.arithmetic(), self.ours.arithmetic())];
        let weight = |weight: Option<f64>| weight.map_or_else(|| "not counted".to_owned(), |weight| weight.to_string());
        for rule in self.rules(|_| true) {
            let causes: Vec<&Cause> = self.causes.iter().filter(|cause| cause.rule == rule).collect();
            for Cause { row, theirs, ours, .. } in causes.iter().take(SHOWN) {
                lines.push(format!(
                    "  {}: run {} iteration {} {}, matched by {}: {} for ClosedLoop, {} for Outerloop",
                    rule.name(),
                    row.run_id,
                    row.iteration.unwrap_or(0),
                    row.agent.as_deref().unwrap_or("-"),
                    row.tier,
                    weight(*theirs),
                    weight(*ours)
                ));
            }
            if causes.len() > SHOWN {
                lines.push(format!("  {}: {} rows in all; --json lists them", rule.name(), causes.len()));
            }
        }
        lines
    }
}

/// The rows that count for one tool and not for the other, or for another weight.
fn compare(theirs: &Account, ours: &Account) -> Vec<Cause> {
    let own: BTreeMap<&str, &Row> = ours.applications.iter().map(|row| (&*row.event, row)).collect();
    let known: BTreeMap<&str, &Row> = theirs.applications.iter().map(|row| (&*row.event, row)).collect();
    let mut causes = Vec::new();
    for (row, weight) in theirs.counted() {
        let other = own.get(&*row.event);
        let ours = other.and_then(|other| other.weight);
        if ours == Some(weight) {
            continue;
        }
        let rule = match other {
            None => Rule::Matching,
            Some(Row { passed_over: Some(why), .. }) if why.contains("hooks too") => Rule::OwnEvents,
            Some(other) if other.weight.is_none() => Rule::Silence,
            Some(other) => rule_of(row, other),
        };
        causes.push(Cause { rule, row: row.clone(), theirs: Some(weight), ours });
    }
    for (row, weight) in ours.counted().filter(|(row, _)| !known.contains_key(&*row.event)) {
        // The ids of rows of ClosedLoop's log begin so.
        let rule = if row.event.starts_with("cl-") { Rule::Matching } else { Rule::OwnEvents };
        causes.push(Cause { rule, row: row.clone(), theirs: None, ours: Some(weight) });
    }
    causes
}

/// Why a row that both count has another weight.
fn rule_of(theirs: &Row, ours: &Row) -> Rule {
    if theirs.is_unverified != ours.is_unverified {
        Rule::Citation
    } else if theirs.is_goal_met != ours.is_goal_met {
        Rule::Goal
    } else if theirs.relevance != ours.relevance && ours.is_goal_met == Some(false) {
        Rule::Relevance
    } else if ours.is_build_failed == Some(true) {
        Rule::Build
    } else {
        Rule::Unexplained
    }
}
