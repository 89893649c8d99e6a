//! What the evidence says of each pattern: matching, rates, intervals, flags, ranking. Frames in, frames out.

pub mod change;
pub mod citation;
pub mod closedloop;
pub mod matching;
pub mod memory;
pub mod observation;
pub mod pattern;
pub mod policy;
pub mod recall;
pub mod relevance;
pub mod review;
pub mod role;
pub mod statistics;
pub mod subject;
pub mod table;
pub mod timing;
pub mod truth;

mod attribution;
mod cluster;
mod credit;
mod evidence;
mod flag;
mod history;
mod ranking;
mod rate;
mod rounding;
mod score;
mod staleness;

pub use attribution::{Attribution, Subject, attribute, candidates};
pub use cluster::{TaskRow, effective_count, squared_error};
pub use credit::{Credit, Offer};
pub use evidence::{Evidence, ProjectEvidence, gather_evidence};
pub use flag::Flag;
pub use history::{HISTORY_DAYS, HISTORY_WEEKS, History, Trace, TracePoint, WeekAdapter, WeekGoals, WeekRuns};
pub use ranking::Ranking;
pub use rate::{Confidence, Interval, interval, interval_of};
pub use rounding::{real, round_half_away};
pub use score::{Basis, Mode, Score};
pub use staleness::{Iterations, parse_iterations};
