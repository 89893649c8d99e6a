//! Classifying all lessons that wait for it, by the built-in rules or by a command.

use std::collections::HashSet;
use std::time::Duration;

use jiff::Timestamp;

use crate::day::Day;
use crate::deadline::Deadline;
use crate::diagnostic::Outcome;
use crate::event::field::ClassificationStatus;
use crate::event::quoted;
use crate::setting::Settings;
use crate::subprocess::Allowance;
use crate::workspace::Workspace;

use super::answer::{Answer, parse_answer};
use super::budget::Budget;
use super::builtin::{classify, pass_gates};
use super::classification::Classification;
use super::command::{ask, name_of};
use super::lesson::PendingLesson;
use super::request::render_request;

/// What classifying needs beside the lessons.
#[derive(Debug, Clone, Copy)]
pub struct Task<'a> {
    /// The workspace, which keeps the budget of calls.
    pub workspace: &'a Workspace,
    /// Its settings.
    pub settings: &'a Settings,
    /// When to stop. What is done by then stands.
    pub deadline: Deadline,
    /// The instant that the events carry, and whose day pays for calls.
    pub now: Timestamp,
    /// Summaries of patterns that exist, for the command to know; best first.
    pub known: &'a [String],
}

/// What became of the lessons.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Classified {
    /// The events, in the order of the lessons.
    pub lines: Vec<String>,
    /// Lessons that stand in their own words.
    pub approved: usize,
    /// Lessons that stand in other words.
    pub reworded: usize,
    /// Lessons that do not become patterns.
    pub rejected: usize,
    /// Lessons that stay pending.
    pub left: usize,
    /// How often the command was asked.
    pub calls: u32,
    /// What a person should know.
    pub warnings: Vec<String>,
}

/// Classifies lessons, and reports after each part how many of all have been dealt with.
///
/// Failures of the command, of its budget and of the time leave lessons pending, with a warning. They never cost an answer
/// that was given.
pub fn classify_all(task: &Task<'_>, lessons: &[PendingLesson], report: &mut dyn FnMut(usize, usize)) -> Outcome<Classified> {
    let mut sitting =
        Sitting { task, decided: vec![None; lessons.len()], calls: 0, warnings: Vec::new(), budget: load_budget(task)?, done: 0 };
    if sitting.budget.is_some() {
        sitting.ask_about(lessons, report);
    } else {
        sitting.judge(lessons, report);
    }
    Ok(sitting.finish(lessons))
}

/// The name of the built-in classifier in events, and that of the quality gates.
const BUILT_IN: &str = "built-in";
const GATE: &str = "gate";
/// After so many failed batches in a row, the next would fail too.
const MOST_FAILURES: usize = 3;
/// How many refused entries of one answer are told.
const TOLD_FAULTS: usize = 3;

fn load_budget(task: &Task<'_>) -> Outcome<Option<Budget>> {
    if task.settings.classify.command.is_empty() {
        return Ok(None);
    }
    Budget::load(task.workspace, Day::of_micros(task.now.as_microsecond())).map(Some)
}

/// One run: what was decided about each lesson so far, and by whom.
struct Sitting<'a> {
    task: &'a Task<'a>,
    decided: Vec<Option<(Classification, String)>>,
    calls: u32,
    warnings: Vec<String>,
    budget: Option<Budget>,
    done: usize,
}

/// What asking about one batch came to.
enum Asked {
    Answered(Answer),
    /// No try gave a usable answer; why the last one did not.
    Failed(String),
    /// There is no more time or budget; which of them.
    Over(String),
}

