//! Which observations a person should look at, and which entries of full knowledge files could go.

use jiff::{SignedDuration, Timestamp};

use super::observation::{ObservationScore, Status};
use event::field::ObservationType;

/// An entry that is younger was hardly given a chance to be cited.
const PROTECTED_DAYS: i64 = 7;
/// So many entries are proposed at a time.
const PROPOSED: usize = 20;
/// What was seen in so many sessions was seen often.
const MANY: i64 = 5;
/// What was seen often and is less sure than this has not been seen for long, or was taken away.
const LOW_CONFIDENCE: f64 = 0.5;
/// What was this sure when it was last seen became no artifact for its quality alone.
const HIGH_CONFIDENCE: f64 = 0.65;

/// Why a person should look at an observation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Concern {
    /// It speaks of a file that is missing.
    MissingFile(String),
    /// Its sightings say different things.
    Divergence,
    NoRoom,
    /// It was seen often enough, and nobody found it good enough.
    LowQuality,
    /// It was seen in many sessions, and not lately.
    LowConfidence(i64),
}

impl Concern {
    /// The concern in a few words. What is missing was named by somebody else: whoever shows it must neutralise it.
    #[must_use]
    pub fn reason(&self) -> String {
        match self {
            Self::MissingFile(path) => format!("it names {path}, which does not exist"),
            Self::Divergence => "its sightings contradict each other".to_owned(),
            Self::NoRoom => "its knowledge file is full".to_owned(),
            Self::LowQuality => "seen often enough, but its quality is not confirmed".to_owned(),
            Self::LowConfidence(sessions) => format!("seen in {sessions} sessions, but not lately: low confidence"),
        }
    }

    /// What a person can do about it.
    #[must_use]
    pub const fn remedy(&self) -> &'static str {
        match self {
            Self::MissingFile(_) => "restore the file, keep the entry if it is still valid, or deprecate it",
            Self::Divergence => "compare its details; keep it if they agree, else deprecate it",
            Self::NoRoom => "free space: outerloop learn review --capacity",
            Self::LowQuality => "read its evidence with outerloop learn show ID; promote it if it is right, else reject it",
            Self::LowConfidence(_) => "promote it if it still holds, else deprecate it",
        }
    }
}

/// Why a person should look at an observation; nothing of one that has faded or is out of use.
#[must_use]
pub fn concerns(score: &ObservationScore) -> Vec<Concern> {
    if score.is_faded || score.status == Status::Deprecated {
        return Vec::new();
    }
    let missing = score.stale_reason.clone().map(Concern::MissingFile);
    let divergence = score.needs_review.then_some(Concern::Divergence);
    let room = score.is_blocked.then_some(Concern::NoRoom);
    let quality = is_weak(score.status, score.quality_ok, score.base_confidence).then_some(Concern::LowQuality);
    let confidence = is_doubtful(score.observations, score.confidence).then_some(Concern::LowConfidence(score.observations));
    missing.into_iter().chain(divergence).chain(room).chain(quality).chain(confidence).collect()
}

/// Whether only its quality keeps an observation from becoming an artifact.
#[must_use]
pub fn is_weak(status: Status, quality_ok: bool, base_confidence: f64) -> bool {
    matches!(status, Status::Observing | Status::Ready) && !quality_ok && base_confidence >= HIGH_CONFIDENCE
}

/// Whether an observation was seen often, and is not sure.
#[must_use]
pub fn is_doubtful(observations: i64, confidence: f64) -> bool {
    observations >= MANY && confidence < LOW_CONFIDENCE
}

/// The entries of knowledge files that could go, the least cited first; of those that are cited alike the ones that were not cited for
/// the longest time, then those that were seen first.
#[must_use]
pub fn removable<'s>(scores: impl Iterator<Item = &'s ObservationScore>, now: Timestamp) -> Vec<&'s ObservationScore> {
    let limit = SignedDuration::from_hours(24 * PROTECTED_DAYS);
    let time = |text: &str| text.parse::<Timestamp>().ok();
    let is_young = |score: &ObservationScore| {
        let stands_since = score.ready_at.as_deref().unwrap_or(&score.first_seen);
        time(stands_since).is_some_and(|since| now.duration_since(since) < limit)
    };
    let is_entry = |score: &ObservationScore| {
        score.status == Status::Created && matches!(score.observation_type, ObservationType::Decision | ObservationType::Pitfall)
    };
    let mut found: Vec<_> = scores.filter(|score| is_entry(score) && !is_young(score)).collect();
    found.sort_by_cached_key(|score| {
        (score.cites, score.last_cited.as_deref().and_then(time), time(&score.first_seen), score.id.clone())
    });
    found.truncate(PROPOSED);
    found
}
