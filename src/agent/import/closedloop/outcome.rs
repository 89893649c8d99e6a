//! `outcomes.log`: each row is the application of a pattern, with what later steps appended to it, read by structure and as the
//! original reads it.
//!
//! Nothing in a row says where a marker begins. The original takes the first number for the relevance, also where it is the
//! result of a goal; its own rates come from that reading, so both are kept.

use std::collections::HashMap;

use xxhash_rust::xxh3::xxh3_128;

use super::log::{Turn, import_log};
use crate::import::imported::{Imported, Notes, Record, Refusal};
use crate::import::value::{fit_aside, fit_label, fit_name, fit_project, fit_text, fit_texts, parse_float, trim_end};
use event::Draft;
use text::fit::quoted;

/// The fewest fields of a row that the original reads.
const LEAST_FIELDS: usize = 6;
/// The fields that are written with the row; everything behind them is appended later.
const OWN_FIELDS: usize = 7;
/// How many fields that nobody understands are quoted in a note.
const QUOTED_FIELDS: usize = 5;
/// The method of a relevance as the original's reader takes it, right or wrong.
const AS_READ: &str = "closedloop:as-read";

/// Imports `outcomes.log`: an `application` a row, and the `relevance`, `goal`, `citation` and `build` events of its markers.
///
/// The id of an application depends on the project, on what the row held when it was written and on how many rows before it
/// held the same. So a log may be imported again after markers were appended to it: its applications keep their ids.
pub fn import_outcomes(text: &[u8], project: &str) -> Imported {
    let project = fit_project(project);
    let mut identities = Identities::default();
    import_log(text, |row, notes| {
        let fields: Vec<&str> = row.split('|').collect();
        if fields.len() < LEAST_FIELDS {
            return Err(format!("has {} fields, fewer than {LEAST_FIELDS}", fields.len()));
        }
        let (own, tail) = fields.split_at(fields.len().min(OWN_FIELDS));
        let row = Row::parse(own, &project, notes)?;
        let id = identities.next(&project, own);
        let mut events = vec![row.application(&id)?];
        row.push_markers(&id, &parse_tail(tail), notes, &mut events)?;
        Ok(Record::Events(events))
    })
}

/// The ids of the applications of one log.
#[derive(Debug, Default)]
struct Identities {
    seen: HashMap<u128, u64>,
}

impl Identities {
    fn next(&mut self, project: &str, own: &[&str]) -> String {
        // The white space at the end of a row is not part of it, and is inside of the row once a marker follows.
        let written = own.join("|");
        let key = xxh3_128(format!("{project}\n{}", trim_end(&written)).as_bytes());
        let ordinal = self.seen.entry(key).or_default();
        let id = xxh3_128(format!("{key:032x}\n{ordinal}").as_bytes());
        *ordinal += 1;
        format!("cl-{id:032x}")
    }
}

/// What a row held when it was written.
#[derive(Debug)]
struct Row<'a> {
    project: &'a str,
    turn: Turn,
    agent: Option<String>,
    trigger: String,
    status: &'static str,
    /// The word in place of a status that is not one.
    status_text: Option<String>,
    citations: Vec<String>,
}

impl<'a> Row<'a> {
    fn parse(own: &[&str], project: &'a str, notes: &mut Notes) -> Result<Self, Refusal> {
        let [time, run_id, iteration, agent, trigger, status, rest @ ..] = own else {
            return Err(format!("has {} fields, fewer than {LEAST_FIELDS}", own.len()));
        };
        let turn = Turn::parse(time, run_id, iteration, notes)?;
        let (status, status_text) = match *status {
            "applied" => ("applied", None),
            "injected" => ("injected", None),
            other => {
                notes.add(format!("the status {} is read as `applied`", quoted(other)));
                ("applied", Some(fit_aside(other, "status_text", notes)))
            }
        };
        Ok(Self {
            project,
            turn,
            agent: fit_name(agent, "agent", notes),
            trigger: fit_text(trigger, "trigger", notes),
            status,
            status_text,
            citations: fit_texts(rest.iter().flat_map(|citations| citations.split(',')), "citations", notes),
        })
    }

    fn application(&self, id: &str) -> Result<String, Refusal> {
        Draft::new("application", self.turn.time, self.project)
            .with("id", id)
            .of_turn(&self.turn.run_id, self.turn.iteration)
            .with_some("agent", self.agent.as_deref())
            .with("trigger", &*self.trigger)
            .with("status", self.status)
            .with("citations", self.citations.clone())
            .with_some("iteration_text", self.turn.iteration_text.as_deref())
            .with_some("status_text", self.status_text.as_deref())
            .finish()
    }

