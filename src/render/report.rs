//! The report of a generation: what was learned, from what, and by which rules.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};
use serde_json::json;

use super::observation::ObservationReport;
use super::overview::Overview;
use super::policy::PolicyReport;
use super::role::RoleReport;
use super::toon::Row;
use super::truth::TruthReport;
use event::cell::Micros;
use learn::pattern::{Registry, State, VoidDecision};
use learn::statistics::GoalStatistics;
use learn::timing::TimingSummary;
use learn::{Attribution, Flag, Ranking, Score};
use setting::Figures;
use text::program::Program;

/// The report of a generation. A function of the log, the settings and the instant, and of nothing else.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report<'s> {
    pub as_of: String,
    /// Whether it helps. Compat mode tosses no coin and says nothing of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub truth: Option<TruthReport<'s>>,
    /// What a reader should get in a minute.
    pub overview: Overview,
    pub totals: Totals,
    #[serde(serialize_with = "serialize_lines")]
    pub strongest: Vec<&'s Score>,
    #[serde(serialize_with = "serialize_lines")]
    pub weakest: Vec<&'s Score>,
    /// The patterns that are flagged, with why.
    #[serde(serialize_with = "serialize_lines")]
    pub flagged: Vec<&'s Score>,
    /// The patterns of the pattern file, in its order.
    #[serde(serialize_with = "serialize_lines")]
    pub published: Vec<&'s Score>,
    /// How many patterns in use the cap left out of that file.
    pub dropped: usize,
    /// How captured lessons became patterns.
    pub merging: Merging,
    /// How runs reached their goals, by goal.
    pub goals: Vec<GoalStatistics>,
    pub timing: TimingSummary,
    pub roles: RoleReport,
    pub observations: ObservationReport,
    /// What finished runs say about adapters, agents and skills.
    pub policy: PolicyReport,
    /// Texts that most of the applications without a pattern quote.
    pub strangers: Vec<(String, i64)>,
    /// Lines that could not be taken, by reason.
    pub quarantine: Vec<Refusal>,
    pub void_decisions: Vec<VoidLine>,
    /// Lessons with an unknown category.
    pub odd_categories: u64,
    pub program: Program,
    /// The SHA-256 of the prelude and of every body of `sql/`, by path.
    pub queries: BTreeMap<String, String>,
    /// The SHA-256 of the settings that figures depend on.
    pub settings_hash: String,
    pub settings: Figures<'s>,
}

/// What was counted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Totals {
    pub events: Vec<Holding>,
    pub applications: i64,
    /// Applications that match no pattern.
    pub unattributed: i64,
    pub patterns: usize,
    pub in_use: usize,
    pub retired: usize,
    pub rejected: usize,
    pub flags: Vec<FlagCount>,
}

/// How captured lessons became patterns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Merging {
    /// Patterns that lessons made.
    pub added: usize,
    /// Lessons that were the same as one before them.
    pub merged: usize,
    /// Patterns in use that are to be pruned.
    pub pruned: usize,
    /// Lessons about the tool itself, which have a file of their own.
    pub tool_lessons: usize,
    /// Captured lessons that wait for a classification.
    pub waiting: usize,
    /// Captured lessons that were refused.
    pub rejected: usize,
    /// The latest of these, with why.
    pub rejections: Vec<RejectedLesson>,
}

event::row! {
    /// A captured lesson that was refused.
    #[derive(Debug, Clone, PartialEq, Eq, Serialize)]
    pub struct RejectedLesson {
        pub id: String,
        pub project: String,
        pub summary: String,
        pub classifier: String,
        pub reason: String,
    }
}

event::row! {
    /// How many events of a kind there are.
    #[derive(Debug, Clone, PartialEq, Eq, Serialize)]
    pub struct Holding {
        pub kind: String,
        pub events: i64,
        pub first_micros: Micros = "first_ts",
        pub last_micros: Micros = "last_ts",
    }
}

