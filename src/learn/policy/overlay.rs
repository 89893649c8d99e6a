//! Overlays: what is known of an adapter, as rules for its next run.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::adapter::{Missing, Reliability};
use super::curation::Annotation;
use super::failure::FailurePattern;
use super::number::{DAY_MICROS, iso, plain};
use crate::rounding::round_half_away;
use event::parse_time;
use event::row::Rows;
use setting::OverlaySettings;
use text::diagnostic::Outcome;

/// The rules for an adapter's next run, in the original's shape; what the original does not know stands behind it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Overlay {
    /// The adapter.
    pub adapter_id: String,
    /// What the risk is multiplied by.
    #[serde(serialize_with = "plain")]
    pub risk_multiplier: f64,
    /// How many retries there should be at most: the first try is none.
    pub suggested_max_retries: u32,
    /// Whether a person must approve.
    pub require_approval: bool,
    /// Why, in words.
    pub reason: String,
    /// When a run last used the adapter, or a person last spoke of it.
    pub updated_at: String,
    /// What asked for approval or made the rules stricter.
    pub triggers: Vec<Trigger>,
    /// When what a person said of it ceases to hold. From then on the rules must be worked out anew.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// What the rules follow from.
    #[serde(default)]
    pub basis: Basis,
}

/// What the rules of an adapter follow from.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Basis {
    /// Runs that count.
    pub runs: i64,
    /// Their score, as the original computes it; none without a run.
    pub score: Option<f64>,
    /// Refused runs that may be the adapter's: those that name it, and those that name no adapter.
    pub refused_runs: i64,
    /// Runs that a gate let through and that never reported.
    #[serde(default)]
    pub unreported_runs: i64,
    /// The score if all of these had failed: what rules follow.
    pub lowest_score: Option<f64>,
    /// The score if all of these had succeeded.
    pub highest_score: Option<f64>,
}

/// What made an overlay as strict as it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Trigger {
    /// The score is low.
    LowScore {
        /// The score.
        #[serde(serialize_with = "plain")]
        score: f64,
    },
    /// A failure was seen again and again.
    RepeatedFailure {
        /// The failure pattern.
        pattern_id: String,
        /// How often it counts.
        occurrences: i64,
    },
    /// Runs were refused, and the score would be low if they had failed.
    RefusedRuns {
        /// How many.
        runs: i64,
        /// The score if all of them had failed.
        #[serde(serialize_with = "plain")]
        score: f64,
    },
    /// Runs never reported, and the score would be low if they had failed.
    UnreportedRuns {
        /// How many.
        runs: i64,
        /// The score if all of them, and all refused ones, had failed.
        #[serde(serialize_with = "plain")]
        score: f64,
    },
    /// The ratchet: it was stricter before and was not cleared.
    Ratchet {
        /// The lowest score since it was cleared.
        #[serde(serialize_with = "plain")]
        score: f64,
    },
    Annotation {
        actor: String,
        note: String,
    },
}

impl Overlay {
    /// Whether the adapter was not used for longer than the settings allow: what is known of it may no longer hold.
    #[must_use]
    pub fn is_stale(&self, now_micros: i64, settings: &OverlaySettings) -> bool {
        // Of an adapter that nothing but refused runs name nobody knows when it was used.
        let updated = parse_time(&self.updated_at).filter(|updated| *updated > 0 || self.basis.runs > 0);
        let idle = updated.map_or(0, |updated| now_micros.saturating_sub(updated));
        idle > i64::from(settings.stale_days) * DAY_MICROS
    }

    /// Whether it rests on something that no longer holds.
    #[must_use]
    pub fn is_expired(&self, now_micros: i64) -> bool {
        self.expires_at.as_deref().and_then(parse_time).is_some_and(|expires| now_micros >= expires)
    }
}

