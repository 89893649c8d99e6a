//! Observing sessions: those that wait in the queue, or some that are named, by the built-in rules or by a command.

use std::collections::{BTreeMap, HashSet};
use std::io;
use std::path::Path;

use jiff::{SignedDuration, Timestamp};

use super::answer::{Answer, parse_answer};
use super::asking::ask_command;
use super::extract::extract;
use super::landing::Ledger;
use super::likeness::align;
use super::queue::{Pending, Queue};
use super::request::render_request;
use super::sighting::{Known, Sighting};
use super::source::{Source, fault_of, load_agents_mentions, load_session};
use crate::transcript::Mentions;
use render::plain_text;
use store::command::{Budget, Limit, Purpose, Start, name_of};
use text::day::Day;
use text::diagnostic::{Exit, Outcome};

/// The most sessions that one call is about.
const MOST_SESSIONS: usize = 20;
/// After so many sessions what was seen is landed, and they are taken out of the queue.
const LANDED_TOGETHER: usize = 16;
/// With so many known observations of a project, more sessions make a batch.
const MANY_KNOWN: usize = 15;
/// So many: there is less to find in each of them by then.
const LATER_BATCH: usize = 5;
/// How many refused entries of one answer are told.
const TOLD_FAULTS: usize = 3;

/// What the command is asked for.
pub const PURPOSE: Purpose = Purpose { table: "observe", file: "observer", things: "sessions", doing: "observing" };

/// What observing needs beside the sessions: what is known already and not out of use, the surest first.
pub type Task<'a> = store::command::Task<'a, Known>;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// The project.
    pub project: String,
    /// The session.
    pub session: String,
    /// The time of the session.
    pub time: Timestamp,
    pub sighting: Sighting,
}

/// What was said about artifacts in a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    /// The project.
    pub project: String,
    /// The session.
    pub session: String,
    pub said: Mentions,
}

/// Counts what was said about artifacts. When it returns, that survives a power cut.
pub type Cite<'c> = &'c mut dyn FnMut(&Mention) -> Outcome<()>;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Observed {
    pub sessions: usize,
    /// Sessions that say too little.
    pub shallow: usize,
    /// Sessions whose transcript is gone.
    pub missing: usize,
    /// Sessions that stay in the queue.
    pub waiting: usize,
    /// How often the command was asked.
    pub calls: u32,
    /// How often it gave no answer that can be used.
    pub failures: u32,
    pub seen: Vec<Seen>,
    /// How much of what was seen landed.
    pub landed: usize,
    /// How much had landed before.
    pub known: usize,
    /// Entries of answers that were refused.
    pub refused: usize,
    /// What a person should know.
    pub warnings: Vec<String>,
}

/// Observes the sessions that wait. What failed waits on, and is tried again at the next run.
pub fn observe_queued(task: &Task<'_>, cite: Cite<'_>, report: &mut dyn FnMut(usize, usize)) -> Outcome<Observed> {
    let queue = Queue::of(task.workspace);
    let mut sitting = Sitting::new(task, cite)?;
    if queue.is_empty()? {
        return Ok(sitting.observed);
    }
    let _turn = queue.take_turn()?;
    let (waiting, damaged) = queue.load()?;
    if damaged > 0 {
        sitting.warn(format!("skipped {damaged} unreadable lines of the session queue"));
    }
    if task.settings.observe.command.is_empty() {
        sitting.read_all(&queue, &waiting, report)?;
    } else {
        sitting.ask_about_all(&queue, waiting, report)?;
    }
    Ok(sitting.observed)
}

