//! A pattern with its figures: one row of the published table, and what every report is made from.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::evidence::Evidence;
use super::flag::{Flag, Standing, choose_flag};
use super::rate::{bin_confidence, credited_weight, interval, real, success_rate};
use crate::pattern::{Pattern, is_tool_scope};
use setting::Settings;

/// A pattern with its figures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Score {
    /// The pattern's id.
    pub id: String,
    /// What people have made of it.
    pub state: String,
    /// What sort of lesson it is.
    pub category: String,
    /// The lesson in a sentence.
    pub summary: String,
    /// When it applies.
    pub trigger: Option<String>,
    /// Who it is for.
    pub scope: Option<String>,
    /// The repository it holds for.
    pub repo: String,
    /// The agents it is for.
    pub applies_to: Vec<String>,
    /// What it is about.
    pub tags: Vec<String>,
    /// How often it was shown or used.
    pub seen: i64,
    /// How often agents say that they used it.
    pub applied: i64,
    /// How often it was shown and no use was reported.
    pub injected: i64,
    /// How often it was held back on purpose.
    pub withheld: i64,
    /// Number of times it was offered beside a tool call, which has no weight.
    #[serde(default)]
    pub offered: i64,
    /// How often it was used with a citation that does not hold.
    pub unverified: i64,
    /// How often it was used and the goal was met.
    pub met: i64,
    /// How often it was used and no goal was judged.
    pub unjudged: i64,
    /// How often it was used, the goal was missed, and its relevance is known.
    pub missed_rated: i64,
    /// How often it was used, the goal was missed, and its relevance is not known.
    pub missed_unrated: i64,
    /// How often it was used where a build judges the work.
    #[serde(default)]
    pub built: i64,
    /// How often that build failed.
    #[serde(default)]
    pub build_failed: i64,
    /// How often it was held back and the goal was met all the same.
    pub withheld_met: i64,
    /// How often it was held back and the goal was missed.
    pub withheld_missed: i64,
    /// `goal-weighted` where goals were judged, else `simple`.
    pub mode: String,
    /// The successes that are counted, in parts of one where a goal was missed.
    pub weight: f64,
    /// The successes for each sighting.
    pub rate: Option<f64>,
    /// The lower end of the rate's interval, at 90 percent.
    pub lower: Option<f64>,
    /// The upper end of the rate's interval, at 90 percent.
    pub upper: Option<f64>,
    /// The successes for each use: what `rate` would be if showing a pattern cost nothing.
    pub applied_rate: Option<f64>,
    /// The bin of the rate.
    pub confidence: String,
    /// The flag.
    pub flag: String,
    /// Why it is flagged.
    pub flag_reason: String,
    /// Whether the interval supports the flag.
    pub is_settled: bool,
    /// For how many iterations it was not seen.
    pub iterations_since: i64,
    /// When it was first seen.
    pub first_seen: Option<String>,
    /// When it was last seen.
    pub last_seen: Option<String>,
    /// When an agent last said that it used it.
    #[serde(default)]
    pub last_used: Option<String>,
    /// How often its lesson was captured.
    pub captures: i64,
    /// When its lesson was first captured.
    pub learned: String,
    /// When its lesson was last captured.
    #[serde(default)]
    pub last_captured: String,
    /// The event of that capture.
    pub source_event: String,
    /// The inbox file it stands in.
    pub source_file: String,
    /// The line there.
    pub source_line: i64,
    /// Who decided about it last, and why.
    pub note: Option<String>,
    /// The files that it was learned in, as paths from the top of their repository.
    #[serde(default)]
    pub files: Vec<String>,
    /// How often another store had seen it.
    pub prior_seen: Option<i64>,
    /// The rate that another store gave it.
    pub prior_rate: Option<f64>,
}

/// What a pattern's figures rest on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Basis {
    /// What was counted.
    pub evidence: Evidence,
    /// The rate, where another way of counting gives it.
    pub fixed: Option<(f64, f64)>,
    /// For how many iterations it was not seen.
    pub iterations_since: u64,
    /// Whether that is too long.
    pub is_stale: bool,
}

