//! The agents' hooks.
