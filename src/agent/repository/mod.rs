//! Git repositories: what changed since a commit, and how a repository is called.
//!
//! The only room that runs the `git` program. It reads and never writes: no lock is taken, no hook and no helper program that a
//! repository or the environment names for showing differences is started.

mod checkout;
mod config;
mod diff;
mod git;
mod name;
mod origin;
mod since;
mod untracked;

pub use checkout::Repository;
pub use name::{identity_around, name_around, project_around, top_around};
pub use origin::name_in_url;
