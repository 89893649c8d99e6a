//! The agents' hooks.

mod acknowledgment;
mod transcript;