/// Works out a pattern's figures.
#[must_use]
pub fn score_pattern(pattern: &Pattern, basis: &Basis, settings: &Settings) -> Score {
    let evidence = &basis.evidence;
    let (weight, rate) = if let Some((weight, rate)) = basis.fixed {
        (weight, Some(rate))
    } else {
        let weight = credited_weight(evidence, &settings.rate);
        (weight, success_rate(weight, evidence.seen))
    };
    let reach = rate.map(|rate| interval(rate, evidence.seen));
    let flag = choose_flag(Standing { seen: evidence.seen, rate, is_stale: basis.is_stale }, &settings.flag);
    let first = pattern.sightings.first();
    Score {
        id: pattern.id(),
        state: pattern.state.name().to_owned(),
        category: pattern.category.name().to_owned(),
        summary: pattern.summary.clone(),
        trigger: pattern.trigger.clone(),
        scope: pattern.scope.clone(),
        repo: pattern.repo.clone(),
        applies_to: pattern.applies_to.clone(),
        tags: pattern.tags.clone(),
        seen: evidence.seen,
        applied: evidence.applied,
        injected: evidence.injected,
        withheld: evidence.withheld,
        offered: evidence.offered,
        unverified: evidence.unverified,
        met: evidence.met,
        unjudged: evidence.unjudged,
        missed_rated: evidence.missed_rated,
        missed_unrated: evidence.missed_unrated,
        built: evidence.built,
        build_failed: evidence.build_failed,
        withheld_met: evidence.withheld_met,
        withheld_missed: evidence.withheld_missed,
        mode: if evidence.judged > 0 && settings.rate.goal_weighted { "goal-weighted" } else { "simple" }.to_owned(),
        weight,
        rate,
        lower: reach.map(|reach| reach.lower),
        upper: reach.map(|reach| reach.upper),
        applied_rate: (evidence.applied > 0).then(|| (weight / real(evidence.applied)).clamp(0.0, 1.0)),
        confidence: match rate {
            Some(rate) => bin_confidence(rate, &settings.confidence).name().to_owned(),
            None => prior_confidence(pattern),
        },
        flag: flag.name().to_owned(),
        flag_reason: reason(flag, basis, rate, settings),
        is_settled: is_settled(flag, reach.map(|reach| reach.upper), settings),
        iterations_since: basis.iterations_since.try_into().unwrap_or(i64::MAX),
        first_seen: evidence.first_micros.map(time_text),
        last_seen: evidence.last_micros.map(time_text),
        last_used: evidence.used_micros.map(time_text),
        captures: pattern.sightings.len().try_into().unwrap_or(i64::MAX),
        last_captured: pattern.sightings.iter().map(|sighting| sighting.time_micros).max().map(time_text).unwrap_or_default(),
        learned: first.map(|sighting| time_text(sighting.time_micros)).unwrap_or_default(),
        source_event: first.map(|sighting| sighting.event.clone()).unwrap_or_default(),
        source_file: first.map(|sighting| sighting.file.clone()).unwrap_or_default(),
        source_line: first.map(|sighting| sighting.line).unwrap_or_default(),
        note: pattern.note.clone(),
        files: pattern.files.clone(),
        prior_seen: pattern.prior.seen,
        prior_rate: pattern.prior.rate,
    }
}

impl Score {
    /// The flag.
    #[must_use]
    pub fn flag(&self) -> Flag {
        Flag::from_name(&self.flag).unwrap_or(Flag::None)
    }

    /// Whether the pattern is in use.
    #[must_use]
    pub fn is_in_use(&self) -> bool {
        matches!(&*self.state, "learned" | "promoted")
    }

    /// Whether it is a lesson for the organisation, rather than about the tool itself.
    #[must_use]
    pub fn is_for_organisation(&self) -> bool {
        !is_tool_scope(self.scope.as_deref())
    }

    /// How often it was seen, here or where it was taken over from.
    #[must_use]
    pub fn known_seen(&self) -> i64 {
        if self.seen > 0 { self.seen } else { self.prior_seen.unwrap_or(0) }
    }

    /// Its rate, from here or from where it was taken over.
    #[must_use]
    pub fn known_rate(&self) -> Option<f64> {
        self.rate.or(self.prior_rate)
    }
}

/// The confidence of an unseen pattern is its writer's, or medium if none was given.
fn prior_confidence(pattern: &Pattern) -> String {
    let said = pattern.prior.confidence.as_deref().filter(|word| matches!(*word, "high" | "medium" | "low"));
    said.unwrap_or("medium").to_owned()
}

fn reason(flag: Flag, basis: &Basis, rate: Option<f64>, settings: &Settings) -> String {
    let rate = rate.unwrap_or_default();
    let seen = basis.evidence.seen;
    match flag {
        Flag::None => String::new(),
        Flag::Untested => "not seen yet".to_owned(),
        Flag::Review => format!("rate {rate:.2} after {seen} sightings is below {:.2}", settings.flag.review_below),
        Flag::Prune => format!(
            "rate {rate:.2} is below {:.2} after {seen} sightings (more than {})",
            settings.flag.prune_below, settings.flag.prune_over
        ),
        Flag::Stale => {
            format!("not seen for {} iterations; the limit is {}", basis.iterations_since, settings.flag.stale_after)
        }
    }
}

/// A low rate is settled when all of its interval lies below the threshold. The other flags are matters of fact.
fn is_settled(flag: Flag, upper: Option<f64>, settings: &Settings) -> bool {
    match flag {
        Flag::Review => upper.is_some_and(|upper| upper < settings.flag.review_below),
        Flag::Prune => upper.is_some_and(|upper| upper < settings.flag.prune_below),
        Flag::None | Flag::Untested | Flag::Stale => true,
    }
}

fn time_text(micros: i64) -> String {
    Timestamp::from_microsecond(micros).map(|time| time.to_string()).unwrap_or_default()
}