/// What an overlay is built from.
#[derive(Debug, Clone, Copy)]
pub struct Grounds<'g> {
    /// The adapter.
    pub adapter: &'g str,
    /// How reliable it is, if any run used it.
    pub reliability: Option<&'g Reliability>,
    /// Runs that may be its own and of which nothing is known.
    pub missing: Missing,
    /// The adapter's failures that were seen.
    pub failures: &'g [&'g FailurePattern],
    /// The lowest score since it was last cleared, where overlays only tighten.
    pub lowest: Option<f64>,
    /// What people say of it, in the order of time.
    pub annotations: &'g [&'g Annotation],
}

/// Builds an adapter's overlay.
#[must_use]
pub fn build_overlay(grounds: Grounds<'_>, settings: &OverlaySettings) -> Overlay {
    let mut overlay = Overlay {
        adapter_id: grounds.adapter.to_owned(),
        risk_multiplier: 1.0,
        suggested_max_retries: settings.retries,
        require_approval: false,
        reason: String::new(),
        updated_at: String::new(),
        triggers: Vec::new(),
        expires_at: None,
        basis: basis(grounds),
    };
    if let Some(reliability) = grounds.reliability {
        apply_score(&mut overlay, reliability.score, settings);
        if reliability.tally.runs < i64::from(settings.least_runs) {
            // A few runs may make an adapter suspect; they do not make it trusted.
            overlay.risk_multiplier = overlay.risk_multiplier.max(1.0);
        }
    }
    let lowest = overlay.basis.lowest_score.unwrap_or_default();
    let Missing { refused, unreported, .. } = grounds.missing;
    if refused > 0 && settings.count_refused {
        tighten(&mut overlay, lowest, Trigger::RefusedRuns { runs: refused, score: lowest }, settings);
    }
    if unreported > 0 && settings.count_unreported {
        tighten(&mut overlay, lowest, Trigger::UnreportedRuns { runs: unreported, score: lowest }, settings);
    }
    for failure in grounds.failures.iter().filter(|failure| asks(failure, settings)) {
        overlay.require_approval = true;
        let trigger = Trigger::RepeatedFailure { pattern_id: failure.id.clone(), occurrences: failure.since_clear };
        overlay.triggers.push(trigger);
    }
    if let Some(lowest) = grounds.lowest {
        // The strictest overlay since the last clear. A lower score never relaxes rules, so the lowest score decides.
        tighten(&mut overlay, lowest, Trigger::Ratchet { score: lowest }, settings);
    }
    for annotation in grounds.annotations {
        apply_annotation(&mut overlay, annotation);
    }
    let used = grounds.reliability.map(|reliability| reliability.last_micros);
    let updated = used.max(grounds.annotations.iter().map(|annotation| annotation.micros).max());
    overlay.expires_at = grounds.annotations.iter().filter_map(|annotation| annotation.expires_micros).min().map(iso);
    overlay.updated_at = iso(updated.unwrap_or_default());
    overlay.reason = explain(&overlay, grounds, settings);
    overlay
}

fn basis(grounds: Grounds<'_>) -> Basis {
    let known = grounds.reliability;
    // Of an adapter of which every run is missing, nothing but that is known.
    let unknown = |bound: f64| (grounds.missing.all() > 0).then_some(bound);
    Basis {
        runs: known.map_or(0, |known| known.tally.runs),
        score: known.map(|known| known.score),
        refused_runs: grounds.missing.refused,
        unreported_runs: grounds.missing.unreported,
        lowest_score: known.map_or_else(|| unknown(0.0), |known| Some(known.lowest)),
        highest_score: known.map_or_else(|| unknown(1.0), |known| Some(known.highest)),
    }
}

/// Multiplier and retries by the score, in steps.
fn apply_score(overlay: &mut Overlay, score: f64, settings: &OverlaySettings) {
    overlay.risk_multiplier = if score < settings.risky_below {
        settings.risky_multiplier
    } else if score > settings.trusted_above {
        settings.trusted_multiplier
    } else {
        1.0
    };
    if score < settings.approve_below {
        overlay.suggested_max_retries = settings.few_retries;
        overlay.require_approval = true;
        overlay.triggers.push(Trigger::LowScore { score });
    }
}

