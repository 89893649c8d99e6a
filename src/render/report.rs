//! The report of a generation: what was learned, from what, and by which rules.

use std::collections::BTreeMap;

use serde::Serialize;

use super::observation::ObservationReport;
use super::policy::PolicyReport;
use super::role::RoleReport;
use super::toon::Row;
use event::row::{Rows, number_at, text_at};
use learn::pattern::{Book, Category};
use learn::statistics::GoalStatistics;
use learn::timing::TimingSummary;
use learn::{Attribution, Flag, Ranking, Score};
use setting::{Figures, Settings};
use text::diagnostic::Outcome;
use text::program::Program;

/// The report of a generation. A function of the log, the settings and the instant, and of nothing else.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report<'s> {
    /// The instant it holds for.
    pub as_of: String,
    /// What was counted.
    pub totals: Totals,
    /// The patterns that work best.
    pub strongest: Vec<Line>,
    /// The patterns that work worst.
    pub weakest: Vec<Line>,
    /// The patterns that are flagged, with why.
    pub flagged: Vec<Line>,
    /// The patterns of the pattern file, in its order.
    pub published: Vec<Line>,
    /// How many patterns in use the cap left out of that file.
    pub dropped: usize,
    /// How captured lessons became patterns.
    pub merging: Merging,
    /// How runs reached their goals, by goal.
    pub goals: Vec<GoalStatistics>,
    /// Where the time of the most recent runs went.
    pub timing: TimingSummary,
    /// What roles have learned.
    pub roles: RoleReport,
    /// What was observed in transcripts.
    pub observations: ObservationReport,
    /// What finished runs say about adapters, agents and skills.
    pub policy: PolicyReport,
    /// Texts that most of the applications without a pattern quote.
    pub strangers: Vec<(String, i64)>,
    /// Lines that could not be taken, by reason.
    pub quarantine: Vec<Refusal>,
    /// Decisions about unknown patterns.
    pub void_decisions: Vec<VoidLine>,
    /// Lessons with an unknown category.
    pub odd_categories: u64,
    /// The program that made the report.
    pub program: Program,
    /// The SHA-256 of the prelude and of every body of `sql/`, by path.
    pub queries: BTreeMap<String, String>,
    /// The SHA-256 of the settings that figures depend on.
    pub settings_hash: String,
    /// Those settings.
    pub settings: Figures<'s>,
}

/// What was counted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Totals {
    /// Events by kind.
    pub events: Vec<Holding>,
    /// Applications of patterns.
    pub applications: i64,
    /// Applications that match no pattern.
    pub unattributed: i64,
    /// Patterns that are known.
    pub patterns: usize,
    /// Patterns in use.
    pub in_use: usize,
    /// Patterns that people retired.
    pub retired: usize,
    /// Patterns that people rejected.
    pub rejected: usize,
    /// Patterns in use by flag.
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

/// A captured lesson that was refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RejectedLesson {
    /// The event's id.
    pub id: String,
    /// The project it was learned in.
    pub project: String,
    /// The lesson.
    pub summary: String,
    /// Who refused it.
    pub classifier: String,
    /// Why.
    pub reason: String,
}

/// How many events of a kind there are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Holding {
    /// The kind.
    pub kind: String,
    /// How many.
    pub events: i64,
    /// The first, in microseconds since 1970.
    pub first_micros: i64,
    /// The last, in microseconds since 1970.
    pub last_micros: i64,
}

/// How many patterns carry a flag.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FlagCount {
    /// The flag; empty for none.
    pub flag: &'static str,
    /// How many.
    pub patterns: usize,
}

/// Why lines could not be taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Refusal {
    /// The reason's name.
    pub code: String,
    /// How many lines.
    pub lines: i64,
    /// The reason in words, of one of them.
    pub example: String,
}

/// A decision about a pattern that nobody knew.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct VoidLine {
    /// The pattern it names.
    pub pattern_id: String,
    /// Who decided.
    pub actor: String,
    /// Where it stands.
    pub place: String,
}

