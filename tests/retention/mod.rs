//! What is kept, what goes, and that nothing is lost in between.

mod crash;
mod inbox;
mod lake;
mod policy;
mod rotation;
mod workdir;

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use batch::retention::{Log, Policy, PruneOptions, Pruned, prune_workdir};
use jiff::Timestamp;
use setting::RetentionSettings;
use tempfile::TempDir;
use text::diagnostic::Outcome;

/// A run's folder that goes away with the test, and what was handed over from its logs.
struct Work {
    folder: TempDir,
    landed: Vec<(Log, Vec<u8>)>,
}

impl Work {
    fn new() -> Self {
        let folder = TempDir::new().expect("a temporary folder");
        fs::create_dir_all(folder.path().join(".learnings/sessions")).expect("folders");
        Self { folder, landed: Vec::new() }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn learnings(&self) -> PathBuf {
        self.path().join(".learnings")
    }

    /// Prunes, which must succeed.
    fn prune(&mut self, policy: &Policy) -> Pruned {
        self.try_prune(policy, &options()).expect("pruned")
    }

    fn try_prune(&mut self, policy: &Policy, options: &PruneOptions<'_>) -> Outcome<Pruned> {
        let path = self.path().to_path_buf();
        prune_workdir(&path, policy, options, &mut |log, bytes| {
            self.landed.push((log, bytes.to_vec()));
            Ok(())
        })
    }

    /// A session with some files, all of which changed that long ago.
    fn session(&self, name: &str, age: Duration) -> PathBuf {
        let folder = self.learnings().join("sessions").join(name);
        fs::create_dir(&folder).expect("a folder");
        for file in ["iter-1.json", "iter-2.json", "current-iteration"] {
            fs::write(folder.join(file), "1\n").expect("a file");
            backdate(&folder.join(file), age);
        }
        backdate(&folder, age);
        folder
    }

    fn sessions(&self) -> BTreeSet<String> {
        names(&self.learnings().join("sessions"))
    }
}

/// Few enough of everything that a test can go beyond it.
fn policy() -> Policy {
    Policy { max_sessions: 3, max_log_lines: 10, ..RetentionSettings::default() }
}

fn options() -> PruneOptions<'static> {
    PruneOptions { protect_run: None, is_dry: false, now: store::clock::now() }
}

const HOUR: Duration = Duration::from_secs(3600);
const DAY: Duration = Duration::from_secs(86_400);

fn backdate(path: &Path, age: Duration) {
    let file = File::open(path).expect("it opens");
    file.set_modified(SystemTime::now() - age).expect("its time can be set");
}

fn names(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect()
}

fn lines(path: &Path) -> Vec<String> {
    let bytes = fs::read(path).unwrap_or_default();
    String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect()
}

fn numbered(count: usize) -> String {
    (0..count).flat_map(|number| ["line ".to_owned(), number.to_string(), "\n".to_owned()]).collect()
}

/// Rows of as many runs.
fn rows(count: usize) -> String {
    (0..count).flat_map(|run| [run.to_string(), "|t|g|1|s\n".to_owned()]).collect()
}

/// Everything below a folder: names, kinds, contents and times of change.
fn snapshot(folder: &Path) -> Vec<(PathBuf, Timestamp, Vec<u8>)> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let metadata = path.symlink_metadata().expect("metadata");
            let changed = Timestamp::try_from(metadata.modified().expect("a time")).expect("a time");
            if metadata.is_dir() {
                folders.push(path.clone());
            }
            let content = if metadata.is_file() { fs::read(&path).expect("content") } else { Vec::new() };
            found.push((path, changed, content));
        }
    }
    found.sort();
    found
}
