//! A workspace in a folder of its own, worked with the real program alone, and all that it shows.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, UNIX_EPOCH};

use serde_json::Value;
use tempfile::TempDir;

use super::event::{FIRST_DAY, time};
use crate::support::{Outcome, command};

/// Variables that commands take a part of their answer from, should whoever runs the tests have them set.
const FOREIGN: [&str; 6] =
    ["OUTERLOOP_RUN_ID", "OUTERLOOP_PROJECT", "OUTERLOOP_GOAL", "OUTERLOOP_LEARNING", "CLOSEDLOOP_RUN_ID", "CLAUDE_ORG_ID"];

pub struct Place {
    folder: TempDir,
    /// What was published and what readers were told, by name.
    pub shown: BTreeMap<String, Vec<u8>>,
}

impl Place {
    /// A workspace as `outerloop init` makes it, with these settings.
    pub fn new(settings: &str) -> Self {
        let place = Self { folder: TempDir::new().expect("a folder"), shown: BTreeMap::new() };
        place.done(&["init"]);
        fs::write(place.root().join("outerloop.toml"), settings).expect("settings");
        place
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    fn root(&self) -> PathBuf {
        self.folder().join(".outerloop")
    }

    /// Runs the program with something on stdin. It starts in the workspace's folder, which is no repository.
    pub fn run(&self, arguments: &[&str], input: &str) -> Outcome {
        let mut command = command(&self.root(), arguments);
        command.current_dir(self.folder()).env("USER", "ann").env("HOME", self.folder());
        for name in FOREIGN {
            command.env_remove(name);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        // A command that reads no input may have ended already.
        let _ = child.stdin.take().expect("stdin is piped").write_all(input.as_bytes());
        Outcome::of(&child.wait_with_output().expect("the program ends"))
    }

    #[track_caller]
    pub fn done(&self, arguments: &[&str]) -> String {
        let outcome = self.run(arguments, "");
        assert_eq!(outcome.code, 0, "{arguments:?} failed:\n{}", outcome.error);
        outcome.out
    }

    /// Writes a file of the folder, as if long ago: importers take what nobody dated for as old as its file.
    pub fn put(&self, path: &str, text: &str) {
        let path = self.folder().join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(&path, text).expect("a file");
        let written = UNIX_EPOCH + Duration::from_secs(FIRST_DAY * 86_400);
        fs::File::options().write(true).open(path).expect("a file").set_modified(written).expect("its time");
    }

    /// Lands lines and takes them into the lake. A part of them may be refused.
    #[track_caller]
    pub fn land(&self, file: &str, lines: &str) {
        let path = self.root().join("inbox").join(file);
        let mut inbox = fs::OpenOptions::new().create(true).append(true).open(path).expect("the inbox file opens");
        inbox.write_all(lines.as_bytes()).expect("the inbox file takes it");
        self.take();
    }

    /// Commands land their events in a file named after the current day and stamp them with the current time. This moves them to
    /// `file` and takes them into the lake. From `minute` of the story on, if given, they get a minute each as their time.
    #[track_caller]
    pub fn gather(&mut self, file: &str, minute: Option<u64>) {
        let inbox = self.root().join("inbox");
        let mut landed: Vec<PathBuf> =
            fs::read_dir(&inbox).expect("the inbox").map(|entry| entry.expect("an entry").path()).collect();
        landed.retain(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("record-")));
        landed.sort();
        let mut lines = String::new();
        for path in landed {
            lines += &fs::read_to_string(&path).expect("the inbox file");
            fs::remove_file(&path).expect("the inbox file");
        }
        if let Some(minute) = minute {
            let told = |(number, line): (u64, &str)| {
                let mut event: Value = serde_json::from_str(line).expect("an event");
                event["ts"] = time(minute + number).into();
                format!("{event}\n")
            };
            lines = (0..).zip(lines.lines()).map(told).collect();
        }
        assert!(!lines.is_empty(), "nothing has landed");
        self.shown.insert(format!("inbox/{file}"), lines.clone().into_bytes());
        self.land(file, &lines);
    }

    /// Takes what landed into the lake.
    #[track_caller]
    pub fn take(&self) {
        let outcome = self.run(&["run", "compact"], "");
        assert!(outcome.code <= 1, "{}", outcome.error);
    }

    /// Makes up events and lands them.
    #[track_caller]
    pub fn generate(&self, file: &str, arguments: &[&str]) {
        let lines = self.done(&[&["generate", "--start", "2025-03-01T00:00:00Z"], arguments].concat());
        self.land(file, &lines);
    }

    /// Publishes what is known at an instant, and keeps every file of the generation under `name`.
    #[track_caller]
    pub fn publish(&mut self, name: &str, as_of: &str) {
        let told: Value = serde_json::from_str(&self.done(&["run", "learn", "--as-of", as_of, "--json"])).expect("JSON");
        let generation = told["generation"].as_str().unwrap_or_else(|| panic!("no generation in {told}")).to_owned();
        self.keep(name, &self.root().join("published").join(generation));
    }

    /// Keeps every file of a folder, under `name`.
    #[track_caller]
    pub fn keep(&mut self, name: &str, folder: &Path) {
        let mut kept = 0;
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let file = path.file_name().expect("a name").to_string_lossy().into_owned();
            self.shown.insert(format!("{name}/{file}"), fs::read(&path).expect("a file"));
            kept += 1;
        }
        assert!(kept > 0, "{} is empty", folder.display());
    }

    /// Keeps what a reader is told as JSON, with how the program ended.
    #[track_caller]
    pub fn ask(&mut self, name: &str, arguments: &[&str]) {
        self.ask_with(name, arguments, "");
    }

    /// The same of a command that reads its question from stdin.
    #[track_caller]
    pub fn ask_with(&mut self, name: &str, arguments: &[&str], input: &str) {
        let outcome = self.run(arguments, input);
        // 0 and 1 are answers; anything else means that the test asks wrongly.
        assert!(outcome.code <= 1, "{arguments:?} failed with {}:\n{}", outcome.code, outcome.error);
        serde_json::from_str::<Value>(&outcome.out).unwrap_or_else(|error| panic!("{arguments:?}: {error}:\n{}", outcome.out));
        self.shown.insert(format!("ask/{name}.json"), outcome.out.into_bytes());
        let exits = self.shown.entry("ask/exit-codes".to_owned()).or_default();
        exits.extend(format!("{name} {}\n", outcome.code).bytes());
    }
}