    /// Pushes the events of what was appended to the row.
    fn push_markers(&self, id: &str, tail: &Tail<'_>, notes: &mut Notes, events: &mut Vec<String>) -> Result<(), Refusal> {
        if let Some(relevance) = tail.relevance {
            events.extend(self.relevance(id, relevance, notes)?);
        }
        if let Some(as_read) = tail.as_read.filter(|as_read| !is_same_score(tail.relevance, as_read)) {
            events.push(self.relevance_as_read(id, as_read)?);
        }
        for (order, goal) in tail.goals.iter().enumerate() {
            events.push(self.goal(id, order, goal, notes)?);
        }
        if tail.is_unverified {
            events.push(self.unverified_citation(id)?);
        }
        for (order, passed) in tail.builds.iter().enumerate() {
            events.push(self.build(id, order, *passed)?);
        }
        note_unread(&tail.unread, notes);
        Ok(())
    }

    fn relevance(&self, id: &str, relevance: Relevance<'_>, notes: &mut Notes) -> Result<Option<String>, Refusal> {
        let Relevance { score, raw, method } = relevance;
        if !score.is_finite() {
            notes.add(format!("the relevance {} is not a finite number", quoted(raw)));
            return Ok(None);
        }
        let is_clamped = !(0.0..=1.0).contains(&score);
        if is_clamped {
            notes.add(format!("the relevance {} is outside 0 to 1 and was clamped", quoted(raw)));
        }
        let method = method.and_then(|method| fit_label(method, "method", notes));
        let raw = is_clamped.then(|| fit_aside(raw, "raw", notes));
        let draft = self.finding("relevance", id, 0).with("score", to_unit(score));
        draft.with_some("method", method).with_some("raw", raw).finish().map(Some)
    }

    fn relevance_as_read(&self, id: &str, relevance: Relevance<'_>) -> Result<String, Refusal> {
        let draft = self.finding("relevance", id, 0).with("score", to_unit(relevance.score)).with("method", AS_READ);
        draft.with("raw", fit_aside(relevance.raw, "raw", &mut Notes::default())).finish()
    }

    fn goal(&self, id: &str, order: usize, goal: &Goal<'_>, notes: &mut Notes) -> Result<String, Refusal> {
        let name = fit_label(goal.name, "goal", notes).unwrap_or_else(|| {
            notes.add("a goal without a name became `unnamed`");
            "unnamed".to_owned()
        });
        let score = Some(goal.score).filter(|score| score.is_finite());
        if score.is_none() {
            notes.add(format!("the score of the goal {} is not a finite number", quoted(&name)));
        }
        let draft = self.finding("goal", id, order).with("goal", name).with("success", goal.success);
        draft.with_some("score", score).finish()
    }

    fn unverified_citation(&self, id: &str) -> Result<String, Refusal> {
        self.finding("citation", id, 0)
            .with("trigger", &*self.trigger)
            .with_some("agent", self.agent.as_deref())
            .with("verified", false)
            .with("reason", "marked unverified in outcomes.log")
            .finish()
    }

    /// The marker stands on one row, and rows of other agents have none: it judges this application alone.
    fn build(&self, id: &str, order: usize, passed: bool) -> Result<String, Refusal> {
        self.finding("build", id, order).with_some("agent", self.agent.as_deref()).with("passed", passed).finish()
    }

    /// An event that says something about the application; the one of a higher order is the later one.
    fn finding(&self, kind: &'static str, id: &str, order: usize) -> Draft {
        Draft::new(kind, self.turn.time_after(order), self.project)
            .with("application_id", id)
            .of_turn(&self.turn.run_id, self.turn.iteration)
    }
}

/// Whether a relevance says the same as what the original reads. One that is not finite gives no event and so says nothing.
fn is_same_score(relevance: Option<Relevance<'_>>, as_read: &Relevance<'_>) -> bool {
    relevance.is_some_and(|relevance| relevance.score.is_finite() && relevance.score.total_cmp(&as_read.score).is_eq())
}

/// The nearest score from 0 to 1; 0 for what is not finite.
fn to_unit(score: f64) -> f64 {
    // The comparison also turns a negative zero into a plain one.
    if score.is_finite() && score > 0.0 { score.min(1.0) } else { 0.0 }
}

fn note_unread(unread: &[&str], notes: &mut Notes) {
    if unread.is_empty() {
        return;
    }
    let shown: Vec<String> = unread.iter().take(QUOTED_FIELDS).map(|field| quoted(field)).collect();
    notes.add(format!("{} appended fields belong to no marker: {}", unread.len(), shown.join(", ")));
}