/// Observes sessions that a person names, one after the other: however many there are, only those of one call are held. Nothing lands
/// of a dry run.
pub fn observe_now(task: &Task<'_>, sessions: &mut dyn Iterator<Item = Source>, is_dry: bool, cite: Cite<'_>) -> Outcome<Observed> {
    let mut sitting = Sitting::new(task, cite)?;
    let is_asked = !task.settings.observe.command.is_empty();
    let mut projects: BTreeMap<String, Vec<Source>> = BTreeMap::new();
    for (number, source) in sessions.enumerate() {
        if !is_dry {
            sitting.cite(&source.project, &source.session, &source.mentions);
        }
        if is_asked {
            let batch = projects.entry(source.project.clone()).or_default();
            batch.push(source);
            if batch.len() == MOST_SESSIONS {
                let batch = std::mem::take(batch);
                sitting.ask_now(&batch, is_dry)?;
            }
        } else {
            sitting.read(&[source]);
            if (number + 1).is_multiple_of(LANDED_TOGETHER) && !is_dry {
                sitting.land_rest()?;
            }
        }
    }
    for batch in projects.values().filter(|batch| !batch.is_empty()) {
        sitting.ask_now(batch, is_dry)?;
    }
    if !is_dry {
        sitting.land_rest()?;
    }
    Ok(sitting.observed)
}

/// What asking about some sessions came to.
enum Asked {
    Answered,
    /// The command gave no usable answer.
    Failed,
    /// No call may be made now.
    Over,
}

/// What reading a session that waits came to.
enum Loaded {
    Ready(Box<Source>),
    /// It says too little, or nothing is left of it.
    Dropped,
    /// It cannot be read now.
    Kept,
}

/// One run.
struct Sitting<'a> {
    task: &'a Task<'a>,
    cite: Cite<'a>,
    ledger: Ledger,
    observed: Observed,
    /// How much of what was seen was landed, or had landed before.
    settled: usize,
}

impl<'a> Sitting<'a> {
    fn new(task: &'a Task<'a>, cite: Cite<'a>) -> Outcome<Self> {
        Ok(Self { task, cite, ledger: Ledger::load(task.workspace)?, observed: Observed::default(), settled: 0 })
    }

    /// Asks at a person's word.
    fn ask_now(&mut self, batch: &[Source], is_dry: bool) -> Outcome<()> {
        let asked = self.ask_about(&batch.iter().collect::<Vec<_>>(), true)?;
        if !matches!(asked, Asked::Answered) {
            self.observed.waiting += batch.len();
        }
        if is_dry { Ok(()) } else { self.land_rest() }
    }

    /// Lands what was seen since this was last done.
    fn land_rest(&mut self) -> Outcome<()> {
        let from = std::mem::replace(&mut self.settled, self.observed.seen.len());
        self.land(from)
    }

    /// Observes every session that waits by the built-in rules.
    fn read_all(&mut self, queue: &Queue, waiting: &[Pending], report: &mut dyn FnMut(usize, usize)) -> Outcome<()> {
        let mut done = 0;
        for part in waiting.chunks(LANDED_TOGETHER) {
            let (first, mut settled) = (self.observed.seen.len(), Vec::new());
            for pending in part {
                if self.task.deadline.is_over() {
                    break;
                }
                match self.load(pending) {
                    Loaded::Ready(source) => self.read(&[*source]),
                    Loaded::Dropped => {}
                    Loaded::Kept => continue,
                }
                settled.push(pending.clone());
            }
            self.land(first)?;
            queue.settle(&settled, &[])?;
            done += part.len();
            self.observed.waiting += part.len() - settled.len();
            report(done, waiting.len());
        }
        if self.task.deadline.is_over() {
            self.warn("the time limit for observing is reached".to_owned());
        }
        Ok(())
    }

    /// Reads sessions by the built-in rules.
    fn read(&mut self, sessions: &[Source]) {
        for source in sessions {
            self.observed.sessions += 1;
            for sighting in extract(&source.exchanges) {
                self.see(source, sighting);
            }
        }
    }

    fn see(&mut self, source: &Source, sighting: Sighting) {
        let Source { project, session, time, .. } = source;
        self.observed.seen.push(Seen { project: project.clone(), session: session.clone(), time: *time, sighting });
    }

    /// Asks about the sessions of each project of which enough wait.
    fn ask_about_all(&mut self, queue: &Queue, waiting: Vec<Pending>, report: &mut dyn FnMut(usize, usize)) -> Outcome<()> {
        let all = waiting.len();
        let mut projects: Vec<(String, Vec<Pending>)> = Vec::new();
        for pending in waiting {
            match projects.iter_mut().find(|(project, _)| *project == pending.project) {
                Some((_, sessions)) => sessions.push(pending),
                None => projects.push((pending.project.clone(), vec![pending])),
            }
        }
        let (mut is_over, mut done) = (false, 0);
        for (project, mut sessions) in projects {
            done += sessions.len();
            if is_over || self.task.deadline.is_over() || sessions.len() < self.batch_size(&project) {
                self.observed.waiting += sessions.len();
                continue;
            }
            // What was asked about in vain must not keep all others from it.
            sessions.sort_by_key(|pending| pending.attempts);
            is_over = matches!(self.ask_about_some(queue, &sessions)?, Asked::Over);
            report(done, all);
        }
        Ok(())
    }

