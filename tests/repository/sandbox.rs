//! Real repositories in temporary folders.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use agent::iteration::Turn;
use agent::repository::Repository;
use learn::change::{ChangedFile, Changes, Reach};
use tempfile::TempDir;

/// A repository that goes away with the test.
pub struct Sandbox {
    folder: TempDir,
}

impl Sandbox {
    /// A repository without commits, in a folder called `project`.
    pub fn new() -> Self {
        let sandbox = Self { folder: TempDir::new().expect("a temporary folder") };
        fs::create_dir(sandbox.top()).expect("a folder");
        sandbox.git(&["init", "-q", "-b", "main"]);
        sandbox
    }

    /// The folder that everything lies in.
    pub fn outside(&self) -> PathBuf {
        self.folder.path().canonicalize().expect("a folder")
    }

    pub fn top(&self) -> PathBuf {
        self.outside().join("project")
    }

    pub fn git(&self, arguments: &[&str]) -> String {
        git(&self.top(), arguments)
    }

    pub fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.top().join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
        fs::write(path, content).expect("a file");
    }

    /// Commits everything, and gives the commit's hash.
    pub fn commit(&self) -> String {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", "work"]);
        self.git(&["rev-parse", "HEAD"]).trim().to_owned()
    }

    pub fn repository(&self) -> Repository {
        found(&self.top())
    }

    pub fn changes(&self, base: &str, reach: Reach) -> Changes {
        self.repository().changes_since(base, reach).expect("changes")
    }

    /// What changed in the only file that did.
    #[track_caller]
    pub fn only(&self, base: &str, reach: Reach) -> ChangedFile {
        let mut files = self.changes(base, reach).files;
        assert_eq!(files.len(), 1, "{files:?}");
        files.remove(0)
    }
}

pub fn git(folder: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new("git");
    command.current_dir(folder).args(["-c", "user.name=Test", "-c", "user.email=test@localhost", "-c", "commit.gpgsign=false"]);
    command.args(["-c", "protocol.file.allow=always"]);
    let output = command.args(arguments).output().expect("git runs");
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

pub fn found(folder: &Path) -> Repository {
    Repository::find(folder).expect("an answer").expect("a repository")
}

/// So many numbered lines.
pub fn numbered(count: usize) -> Vec<String> {
    (1..=count).map(|number| format!("line {number}\n")).collect()
}

pub fn turn(run_id: &str, iteration: i64) -> Turn {
    Turn {
        project: "demo".to_owned(),
        run_id: run_id.to_owned(),
        iteration: Some(iteration),
        time: "2026-03-01T10:00:00Z".parse().expect("a time"),
    }
}

/// Whether this is a process of its own, started to run one test with other variables. If not, it is started and must succeed.
pub fn is_alone(test: &str, variables: &[(&str, &Path)]) -> bool {
    const MARK: &str = "OUTERLOOP_TEST_ALONE";
    if std::env::var_os(MARK).is_some_and(|marked| marked == test) {
        return true;
    }
    let mut command = Command::new(std::env::current_exe().expect("the tests themselves"));
    command.args(["--exact", test]).env(MARK, test).envs(variables.iter().copied());
    let output = command.output().expect("the tests start");
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && told.contains("1 passed"), "{told}{}", String::from_utf8_lossy(&output.stderr));
    false
}