/// Whether a failure asks for approval: seen often enough since it was cleared, and not made good since. Where rules only tighten,
/// nothing but a person makes it good.
fn asks(failure: &FailurePattern, settings: &OverlaySettings) -> bool {
    let is_made_good = settings.release_after_successes.is_some_and(|enough| failure.successes_since.unsigned_abs() >= enough);
    let is_released = is_made_good && !settings.ratchet;
    failure.since_clear.unsigned_abs() >= settings.repeats && !is_released
}

/// Follows another score where its rules are stricter.
fn tighten(overlay: &mut Overlay, score: f64, trigger: Trigger, settings: &OverlaySettings) {
    let mut strictest = overlay.clone();
    apply_score(&mut strictest, score, settings);
    let is_stricter = strictest.risk_multiplier > overlay.risk_multiplier
        || strictest.suggested_max_retries < overlay.suggested_max_retries
        || (strictest.require_approval && !overlay.require_approval);
    if is_stricter {
        overlay.risk_multiplier = overlay.risk_multiplier.max(strictest.risk_multiplier);
        overlay.suggested_max_retries = overlay.suggested_max_retries.min(strictest.suggested_max_retries);
        overlay.require_approval |= strictest.require_approval;
        overlay.triggers.push(trigger);
    }
}

fn apply_annotation(overlay: &mut Overlay, annotation: &Annotation) {
    if let Some(factor) = annotation.risk_multiplier {
        overlay.risk_multiplier = if annotation.is_override { factor } else { overlay.risk_multiplier.max(factor) };
    }
    if let Some(most) = annotation.max_retries {
        overlay.suggested_max_retries = if annotation.is_override { most } else { overlay.suggested_max_retries.min(most) };
    }
    if let Some(force) = annotation.force_approval {
        overlay.require_approval = force || (overlay.require_approval && !annotation.is_override);
    }
    overlay.triggers.push(Trigger::Annotation { actor: annotation.actor.clone(), note: annotation.note.clone() });
}

fn explain(overlay: &Overlay, grounds: Grounds<'_>, settings: &OverlaySettings) -> String {
    if overlay.triggers.is_empty() {
        return match grounds.reliability {
            Some(reliability) if reliability.tally.runs < i64::from(settings.least_runs) => {
                let (score, runs, least) = (reliability.score, reliability.tally.runs, settings.least_runs);
                format!("score {score} is within the expected range; {runs} of {least} runs that trust takes")
            }
            Some(reliability) => format!("score {} is within the expected range", reliability.score),
            None => "no run used it".to_owned(),
        };
    }
    let causes = overlay.triggers.iter().map(|trigger| match trigger {
        Trigger::LowScore { score } => format!("score {score} is below {}", settings.approve_below),
        Trigger::RepeatedFailure { pattern_id, occurrences } => format!("{pattern_id} failed {occurrences} times"),
        Trigger::RefusedRuns { runs, score } => format!("{runs} runs were refused; if they failed, the score is {score}"),
        Trigger::UnreportedRuns { runs, score } => {
            format!("{runs} runs that a gate let through never reported; if they failed, the score is {score}")
        }
        Trigger::Ratchet { score } => format!("lowest score since the last clear is {score}, and rules only tighten"),
        Trigger::Annotation { actor, note } if note.is_empty() => format!("annotated by {actor}"),
        Trigger::Annotation { actor, note } => format!("annotated by {actor}: {note}"),
    });
    causes.collect::<Vec<_>>().join("; ")
}

/// The lowest score of each adapter since it was last cleared, with three decimals.
pub type Strictest = BTreeMap<String, f64>;

event::row! {
    struct StrictestRow {
        adapter: String,
        lowest_score: Option<f64>,
    }
}

/// Reads the rows of `sql/policy/strictest.sql`.
pub fn parse_strictest(rows: &Rows) -> Outcome<Strictest> {
    // Rounding is monotone: the lowest score, rounded, is the lowest rounded score.
    let rounded = |row: StrictestRow| Some((row.adapter, round_half_away(row.lowest_score?.clamp(0.0, 1.0), 3)));
    Ok(rows.read()?.into_iter().filter_map(rounded).collect())
}