    /// How many sessions of a project one call is about.
    fn batch_size(&self, project: &str) -> usize {
        let settings = &self.task.settings.observe;
        let known = self.task.known.iter().filter(|known| known.project == project).take(MANY_KNOWN).count();
        if known == MANY_KNOWN { settings.batch_size.max(LATER_BATCH) } else { settings.batch_size }
    }

    /// Asks about the sessions of a project that say enough, if enough of them do.
    fn ask_about_some(&mut self, queue: &Queue, waiting: &[Pending]) -> Outcome<Asked> {
        let (mut batch, mut dropped): (Vec<(Pending, Source)>, Vec<Pending>) = (Vec::new(), Vec::new());
        for pending in waiting {
            if batch.len() == MOST_SESSIONS {
                break;
            }
            match self.load(pending) {
                Loaded::Ready(source) => batch.push((pending.clone(), *source)),
                Loaded::Dropped => dropped.push(pending.clone()),
                Loaded::Kept => {}
            }
        }
        queue.settle(&dropped, &[])?;
        let rest = waiting.len() - dropped.len() - batch.len();
        let settings = &self.task.settings.observe;
        let (pending, sources): (Vec<Pending>, Vec<Source>) = batch.into_iter().unzip();
        let batch_size = sources.first().map_or(0, |source| self.batch_size(&source.project));
        if sources.len() < batch_size {
            self.observed.waiting += rest + sources.len();
            return Ok(Asked::Answered);
        }
        self.observed.waiting += rest;
        if sources.iter().map(Source::characters).sum::<usize>() < settings.least_characters {
            self.observed.shallow += sources.len();
            queue.settle(&pending, &[])?;
            return Ok(Asked::Answered);
        }
        let first = self.observed.seen.len();
        let asked = self.ask_about(&sources.iter().collect::<Vec<_>>(), false)?;
        if let Asked::Answered = asked {
            // Only what has landed leaves the queue.
            self.land(first)?;
            queue.settle(&pending, &[])?;
        } else {
            self.observed.waiting += pending.len();
            let failed: &[Pending] = if matches!(asked, Asked::Failed) { &pending } else { &[] };
            queue.settle(&[], failed)?;
        }
        Ok(asked)
    }

    /// Asks the command about sessions of one project.
    fn ask_about(&mut self, sessions: &[&Source], is_by_hand: bool) -> Outcome<Asked> {
        let settings = &self.task.settings.observe;
        let mut budget = Budget::load(self.task.workspace, PURPOSE, Day::of_micros(self.task.now.as_microsecond()))?;
        // Whoever asks by hand need not wait; the calls of the day are the same.
        let pause = SignedDuration::from_mins(if is_by_hand { 0 } else { settings.throttle_minutes.into() });
        let limit = Limit { calls_per_day: settings.max_daily_runs, pause };
        match budget.take(limit, sessions.len(), &name_of(&settings.command), self.task.now)? {
            Start::Go => self.observed.calls += 1,
            Start::TooSoon(next) => {
                tracing::info!(%next, "the command was called too recently");
                return Ok(Asked::Over);
            }
            Start::UsedUp => {
                self.observed.failures += u32::from(is_by_hand);
                self.warn(format!(
                    "the {} runs of today are used up: raise `max_daily_runs` of `[observe]`, or wait for the next day (UTC)",
                    settings.max_daily_runs
                ));
                return Ok(Asked::Over);
            }
        }
        let project = sessions.first().map(|source| source.project.as_str()).unwrap_or_default();
        let known: Vec<&Known> =
            self.task.known.iter().filter(|known| known.project == project).take(settings.most_known).collect();
        let request = render_request(sessions, &known, settings.most_request_kib.saturating_mul(1024));
        let answer = ask_command(settings, &request, self.task.deadline).and_then(|text| parse_answer(&text, sessions, &known));
        match answer {
            Ok(answer) => {
                self.keep(sessions, answer);
                Ok(Asked::Answered)
            }
            Err(cause) => {
                self.observed.failures += 1;
                self.warn(format!("{} sessions stay unobserved: {}", sessions.len(), plain_text(&cause, 500)));
                Ok(Asked::Failed)
            }
        }
    }

