//! Retention.
//!
//! Nothing that counts is dropped before it was handed over: rows of a log go to the caller first, and inbox files go only
//! once the checkpoint says that all of their lines are in the lake. Quarantine is never pruned.

mod inbox;
mod lake;
mod lock;
mod policy;
mod rotation;
mod session;
mod workdir;

pub use inbox::{InboxPruned, prune_inbox};
pub use lake::{Alone, LEAST_DAYS, LakePruned, Moment, prune_lake};
pub use policy::{Policy, load_policy, parse_policy};
pub use rotation::{Log, Rotated};
pub use workdir::{PruneOptions, Pruned, prune_workdir};
