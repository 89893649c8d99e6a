//! The harness: workspaces in temporary folders, the real program, and a way to make its system calls fail.

pub mod observed;
pub mod published;
pub mod shim;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use cli::sample;
use cli::sample::{Mix, Recipe};
use engine::Session;
use store::workspace::Workspace;
use tempfile::TempDir;

/// A workspace that goes away with the test.
pub struct Scene {
    _folder: TempDir,
    pub workspace: Workspace,
}

impl Scene {
    /// A workspace as `outerloop init` makes it.
    pub fn new() -> Self {
        let folder = TempDir::new().expect("a temporary folder");
        let scene = Self { workspace: Workspace::at(folder.path().join(".outerloop")), _folder: folder };
        scene.done(&["init"]);
        scene
    }

    /// A workspace whose batches are small, so that a little input makes many of them.
    pub fn with_small_batches() -> Self {
        let scene = Self::new();
        fs::write(scene.workspace.settings(), "[compact]\nbatch_kib = 32\n").expect("settings");
        scene
    }

    pub fn root(&self) -> &Path {
        self.workspace.root()
    }

    /// The program with this workspace.
    pub fn command(&self, arguments: &[&str]) -> Command {
        command(self.root(), arguments)
    }

    /// Runs the program.
    pub fn run(&self, arguments: &[&str]) -> Outcome {
        Outcome::of(&self.command(arguments).stdin(Stdio::null()).output().expect("the program starts"))
    }

    /// Runs the program with something on stdin.
    pub fn run_with(&self, arguments: &[&str], input: &[u8]) -> Outcome {
        let mut child = self.spawn(arguments);
        // The program may end before it has read everything.
        let _ = child.stdin.take().expect("stdin is piped").write_all(input);
        Outcome::of(&child.wait_with_output().expect("the program ends"))
    }

    /// Starts the program.
    pub fn spawn(&self, arguments: &[&str]) -> Child {
        let mut command = self.command(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().expect("the program starts")
    }

    /// Runs the program, which must succeed.
    pub fn done(&self, arguments: &[&str]) -> Outcome {
        let outcome = self.run(arguments);
        assert_eq!(outcome.code, 0, "{arguments:?} failed:\n{}", outcome.error);
        outcome
    }

    /// Appends bytes to an inbox file, as any program may.
    pub fn land(&self, file: &str, bytes: &[u8]) {
        let path = self.workspace.inbox().join(file);
        let mut file = fs::OpenOptions::new().create(true).append(true).open(path).expect("the inbox file opens");
        file.write_all(bytes).expect("the inbox file takes it");
    }

    /// The number of rows that a query gives in its first cell.
    pub fn count(&self, sql: &str) -> i64 {
        let out = self.done(&["query", sql, "--format", "csv"]).out;
        out.lines().nth(1).and_then(|line| line.parse().ok()).unwrap_or_else(|| panic!("no number in:\n{out}"))
    }

    /// Everything in the inbox must be held, each event once, and nothing else.
    #[track_caller]
    pub fn assert_all_held(&self, when: &str) {
        self.holdings().assert_are(&expected(&self.workspace), when);
    }

    /// What the lake and the quarantine hold.
    pub fn holdings(&self) -> Holdings {
        Holdings::load(&self.workspace)
    }
}

/// The program with a workspace.
pub fn command(root: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_outerloop"));
    command.arg("--root").arg(root).args(arguments).env_remove("OUTERLOOP_ROOT").env("NO_COLOR", "1");
    // What the client of this machine's user knows is not for tests.
    if let Some(home) = root.parent() {
        command.env("HOME", home);
    }
    command
}

/// How the program ended.
#[derive(Debug)]
pub struct Outcome {
    pub code: i32,
    pub out: String,
    pub error: String,
}

impl Outcome {
    pub fn of(output: &Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            error: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

/// Events in the lake and lines in quarantine, each with how often it is there.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Holdings {
    pub ids: BTreeMap<String, u64>,
    pub quarantined: BTreeMap<(String, i64), u64>,
}

impl Holdings {
    /// Compares with what must be held, and shows only what differs.
    #[track_caller]
    pub fn assert_are(&self, wanted: &Self, when: &str) {
        let differing = |is: &BTreeMap<String, u64>, wanted: &BTreeMap<String, u64>| {
            let keys: BTreeSet<&String> = is.keys().chain(wanted.keys()).collect();
            let differing = keys.into_iter().filter(|key| is.get(*key) != wanted.get(*key));
            differing.map(|key| format!("{key}: {:?} instead of {:?}", is.get(key), wanted.get(key))).take(10).collect::<Vec<_>>()
        };
        let places =
            |held: &Self| held.quarantined.iter().map(|((file, line), times)| (format!("{file}:{line}"), *times)).collect();
        assert_eq!(differing(&self.ids, &wanted.ids), [""; 0], "events {when}");
        assert_eq!(differing(&places(self), &places(wanted)), [""; 0], "quarantine {when}");
    }

