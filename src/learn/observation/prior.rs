//! What another store knew of an observation when it was taken over.

use jiff::Timestamp;
use serde_json::Value;

use super::confidence::{MOST_CONFIDENCE, rounded};
use super::status::{Rendering, Status};
use event::cell::Word as _;

/// What another store knew of an observation.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Prior {
    /// How often it was seen.
    pub observations: Option<i64>,
    /// How sure it was.
    pub confidence: Option<f64>,
    /// How far it had come.
    pub status: Option<Status>,
    /// When it was first seen, in microseconds since 1970.
    pub first_micros: Option<i64>,
    /// When it was last seen or used.
    pub last_micros: Option<i64>,
    pub deprecated_micros: Option<i64>,
    pub artifact: Option<Rendering>,
    /// The missing file that it speaks of.
    pub stale_reason: Option<String>,
    /// Whether its sightings say different things.
    pub needs_review: bool,
    /// Whether there was no room for it.
    pub is_blocked: bool,
    /// How often agents cited it.
    pub cites: i64,
    /// When they last did.
    pub cited_micros: Option<i64>,
}

impl Prior {
    /// Reads what stands in the event. What it cannot read it does not know.
    #[must_use]
    pub fn parse(json: &str) -> Option<Self> {
        let value = serde_json::from_str::<Value>(json).ok().filter(Value::is_object)?;
        let of = Fields(&value);
        Some(Self {
            observations: of.count(&["observations"]).map(|count| count.max(1)),
            confidence: of.find(&["confidence"]).and_then(Value::as_f64).map(|sure| rounded(sure.clamp(0.0, MOST_CONFIDENCE))),
            status: of.text(&["status"]).and_then(Status::from_word),
            first_micros: of.time(&["first_seen", "firstSeen"]),
            last_micros: of.time(&["last_seen", "lastSeen"]),
            deprecated_micros: of.time(&["deprecated_at", "deprecatedAt"]),
            artifact: of.artifact(),
            stale_reason: of.stale_reason(),
            needs_review: of.flag(&["needs_review", "needsReview"]),
            is_blocked: of.flag(&["is_blocked", "blocked", "softCapExceeded"]),
            cites: of.count(&["cites"]).unwrap_or(0),
            cited_micros: of.time(&["last_cited", "lastCited"]),
        })
    }
}

/// The fields of what another store knew, in its spelling or in ours.
struct Fields<'v>(&'v Value);

impl<'v> Fields<'v> {
    fn find(&self, names: &[&str]) -> Option<&'v Value> {
        names.iter().find_map(|name| self.0.get(name)).filter(|value| !value.is_null())
    }

    fn text(&self, names: &[&str]) -> Option<&'v str> {
        self.find(names).and_then(Value::as_str).filter(|text| !text.trim().is_empty())
    }

    fn count(&self, names: &[&str]) -> Option<i64> {
        // A count that nobody can have reached comes from a broken store; it must not make sums overflow.
        self.find(names).and_then(Value::as_u64).map(|count| i64::try_from(count).unwrap_or(i64::MAX).min(1_000_000_000))
    }

    fn flag(&self, names: &[&str]) -> bool {
        self.find(names).and_then(Value::as_bool).unwrap_or(false)
    }

    fn time(&self, names: &[&str]) -> Option<i64> {
        self.text(names).and_then(|text| text.parse::<Timestamp>().ok()).map(Timestamp::as_microsecond)
    }

    /// The artifact: a path, and an anchor that may stand behind it.
    fn artifact(&self) -> Option<Rendering> {
        let path = self.text(&["artifact_path", "artifactPath"]);
        let anchor = self.text(&["anchor", "anchor_id", "anchorId"]);
        if path.is_none() && anchor.is_none() {
            return None;
        }
        let (path, behind) = match path.and_then(|path| path.rsplit_once('#')) {
            Some((path, behind)) if !behind.contains('/') => (Some(path), Some(behind)),
            _ => (path, None),
        };
        Some(Rendering {
            path: path.map(str::to_owned),
            anchor: anchor.or(behind).map(str::to_owned),
            content_hash: self.text(&["content_hash", "contentHash"]).map(str::to_owned),
            is_edited: self.flag(&["is_edited", "isEdited"]),
        })
    }

    /// Why it may be stale. The other store leaves a reason behind where a person has cleared the flag.
    fn stale_reason(&self) -> Option<String> {
        let ours = self.text(&["stale_reason"]);
        let reason = match self.find(&["mayBeStale", "may_be_stale"]).and_then(Value::as_bool) {
            Some(true) => ours.or_else(|| self.text(&["staleReason"])).or(Some("a file that it speaks of is missing")),
            Some(false) => None,
            None => ours,
        };
        reason.map(str::to_owned)
    }
}