/// How many patterns carry a flag.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FlagCount {
    pub flag: Flag,
    pub patterns: usize,
}

event::row! {
    /// Why lines could not be taken.
    #[derive(Debug, Clone, PartialEq, Eq, Serialize)]
    pub struct Refusal {
        pub code: String,
        pub lines: i64,
        /// The reason in words, of one of them.
        pub example: String,
    }
}

/// A decision about a pattern that nobody knew.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct VoidLine {
    pub pattern_id: String,
    pub actor: String,
    pub place: String,
}

/// Patterns as a report lists them.
fn serialize_lines<S: Serializer>(scores: &[&Score], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(scores.iter().map(|score| {
        json!({
            "id": score.id, "summary": score.summary, "seen": score.seen, "rate": score.rate, "lower": score.lower,
            "upper": score.upper, "tasks": score.tasks, "applied_rate": score.applied_rate, "confidence": score.confidence, "flag": score.flag,
            "reason": score.flag_reason, "is_settled": score.is_settled, "last_seen": score.last_seen,
        })
    }))
}

impl Totals {
    pub fn new(scores: &[Score], ranking: &Ranking, attribution: &Attribution, events: Vec<Holding>) -> Self {
        let in_state = |state: State| scores.iter().filter(|score| score.state == state).count();
        let flags = ranking.flags.iter().map(|&(flag, patterns)| FlagCount { flag, patterns });
        Self {
            applications: events.iter().find(|holding| holding.kind == "application").map_or(0, |holding| holding.events),
            events,
            unattributed: attribution.unattributed,
            patterns: scores.len(),
            in_use: scores.iter().filter(|score| score.is_in_use()).count(),
            retired: in_state(State::Retired),
            rejected: in_state(State::Rejected),
            flags: flags.collect(),
        }
    }
}

impl Merging {
    /// The captured lessons that were refused come with the latest first.
    pub fn new(
        registry: &Registry,
        ranking: &Ranking,
        tool_lessons: usize,
        waiting: usize,
        mut rejections: Vec<RejectedLesson>,
    ) -> Self {
        const SHOWN: usize = 10;
        let (rejected, added) = (rejections.len(), registry.patterns().count());
        rejections.truncate(SHOWN);
        Self {
            added,
            merged: registry.patterns().map(|pattern| pattern.sightings.len()).sum::<usize>() - added,
            pruned: ranking.flags.iter().filter(|(flag, _)| *flag == Flag::Prune).map(|(_, patterns)| patterns).sum(),
            tool_lessons,
            waiting,
            rejected,
            rejections,
        }
    }
}

impl From<&VoidDecision> for VoidLine {
    fn from(VoidDecision { pattern_id, actor, file, line }: &VoidDecision) -> Self {
        Self { pattern_id: pattern_id.clone(), actor: actor.clone(), place: format!("{file}:{line}") }
    }
}

/// The rows of the pattern file.
pub fn toon_rows(scores: &[Score], places: &[usize]) -> Vec<Row> {
    places.iter().map(|&place| toon_row(&scores[place])).collect()
}

fn toon_row(score: &Score) -> Row {
    // ClosedLoop's reader takes `*` for everybody only where it stands alone.
    let is_for_all = |list: &[String]| list.is_empty() || list.iter().any(|name| name == "*");
    let everyone = |list: &[String]| if is_for_all(list) { "*".to_owned() } else { list.join("|") };
    Row {
        id: score.id.clone(),
        category: score.category.family().name().to_owned(),
        summary: score.summary.clone(),
        confidence: score.confidence.name().to_owned(),
        seen_count: score.known_seen().try_into().unwrap_or(0),
        success_rate: score.known_rate(),
        flags: score.flag.tag(),
        applies_to: everyone(&score.applies_to),
        context: score.tags.join("|"),
        repo: score.repo.clone(),
    }
}
