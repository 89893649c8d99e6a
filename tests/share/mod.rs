//! Patterns that projects share: through a folder, through a git repository, with signatures.

mod folder;
mod hostile;
mod law;
mod merge;
mod receive;
mod repository;
mod signature;

use std::path::{Path, PathBuf};
use std::process::Command;

use agent::share::{Local, Place, Pulled, Pushed, Recipient, SharedPattern, pull, push};
use event::{Body, Latest, Parser};
use jiff::Timestamp;
use serde_json::Value;
use store::workspace::Workspace;
use tempfile::TempDir;
use text::diagnostic::Outcome;

const ORG: &str = "acme";

/// A minute of the day on which these tests take place.
fn at(minute: i64) -> Timestamp {
    Timestamp::from_second(1_777_600_000 + 60 * minute).expect("a time")
}

fn pattern(id: &str, summary: &str) -> SharedPattern {
    SharedPattern {
        id: id.to_owned(),
        category: "mistake".to_owned(),
        summary: summary.to_owned(),
        confidence: "high".to_owned(),
        seen_count: 5,
        success_rate: Some(0.8),
        applies_to: vec!["implementer".to_owned()],
        context: vec!["rust".to_owned(), "tests".to_owned()],
        repo: "*".to_owned(),
        ..SharedPattern::default()
    }
}

fn local<'a>(project: &'a str, minute: i64, patterns: &[SharedPattern]) -> Local<'a> {
    Local { org_id: ORG, project, pushed_by: "ann", now: at(minute), patterns: patterns.to_vec() }
}

fn recipient(project: &str) -> Recipient<'_> {
    Recipient { org_id: ORG, project, known_as: None, trusted_keys: &[], take_unsigned: false, most_characters: 200, now: at(1000) }
}

/// Somebody who takes entries that nobody signed, too.
fn lenient(project: &str) -> Recipient<'_> {
    Recipient { take_unsigned: true, ..recipient(project) }
}

/// A workspace of a project, which goes away with the test.
struct Project {
    name: &'static str,
    workspace: Workspace,
    _folder: TempDir,
}

impl Project {
    fn new(name: &'static str) -> Self {
        let folder = TempDir::new().expect("a temporary folder");
        Self { name, workspace: Workspace::at(folder.path().join(".outerloop")), _folder: folder }
    }

    fn try_push(&self, place: &Place, minute: i64, patterns: &[SharedPattern]) -> Outcome<Pushed> {
        push(&self.workspace, place, None, &local(self.name, minute, patterns))
    }

    #[track_caller]
    fn push(&self, place: &Place, minute: i64, patterns: &[SharedPattern]) -> Pushed {
        self.try_push(place, minute, patterns).unwrap_or_else(|error| panic!("{error}"))
    }

    #[track_caller]
    fn pull(&self, place: &Place) -> Pulled {
        self.pull_trusting(place, &[])
    }

    #[track_caller]
    fn pull_trusting(&self, place: &Place, trusted_keys: &[String]) -> Pulled {
        self.pull_as(place, &Recipient { trusted_keys, ..recipient(self.name) })
    }

    #[track_caller]
    fn pull_unsigned(&self, place: &Place) -> Pulled {
        self.pull_as(place, &lenient(self.name))
    }

    #[track_caller]
    fn pull_as(&self, place: &Place, recipient: &Recipient<'_>) -> Pulled {
        let pulled = pull(&self.workspace, place, None, recipient).unwrap_or_else(|error| panic!("{error}"));
        pulled.lines.iter().for_each(|line| assert_passes(line));
        pulled
    }
}

/// A line that the door takes as a lesson.
#[track_caller]
fn assert_passes(line: &str) {
    let mut parser = Parser::new(Latest::from_clock(at(1000).as_microsecond()));
    let event = parser.parse(line).unwrap_or_else(|rejection| panic!("{rejection}\n{line}"));
    assert!(matches!(event.body, Body::Learning(_)), "{line}");
}

/// A member of a line, as text.
fn member(line: &str, name: &str) -> String {
    let value: Value = serde_json::from_str(line).expect("JSON");
    value[name].as_str().map_or_else(|| value[name].to_string(), str::to_owned)
}

fn summaries(pulled: &Pulled) -> Vec<String> {
    pulled.lines.iter().map(|line| member(line, "summary")).collect()
}

/// A plain folder to share through.
fn folder() -> (TempDir, Place) {
    let folder = TempDir::new().expect("a temporary folder");
    let place = Place::parse(folder.path().to_str().expect("text")).expect("a place");
    assert!(matches!(place, Place::Folder(_)));
    (folder, place)
}

/// Both files of a shared folder, as they are.
fn files(folder: &Path) -> (String, String) {
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect("a shared file");
    (read("org-patterns.json"), read("sources.json"))
}

/// Runs git as a person would.
#[track_caller]
fn git(folder: &Path, arguments: &[&str]) -> String {
    let identity = ["-c", "user.name=Ann", "-c", "user.email=ann@localhost"];
    let output = Command::new("git").args(identity).args(arguments).current_dir(folder).output().expect("git starts");
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text").trim().to_owned()
}

/// An empty bare repository to share through.
fn bare() -> (TempDir, PathBuf, Place) {
    let folder = TempDir::new().expect("a temporary folder");
    let path = folder.path().join("shared.git");
    git(folder.path(), &["init", "--quiet", "--bare", "--initial-branch=main", "shared.git"]);
    let place = Place::parse(path.to_str().expect("text")).expect("a place");
    assert!(matches!(place, Place::Repository(_)));
    (folder, path, place)
}
