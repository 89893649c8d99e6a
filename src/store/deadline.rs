//! How long something may take.

use std::time::{Duration, Instant};

use text::diagnostic::{Diagnostic, Exit, Outcome};

/// The instant by which a step must be done.
#[derive(Debug, Clone, Copy)]
pub struct Deadline {
    end: Option<Instant>,
    limit: Duration,
}

impl Deadline {
    /// Something that may take as long as it likes.
    pub const NEVER: Self = Self { end: None, limit: Duration::MAX };

    pub fn after(limit: Duration) -> Self {
        Self { end: Instant::now().checked_add(limit), limit }
    }

    /// How much time is left. None where there is no limit.
    pub fn remaining(&self) -> Option<Duration> {
        self.end.map(|end| end.saturating_duration_since(Instant::now()))
    }

    pub fn is_over(&self) -> bool {
        self.remaining().is_some_and(|remaining| remaining.is_zero())
    }

    /// Fails when the time is over.
    pub fn check(&self) -> Outcome<()> {
        if !self.is_over() {
            return Ok(());
        }
        Err(Diagnostic::new(
            Exit::Machine,
            format!("the step took longer than its limit of {} seconds", self.limit.as_secs()),
            "check the load of the machine, or raise `timeout_minutes` of the step in the workspace's jobs/*.toml",
        ))
    }
}
