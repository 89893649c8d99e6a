//! What finished runs say: how reliable adapters, agents and skills are, which failures recur, and what that means for the next run.
//!
//! Sums come from the lake in bulk (`sql/policy/`). What depends on the order of runs is folded here, and `replay` tells the
//! same story run by run.

mod adapter;
mod agent;
mod bracket;
mod consensus;
mod curation;
mod failure;
mod finding;
mod fold;
mod gate;
mod number;
mod optimize;
mod overlay;
mod replay;
mod run;
mod skill;
mod suggestion;
mod threshold;

pub use adapter::{Missing, Refusals, Reliability, Tally, parse_adapters, parse_refusals};
pub use agent::{AgentProfile, AgentStep, Figures, parse_agents, profile_agents, step_agent};
pub use bracket::Bracket;
pub use consensus::{Consensus, Vote, is_same_agent, weigh};
pub use curation::{Annotation, CONSTRAINT, Clear, ConstraintDecision, Curations, EVERY_ADAPTER, Settlement, parse_curations};
pub use failure::{
    FailurePattern, Recovery, Since, confidence, effective_confidence, failure_id, fix_for, parse_failures, parse_recoveries,
    parse_since,
};
pub use finding::{Division, GateCount, Policies, Policy, RunTotals, Suggested, parse_refused_runs, parse_totals};
pub use fold::{Fold, FoldState, Folded, StepCounts};
pub use gate::{BaseRisk, GateAnswer, GateQuestion, decide_gate};
pub use number::{DAY_MICROS, iso, number, plain};
pub use optimize::{Optimized, OptimizerSuggestion, Task, optimize};
pub use overlay::{Basis, Grounds, Overlay, Strictest, Trigger, build_overlay, parse_strictest};
pub use replay::{GraphEvent, Ledger, PastState, Sums, failure_id_of, quality, replay, skill_json};
pub use run::{AgentDecision, DENIED, Decisions, FinishedRun, parse_runs, put_decisions};
pub use skill::SkillStat;
pub use suggestion::{Constraint, SuggestionCount, suggest};
pub use threshold::{ThresholdStep, Thresholds, step_threshold};
