//! An observation with its figures: one row of the published table, and what artifacts, lists and reports are made from.

use serde::{Deserialize, Serialize};

use super::status::Status;
use event::field::{Lack, ObservationType};

event::row! {
    /// An observation with its figures.
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    pub struct ObservationScore {
        /// Its id: `obs_` and at least six letters or digits.
        pub id: String,
        /// The project whose sessions show it.
        pub project: String,
        /// What it can become: command, skill, decision or pitfall.
        pub observation_type: ObservationType,
        /// What recurs, on one line.
        pub pattern: String,
        /// The rest of it, in the layout of its type.
        pub details: String,
        /// What was quoted for it: the first and the latest.
        pub evidence: Vec<String>,
        /// How far it has come.
        pub status: Status,
        /// How sure it is at the instant of the generation, after decay and penalty.
        pub confidence: f64,
        /// How sure it was when it was last seen.
        pub base_confidence: f64,
        /// In how many sessions it was seen.
        pub observations: i64,
        /// When it was first seen.
        pub first_seen: String => AsTime,
        /// When it was last seen or used.
        pub last_seen: String => AsTime,
        /// Whether somebody found it good enough to become an artifact.
        pub quality_ok: bool,
        /// What it lacks to be good enough, where that is known.
        pub lacks: Option<Lack>,
        /// When it became ready to be an artifact.
        pub ready_at: Option<String> => AsTime,
        /// The artifact, relative to the project's folder.
        pub artifact_path: Option<String>,
        /// The entry in a knowledge file: `ADR-001` or `PF-001`.
        pub anchor: Option<String>,
        /// The SHA-256 of the artifact, or of its section, as it is now.
        pub content_hash: Option<String>,
        /// Whether a person changed the artifact.
        pub is_edited: bool,
        /// When it was given up.
        pub deprecated_at: Option<String> => AsTime,
        /// How often it was seen since its artifact was taken away.
        pub sightings_since_deletion: i64,
        /// The missing file that it speaks of.
        pub stale_reason: Option<String>,
        /// Whether its sightings say different things.
        pub needs_review: bool,
        /// Whether there was no room for it.
        pub is_blocked: bool,
        /// Whether it has decayed so far that it is hidden.
        pub is_faded: bool,
        /// How often agents cited it.
        pub cites: i64,
        /// When an agent last cited it.
        pub last_cited: Option<String> => AsTime,
        /// Who decided about it last, and why.
        pub note: Option<String>,
    }
}

impl ObservationScore {
    /// Why its quality is not confirmed, and what to do; nothing where it is.
    #[must_use]
    pub const fn shortcoming(&self) -> Option<(&'static str, &'static str)> {
        if self.quality_ok {
            return None;
        }
        Some(match self.lacks {
            Some(Lack::Session | Lack::Recurrence) => {
                ("only one session says so", "nothing to do: a second session confirms it, in whatever words")
            }
            Some(Lack::Reason) => ("no reason was given for the choice", "say why in a session, or promote it with --force"),
            Some(Lack::Content) => ("it does not say what it is about", "name the thing in a session, or reject it"),
            Some(Lack::Quotation) => {
                ("nothing that was quoted for it was said", "check its evidence, then promote it with --force or reject it")
            }
            Some(Lack::Judgement) | None => {
                ("whoever reported it did not confirm it", "check its evidence, then promote it with --force or reject it")
            }
        })
    }

    /// Whether a person should have a look at it.
    #[must_use]
    pub const fn is_flagged(&self) -> bool {
        self.stale_reason.is_some() || self.needs_review || self.is_blocked
    }
}
