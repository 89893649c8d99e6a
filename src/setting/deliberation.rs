//! The settings of what is learned from roles' deliberations.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use text::diagnostic::{Diagnostic, Outcome};

/// What is learned from roles' deliberations.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct DeliberationSettings {
    /// Sayings of one role that share this part of their words are one pattern.
    pub overlap: f64,
    /// Whether a role that repeats what it was shown confirms it.
    pub echo_confirms: bool,
    /// From so many sightings on, a pattern is a candidate.
    pub candidate_seen: u32,
    /// From so many sightings on, in enough contexts, it is verified.
    pub verified_seen: u32,
    /// From so many contexts on, it is verified.
    pub verified_contexts: u32,
    /// A pattern that was not used for more days than these is deprecated, unless it is immune to decay.
    pub idle_days: f64,
    /// A pattern that others were preferred to so often is deprecated.
    pub most_skips: u32,
    /// A pattern that was reinforced so often is trusted: if it is then rejected, that is a regression.
    pub trusted_from: u32,
    /// What counts against a pattern that a validator rejects.
    pub penalty: f64,
    /// The same for the patterns of some roles.
    pub penalties: BTreeMap<String, f64>,
    /// Whether a rejection counts only if the validator gives evidence for it.
    pub rejection_needs_evidence: bool,
    /// The weakest evidence that lets a verdict reinforce: 1 execution output, 2 a quotation with its place, 3 reasoning.
    pub weakest_evidence: i64,
    /// How many patterns a verdict reinforces that were learned at the files it is about.
    pub reinforced_by_file: usize,
    /// How many it reinforces where none was.
    pub reinforced: usize,
    /// What counts against the patterns of a run whose work did not hold.
    pub failed_outcome: f64,
    /// A rejected finding is a pattern that shares this part of its words.
    pub rejected_overlap: f64,
    /// And at least so many of them.
    pub rejected_words: usize,
    /// When people should have a look.
    pub review: ReviewSettings,
    /// What roles are held against.
    pub insight: InsightSettings,
}

impl Default for DeliberationSettings {
    fn default() -> Self {
        Self {
            overlap: 0.80,
            echo_confirms: false,
            candidate_seen: 2,
            verified_seen: 3,
            verified_contexts: 2,
            idle_days: 42.0,
            most_skips: 10,
            trusted_from: 3,
            penalty: 1.0,
            penalties: ["inspector", "sentinel"].map(|role| (role.to_owned(), 1.5)).into(),
            rejection_needs_evidence: false,
            weakest_evidence: 2,
            reinforced_by_file: 5,
            reinforced: 3,
            failed_outcome: 0.5,
            rejected_overlap: 0.60,
            rejected_words: 3,
            review: ReviewSettings::default(),
            insight: InsightSettings::default(),
        }
    }
}

impl DeliberationSettings {
    /// What counts against a pattern of a role that a validator rejects.
    #[must_use]
    pub fn penalty_of(&self, role: &str) -> f64 {
        self.penalties.iter().find(|(known, _)| known.eq_ignore_ascii_case(role)).map_or(self.penalty, |(_, penalty)| *penalty)
    }
}

/// When people should have a look at what roles have learned.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct ReviewSettings {
    /// Patterns of one role that share this part of their words may be one.
    pub overlap: f64,
    /// A pattern of which more than this part of what counts is against it may be wrong.
    pub rejected: f64,
    /// Above this part of stale patterns the state is critical.
    pub critical_stale: f64,
    /// Above so many pairs that may be one it is critical.
    pub critical_pairs: usize,
    /// Up to this part of stale patterns the state is good.
    pub good_stale: f64,
    /// If there are at most so many pairs that may be one.
    pub good_pairs: usize,
}

impl Default for ReviewSettings {
    fn default() -> Self {
        Self { overlap: 0.6, rejected: 0.5, critical_stale: 0.5, critical_pairs: 10, good_stale: 0.2, good_pairs: 2 }
    }
}

/// What roles are held against.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct InsightSettings {
    /// Below this part of passes a role is flagged.
    pub low_pass: f64,
    /// If it has at least so many runs.
    pub low_pass_runs: u32,
    /// Below this agreement a role and its validator are misaligned.
    pub misaligned: f64,
    /// Above this agreement they are well calibrated.
    pub calibrated: f64,
    /// Above this agreement a validator that is also more lenient may only nod.
    pub nodding: f64,
    /// With fewer runs than these, data are thin.
    pub thin_runs: u32,
    /// A trend compares so many days with as many before them.
    pub trend_days: u32,
}

impl Default for InsightSettings {
    fn default() -> Self {
        Self { low_pass: 0.5, low_pass_runs: 2, misaligned: 0.70, calibrated: 0.90, nodding: 0.85, thin_runs: 10, trend_days: 14 }
    }
}

/// What is divided by or compared with must be a number that makes sense.
pub(super) fn check(settings: &DeliberationSettings) -> Outcome<()> {
    let (review, insight) = (&settings.review, &settings.insight);
    let parts = [
        ("overlap", settings.overlap),
        ("rejected_overlap", settings.rejected_overlap),
        ("review.overlap", review.overlap),
        ("review.rejected", review.rejected),
        ("review.critical_stale", review.critical_stale),
        ("review.good_stale", review.good_stale),
        ("insight.low_pass", insight.low_pass),
        ("insight.misaligned", insight.misaligned),
        ("insight.calibrated", insight.calibrated),
        ("insight.nodding", insight.nodding),
    ];
    if let Some((name, value)) = parts.into_iter().find(|(_, value)| !(0.0..=1.0).contains(value)) {
        return Err(Diagnostic::edit(format!("the setting `deliberation.{name}` is {value}"), "write a number from 0 to 1"));
    }
    let penalties = settings.penalties.iter().map(|(role, value)| (format!("penalties.{role}"), *value));
    let weights = [("penalty", settings.penalty), ("failed_outcome", settings.failed_outcome), ("idle_days", settings.idle_days)];
    let mut weights = weights.map(|(name, value)| (name.to_owned(), value)).into_iter().chain(penalties);
    if let Some((name, value)) = weights.find(|(_, value)| !(0.0..=1000.0).contains(value)) {
        return Err(Diagnostic::edit(format!("the setting `deliberation.{name}` is {value}"), "write a number from 0 to 1000"));
    }
    if !(1..=3).contains(&settings.weakest_evidence) {
        let what = format!("the setting `deliberation.weakest_evidence` is {}", settings.weakest_evidence);
        return Err(Diagnostic::edit(what, "write 1, 2 or 3"));
    }
    if insight.trend_days == 0 {
        return Err(Diagnostic::edit("the setting `deliberation.insight.trend_days` is 0", "write at least 1"));
    }
    Ok(())
}
