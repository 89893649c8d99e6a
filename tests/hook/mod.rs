//! The agents' hooks.

mod acknowledgment;
mod hostile;
mod inject;
mod learned;
mod observe;
mod observed;
mod session;
mod stage;
mod start;
mod stop;
mod token;
mod tool;
mod transcript;
