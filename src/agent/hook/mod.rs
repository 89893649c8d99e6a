//! The agents' hooks: what is shown to an agent, what it says about that, and what becomes an event.
//!
//! Everything here runs inside of an agent's turn: one small published file is read, no engine is opened, and whoever fails says so
//! in one line and lets the agent go on.

mod acknowledgment;
mod answer;
mod capture;
mod claim;
mod coin;
mod duty;
mod execution;
mod exposure;
mod fold;
mod heard;
mod host;
mod injection;
mod kept;
mod knowledge;
mod known;
mod learned;
mod memory;
mod mention;
mod observation;
mod payload;
mod quotation;
mod report;
mod response;
mod said;
mod salt;
mod settlement;
mod showing;
mod sight;
mod situation;
mod stop;
mod sweep;
mod task;
mod touch;
mod transcript;
mod verdict;
mod watch;

pub use acknowledgment::{Acknowledgment, Shown, Use, parse_acknowledgment};
pub use answer::Answer;
pub use coin::{Assigned, Coins};
pub use execution::{Execution, executions};
pub use exposure::record_exposures;
pub use fold::fold;
pub use host::{Event, Host};
pub use injection::{Injection, PublishedCoins, Request, Shape, ShownPattern, inject, is_withheld, published_coins, recall};
pub use known::{Known, find_known};
pub use memory::Claim;
pub use payload::Payload;
pub use report::{claim_of, is_pattern_id};
pub use response::hash_output;
pub use said::{acknowledge, note_lesson};
pub use salt::find_salt;
pub use situation::{Situation, priority_of, unit_of_run};
pub use sweep::{Sweep, sweep};
pub use transcript::{Speaker, find_last_words, last_words};
pub use verdict::{build_verdict, says_nothing_learned};
