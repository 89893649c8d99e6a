//! How often a day a command is asked, and how soon again. A run counts when it starts, so that no crash makes it free.

use std::io;
use std::path::PathBuf;

use jiff::{SignedDuration, Timestamp};
use rustix::fs::{FlockOperation, flock};
use serde::{Deserialize, Serialize};

use super::queue::{append_line, read};
use setting::ObserveSettings;
use store::command::name_of;
use store::durable;
use store::workspace::Workspace;
use text::day::Day;
use text::diagnostic::{Diagnostic, Outcome};

/// Whether a run may start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// It may, and is counted.
    Go,
    /// The last one was too short a while ago. The next may start then.
    TooSoon(Timestamp),
    /// The runs of the day are used up.
    UsedUp,
}

/// The runs of a workspace: a line each in a file for every day, UTC.
#[derive(Debug, Clone)]
pub struct Quota {
    folder: PathBuf,
}

#[derive(Debug, Serialize, Deserialize)]
struct Run {
    ts: Timestamp,
    sessions: usize,
    program: String,
}

impl Quota {
    /// The runs of a workspace.
    #[must_use]
    pub fn of(workspace: &Workspace) -> Self {
        Self { folder: workspace.history() }
    }

    /// How many runs were started on a day.
    pub fn used(&self, day: Day) -> Outcome<usize> {
        Ok(self.lines(day)?.len())
    }

    /// Starts a run about so many sessions, if one may start. When this says yes, it is on the disk.
    ///
    /// The only place that counts calls. Manual calls are not throttled; only the daily limit applies.
    pub fn start(&self, settings: &ObserveSettings, sessions: usize, is_by_hand: bool, now: Timestamp) -> Outcome<Start> {
        durable::create_folder(&self.folder)?;
        let today = Day::of_micros(now.as_microsecond());
        let path = self.path(today);
        let failed = |error: io::Error| Diagnostic::io("cannot count the runs of the day", &path, &error);
        let (mut file, is_created) = durable::open_for_append(&path).map_err(failed)?;
        flock(&file, FlockOperation::LockExclusive).map_err(|error| failed(error.into()))?;
        if self.used(today)? >= settings.max_daily_runs as usize {
            return Ok(Start::UsedUp);
        }
        let pause = SignedDuration::from_mins(settings.throttle_minutes.into());
        let next = self.last(today, now)?.and_then(|last| last.checked_add(pause).ok());
        if let Some(next) = next.filter(|next| *next > now && !is_by_hand) {
            return Ok(Start::TooSoon(next));
        }
        let run = Run { ts: now, sessions, program: name_of(&settings.command) };
        let line = serde_json::to_string(&run).map_err(|error| Diagnostic::bug(format!("a run cannot be written: {error}")))?;
        append_line(&mut file, &line).map_err(failed)?;
        durable::sync_file(&file, &path)?;
        if is_created {
            durable::sync_folder(&self.folder)?;
        }
        Ok(Start::Go)
    }

    /// When the last run started. One that a clock put into the future holds nobody back.
    fn last(&self, today: Day, now: Timestamp) -> Outcome<Option<Timestamp>> {
        let mut lines = self.lines(today.earlier_by(1))?;
        lines.extend(self.lines(today)?);
        let times = lines.iter().filter_map(|line| serde_json::from_str::<Run>(line).ok()).map(|run| run.ts);
        Ok(times.filter(|time| *time <= now).max())
    }

    /// The lines of a day. One that was cut off is a run that was about to be made, and counts.
    fn lines(&self, day: Day) -> Outcome<Vec<String>> {
        let path = self.path(day);
        let text = read(&path).map_err(|error| Diagnostic::io("cannot count the runs of the day", &path, &error))?;
        Ok(text.lines().filter(|line| !line.trim().is_empty()).map(str::to_owned).collect())
    }

    fn path(&self, day: Day) -> PathBuf {
        self.folder.join(format!("observer-{day}.jsonl"))
    }
}
