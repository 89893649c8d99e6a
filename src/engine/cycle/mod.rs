//! The learning cycle: the lake's events become a published generation. Runs the queries, folds, scores, renders, publishes.

mod adapter;
mod compute;
mod explain;
mod history;
mod inquiry;
mod observation;
mod policy;
mod policy_file;
mod role;
mod standing;
mod study;
mod table;
mod truth;
mod verify;
mod write;

pub use adapter::{AdapterExplanation, AdapterRun, Correction, explain_adapter};
pub use compute::{Findings, Truth, compute};
pub use explain::{Explanation, PastReason, Reason, explain};
pub use history::{RoleExplanation, RoleReason, explain_role};
pub use inquiry::Inquiry;
pub use observation::{ObservationExplanation, ObservationReason, compute_observations, explain_observation};
pub use policy::{compute_policies, load_missing};
pub use policy_file::{PolicyCycle, run_policy_cycle};
pub use role::{Sought, compute_roles, load_similarities};
pub use standing::{Standing, find_standing};
pub use study::{Aim, Lessons};
pub use truth::{TruthExplanation, UnitReason, explain_subject};
pub use verify::{Verification, verify};
pub use write::{Cycle, run_cycle};

use crate::Horizon;
use setting::Settings;
use store::deadline::Deadline;
use store::publish::Generation;
use text::program::Program;

#[derive(Debug, Clone, Copy)]
pub struct CycleOptions<'o> {
    pub settings: &'o Settings,
    /// Up to where the log is seen.
    pub horizon: Horizon,
    /// By when it must be done.
    pub deadline: Deadline,
    pub program: &'o Program,
}

impl<'o> CycleOptions<'o> {
    /// What it takes to see the log as a generation saw it.
    pub const fn of_generation(generation: &Generation, settings: &'o Settings, program: &'o Program, deadline: Deadline) -> Self {
        let manifest = &generation.manifest;
        let horizon = Horizon { as_of_micros: manifest.as_of_micros, through: manifest.through };
        Self { settings, horizon, deadline, program }
    }
}

/// What a cycle is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Folding lessons and decisions.
    Book,
    /// Finding the patterns of so many texts.
    Matching(usize),
    Counting,
    /// Working out rates, flags and ranks.
    Scoring,
    Roles,
    /// Folding what was observed in transcripts.
    Observations,
    /// Working out what finished runs say.
    Policy,
    Writing,
    Auditing,
}

impl Phase {
    pub const COUNT: u64 = 9;

    /// Its place among them, from 0.
    #[must_use]
    pub const fn place(self) -> u64 {
        match self {
            Self::Book => 0,
            Self::Matching(_) => 1,
            Self::Counting => 2,
            Self::Scoring => 3,
            Self::Roles => 4,
            Self::Observations => 5,
            Self::Policy => 6,
            Self::Writing => 7,
            Self::Auditing => 8,
        }
    }

    #[must_use]
    pub fn describe(self) -> String {
        match self {
            Self::Book => "folding the lessons".to_owned(),
            Self::Matching(texts) => format!("matching {texts} texts"),
            Self::Counting => "counting the evidence".to_owned(),
            Self::Scoring => "scoring".to_owned(),
            Self::Roles => "folding role patterns".to_owned(),
            Self::Observations => "folding observations".to_owned(),
            Self::Policy => "scoring adapters and agents".to_owned(),
            Self::Writing => "writing the generation".to_owned(),
            Self::Auditing => "auditing the generation".to_owned(),
        }
    }
}
