//! What becomes of captured lessons: the gates, the built-in rules, and commands of all tempers.

mod answer;
mod budget;
mod builtin;
mod command;
mod gate;
mod run;
mod wording;

use std::fs;
use std::path::PathBuf;

use outerloop::classify::PendingLesson;
use outerloop::workspace::Workspace;
use tempfile::TempDir;

/// A lesson of the project `shop`.
fn lesson(id: &str, summary: &str) -> PendingLesson {
    PendingLesson { id: id.to_owned(), project: "shop".to_owned(), summary: summary.to_owned(), ..PendingLesson::default() }
}

/// Lessons that pass every gate, with the ids `l1`, `l2` and so on.
fn lessons(count: usize) -> Vec<PendingLesson> {
    let numbered =
        |number| lesson(&format!("l{number}"), &format!("Close database connections of worker {number} after every request"));
    (1..=count).map(numbered).collect()
}

/// A folder with a workspace and scripts, gone with the test.
struct Room {
    folder: TempDir,
}

impl Room {
    fn new() -> Self {
        Self { folder: TempDir::new().expect("a temporary folder") }
    }

    fn workspace(&self) -> Workspace {
        Workspace::at(self.folder.path().join(".outerloop"))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A command that runs a shell script in this folder. Not the script itself: a file that was just written may still be
    /// open in the child of another test, and the system starts no such file.
    fn script(&self, body: &str) -> Vec<String> {
        let path = self.path("script.sh");
        fs::write(&path, format!("cd '{}'\n{body}\n", self.folder.path().display())).expect("a script");
        vec!["/bin/sh".to_owned(), path.to_string_lossy().into_owned()]
    }

    /// A command that reads the request and answers with a text.
    fn answering(&self, answer: &str) -> Vec<String> {
        fs::write(self.path("answer"), answer).expect("an answer");
        self.script("cat > request; echo x >> calls; cat answer")
    }

    /// How often the command was started.
    fn calls(&self) -> usize {
        fs::read_to_string(self.path("calls")).map_or(0, |text| text.lines().count())
    }
}

/// An answer that approves lessons.
fn approval(ids: &[&str]) -> String {
    let entry = |id: &&str| serde_json::json!({"id": id, "status": "approved", "scope": "organization", "category": "convention", "repo": "*"});
    serde_json::json!({"classifications": ids.iter().map(entry).collect::<Vec<_>>()}).to_string()
}
