//! A workspace that is worked in-process: what lands, what is compacted, what is published.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::Path;

use agent::published::load_scores;
use engine::Horizon;
use engine::cycle::{Cycle, CycleOptions, run_cycle};
use learn::Score;
use serde_json::Value;
use setting::{Compat, RunSettings, Settings};
use setting::{DIFF_FILE, OUTCOME_FILE};
use store::deadline::Deadline;
use store::lake::{Checkpoint, Limits, RewritePolicy, compact, rewrite};
use store::workspace::Workspace;
use tempfile::TempDir;

/// The file that most events land in.
pub const INBOX: &str = "a.jsonl";

/// A batch that takes everything.
pub const LARGE: u64 = 64 << 20;

pub struct Lab {
    _folder: TempDir,
    pub workspace: Workspace,
    pub settings: Settings,
}

/// The files of a generation that do not depend on what was published before it.
pub type Files = BTreeMap<String, Vec<u8>>;

impl Lab {
    pub fn new(compat: Compat) -> Self {
        // What is synced in memory costs nothing; that it is synced is for other tests to show.
        let memory = Path::new("/dev/shm");
        let folder = if memory.is_dir() { TempDir::new_in(memory) } else { TempDir::new() }.expect("a temporary folder");
        let workspace = Workspace::at(folder.path().join(".outerloop"));
        fs::create_dir_all(workspace.inbox()).expect("the inbox");
        Self { workspace, _folder: folder, settings: Settings { compat, ..Settings::default() } }
    }

    /// A workspace whose lake holds these events.
    pub fn of(compat: Compat, events: &[Value]) -> Self {
        let lab = Self::new(compat);
        lab.land(INBOX, &lines(events));
        lab.compact(LARGE);
        lab
    }

    pub fn land(&self, file: &str, bytes: &[u8]) {
        let path = self.workspace.inbox().join(file);
        let mut file = fs::OpenOptions::new().create(true).append(true).open(path).expect("the inbox file opens");
        file.write_all(bytes).expect("the inbox file takes it");
    }

    pub fn compact(&self, batch_bytes: u64) {
        compact(&self.workspace, Limits { batch_bytes, held_ids: 1000, rules: RunSettings::default() }, |_| Ok(()))
            .expect("the inbox is taken");
    }

    /// Merges the small files of every day.
    pub fn rewrite(&self) {
        let far = text::day::Day::of_micros(i64::MAX / 2);
        let policy = RewritePolicy { growing_since: far, small_bytes: LARGE, least_files: 2 };
        rewrite(&self.workspace, policy, |work| work().map(|()| true)).expect("the partitions are merged");
    }

    /// The last event in the order of landing.
    pub fn landed(&self) -> Option<i64> {
        Checkpoint::load(&self.workspace).expect("the checkpoint").map(|checkpoint| checkpoint.next_sequence - 1)
    }

    pub fn cycle(&self, horizon: Horizon) -> Cycle {
        let options = CycleOptions { settings: &self.settings, horizon, deadline: Deadline::NEVER, program: batch::program() };
        run_cycle(&self.workspace, options, |_| ()).expect("the cycle runs")
    }

    /// The files that a cycle publishes.
    pub fn publish(&self, horizon: Horizon) -> Files {
        let generation = self.cycle(horizon).published.generation;
        let names = generation
            .manifest
            .files
            .iter()
            .map(|file| file.name.clone())
            .filter(|name| !name.starts_with("changes.") && name != DIFF_FILE && name != OUTCOME_FILE);
        names.map(|name| (name.clone(), generation.read(&name).expect("the file"))).collect()
    }

    /// All that a cycle says of patterns, without where in the log they stand.
    pub fn figures(&self, horizon: Horizon) -> (Vec<u8>, Vec<Score>) {
        let generation = self.cycle(horizon).published.generation;
        let mut scores = load_scores(&generation).expect("the scores");
        for score in &mut scores {
            score.source_line = 0;
        }
        (generation.read("org-patterns.toon").expect("the pattern file"), scores)
    }
}

/// Everything that happened by an instant, whenever it landed.
pub const fn as_of(as_of_micros: i64) -> Horizon {
    Horizon { as_of_micros, through: None }
}

/// Events as lines.
pub fn lines(events: &[Value]) -> Vec<u8> {
    events.iter().flat_map(|event| format!("{event}\n").into_bytes()).collect()
}

/// Files must be the same; only those that differ are shown.
#[track_caller]
pub fn assert_same(one: &Files, other: &Files, what: &str) {
    assert_eq!(one.keys().collect::<Vec<_>>(), other.keys().collect::<Vec<_>>(), "{what}");
    assert!(one.len() >= 4, "{what}: hardly anything is compared");
    for (name, bytes) in one {
        let shown = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        assert!(*bytes == other[name], "{what}: {name} differs:\n{}\n{}", shown(bytes), shown(&other[name]));
    }
}
