//! The agents' hooks.

mod acknowledgment;
mod coin;
mod heard;
mod hostile;
mod inject;
mod learned;
mod observe;
mod observed;
mod session;
pub mod stage;
mod start;
mod stop;
mod task;
mod token;
mod tool;
mod transcript;
mod verdict;