    fn keep(&mut self, sessions: &[&Source], answer: Answer) {
        self.observed.sessions += sessions.len();
        self.observed.refused += answer.faults.len();
        if !answer.faults.is_empty() {
            let shown = answer.faults.iter().take(TOLD_FAULTS).cloned().collect::<Vec<_>>().join("; ");
            let more = answer.faults.len().saturating_sub(TOLD_FAULTS);
            let more = if more > 0 { format!("; and {more} more") } else { String::new() };
            self.warn(format!("{} entries of the answer were refused: {}{more}", answer.faults.len(), plain_text(&shown, 500)));
        }
        for (source, sightings) in sessions.iter().zip(answer.sightings) {
            for sighting in sightings {
                self.see(source, sighting);
            }
        }
    }

    /// Reads a session that waits.
    fn load(&mut self, pending: &Pending) -> Loaded {
        let Pending { session, transcript: path, .. } = pending;
        let told = format!("the transcript of the session {session} ({})", shown(path));
        match load_session(path) {
            Ok(transcript) => {
                if let Some(fault) = fault_of(&transcript.reading, path) {
                    self.warn(format!("{told} is skipped: {}: {}", fault.what, fault.cause.unwrap_or_default()));
                    self.observed.missing += 1;
                    return Loaded::Dropped;
                }
                // However short a session is, what its agents go by counts, and before it leaves the queue: whoever is killed in
                // between finds it there again, and each counts once.
                let mut said = transcript.mentions.clone();
                said.extend(load_agents_mentions(path));
                if !self.cite(&pending.project, session, &said) {
                    return Loaded::Kept;
                }
                if transcript.user_turns < self.task.settings.observe.least_turns {
                    self.observed.shallow += 1;
                    return Loaded::Dropped;
                }
                let mut source = Source::new(&transcript, path, pending.project.clone(), self.task.now);
                source.session.clone_from(session);
                Loaded::Ready(Box::new(source))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.warn(format!("{told} no longer exists and is skipped"));
                self.observed.missing += 1;
                Loaded::Dropped
            }
            Err(error) => {
                self.warn(format!("{told} cannot be read; retrying later: {error}"));
                Loaded::Kept
            }
        }
    }

    /// Counts what a session says about artifacts. Says whether that is settled, or has to be tried again.
    fn cite(&mut self, project: &str, session: &str, said: &Mentions) -> bool {
        if said.is_empty() {
            return true;
        }
        let mention = Mention { project: project.to_owned(), session: session.to_owned(), said: said.clone() };
        match (self.cite)(&mention) {
            Ok(()) => true,
            Err(fault) => {
                self.warn(format!("citations of the session {} are not counted: {}", plain_text(session, 80), fault.in_a_line()));
                fault.exit != Exit::Machine
            }
        }
    }

    /// Lands what was seen from a place on.
    fn land(&mut self, from: usize) -> Outcome<()> {
        let warnings = align(self.task, &mut self.observed.seen[from..])?;
        self.observed.warnings.extend(warnings);
        let landing = self.ledger.land(self.task.workspace, self.task.settings, &self.observed.seen[from..])?;
        self.observed.landed += landing.landed;
        self.observed.known += landing.known;
        self.observed.refused += landing.refused.len();
        let told: HashSet<&String> = self.observed.warnings.iter().collect();
        let fresh: Vec<String> = landing.refused.iter().filter(|warning| !told.contains(warning)).cloned().collect();
        self.observed.warnings.extend(fresh);
        Ok(())
    }

    fn warn(&mut self, warning: String) {
        self.observed.warnings.push(warning);
    }
}

fn shown(path: &Path) -> String {
    plain_text(&path.display().to_string(), 200)
}
