//! Whether a pattern helps: logged coins, sums of units by coin, arm and outcome, and verdicts that survive looking every hour.
//!
//! Everything here is a function of whole numbers. A verdict needs no order of events inside a day, so neither the cadence of
//! cycles nor the order of landing can show.

mod cell;
mod coin;
mod family;
mod judgement;
mod lift;
mod pool;
mod power;
mod ratio;
mod simulation;
mod state;
mod subject;
mod verdict;
mod wager;

pub use cell::{Cell, Cells};
pub use coin::{Coin, LADDER, Salt, hash, next_chance, phi};
pub use family::discoveries;
pub use judgement::{Arm, BaselineRow, CellRow, Finding, Guard, Judgement, Rule, Standing, judge};
pub use lift::{ALPHA, Lift, contributions, estimate, steadiness};
pub use pool::{Pooled, pool};
pub use power::units_needed;
pub use ratio::{ALARM, ratio_mismatch};
pub use simulation::{Simulated, World, simulate};
pub use state::{DayCells, Fold, Judged, Setup, State, baseline, judge_days};
pub use subject::Subject;
pub use verdict::{Sum, Verdict};
pub use wager::{Evidence, bets, wager};