/// The markers of one row.
#[derive(Debug, Default)]
pub(super) struct Tail<'a> {
    /// The relevance that stands in front of the goals.
    pub(super) relevance: Option<Relevance<'a>>,
    /// What the original takes for the relevance: the first number.
    pub(super) as_read: Option<Relevance<'a>>,
    /// The goals in the order in which they were appended.
    pub(super) goals: Vec<Goal<'a>>,
    /// Whether the row was marked as unverified.
    pub(super) is_unverified: bool,
    /// Whether the builds passed, in the order in which they were appended.
    pub(super) builds: Vec<bool>,
    /// The fields that belong to no marker.
    pub(super) unread: Vec<&'a str>,
}

/// A relevance as it was written.
#[derive(Debug, Clone, Copy)]
pub(super) struct Relevance<'a> {
    pub(super) score: f64,
    pub(super) raw: &'a str,
    pub(super) method: Option<&'a str>,
}

/// A goal and its result.
#[derive(Debug, Clone, Copy)]
pub(super) struct Goal<'a> {
    pub(super) name: &'a str,
    pub(super) success: bool,
    pub(super) score: f64,
}

const UNVERIFIED: &str = "unverified";

/// Reads the fields behind the citations.
pub(super) fn parse_tail<'a>(fields: &[&'a str]) -> Tail<'a> {
    let numbers: Vec<Option<f64>> = fields.iter().map(|field| parse_float(field)).collect();
    let (goals, starts) = find_goals(fields, &numbers);
    let relevance = find_relevance(fields, &numbers, starts.first().copied().unwrap_or(fields.len()));
    let first_number = numbers.iter().position(Option::is_some);

    let mut is_read = vec![false; fields.len()];
    for start in starts {
        is_read[start..start + 3].fill(true);
    }
    if let Some((at, Relevance { method, .. })) = relevance {
        is_read[at..=at + usize::from(method.is_some())].fill(true);
    }
    let is_unread = |(field, is_read): &(&&str, bool)| !is_read && !field.is_empty() && !is_marker(field);
    Tail {
        relevance: relevance.map(|(_, relevance)| relevance),
        as_read: first_number.and_then(|at| relevance_at(fields, &numbers, at)),
        goals,
        is_unverified: fields.contains(&UNVERIFIED),
        builds: fields.iter().filter_map(|field| build_result(field)).collect(),
        unread: fields.iter().zip(is_read).filter(is_unread).map(|(field, _)| *field).collect(),
    }
}

/// The goals, and where each begins. The first is found exactly where the original finds it; the others follow behind it.
fn find_goals<'a>(fields: &[&'a str], numbers: &[Option<f64>]) -> (Vec<Goal<'a>>, Vec<usize>) {
    let (mut goals, mut starts, mut at) = (Vec::new(), Vec::new(), 0);
    while let [name, result, _, ..] = fields[at..] {
        match (result, numbers[at + 2]) {
            ("0" | "1", Some(score)) => {
                goals.push(Goal { name, success: result == "1", score });
                starts.push(at);
                at += 3;
            }
            _ => at += 1,
        }
    }
    (goals, starts)
}

/// The first number in front of the goals that has a method, or that nothing but a marker follows.
fn find_relevance<'a>(fields: &[&'a str], numbers: &[Option<f64>], first_goal: usize) -> Option<(usize, Relevance<'a>)> {
    let has_number_behind = |at: usize| numbers.get(at + 1).is_some_and(Option::is_some);
    let at = (0..first_goal).find(|&at| numbers[at].is_some() && !has_number_behind(at))?;
    Some((at, relevance_at(fields, numbers, at)?))
}

fn relevance_at<'a>(fields: &[&'a str], numbers: &[Option<f64>], at: usize) -> Option<Relevance<'a>> {
    // The field behind may be the name of a goal as well: a goal that is called `1` makes the method look like one. Whoever
    // appends a relevance appends its method too, so the method it stays.
    let method = fields.get(at + 1).copied().filter(|method| !method.is_empty() && !is_marker(method));
    Some(Relevance { score: numbers[at]?, raw: fields[at], method })
}

fn is_marker(field: &str) -> bool {
    field == UNVERIFIED || build_result(field).is_some()
}

fn build_result(field: &str) -> Option<bool> {
    match field {
        "build_passed" => Some(true),
        "build_failed" => Some(false),
        _ => None,
    }
}