impl Sitting<'_> {
    fn judge(&mut self, lessons: &[PendingLesson], report: &mut dyn FnMut(usize, usize)) {
        for (place, lesson) in lessons.iter().enumerate() {
            if self.task.deadline.is_over() {
                self.warnings.push("the time for classifying is over".to_owned());
                return;
            }
            self.decided[place] = Some((classify(lesson, &self.task.settings.capture), BUILT_IN.to_owned()));
            report(place + 1, lessons.len());
        }
    }

    fn ask_about(&mut self, lessons: &[PendingLesson], report: &mut dyn FnMut(usize, usize)) {
        let open = self.pass_gates(lessons);
        report(self.done, lessons.len());
        let mut failures = 0;
        for batch in batches(lessons, &open, self.task.settings.classify.lessons_per_call) {
            let asked: Vec<&PendingLesson> = batch.iter().map(|place| &lessons[*place]).collect();
            match self.ask_batch(&asked) {
                Asked::Answered(answer) => {
                    failures = 0;
                    self.keep(&batch, answer);
                }
                Asked::Failed(cause) => {
                    failures += 1;
                    self.warnings.push(format!("{} lessons stay pending: {cause}", batch.len()));
                }
                Asked::Over(cause) => return self.warnings.push(cause),
            }
            self.done += batch.len();
            report(self.done, lessons.len());
            if failures == MOST_FAILURES {
                let cause = format!("{MOST_FAILURES} calls in a row failed: the command is not asked any more in this run");
                return self.warnings.push(cause);
            }
        }
    }

    /// Rejects what no command has to be asked about. Gives the places of the other lessons.
    fn pass_gates(&mut self, lessons: &[PendingLesson]) -> Vec<usize> {
        let mut open = Vec::new();
        for (place, lesson) in lessons.iter().enumerate() {
            match pass_gates(lesson, &self.task.settings.capture) {
                Ok(_) => open.push(place),
                Err(reasons) => {
                    self.decided[place] = Some((Classification::rejected(&reasons), GATE.to_owned()));
                    self.done += 1;
                }
            }
        }
        open
    }

    fn ask_batch(&mut self, lessons: &[&PendingLesson]) -> Asked {
        let (settings, capture) = (&self.task.settings.classify, &self.task.settings.capture);
        let request = render_request(lessons, self.task.known, capture);
        let mut cause = String::new();
        for _ in 0..=settings.retries {
            let Some(time) = self.time_of_call() else { return Asked::Over("the time for classifying is over".to_owned()) };
            if let Err(over) = self.pay(lessons.len()) {
                return Asked::Over(over);
            }
            let allowance = Allowance { time, output_bytes: settings.most_answer_kib.saturating_mul(1024) };
            let answer = ask(&settings.command, &request, allowance).map_err(|failure| failure.to_string());
            match answer.and_then(|text| usable(parse_answer(&text, lessons, capture)?)) {
                Ok(answer) => return Asked::Answered(answer),
                Err(failure) => cause = failure,
            }
        }
        Asked::Failed(cause)
    }

    /// How long a call may take; none if the time is over.
    fn time_of_call(&self) -> Option<Duration> {
        let most = Duration::from_secs(self.task.settings.classify.timeout_seconds);
        let time = self.task.deadline.remaining().map_or(most, |remaining| remaining.min(most));
        (!time.is_zero() || most.is_zero()).then_some(time)
    }

    /// Takes a call out of the budget, or says why that is not possible.
    fn pay(&mut self, lessons: usize) -> Result<(), String> {
        let settings = &self.task.settings.classify;
        let Some(budget) = &mut self.budget else { return Ok(()) };
        match budget.take(settings.calls_per_day, lessons, &name_of(&settings.command), self.task.now) {
            Ok(true) => {
                self.calls += 1;
                Ok(())
            }
            Ok(false) => Err(format!(
                "the {} calls of the day are used up: raise `calls_per_day` of `[classify]`, or wait for the next day (UTC)",
                settings.calls_per_day
            )),
            Err(error) => Err(format!("no call can be counted, so that none is made: {error}")),
        }
    }

    fn keep(&mut self, batch: &[usize], answer: Answer) {
        let name = name_of(&self.task.settings.classify.command);
        let missing = answer.classifications.iter().filter(|classification| classification.is_none()).count();
        if !answer.faults.is_empty() || missing > 0 {
            let shown = answer.faults.iter().take(TOLD_FAULTS).cloned().collect::<Vec<_>>().join("; ");
            let more = answer.faults.len().saturating_sub(TOLD_FAULTS);
            let more = if more > 0 { format!("; and {more} more") } else { String::new() };
            let refused = if shown.is_empty() { String::new() } else { format!("; refused: {shown}{more}") };
            self.warnings.push(format!(
                "{} says nothing usable about {missing} of {} lessons{refused}",
                quoted(&name),
                batch.len()
            ));
        }
        for (place, classification) in batch.iter().zip(answer.classifications) {
            self.decided[*place] = classification.map(|classification| (classification, name.clone()));
        }
    }

    fn finish(self, lessons: &[PendingLesson]) -> Classified {
        let mut classified = Classified { calls: self.calls, warnings: self.warnings, ..Classified::default() };
        for (lesson, decided) in lessons.iter().zip(self.decided) {
            let line = decided.map(|(decided, by)| decided.line(lesson, &by, self.task.now).map(|line| (line, decided.status)));
            match line {
                None => classified.left += 1,
                Some(Err(cause)) => {
                    classified.left += 1;
                    classified.warnings.push(format!("the lesson {} stays pending: {cause}", quoted(&lesson.id)));
                }
                Some(Ok((line, status))) => {
                    classified.lines.push(line);
                    match status {
                        ClassificationStatus::Approved => classified.approved += 1,
                        ClassificationStatus::Reworded => classified.reworded += 1,
                        ClassificationStatus::Rejected => classified.rejected += 1,
                    }
                }
            }
        }
        classified
    }
}

/// An answer of which nothing can be used is no answer.
fn usable(answer: Answer) -> Result<Answer, String> {
    if answer.classifications.iter().any(Option::is_some) {
        return Ok(answer);
    }
    let first = answer.faults.first().map_or(String::new(), |fault| format!(": {fault}"));
    Err(format!("the answer says nothing usable about any lesson{first}"))
}

/// The places of lessons in batches, in order. The ids within a batch differ, so that an answer can name them.
fn batches(lessons: &[PendingLesson], open: &[usize], most: usize) -> Vec<Vec<usize>> {
    let mut all: Vec<Vec<usize>> = Vec::new();
    let mut ids = HashSet::new();
    for place in open {
        let is_free = ids.insert(lessons[*place].id.as_str());
        match all.last_mut() {
            Some(batch) if is_free && batch.len() < most => batch.push(*place),
            _ => {
                ids.clear();
                ids.insert(lessons[*place].id.as_str());
                all.push(vec![*place]);
            }
        }
    }
    all
}
