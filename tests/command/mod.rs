//! Asking commands of all tempers, and what that may cost.

mod asker;
mod budget;
mod call;

use std::fs;
use std::path::PathBuf;

use store::workspace::Workspace;
use tempfile::TempDir;

/// A folder with a workspace and scripts, gone with the test.
pub struct Room {
    folder: TempDir,
}

impl Room {
    pub fn new() -> Self {
        Self { folder: TempDir::new().expect("a temporary folder") }
    }

    pub fn workspace(&self) -> Workspace {
        Workspace::at(self.folder.path().join(".outerloop"))
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A command that runs a shell script in this folder. Not the script itself: a file that was just written may still be
    /// open in the child of another test, and the system starts no such file.
    pub fn script(&self, body: &str) -> Vec<String> {
        let path = self.path("script.sh");
        fs::write(&path, format!("cd '{}'\n{body}\n", self.folder.path().display())).expect("a script");
        vec!["/bin/sh".to_owned(), path.to_string_lossy().into_owned()]
    }

    /// A command that reads the request and answers with a text.
    pub fn answering(&self, answer: &str) -> Vec<String> {
        fs::write(self.path("answer"), answer).expect("an answer");
        self.script("cat > request; echo x >> calls; cat answer")
    }

    /// How often the command was started.
    pub fn calls(&self) -> usize {
        fs::read_to_string(self.path("calls")).map_or(0, |text| text.lines().count())
    }
}
