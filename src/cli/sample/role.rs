//! Made-up talk of roles: what they are shown, what they say, what validators say of it, and how the work turns out.

use std::io;
use std::io::Write as _;

use fastrand::Rng;

use super::event::{PROJECTS, ROLES, time};

/// How many events a run has: iterations, and how the work turned out.
const RUN_EVENTS: u64 = 20;
/// How many events an iteration has: two exposures, two deliberations, a verdict.
const ITERATION_EVENTS: u64 = 5;
/// How many roles gather patterns. Each has a validator.
const ADVERSARIES: usize = 3;
const FILES: u32 = 400;
const LABELS: [&str; 5] = ["backend", "frontend", "security", "performance", "jkz:auto"];

/// Roles that talk, and what they have said so far.
pub(super) struct Talk {
    /// What each role of each project may say.
    groups: Vec<Group>,
    /// How many patterns have been said.
    patterns: u32,
    /// What was said last: the id of the event, and the sayings.
    last: Option<(String, Vec<String>)>,
}

struct Group {
    sayings: Vec<String>,
    /// The number of the pattern that a saying is, once it was said.
    numbers: Vec<Option<u32>>,
    said: Vec<u32>,
}

impl Talk {
    /// Roles that know so many patterns among them.
    pub(super) fn new(patterns: usize, random: &mut Rng) -> Self {
        let count = PROJECTS.len() * ADVERSARIES;
        let group = |place: usize| {
            // Texts that differ in one word of many would be one pattern.
            let saying = |number: usize| format!("{} [ticket t{number}]", lesson(number + 1000, random));
            let sayings: Vec<String> = (place..patterns.max(count)).step_by(count).map(saying).collect();
            Group { numbers: vec![None; sayings.len()], said: Vec::new(), sayings }
        };
        Self { groups: (0..count).map(group).collect(), patterns: 0, last: None }
    }

