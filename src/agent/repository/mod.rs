//! Git repositories: what changed since a commit, and how a repository is called.
//!
//! The only room that runs the `git` program. It reads and never writes: no lock is taken, no hook and no helper program that a
//! repository or the environment names for showing differences is started.

mod checkout;
mod diff;
mod excludes;
mod git;
mod identity;

pub use checkout::{Repository, name_around, name_in_url, top_around};
pub use excludes::Excludes;
pub use identity::{identity_around, project_around};
