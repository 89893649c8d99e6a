//! The settings of what is learned from transcripts.

use crate::parse::Conflict;
use crate::section::{SHARE, at_least, between, settings};

settings! {
    /// Learning from transcripts: the confidence in observations, and when they become artifacts.
    pub struct ObservationSettings {
        /// Confidence after the first session. After more it is sessions / required, at most 0.95.
        first_confidence: f64 = 0.33, in between(0.0, 0.95);
        /// Factor on the confidence when a person deletes the artifact.
        deleted: f64 = 0.3, in SHARE;
        /// How many quotations to keep, half of them the first and half the latest.
        most_evidence: usize = 10, in between(2.0, 1000.0);
        /// A new wording of a pattern replaces the old one if it is this many times as long. Longer details always do.
        longer_pattern: f64 = 1.2, in between(1.0, 1000.0);
        /// Details that share less than this part of the shorter one's words contradict each other, and are reported for review.
        diverging_below: f64 = 0.6, in SHARE;
        /// Factors on the confidence after 0, 1, 2, ... decay steps without a sighting or a use, in descending order. The last one
        /// stays.
        decay: Vec<f64> = vec![1.00, 0.90, 0.81, 0.73, 0.66, 0.59, 0.53], in SHARE;
        /// Length of a decay step, in days.
        decay_days: u32 = 30, in at_least(1.0);
        /// Observations below this confidence have faded, unless they are ready or artifacts. They are kept but not shown.
        faded_below: f64 = 0.10, in SHARE;
        /// When a workflow, a sequence of steps, is ready to become an artifact. All keys of this section are set together.
        workflow: PromotionSettings = PromotionSettings { required: 3, spread_days: 3.0, confidence: 0.60, fresh: 3 };
        /// The same for a procedure, a way of doing something.
        procedural: PromotionSettings = PromotionSettings { required: 4, spread_days: 5.0, confidence: 0.70, fresh: 4 };
        /// The same for a decision.
        decision: PromotionSettings = PromotionSettings { required: 2, spread_days: 0.0, confidence: 0.65, fresh: 2 };
        /// The same for a pitfall.
        pitfall: PromotionSettings = PromotionSettings { required: 2, spread_days: 0.0, confidence: 0.65, fresh: 2 };
    }
}

settings! {
    /// When observations of one type are ready to become artifacts.
    #[derive(Copy)]
    pub struct PromotionSettings, set as a whole {
        /// How many sessions make full confidence.
        required: u32, in at_least(1.0);
        /// How many days must have passed since the first session.
        spread_days: f64, in between(0.0, 1000.0);
        /// The least confidence.
        confidence: f64, in SHARE;
        /// How many new sessions bring back an observation that was taken out of use.
        fresh: u32, in at_least(1.0);
    }
}

pub(crate) fn check(settings: &ObservationSettings) -> Result<(), Conflict> {
    let decay = &settings.decay;
    let descends = !decay.is_empty() && decay.is_sorted_by(|one, next| one >= next);
    Conflict::unless(descends, &["observation.decay"], || {
        let remedy = "write at least one number, and none that is larger than the one before";
        (format!("`observation.decay` is {decay:?}"), remedy.to_owned())
    })
}