    /// Writes the next event.
    pub(super) fn write(&mut self, out: &mut Vec<u8>, number: u64, millis: u64, random: &mut Rng) -> io::Result<()> {
        let (run, nth) = (number / RUN_EVENTS, number % RUN_EVENTS);
        let place = usize::try_from(run).unwrap_or(0) % self.groups.len();
        let (project, role) = (PROJECTS[place % PROJECTS.len()], ROLES[place / PROJECTS.len()]);
        let id = format!("t-{number:012}");
        write!(out, r#"{{"id":"{id}","ts":"{}","project":"{project}","run_id":"run-{run:08}""#, time(millis))?;
        if nth + 1 < RUN_EVENTS {
            write!(out, r#","iteration":{}"#, nth / ITERATION_EVENTS + 1)?;
        }
        match nth % ITERATION_EVENTS {
            _ if nth + 1 == RUN_EVENTS => write!(out, r#","kind":"aftermath","passed":{}"#, random.f64() < 0.85)?,
            0 | 1 if !self.groups[place].said.is_empty() => {
                let said = &self.groups[place].said;
                let number = said[random.usize(..said.len())];
                write!(out, r#","kind":"application","role":"{role}","pattern_id":"D-{number:03}","status":"injected""#)?;
            }
            4 => self.write_verdict(out, place, random)?,
            _ => self.write_deliberation(out, place, id, random)?,
        }
        out.push(b'}');
        Ok(())
    }

    fn write_deliberation(&mut self, out: &mut Vec<u8>, place: usize, id: String, random: &mut Rng) -> io::Result<()> {
        let role = ROLES[place / PROJECTS.len()];
        let sayings: Vec<String> = (0..random.usize(1..4)).map(|_| self.say(place, random)).collect();
        write!(
            out,
            r#","kind":"deliberation","role":"{role}","phase":"review","issue":{},"labels":["{}"],"files":["{}"],"evidence_level":{},"verdict":"{}","text":"{}","patterns":["{}"]"#,
            random.u32(1..20_000),
            pick(&LABELS, random),
            file(random),
            random.u32(1..4),
            pick(&["PASS", "FAIL"], random),
            story(1, random),
            sayings.join(r#"",""#)
        )?;
        self.last = Some((id, sayings));
        Ok(())
    }

    /// Something that a role says, some of it more often than other things.
    fn say(&mut self, place: usize, random: &mut Rng) -> String {
        let group = &mut self.groups[place];
        let (one, other) = (random.usize(..group.sayings.len()), random.usize(..group.sayings.len()));
        let index = if random.bool() { one } else { one.min(other) };
        if group.numbers[index].is_none() {
            self.patterns += 1;
            group.numbers[index] = Some(self.patterns);
            group.said.push(self.patterns);
        }
        group.sayings[index].clone()
    }

    fn write_verdict(&self, out: &mut Vec<u8>, place: usize, random: &mut Rng) -> io::Result<()> {
        let role = place / PROJECTS.len();
        let verdict = if random.f64() < 0.7 { r#""PASS""# } else { r#""FAIL","must_fix":["J1"]"# };
        let (validator, file) = (ROLES[role + ADVERSARIES], file(random));
        let role = ROLES[role];
        write!(
            out,
            r#","kind":"verdict","role":"{validator}","adversarial_role":"{role}","verdict":{verdict},"files":["{file}"]"#
        )?;
        let Some((id, sayings)) = &self.last else { return Ok(()) };
        write!(out, r#","deliberation_id":"{id}""#)?;
        if random.f64() < 0.3 { write!(out, r#","rejected":["{}"]"#, sayings[0]) } else { Ok(()) }
    }
}

fn file(random: &mut Rng) -> String {
    let number = random.u32(..FILES);
    format!("src/part{:02}/file{number:03}.rs", number % 20)
}

const ACTIONS: [&str; 16] = [
    "Validate", "Cache", "Retry", "Log", "Mock", "Escape", "Batch", "Lock", "Close", "Pin", "Check", "Split", "Rename", "Guard",
    "Measure", "Document",
];
const OBJECTS: [&str; 20] = [
    "webhook signatures",
    "database connections",
    "flaky network calls",
    "user input",
    "migration scripts",
    "API responses",
    "feature flags",
    "file handles",
    "dependency versions",
    "null results",
    "long functions",
    "test fixtures",
    "retry loops",
    "shell arguments",
    "time zones",
    "pagination limits",
    "error messages",
    "background jobs",
    "access rights",
    "generated files",
];
const REASONS: [&str; 16] = [
    "before parsing the body",
    "because the pool runs dry under load",
    "with a bounded backoff",
    "at the edge, not in the core",
    "so that a rerun is harmless",
    "before the first release",
    "when the schema changes",
    "in every test that touches the disk",
    "after the second failure",
    "as soon as the loop ends",
    "because reviewers ask for it",
    "to keep builds repeatable",
    "or the cache will serve stale data",
    "unless the caller says otherwise",
    "within the same transaction",
    "for each tenant on its own",
];

/// The text of a lesson. The number makes it one of its own.
pub(super) fn lesson(number: usize, random: &mut Rng) -> String {
    let (action, object, reason) = (pick(&ACTIONS, random), pick(&OBJECTS, random), pick(&REASONS, random));
    format!("{action} {object} {reason} (case {number})")
}

/// A sentence or a few about what happened.
pub(super) fn story(sentences: usize, random: &mut Rng) -> String {
    let mut text = String::new();
    for _ in 0..sentences {
        if !text.is_empty() {
            text.push(' ');
        }
        let (object, reason) = (pick(&OBJECTS, random), pick(&REASONS, random));
        text.extend(["The agent had not looked at ", object, " ", reason, ", and the build showed it."]);
    }
    text
}

/// One of some words.
pub(super) fn pick<'w>(words: &[&'w str], random: &mut Rng) -> &'w str {
    words[random.usize(..words.len())]
}
