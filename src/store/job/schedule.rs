//! When jobs start by themselves: the texts that systemd and cron read. Pure: nothing is read or written here.

mod crontab;
mod unit;

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::workspace::FOLDER;
use text::diagnostic::{Diagnostic, Outcome};

pub use crontab::{render_block, with_block, without_block};
pub use unit::{Unit, is_timer, render_units, unit_marker, unit_stem};

/// How often a job starts by itself, the most frequent first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Schedule {
    Hourly,
    Daily,
    /// Every Monday, early.
    Weekly,
}

impl Schedule {
    /// The schedule's name in a job's file.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Hourly => "hourly",
            Self::Daily => "daily",
            Self::Weekly => "weekly",
        }
    }
}

/// Where the program and its workspace stand.
///
/// Invariant: every path is absolute Unicode text without control characters, so that each fits on a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    program: String,
    root: String,
    targets: Vec<String>,
}

impl Place {
    /// The place of a program, its workspace's folder and the folders outside of it that jobs write to.
    pub fn parse(program: &Path, root: &Path, targets: &[PathBuf]) -> Outcome<Self> {
        let targets = targets.iter().map(|target| parse_path(target)).collect::<Outcome<_>>()?;
        Ok(Self { program: parse_path(program)?, root: parse_path(root)?, targets })
    }

    /// The folder of the workspace.
    pub fn root(&self) -> &str {
        &self.root
    }

    /// A number that is the same for the same workspace, on every machine and in every version.
    fn hash(&self) -> u64 {
        xxh3_64(self.root.as_bytes())
    }

    /// The name of the project: its folder's, which is the one above `.outerloop`.
    fn project(&self) -> &str {
        let root = Path::new(&self.root);
        let folder = if root.ends_with(FOLDER) { root.parent() } else { Some(root) };
        folder.and_then(Path::file_name).and_then(|name| name.to_str()).unwrap_or("root")
    }
}

fn parse_path(path: &Path) -> Outcome<String> {
    let refused = |what: &str| {
        let remedy = "move it to an absolute path of Unicode text without line breaks and other control characters";
        Err(Diagnostic::edit(format!("a schedule cannot name this path: {what}"), remedy).at(path))
    };
    match path.to_str() {
        None => refused("it is not Unicode text"),
        Some(text) if text.contains(char::is_control) => refused("it has a line break or another control character"),
        Some(_) if !path.is_absolute() => refused("it is not absolute"),
        Some(text) => Ok(text.to_owned()),
    }
}

/// The jobs, those that start more often first. A job's name goes into unit names and shell lines as it is.
fn ordered(jobs: &[(String, Schedule)]) -> Outcome<Vec<(&str, Schedule)>> {
    let is_name = |name: &str| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
    };
    if let Some((name, _)) = jobs.iter().find(|(name, _)| !is_name(name)) {
        let remedy = "use lower-case letters, digits and `_`";
        return Err(Diagnostic::edit(format!("`{}` is not a name for a job", name.escape_default()), remedy));
    }
    if jobs.is_empty() {
        let remedy = "give a job in the workspace's jobs/ a line such as `schedule = \"daily\"`";
        return Err(Diagnostic::edit("no job has a schedule", remedy));
    }
    let mut jobs: Vec<_> = jobs.iter().map(|(name, schedule)| (name.as_str(), *schedule)).collect();
    jobs.sort_unstable_by_key(|(name, schedule)| (*schedule, *name));
    Ok(jobs)
}

#[cfg(test)]
#[expect(clippy::expect_used, reason = "a test may fail loudly")]
mod tests {
    use super::*;

    fn place(root: &str) -> Outcome<Place> {
        Place::parse(Path::new("/usr/bin/outerloop"), Path::new(root), &[])
    }

    #[test]
    fn the_project_is_the_folder_that_holds_the_workspace() {
        assert_eq!(place("/home/me/shop/.outerloop").expect("a place").project(), "shop");
        assert_eq!(place("/srv/loop").expect("a place").project(), "loop");
        assert_eq!(place("/.outerloop").expect("a place").project(), "root");
    }

    #[test]
    fn a_path_that_would_not_fit_on_a_line_is_refused() {
        for root in ["/a\nb", "/a\rb", "/a\tb", "relative"] {
            assert!(place(root).is_err(), "{root:?}");
        }
    }

    #[test]
    fn jobs_that_start_more_often_come_first() {
        let jobs = [("b", Schedule::Weekly), ("z", Schedule::Hourly), ("a", Schedule::Weekly)];
        let jobs = jobs.map(|(name, schedule)| (name.to_owned(), schedule));
        let names: Vec<&str> = ordered(&jobs).expect("names").into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["z", "a", "b"]);
        assert!(ordered(&[]).is_err() && ordered(&[("a b".to_owned(), Schedule::Daily)]).is_err());
    }

    #[test]
    fn a_schedule_reads_and_writes_its_name() {
        for schedule in [Schedule::Hourly, Schedule::Daily, Schedule::Weekly] {
            let text = format!("\"{}\"", schedule.name());
            assert_eq!(serde_json::to_string(&schedule).expect("JSON"), text);
            assert_eq!(serde_json::from_str::<Schedule>(&text).expect("a schedule"), schedule);
        }
    }
}
