//! What people should look at among the patterns of roles, and how the whole of them fares.

use serde::Serialize;

use super::life::Stage;
use super::registry::{Place, role_pattern_place};
use super::score::{RoleScore, Unmatched};
use setting::DeliberationSettings;
use text::review::{Kind, Tokens};

/// Two patterns of one role that may be one.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AlikePair {
    /// The one that was said first.
    pub first: String,
    /// The other.
    pub second: String,
    /// The part of all their words that they share.
    pub likeness: f64,
}

/// What people should look at.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RoleReview<'s> {
    /// Stale patterns in use.
    pub stale: Vec<&'s RoleScore>,
    pub pairs: Vec<AlikePair>,
    /// Trusted patterns that were rejected.
    pub regressions: Vec<&'s RoleScore>,
    /// Verified patterns that wait for a person.
    pub waiting: Vec<&'s RoleScore>,
    /// Patterns of which more counts against them than they should be worth.
    pub doubtful: Vec<&'s RoleScore>,
}

event::words! {
    /// The health of role patterns.
    pub enum Health {
        /// Nothing to do.
        Good = "good",
        /// Someone should have a look.
        NeedsReview = "needs_review",
        /// Much of it is stale or said twice.
        Critical = "critical",
    }
}

/// How many there are of something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Share {
    pub name: String,
    /// How many.
    pub patterns: usize,
}

/// How the patterns of roles fare.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RoleStatus {
    /// In a word.
    pub health: Health,
    /// How many patterns there are.
    pub patterns: usize,
    /// How many are in use.
    pub in_use: usize,
    /// By how far they have come.
    pub by_state: Vec<Share>,
    pub by_role: Vec<Share>,
    /// By what sort of saying they are.
    pub by_category: Vec<Share>,
    /// Number of patterns exempt from decay.
    pub immune: usize,
    /// How many are stale.
    pub stale: usize,
    /// How many pairs may be one.
    pub pairs: usize,
    /// How many were trusted and are rejected.
    pub regressions: usize,
    /// How many rejected findings are no pattern.
    pub unmatched: u32,
}

/// Finds what people should look at.
#[must_use]
pub fn review_roles<'s>(scores: &'s [RoleScore], settings: &DeliberationSettings) -> RoleReview<'s> {
    let in_use = || scores.iter().filter(|score| score.is_in_use());
    RoleReview {
        stale: in_use().filter(|score| is_stale(score, settings)).collect(),
        pairs: find_pairs(&in_use().collect::<Vec<_>>(), settings.review.overlap),
        regressions: scores.iter().filter(|score| score.regressed.is_some()).collect(),
        waiting: in_use().filter(|score| score.state == Stage::Verified).collect(),
        doubtful: in_use().filter(|score| 1.0 - score.rate > settings.review.rejected).collect(),
    }
}

/// Sums up how the patterns of roles fare.
#[must_use]
pub fn sum_up_roles(scores: &[RoleScore], unmatched: &[Unmatched], settings: &DeliberationSettings) -> RoleStatus {
    let review = review_roles(scores, settings);
    let in_use = scores.iter().filter(|score| score.is_in_use()).count();
    let count = |name: &str, is_meant: &dyn Fn(&RoleScore) -> bool| Share {
        name: name.to_owned(),
        patterns: scores.iter().filter(|score| is_meant(score)).count(),
    };
    let mut roles: Vec<&str> = scores.iter().map(|score| score.role.as_str()).collect();
    roles.sort_unstable();
    roles.dedup();
    RoleStatus {
        health: health(review.stale.len(), in_use, review.pairs.len(), settings),
        patterns: scores.len(),
        in_use,
        by_state: Stage::ALL.iter().map(|stage| count(stage.name(), &|score| score.state == *stage)).collect(),
        by_role: roles.into_iter().map(|role| count(role, &|score| score.role == role)).collect(),
        by_category: Kind::ALL.map(|kind| count(kind.name(), &|score| score.category == kind)).to_vec(),
        immune: scores.iter().filter(|score| score.is_immune).count(),
        stale: review.stale.len(),
        pairs: review.pairs.len(),
        regressions: review.regressions.len(),
        unmatched: unmatched.iter().map(|unmatched| unmatched.findings).sum(),
    }
}

/// In what state the whole is. Nothing at all is in a good one.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "nobody has so many patterns")]
pub fn health(stale: usize, all: usize, pairs: usize, settings: &DeliberationSettings) -> Health {
    let limits = &settings.review;
    let part = if all == 0 { 0.0 } else { stale as f64 / all as f64 };
    if part > limits.critical_stale || pairs > limits.critical_pairs {
        Health::Critical
    } else if part <= limits.good_stale && pairs <= limits.good_pairs {
        Health::Good
    } else {
        Health::NeedsReview
    }
}

fn is_stale(score: &RoleScore, settings: &DeliberationSettings) -> bool {
    score.idle_days > settings.idle_days
}

/// The pairs of one role's patterns that share so many of their words. Patterns of one length are looked at together: those of very
/// different lengths cannot share enough.
#[expect(clippy::cast_precision_loss, reason = "a text has far fewer than 2^52 words")]
fn find_pairs(scores: &[&RoleScore], overlap: f64) -> Vec<AlikePair> {
    let mut known: Vec<(&RoleScore, Tokens)> = scores.iter().map(|score| (*score, Tokens::of(&score.text))).collect();
    known.sort_by(|(one, own), (other, others)| {
        (&one.project, &one.role, own.len(), number(one)).cmp(&(&other.project, &other.role, others.len(), number(other)))
    });
    let mut pairs = Vec::new();
    for (place, (one, own)) in known.iter().enumerate() {
        for (other, others) in &known[place + 1..] {
            let is_same_role = one.project == other.project && one.role == other.role;
            if !is_same_role || (own.len() as f64) < overlap * others.len() as f64 - 1e-9 {
                break;
            }
            let likeness = own.likeness(others);
            if likeness + 1e-9 >= overlap {
                let (first, second) = if number(one) <= number(other) { (one, other) } else { (other, one) };
                pairs.push(AlikePair { first: first.id.clone(), second: second.id.clone(), likeness });
            }
        }
    }
    pairs.sort_by(|one, other| {
        let places = |pair: &AlikePair| [&pair.first, &pair.second].map(|id| role_pattern_place(id));
        other.likeness.total_cmp(&one.likeness).then_with(|| places(one).cmp(&places(other)))
    });
    pairs
}

/// The place of a pattern among all: its id as a text does not tell which was said first.
fn number(score: &RoleScore) -> Option<Place> {
    role_pattern_place(&score.id)
}