/// A pattern in a report.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Line {
    /// Its id.
    pub id: String,
    /// The lesson.
    pub summary: String,
    /// How often it was seen.
    pub seen: i64,
    /// The successes for each sighting.
    pub rate: Option<f64>,
    /// The lower end of the rate's interval, at 90 percent.
    pub lower: Option<f64>,
    /// The upper end of the rate's interval, at 90 percent.
    pub upper: Option<f64>,
    /// The successes for each use.
    pub applied_rate: Option<f64>,
    /// The bin of the rate.
    pub confidence: String,
    /// The flag.
    pub flag: String,
    /// Why it is flagged.
    pub reason: String,
    /// Whether the interval supports the flag.
    pub is_settled: bool,
    /// When it was last seen.
    pub last_seen: Option<String>,
}

impl Line {
    fn new(score: &Score) -> Self {
        Self {
            id: score.id.clone(),
            summary: score.summary.clone(),
            seen: score.seen,
            rate: score.rate,
            lower: score.lower,
            upper: score.upper,
            applied_rate: score.applied_rate,
            confidence: score.confidence.clone(),
            flag: score.flag.clone(),
            reason: score.flag_reason.clone(),
            is_settled: score.is_settled,
            last_seen: score.last_seen.clone(),
        }
    }
}

/// What a report is made from.
pub struct Material<'m> {
    /// The instant it holds for.
    pub as_of: String,
    /// The pattern book.
    pub book: &'m Book,
    /// The patterns with their figures, by number.
    pub scores: &'m [Score],
    /// Their order for each purpose.
    pub ranking: &'m Ranking,
    /// Which events count for which pattern.
    pub attribution: &'m Attribution,
    /// How many events there are.
    pub holdings: Vec<Holding>,
    /// Why lines could not be taken.
    pub refusals: Vec<Refusal>,
    /// How many lessons are about the tool itself.
    pub tool_lessons: usize,
    /// How many captured lessons wait for a classification.
    pub waiting: usize,
    /// The captured lessons that were refused, the latest first.
    pub rejections: Vec<RejectedLesson>,
    /// How runs reached their goals.
    pub goals: Vec<GoalStatistics>,
    /// Where the time of the most recent runs went.
    pub timing: TimingSummary,
    /// What roles have learned.
    pub roles: RoleReport,
    /// What was observed in transcripts.
    pub observations: ObservationReport,
    /// What finished runs say.
    pub policy: PolicyReport,
    /// The program that makes the report.
    pub program: Program,
    /// The SHA-256 of the prelude and of every body of `sql/`, by path.
    pub queries: BTreeMap<String, String>,
    /// The hash of the settings.
    pub settings_hash: String,
}

/// Makes the report.
#[must_use]
pub fn make_report<'s>(material: Material<'_>, settings: &'s Settings) -> Report<'s> {
    let Material { scores, ranking, .. } = material;
    let lines = |places: &[usize]| places.iter().map(|&place| Line::new(&scores[place])).collect::<Vec<_>>();
    Report {
        totals: totals(&material),
        merging: merging(&material),
        strongest: lines(&ranking.strongest),
        weakest: lines(&ranking.weakest),
        flagged: lines(&ranking.flagged),
        published: lines(&ranking.published),
        dropped: ranking.dropped,
        strangers: material.attribution.strangers.clone(),
        void_decisions: material.book.void_decisions().iter().map(void_line).collect(),
        odd_categories: material.book.odd_categories(),
        program: material.program.clone(),
        queries: material.queries.clone(),
        as_of: material.as_of,
        goals: material.goals,
        timing: material.timing,
        roles: material.roles,
        observations: material.observations,
        policy: material.policy,
        quarantine: material.refusals,
        settings_hash: material.settings_hash,
        settings: settings.figures(),
    }
}

fn totals(material: &Material<'_>) -> Totals {
    let scores = material.scores;
    let in_state = |state: &str| scores.iter().filter(|score| score.state == state).count();
    let in_use = || scores.iter().filter(|score| score.is_in_use());
    let applications = material.holdings.iter().find(|holding| holding.kind == "application").map_or(0, |holding| holding.events);
    Totals {
        events: material.holdings.clone(),
        applications,
        unattributed: material.attribution.unattributed,
        patterns: scores.len(),
        in_use: in_use().count(),
        retired: in_state("retired"),
        rejected: in_state("rejected"),
        flags: Flag::ALL
            .into_iter()
            .map(|flag| FlagCount { flag: flag.name(), patterns: in_use().filter(|score| score.flag() == flag).count() })
            .collect(),
    }
}

