//! What agents decide together: each weighs as much as it is reliable and sure.

use serde::Serialize;

use super::agent::AgentProfile;
use super::run::AgentDecision;
use super::threshold::Thresholds;
use setting::RiskLevel;
use text::key::key;

/// The least that a vote weighs.
const LEAST_WEIGHT: f64 = 0.05;
/// How much reliability and confidence move a weight.
const RELIABILITY_SHARE: f64 = 0.35;
const CONFIDENCE_SHARE: f64 = 0.65;
/// From this part of rejections on, nothing is approved.
const DOUBTFUL: f64 = 0.20;
/// From this part of rejections on, the run is rejected.
const REJECTED: f64 = 0.35;

/// What agents decided together.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Consensus {
    /// What they decided.
    pub verdict: &'static str,
    /// Whether a person is asked before it goes on.
    pub pause: bool,
    /// The part of all weight that approves.
    pub approval: f64,
    /// The part of all weight that rejects.
    pub rejection: f64,
    /// The part that must approve.
    pub threshold: f64,
    /// The agents whose rejection alone decided.
    pub vetoes: Vec<String>,
    /// What each vote weighed.
    pub votes: Vec<Vote>,
    /// Unknown agents; their votes have no weight.
    pub unknown: Vec<String>,
    /// Those of them that did not approve. While there are any, nothing is approved: one of them may be a known agent under a
    /// name that is misspelled.
    pub doubts: Vec<String>,
}

/// A vote and its weight.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Vote {
    /// The agent.
    pub agent: String,
    /// What it decided.
    pub decision: String,
    /// What that weighs.
    pub weight: f64,
}

/// Weighs what agents decided about a run of some risk.
#[must_use]
pub fn weigh(decisions: &[AgentDecision], risk: RiskLevel, profiles: &[AgentProfile], thresholds: &Thresholds) -> Consensus {
    let (mut votes, mut unknown, mut vetoes, mut doubts) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for decision in decisions {
        let word = decision.decision.clone().unwrap_or_else(|| "needs-review".to_owned());
        let Some(profile) = profiles.iter().find(|profile| is_same_agent(&profile.start.agent, &decision.agent)) else {
            unknown.push(decision.agent.clone());
            if word != "approve" {
                doubts.push(decision.agent.clone());
            }
            continue;
        };
        let agent = profile.start.agent.clone();
        if word == "reject" && profile.start.vetoes.contains(&risk) {
            vetoes.push(agent.clone());
        }
        votes.push(Vote { agent, decision: word, weight: weight(profile, decision.confidence) });
    }
    let total: f64 = votes.iter().map(|vote| vote.weight).sum();
    let part = |word: &str| {
        let sum: f64 = votes.iter().filter(|vote| vote.decision == word).map(|vote| vote.weight).sum();
        // A sum of nothing is a minus nought.
        if total > 0.0 { (sum / total).abs() } else { 0.0 }
    };
    let (approval, rejection, threshold) = (part("approve"), part("reject"), thresholds.of(risk));
    let verdict = if rejection >= REJECTED || !vetoes.is_empty() {
        "reject"
    } else if approval >= threshold && rejection < DOUBTFUL && !votes.is_empty() && doubts.is_empty() {
        "approve"
    } else {
        "needs-review"
    };
    let pause = !(verdict == "approve" && risk == RiskLevel::Low);
    Consensus { verdict, pause, approval, rejection, threshold, vetoes, votes, unknown, doubts }
}

/// Whether two names are one agent's: a veto must not fall away because of a capital letter.
#[must_use]
pub fn is_same_agent(one: &str, other: &str) -> bool {
    key(one) == key(other)
}

fn weight(profile: &AgentProfile, confidence: f64) -> f64 {
    let sway = |share: f64, value: f64| 1.0 + 2.0 * share * (value.clamp(0.0, 1.0) - 0.5);
    let weight = profile.start.weight * sway(RELIABILITY_SHARE, profile.reliability) * sway(CONFIDENCE_SHARE, confidence);
    weight.max(LEAST_WEIGHT)
}
