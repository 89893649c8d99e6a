//! What an application counts for, and why: the rule behind the sums of `sql/rollup/evidence.sql`, for single events and for events
//! that count alike.

use crate::rounding::real;
use setting::RateSettings;

/// Applications that count alike, often only one.
#[derive(Debug, Clone, Copy)]
pub struct Credit<'c> {
    /// What became of the pattern there.
    pub status: &'c str,
    /// Whether a citation of each does not hold.
    pub is_unverified: bool,
    /// Whether the goal was met, if one was judged.
    pub is_goal_met: Option<bool>,
    /// Their relevance, summed, where somebody rated it.
    pub relevance: Option<f64>,
    /// Whether the build failed that judges the work, if one does.
    pub is_build_failed: Option<bool>,
    pub applications: i64,
    /// Where the pattern could not have been used, if it was only offered and that is known.
    pub offer: Option<Offer>,
}

/// Why a pattern could not have been used where it was shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Offer {
    Tool,
    Idle,
    Irrelevant,
    /// Both tools' hooks told it.
    Told,
}

impl Offer {
    /// Where the pattern was offered: beside a tool, or to an agent that acted or did not; and how relevant it was there.
    #[must_use]
    pub fn of(is_beside_tool: bool, has_acted: Option<bool>, relevance: Option<f64>, settings: &RateSettings) -> Self {
        let is_relevant = relevance.is_none_or(|relevance| relevance >= settings.silence_relevance);
        match (is_beside_tool, has_acted) {
            (true, _) => Self::Tool,
            (false, Some(false)) => Self::Idle,
            (false, _) if is_relevant => Self::Told,
            (false, _) => Self::Irrelevant,
        }
    }
}

impl Credit<'_> {
    /// Why they count for nothing, where they do: not even as sightings. Sums do not keep why something was offered.
    #[must_use]
    pub fn passed_over(&self) -> Option<&'static str> {
        match (self.status, self.offer) {
            ("withheld", _) => Some("held back (holdout), weight 0"),
            ("offered", Some(Offer::Tool)) => Some("offered beside a tool call, not a sighting"),
            ("offered", Some(Offer::Idle)) => Some("offered to an agent that changed no file and ran no command, not a sighting"),
            ("offered", Some(Offer::Irrelevant)) => {
                Some("offered where nothing that it is relevant to was touched, not a sighting")
            }
            ("offered", Some(Offer::Told)) => Some("told by Outerloop's hooks too, and counted there"),
            ("offered", None) => Some("offered where it could not be used, not a sighting"),
            _ => None,
        }
    }

    /// What they count for together; none if they are no sightings. A missed goal and a failed build weigh by relevance.
    #[must_use]
    pub fn weight(&self, settings: &RateSettings) -> Option<f64> {
        if self.passed_over().is_some() {
            return None;
        }
        if self.status != "applied" || self.is_unverified {
            return Some(0.0);
        }
        let count = real(self.applications);
        let relevance = self.relevance.unwrap_or(settings.unrated_relevance * count);
        let is_missed = self.is_goal_met == Some(false) && settings.goal_weighted;
        let (full, left) = if is_missed { (settings.missed_goal * relevance, settings.missed_goal) } else { (count, 1.0) };
        let failed = if self.is_build_failed == Some(true) { left * relevance * (1.0 - settings.failed_build) } else { 0.0 };
        Some(full - failed)
    }

    /// Why they count for what they do.
    #[must_use]
    pub fn reason(&self, settings: &RateSettings) -> &'static str {
        if let Some(reason) = self.passed_over() {
            return reason;
        }
        let is_reduced = self.is_build_failed == Some(true) && settings.failed_build < 1.0;
        match (self.status, self.is_unverified, self.is_goal_met) {
            ("applied", true, _) => "used, and a citation does not hold",
            ("applied", false, Some(false)) if settings.goal_weighted && is_reduced => "used, goal missed, build failed",
            ("applied", false, Some(false)) if settings.goal_weighted && self.relevance.is_some() => {
                "used, goal missed, by relevance"
            }
            ("applied", false, Some(false)) if settings.goal_weighted => "used, goal missed, relevance unknown",
            ("applied", false, _) if is_reduced => "used, build failed, by relevance",
            ("applied", false, Some(true)) => "used, goal met",
            ("applied", false, _) => "used, no goal judged",
            _ => "shown, no use reported",
        }
    }
}
