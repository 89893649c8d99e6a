//! Which observations a person should look at, and which entries of full knowledge files could go.

use jiff::{SignedDuration, Timestamp};

use super::observation::{ObservationScore, Status};
use event::field::ObservationType;

/// An entry that is younger was hardly given a chance to be cited.
const PROTECTED_DAYS: i64 = 7;
/// So many entries are proposed at a time.
const PROPOSED: usize = 20;

/// Why a person should look at an observation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Concern {
    /// It speaks of a file that is missing.
    MissingFile(String),
    /// Its sightings say different things.
    Divergence,
    NoRoom,
}

impl Concern {
    /// The concern in a few words. What is missing was named by somebody else: whoever shows it must neutralise it.
    #[must_use]
    pub fn reason(&self) -> String {
        match self {
            Self::MissingFile(path) => format!("it names {path}, which does not exist"),
            Self::Divergence => "its sightings contradict each other".to_owned(),
            Self::NoRoom => "its knowledge file is full".to_owned(),
        }
    }

    /// What a person can do about it.
    #[must_use]
    pub const fn remedy(&self) -> &'static str {
        match self {
            Self::MissingFile(_) => "restore the file, keep the entry if it is still valid, or deprecate it",
            Self::Divergence => "compare its details; keep it if they agree, else deprecate it",
            Self::NoRoom => "free space: outerloop learn review --capacity",
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
    missing.into_iter().chain(divergence).chain(room).collect()
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
