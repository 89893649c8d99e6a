//! Asking one command again and again: each call has a purpose and terms, is paid for, bounded, and tried again if its answer is
//! of no use.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use super::budget::{Budget, Limit, Start};
use super::call::{ask, name_of};
use crate::deadline::Deadline;
use crate::subprocess::Allowance;
use crate::workspace::Workspace;
use setting::Settings;
use text::day::Day;
use text::diagnostic::Outcome;

/// After so many failures in a row, the next would fail too.
const MOST_FAILURES: usize = 3;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asked<T> {
    Answered(T),
    /// No try gave one; why the last one did not.
    Failed(String),
    /// There is no more time or budget; which of them.
    Over(String),
}

/// Lands the events that answers become, in their order. When it returns, they survive a power cut.
pub type Land<'l> = dyn FnMut(Vec<String>) -> Outcome<()> + 'l;

/// Asks one command, as often as its terms allow.
#[derive(Debug)]
pub struct Asker<'t> {
    terms: Terms<'t>,
    deadline: Deadline,
    now: Timestamp,
    budget: Budget,
    calls: u32,
    /// How often in a row no try gave a usable answer.
    failures: usize,
}

impl<'t> Asker<'t> {
    /// Somebody who asks until the deadline, on the budget of the day of `now`. None where the terms name no command.
    pub fn load(workspace: &Workspace, terms: Terms<'t>, deadline: Deadline, now: Timestamp) -> Outcome<Option<Self>> {
        if terms.command.is_empty() {
            return Ok(None);
        }
        let budget = Budget::load(workspace, terms.purpose, Day::of_micros(now.as_microsecond()))?;
        Ok(Some(Self { terms, deadline, now, budget, calls: 0, failures: 0 }))
    }

    /// Asks about so many things. `parse` reads the answer, or says why it is of no use; then the command is asked again, as often
    /// as the terms say.
    pub fn ask<T>(&mut self, request: &str, things: usize, mut parse: impl FnMut(&str) -> Result<T, String>) -> Asked<T> {
        let mut cause = String::new();
        for _ in 0..=self.terms.retries {
            let Some(time) = self.time_of_call() else {
                return Asked::Over(format!("the time limit for {} is reached", self.terms.purpose.doing));
            };
            if let Err(over) = self.pay(things) {
                return Asked::Over(over);
            }
            let allowance = Allowance { time, output_bytes: self.terms.most_answer_kib.saturating_mul(1024) };
            let answer = ask(self.terms.command, request, allowance).map_err(|failure| failure.to_string());
            match answer.and_then(|text| parse(&text)) {
                Ok(answer) => {
                    self.failures = 0;
                    return Asked::Answered(answer);
                }
                Err(failure) => cause = failure,
            }
        }
        self.failures += 1;
        Asked::Failed(cause)
    }

    /// Why it is not worth asking any more in this run, if it is not.
    pub fn despair(&self) -> Option<String> {
        (self.failures >= MOST_FAILURES)
            .then(|| format!("{MOST_FAILURES} consecutive calls failed: the command is not called again in this run"))
    }

    /// How often the command was asked.
    pub const fn calls(&self) -> u32 {
        self.calls
    }

    /// How long a call may take; none if the time is over.
    fn time_of_call(&self) -> Option<Duration> {
        let most = Duration::from_secs(self.terms.timeout_seconds);
        let time = self.deadline.remaining().map_or(most, |remaining| remaining.min(most));
        (!time.is_zero() || most.is_zero()).then_some(time)
    }

    /// Takes a call out of the budget, or says why that is not possible.
    fn pay(&mut self, things: usize) -> Result<(), String> {
        let Terms { purpose, command, calls_per_day, .. } = self.terms;
        let limit = Limit { calls_per_day, pause: SignedDuration::ZERO };
        match self.budget.take(limit, things, &name_of(command), self.now) {
            Ok(Start::Go) => {
                self.calls += 1;
                Ok(())
            }
            Ok(Start::UsedUp | Start::TooSoon(_)) => Err(format!(
                "the {calls_per_day} calls of the day are used up: raise `calls_per_day` of `[{}]`, or wait for the next day (UTC)",
                purpose.table
            )),
            Err(error) => Err(format!("calls cannot be counted, so none is made: {error}")),
        }
    }
}

/// What it takes to ask about many things.
#[derive(Debug, Clone, Copy)]
pub struct Task<'a, K> {
    /// The workspace, which counts the calls.
    pub workspace: &'a Workspace,
    pub settings: &'a Settings,
    /// When to stop. What is done by then stands.
    pub deadline: Deadline,
    /// The instant that the events carry, and whose day pays for calls.
    pub now: Timestamp,
    /// What is known already, for the command to know.
    pub known: &'a [K],
}

/// What a command is asked for: the names that its calls and its faults go by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Purpose {
    pub table: &'static str,
    /// What the files of its calls are named after: `history/<file>-YYYY-MM-DD.jsonl`.
    pub file: &'static str,
    /// What a call is about, in the plural.
    pub things: &'static str,
    pub doing: &'static str,
}

/// The terms on which a command is asked, as the settings of its purpose say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Terms<'t> {
    pub purpose: Purpose,
    /// The program and its arguments.
    pub command: &'t [String],
    /// How long one call may take.
    pub timeout_seconds: u64,
    /// How often a call is tried again within one run.
    pub retries: u32,
    /// How many calls a day may make, failed ones included.
    pub calls_per_day: u32,
    /// The longest answer that is read, in KiB.
    pub most_answer_kib: usize,
}
