//! A workspace with sessions that wait, and a command that observes them.

use std::fs;
use std::path::PathBuf;

use agent::observe::{Pending, Queue};
use serde_json::Value;

use super::write_transcript;
use crate::support::{Outcome, Scene};

pub struct Room {
    pub scene: Scene,
}

impl Room {
    pub fn new() -> Self {
        Self { scene: Scene::new() }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.scene.root().parent().expect("a folder").join(name)
    }

    /// Settings of `[observe]`, and a command that runs a shell script in the folder.
    pub fn set(&self, settings: &str, script: Option<&str>) {
        let command = script.map_or(String::new(), |body| {
            let path = self.path("script.sh");
            fs::write(&path, format!("cd '{}'\n{body}\n", self.path("").display())).expect("a script");
            format!("command = [\"/bin/sh\", \"{}\"]\n", path.display())
        });
        fs::write(self.scene.workspace.settings(), format!("[observe]\n{command}{settings}\n")).expect("settings");
    }

    /// A command that reads the request and answers with a text.
    pub fn answering(&self, settings: &str, answer: &str) {
        fs::write(self.path("answer"), answer).expect("an answer");
        self.set(settings, Some("cat > request; echo \"$OUTERLOOP_LEARNING\" >> calls; cat answer"));
    }

    /// How often the command was started.
    pub fn calls(&self) -> usize {
        fs::read_to_string(self.path("calls")).map_or(0, |text| text.lines().count())
    }

    /// A transcript.
    pub fn transcript(&self, session: &str, turns: &[(&str, &str)]) -> PathBuf {
        write_transcript(&self.path(""), session, turns)
    }

    /// Puts a session into the queue, as a hook does.
    pub fn enqueue(&self, session: &str, transcript: PathBuf) {
        let pending = Pending {
            session: session.to_owned(),
            project: "shop".to_owned(),
            transcript,
            folder: None,
            at: jiff::Timestamp::now(),
            attempts: 0,
        };
        Queue::of(&self.scene.workspace).add(&pending).expect("added");
    }

    /// Writes a transcript and puts its session into the queue.
    pub fn end(&self, session: &str, turns: &[(&str, &str)]) {
        let path = self.transcript(session, turns);
        self.enqueue(session, path);
    }

    /// The sessions that wait, each with how often it was asked about in vain.
    pub fn waiting(&self) -> Vec<(String, u32)> {
        let (waiting, _) = Queue::of(&self.scene.workspace).load().expect("it is read");
        waiting.into_iter().map(|pending| (pending.session, pending.attempts)).collect()
    }

    pub fn observe(&self) -> Outcome {
        self.scene.run(&["observe", "--queued", "--json"])
    }

    /// The observations in the inbox.
    pub fn landed(&self) -> Vec<Value> {
        let mut files: Vec<PathBuf> =
            fs::read_dir(self.scene.workspace.inbox()).expect("the inbox").map(|entry| entry.expect("an entry").path()).collect();
        files.sort();
        let text: String = files.iter().map(|path| fs::read_to_string(path).expect("text")).collect();
        let rows = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
        rows.filter(|row| row["kind"] == "observation").collect()
    }
}
