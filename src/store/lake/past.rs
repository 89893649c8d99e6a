//! The sums that replace the rows of pruned days.
//!
//! `past/past.json` says which days are gone; replacing it in one step is what prunes them. Whoever is killed before that
//! leaves a folder that nobody looks at, whoever is killed after it leaves files that every reader passes over.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use parquet::file::reader::SerializedFileReader;
use serde::{Deserialize, Serialize};

use super::partition::list_partitions;
use crate::durable;
use crate::workspace::Workspace;
use event::Kind;
use text::day::Day;
use text::diagnostic::{Diagnostic, Outcome};

/// The days that were pruned, and what is kept of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Past {
    /// Applications of earlier days than this are gone, `YYYY-MM-DD`.
    pub before: String,
    /// What was found out about applications is gone where it is of earlier days than this, `YYYY-MM-DD`.
    pub found_before: String,
    /// The latest instant of what the sums were made from, in microseconds since 1970.
    pub latest_micros: i64,
    /// The last place in the order of landing of what the sums were made from.
    pub last_sequence: i64,
    /// The folder below `past/` that holds their sums.
    pub folder: String,
    /// Whether the sums tell what roles were shown. Those of days that were pruned before roles learned do not.
    #[serde(default)]
    pub has_exposures: bool,
    /// Whether the sums hold coins and tasks. Those of days that were pruned before any was named do not.
    #[serde(default)]
    pub has_coins: bool,
    /// What the tables held of them.
    pub holdings: Vec<PastHolding>,
}

/// What a table held of the days that were pruned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PastHolding {
    /// The table.
    pub kind: String,
    /// How many rows.
    pub events: i64,
    pub earliest_micros: i64,
    pub latest_micros: i64,
    /// Their last place in the order of landing.
    pub last_sequence: i64,
}

impl PastHolding {
    /// Adds what other days held.
    pub fn add(&mut self, other: &Self) {
        self.events += other.events;
        self.earliest_micros = self.earliest_micros.min(other.earliest_micros);
        self.latest_micros = self.latest_micros.max(other.latest_micros);
        self.last_sequence = self.last_sequence.max(other.last_sequence);
    }
}

impl Past {
    /// The names of the sums.
    pub const SUMS: [&'static str; 6] = ["application", "iteration", "use", Self::EXPOSURES, Self::COINS, Self::TASKS];
    const EXPOSURES: &'static str = "exposure";
    const COINS: &'static str = "coin";
    const TASKS: &'static str = "task";

    /// Reads what is kept of pruned days. None where no day was pruned.
    pub fn load(workspace: &Workspace) -> Outcome<Option<Self>> {
        let path = workspace.past().join("past.json");
        let bytes = match fs::read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            read => read.map_err(|error| Diagnostic::io("cannot read the sums of pruned days", &path, &error))?,
        };
        let damaged = |cause: &dyn std::fmt::Display| damaged(&path, cause);
        let past: Self = serde_json::from_slice(&bytes).map_err(|error| damaged(&error))?;
        for day in [&past.before, &past.found_before] {
            day.parse::<Day>().map_err(|error| damaged(&error))?;
        }
        // The name is joined to a path below.
        if past.folder.is_empty() || past.folder.contains(['/', '\\']) || past.folder.starts_with('.') {
            return Err(damaged(&"its folder name is invalid"));
        }
        Ok(Some(past))
    }

    /// The first day of a table that is not pruned. None for tables that are never pruned.
    ///
    /// Goals stay: they are few, and statistics need them. So does everything that patterns are made from.
    #[must_use]
    pub fn first_kept(&self, kind: Kind) -> Option<Day> {
        match kind {
            Kind::Application => self.before.parse().ok(),
            _ if is_finding(kind) => self.found_before.parse().ok(),
            _ => None,
        }
    }

    /// The sums must all be there and have kept their ends, where a file says what it holds.
    pub fn check_sums(&self, workspace: &Workspace) -> Outcome<()> {
        for name in Self::SUMS.into_iter().filter(|name| self.has(name)) {
            let path = self.file(workspace, name);
            let file = durable::open_regular(&path).map_err(|error| damaged(&path, &error))?;
            SerializedFileReader::new(file).map_err(|error| damaged(&path, &error))?;
        }
        Ok(())
    }

    /// Whether there are some sums of a name.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        match name {
            Self::EXPOSURES => self.has_exposures,
            Self::COINS | Self::TASKS => self.has_coins,
            _ => true,
        }
    }

    /// The file of some sums.
    #[must_use]
    pub fn file(&self, workspace: &Workspace, name: &str) -> PathBuf {
        workspace.past().join(&self.folder).join(format!("{name}.parquet"))
    }

    /// What a table held of pruned days.
    #[must_use]
    pub fn holding(&self, kind: Kind) -> Option<&PastHolding> {
        self.holdings.iter().find(|holding| holding.kind == kind.name())
    }
}

/// Whether a table holds what was found out about applications, and is pruned with them.
#[must_use]
pub const fn is_finding(kind: Kind) -> bool {
    matches!(kind, Kind::Relevance | Kind::Citation | Kind::Build)
}

/// Makes sums take the place of the days that they come from.
pub fn replace_past(workspace: &Workspace, past: &Past, files: &[(&str, Vec<u8>)]) -> Outcome<()> {
    let folder = workspace.past().join(&past.folder);
    durable::create_folder(&folder)?;
    for (name, content) in files {
        durable::replace(&folder.join(format!("{name}.parquet")), content)?;
    }
    durable::sync_folder(&workspace.past())?;
    let text = serde_json::to_vec_pretty(past).map_err(|error| Diagnostic::bug(format!("the past cannot be written: {error}")))?;
    durable::replace(&workspace.past().join("past.json"), &text)
}

/// Removes the files that pruning has made superfluous: partitions whose sums are kept, and sums that were replaced.
/// Readers pass over all of these, so it may be done at any time. Gives how many files and bytes were removed.
pub fn clear_past(workspace: &Workspace, past: &Past) -> Outcome<(u64, u64)> {
    // Where the sums are lost, what they were made from may still stand there, and must stay.
    past.check_sums(workspace)?;
    let mut removed = (0, 0);
    for found in list_partitions(workspace)? {
        if past.first_kept(found.partition.kind).is_some_and(|first| found.partition.day < first) {
            let folder = workspace.lake().join(found.partition.folder());
            removed.0 += found.files.len() as u64;
            removed.1 += found.files.iter().filter_map(|file| fs::metadata(file).ok()).map(|file| file.len()).sum::<u64>();
            remove_folder(&folder)?;
        }
    }
    for folder in super::partition::entries(&workspace.past())? {
        if folder.is_dir() && !folder.ends_with(&past.folder) {
            remove_folder(&folder)?;
        }
    }
    Ok(removed)
}

fn damaged(path: &Path, cause: &dyn std::fmt::Display) -> Diagnostic {
    Diagnostic::edit("cannot read the sums of pruned days", "restore past/ from a backup: its sums exist nowhere else")
        .at(path)
        .because(cause)
}

fn remove_folder(folder: &Path) -> Outcome<()> {
    fs::remove_dir_all(folder).map_err(|error| Diagnostic::io("cannot remove the pruned files", folder, &error))
}