    fn load(workspace: &Workspace) -> Self {
        let session = Session::open(workspace).expect("the engine opens");
        let tables = event::Kind::ALL.iter().map(|kind| format!("select id from \"{}\"", kind.name()));
        let ids = strings(&session, &tables.collect::<Vec<_>>().join(" union all "));
        let lines = strings(&session, "select file || ':' || line from quarantine");
        let mut holdings = Self::default();
        for id in ids {
            *holdings.ids.entry(id).or_default() += 1;
        }
        for place in lines {
            let (file, line) = place.rsplit_once(':').expect("a place");
            *holdings.quarantined.entry((file.to_owned(), line.parse().expect("a line number"))).or_default() += 1;
        }
        holdings
    }
}

/// The first column of a query's rows.
pub fn strings(session: &Session, sql: &str) -> Vec<String> {
    use arrow::array::AsArray as _;
    let rows = session.query(sql).expect("the query runs");
    rows.batches
        .iter()
        .flat_map(|batch| batch.column(0).as_string::<i32>().iter().flatten().map(str::to_owned).collect::<Vec<_>>())
        .collect()
}

/// Lines of all sorts, and what must become of them.
pub struct Material {
    pub bytes: Vec<u8>,
}

impl Material {
    /// Made-up lines with redeliveries, late and broken ones.
    pub fn made(seed: u64, lines: u64) -> Self {
        let mut bytes = Vec::new();
        let recipe = Recipe {
            seed,
            lines,
            start_seconds: 1_790_000_000,
            step_millis: 60_000,
            patterns: 20,
            agents: 5,
            adapters: None,
            mix: Mix::All,
            late: 0.05,
            duplicate: 0.05,
            bad: 0.03,
        };
        sample::write(&recipe, &mut bytes).expect("memory takes it");
        Self { bytes }
    }

    /// The line that starts at each place.
    pub fn lines(&self) -> impl Iterator<Item = &[u8]> {
        self.bytes.split_inclusive(|byte| *byte == b'\n')
    }
}

/// What must be held after everything in the inbox was taken: worked out from the inbox alone, with another JSON parser.
pub fn expected(workspace: &Workspace) -> Holdings {
    let mut holdings = Holdings::default();
    let mut ids: BTreeSet<String> = BTreeSet::new();
    let mut files: Vec<PathBuf> =
        fs::read_dir(workspace.inbox()).expect("the inbox").map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    for path in files {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let bytes = fs::read(&path).expect("the inbox file");
        for (index, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
            let number = i64::try_from(index).expect("a small number") + 1;
            match id_of(line) {
                Some(id) => drop(ids.insert(id)),
                None if line.is_empty() => {}
                None => drop(holdings.quarantined.insert((name.clone(), number), 1)),
            }
        }
    }
    holdings.ids = ids.into_iter().map(|id| (id, 1)).collect();
    holdings
}

/// The id of a made-up event. Broken ones have none, or one that says so.
fn id_of(line: &[u8]) -> Option<String> {
    let value: serde_json::Value = serde_json::from_slice(line).ok()?;
    let id = value.get("id")?.as_str()?.to_owned();
    (!id.starts_with("bad-")).then_some(id)
}