fn merging(material: &Material<'_>) -> Merging {
    /// How many refusals are shown.
    const SHOWN: usize = 10;
    let captures: usize = material.book.patterns().map(|pattern| pattern.sightings.len()).sum();
    let added = material.book.patterns().count();
    Merging {
        added,
        merged: captures - added,
        pruned: material.scores.iter().filter(|score| score.is_in_use() && score.flag() == Flag::Prune).count(),
        tool_lessons: material.tool_lessons,
        waiting: material.waiting,
        rejected: material.rejections.len(),
        rejections: material.rejections.iter().take(SHOWN).cloned().collect(),
    }
}

fn void_line(decision: &learn::pattern::VoidDecision) -> VoidLine {
    VoidLine {
        pattern_id: decision.pattern_id.clone(),
        actor: decision.actor.clone(),
        place: format!("{}:{}", decision.file, decision.line),
    }
}

/// The rows of the pattern file.
#[must_use]
pub fn toon_rows(scores: &[Score], places: &[usize]) -> Vec<Row> {
    places.iter().map(|&place| toon_row(&scores[place])).collect()
}

fn toon_row(score: &Score) -> Row {
    let everyone = |list: &[String]| if list.is_empty() { "*".to_owned() } else { list.join("|") };
    Row {
        id: score.id.clone(),
        category: Category::from_name(&score.category).unwrap_or(Category::Pattern).family().name().to_owned(),
        summary: score.summary.clone(),
        confidence: score.confidence.clone(),
        seen_count: score.known_seen().try_into().unwrap_or(0),
        success_rate: score.known_rate(),
        flags: score.flag().tag(),
        applies_to: everyone(&score.applies_to),
        context: score.tags.join("|"),
        repo: score.repo.clone(),
    }
}

/// Reads the rows of `sql/holding.sql`.
pub fn parse_holdings(rows: &Rows) -> Outcome<Vec<Holding>> {
    let mut holdings = Vec::new();
    for part in rows.parts() {
        let (kinds, events) = (part.texts("kind")?, part.numbers("events")?);
        let (firsts, lasts) = (part.times("first_ts")?, part.times("last_ts")?);
        holdings.extend((0..part.len()).map(|row| Holding {
            kind: text_at(kinds, row).unwrap_or_default(),
            events: number_at(events, row).unwrap_or_default(),
            first_micros: firsts.value(row),
            last_micros: lasts.value(row),
        }));
    }
    Ok(holdings)
}

/// Reads the rows of `sql/rejection.sql`.
pub fn parse_rejections(rows: &Rows) -> Outcome<Vec<RejectedLesson>> {
    let mut rejections = Vec::with_capacity(rows.count());
    for part in rows.parts() {
        let (ids, projects, summaries) = (part.texts("id")?, part.texts("project")?, part.texts("summary")?);
        let (classifiers, reasons) = (part.texts("classifier")?, part.texts("reason")?);
        rejections.extend((0..part.len()).map(|row| RejectedLesson {
            id: text_at(ids, row).unwrap_or_default(),
            project: text_at(projects, row).unwrap_or_default(),
            summary: text_at(summaries, row).unwrap_or_default(),
            classifier: text_at(classifiers, row).unwrap_or_default(),
            reason: text_at(reasons, row).unwrap_or_default(),
        }));
    }
    Ok(rejections)
}

/// Reads the rows of `sql/refusal.sql`.
pub fn parse_refusals(rows: &Rows) -> Outcome<Vec<Refusal>> {
    let mut refusals = Vec::new();
    for part in rows.parts() {
        let (codes, lines, examples) = (part.texts("code")?, part.numbers("lines")?, part.texts("example")?);
        refusals.extend((0..part.len()).map(|row| Refusal {
            code: text_at(codes, row).unwrap_or_default(),
            lines: number_at(lines, row).unwrap_or_default(),
            example: text_at(examples, row).unwrap_or_default(),
        }));
    }
    Ok(refusals)
}
