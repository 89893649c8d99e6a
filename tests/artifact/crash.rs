//! The program is killed at every call that changes the disk: nothing is doubled, nothing is lost, and all that is kept agrees.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use learn::observation::ObservationScore;
use render::artifact::{Document, Topic, find_marker};
use serde_json::Value;

use super::command::publish;
use super::{in_project, list, row};
use crate::support::Scene;
use crate::support::shim::{self, Strike};

/// The calls that change the disk.
const CALLS: &str = "sync rename write mkdir unlink";

fn has_ending(file: &str, wanted: &str) -> bool {
    Path::new(file).extension().is_some_and(|ending| ending == wanted)
}

/// Several observations of each type.
fn rows() -> Vec<ObservationScore> {
    let mut rows = Vec::new();
    for number in 1..=2 {
        rows.push(row(&format!("obs_wf{number}"), "workflow", &format!("workflow {number}"), "1. a\n2. b"));
        rows.push(row(&format!("obs_pr{number}"), "procedural", &format!("procedure {number}"), "how"));
        rows.push(row(
            &format!("obs_de{number}"),
            "decision",
            &format!("decision {number}"),
            "context: c; decision: d; rationale: r",
        ));
        rows.push(row(&format!("obs_pf{number}"), "pitfall", &format!("pitfall {number}"), &format!("area: a{number}; issue: i")));
    }
    // Says the same as the first pitfall.
    rows.push(row("obs_pf3", "pitfall", "pitfall in other words", "area: a1; issue: i"));
    in_project(rows, "default")
}

/// A workspace whose project's folder can be emptied again and again.
struct Yard {
    scene: Scene,
}

impl Yard {
    fn new() -> Self {
        let scene = Scene::new();
        publish(&scene, &rows(), 1);
        Self { scene }
    }

    fn root(&self) -> PathBuf {
        self.scene.root().parent().expect("the project").to_path_buf()
    }

    /// A project without artifacts, of which nothing landed.
    fn clear(&self) {
        for folder in [self.root().join(".memory"), self.root().join(".claude"), self.scene.workspace.artifacts()] {
            let _ = fs::remove_dir_all(folder);
        }
        for entry in fs::read_dir(self.scene.workspace.inbox()).expect("the inbox") {
            fs::remove_file(entry.expect("an entry").path()).expect("it goes");
        }
    }

    /// Runs a command that dies at a call. Says whether it lived.
    fn survives(&self, arguments: &[&str], call: u32) -> bool {
        let mut command = self.scene.command(arguments);
        shim::load(&mut command, Strike::Kill(call), CALLS);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().expect("the program starts").code().is_some()
    }

    /// What landed, each id once. What landed twice must be the same bytes.
    fn events(&self) -> Vec<Value> {
        let mut lines: BTreeMap<String, String> = BTreeMap::new();
        let mut events = Vec::new();
        for file in list(&self.scene.workspace.inbox(), &self.scene.workspace.inbox()) {
            let text = fs::read_to_string(self.scene.workspace.inbox().join(file)).expect("the inbox");
            for line in text.lines() {
                let event: Value = serde_json::from_str(line).expect("a whole line");
                let id = event["id"].as_str().expect("an id").to_owned();
                match lines.insert(id, line.to_owned()) {
                    Some(before) => assert_eq!(before, line),
                    None => events.push(event),
                }
            }
        }
        events
    }

    /// What stands in the folder: the observation and its place, each once.
    #[track_caller]
    fn standing(&self, when: &str) -> BTreeMap<String, String> {
        let mut found = BTreeMap::new();
        let mut add = |id: &str, place: String| {
            let before = found.insert(id.to_owned(), place);
            assert_eq!(before, None, "{id} stands twice {when}");
        };
        for topic in Topic::ALL {
            let text = fs::read_to_string(self.root().join(topic.path())).unwrap_or_default();
            let document = Document::parse(topic, text);
            for section in document.sections() {
                add(section.observation_id().expect("a source"), section.anchor.clone());
            }
            assert_eq!(document.clone().summarise(), document, "the summary {when}");
        }
        for folder in [".claude/commands", ".claude/skills"] {
            if !self.root().join(folder).is_dir() {
                continue;
            }
            for file in list(&self.root().join(folder), &self.root()).into_iter().filter(|file| has_ending(file, "md")) {
                let text = fs::read_to_string(self.root().join(&file)).expect("a file");
                add(find_marker(&text).unwrap_or_else(|| panic!("{file} is not whole {when}: {text}")), file);
            }
        }
        found
    }

    /// Files, manifest, events and index must agree. The number of artifacts that stand there.
    #[track_caller]
    fn assert_agreement(&self, when: &str) -> usize {
        let standing = self.standing(when);
        let manifest = fs::read_to_string(self.root().join(".memory/.learning-manifest.json")).unwrap_or_else(|_| "{}".to_owned());
        let manifest: Value = serde_json::from_str(&manifest).expect("a whole manifest");
        let entries = manifest["entries"].as_array().cloned().unwrap_or_default();
        let is_own = |entry: &&Value| entry["deletedAt"].is_null() && entry["linked"].is_null();
        let place = |entry: &Value| entry["anchorId"].as_str().or_else(|| entry["path"].as_str()).expect("a place").to_owned();
        let listed: BTreeMap<String, String> = entries
            .iter()
            .filter(is_own)
            .map(|entry| (entry["observationId"].as_str().expect("an id").to_owned(), place(entry)))
            .collect();
        assert_eq!(listed, standing, "the manifest {when}");
        let mut told: BTreeMap<String, String> = BTreeMap::new();
        let mut linked = BTreeSet::new();
        for event in self.events() {
            let id = event["observation_id"].as_str().expect("an id").to_owned();
            let place = event["anchor"].as_str().or_else(|| event["path"].as_str()).expect("a place").to_owned();
            match event["action"].as_str() {
                Some("rendered" | "adopted") if id == "obs_pf3" => drop(linked.insert(place)),
                Some("rendered" | "adopted") => drop(told.insert(id, place)),
                Some("deleted") => assert!(told.remove(&id).is_some(), "{id} was deleted twice {when}"),
                Some("edited") => {}
                other => panic!("{other:?} {when}"),
            }
        }
        assert_eq!(told, standing, "the events {when}");
        assert!(linked.is_empty() || linked == BTreeSet::from(["PF-001".to_owned()]), "{linked:?} {when}");
        standing.len()
    }

    /// Everything stands there, once, and nothing is left over.
    #[track_caller]
    fn assert_complete(&self, when: &str) {
        assert_eq!(self.assert_agreement(when), 8, "{when}");
        let index = self.scene.done(&["index"]).out;
        assert!(
            index.starts_with("Decisions (2):\n  ADR-001  decision 1  [Accepted]\n  ADR-002") && index.contains("Pitfalls (2):\n"),
            "{index}"
        );
        let usage = fs::read_to_string(self.root().join(".memory/.knowledge-usage.json")).expect("the usage");
        assert_eq!(usage.matches("\"cites\": 0").count(), 4, "{when}");
        let left: Vec<String> = [".memory", ".claude"]
            .iter()
            .flat_map(|folder| list(&self.root().join(folder), &self.root()))
            .filter(|file| has_ending(file, "tmp"))
            .collect();
        assert_eq!(left, [""; 0], "{when}");
        assert!(!self.scene.workspace.artifacts().join("journal-around.json").exists(), "{when}");
    }
}

#[test]
fn rendering_killed_at_every_call_heals_with_the_next_look() {
    let yard = Yard::new();
    let mut call = 0;
    loop {
        call += 1;
        yard.clear();
        let survived = yard.survives(&["render"], call);
        // A reader sees whole files at every instant.
        yard.standing(&format!("right after call {call}"));
        yard.scene.done(&["reconcile"]);
        yard.assert_agreement(&format!("after a look, killed at call {call}"));
        yard.scene.done(&["render"]);
        yard.assert_complete(&format!("killed at call {call}"));
        assert!(yard.scene.done(&["reconcile", "--json"]).out.contains("\"deletions\":0,\"edits\":0,\"unchanged\":9,\"healed\":0"));
        if survived {
            break;
        }
    }
    assert!(call > 50, "rendering has only {call} calls: does the shim count?");
    yard.scene.done(&["run", "compact"]);
    assert_eq!(yard.scene.count("select count(*) from quarantine"), 0);
}

#[test]
fn every_failed_call_is_told_and_mended_by_the_next_run() {
    let yard = Yard::new();
    let calls = shim::count(&mut yard.scene.command(&["render"]), CALLS);
    let mut untold = Vec::new();
    for call in 1..=calls {
        yard.clear();
        let mut command = yard.scene.command(&["render"]);
        shim::load(&mut command, Strike::Fail(call), CALLS);
        let output = command.stdin(Stdio::null()).output().expect("the program starts");
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        if output.status.success() {
            untold.push(call);
        } else {
            assert!(matches!(output.status.code(), Some(2 | 75)) && error.contains("remedy: "), "call {call}: {error}");
        }
        yard.scene.done(&["render"]);
        yard.assert_complete(&format!("failed at call {call}"));
    }
    assert!(calls > 50 && untold.is_empty(), "{untold:?} of {calls} failures were not told");
}

#[test]
fn rendering_again_after_a_kill_heals_without_a_look_in_between() {
    let yard = Yard::new();
    let mut random = fastrand::Rng::with_seed(20_261_117);
    for _ in 0..60 {
        yard.clear();
        // Whoever mends may be killed too, again and again.
        let calls: Vec<u32> = (0..3).map(|_| random.u32(1..70)).collect();
        for call in &calls {
            yard.survives(&["render"], *call);
        }
        yard.scene.done(&["render"]);
        yard.assert_complete(&format!("killed at calls {calls:?}"));
    }
}

/// The same observations, after sessions that say more.
fn improved() -> Vec<ObservationScore> {
    let improve = |mut row: ObservationScore| {
        row.observations += 1;
        row.details = match row.observation_type.name() {
            "workflow" => "1. a\n2. b\n3. c".to_owned(),
            "procedural" => "how, and why".to_owned(),
            "decision" => row.details.replace("rationale: r", "rationale: r, and r again"),
            _ => format!("{}; impact: m", row.details),
        };
        row
    };
    rows().into_iter().map(improve).collect()
}

/// A folder and everything in it, byte for byte.
struct Picture(BTreeMap<PathBuf, Vec<u8>>);

impl Picture {
    fn of(folders: &[PathBuf]) -> Self {
        let files = folders
            .iter()
            .filter(|folder| folder.is_dir())
            .flat_map(|folder| list(folder, folder).into_iter().map(|file| folder.join(file)).collect::<Vec<_>>());
        Self(files.map(|file| (file.clone(), fs::read(file).expect("a file"))).collect())
    }

    fn restore(&self) {
        for (file, bytes) in &self.0 {
            fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
            fs::write(file, bytes).expect("a file");
        }
    }

    /// What people read, without the lines that say when it was written.
    fn texts(&self) -> BTreeMap<&Path, String> {
        let plain = |bytes: &[u8]| {
            let text = String::from_utf8_lossy(bytes).into_owned();
            text.lines().filter(|line| !line.starts_with("# self-learning: ")).collect::<Vec<_>>().join("\n")
        };
        let is_read = |file: &Path| file.extension().is_some_and(|ending| ending == "md");
        self.0.iter().filter(|(file, _)| is_read(file)).map(|(file, bytes)| (&**file, plain(bytes))).collect()
    }
}

#[test]
fn writing_anew_killed_at_every_call_is_finished_once_and_is_nobodys_edit() {
    let yard = Yard::new();
    yard.scene.done(&["render"]);
    let project = [yard.root().join(".memory"), yard.root().join(".claude")];
    let workspace = [yard.scene.workspace.artifacts(), yard.scene.workspace.inbox()];
    let before = Picture::of(&[project.clone(), workspace].concat());
    publish(&yard.scene, &improved(), 2);
    let told = yard.scene.done(&["render"]).error;
    assert!(told.contains("8 updated"), "{told}");
    let after = Picture::of(&project);
    assert!(after.texts().values().any(|text| text.contains("3. c")), "{:?}", after.texts());
    for is_looked_at in [true, false] {
        let mut call = 0;
        loop {
            call += 1;
            let when = format!("killed at call {call}, looked at: {is_looked_at}");
            yard.clear();
            before.restore();
            let survived = yard.survives(&["render"], call);
            yard.standing(&format!("right after, {when}"));
            if is_looked_at {
                yard.scene.done(&["reconcile"]);
                yard.assert_agreement(&when);
            }
            yard.scene.done(&["render"]);
            yard.assert_complete(&when);
            assert_eq!(Picture::of(&project).texts(), after.texts(), "{when}");
            let count = |action: &str| yard.events().iter().filter(|event| event["action"] == action).count();
            // Eight were rendered, and each of them was written anew once.
            assert_eq!((count("rendered"), count("edited"), count("deleted")), (16, 0, 0), "{when}");
            assert!(
                yard.scene.done(&["reconcile", "--json"]).out.contains("\"deletions\":0,\"edits\":0,\"unchanged\":9"),
                "{when}"
            );
            if survived {
                break;
            }
        }
        assert!(call > 20, "writing anew has only {call} calls: does the shim count?");
    }
}

#[test]
fn a_look_that_is_killed_tells_every_deletion_and_every_edit_once() {
    let yard = Yard::new();
    let mut call = 0;
    loop {
        call += 1;
        yard.clear();
        yard.scene.done(&["render"]);
        let decisions = yard.root().join(".memory/knowledge/decisions.md");
        let text = fs::read_to_string(&decisions).expect("a file");
        let (before, behind) = text.split_once("\n## ADR-001").expect("an entry");
        let behind = behind.split_once("\n## ADR-002").expect("another").1.replace("- **Context**: c", "- **Context**: changed");
        fs::write(&decisions, format!("{before}\n## ADR-002{behind}")).expect("a file");
        fs::remove_file(yard.root().join(".claude/commands/self-learning/workflow-1.md")).expect("it goes");
        let survived = yard.survives(&["reconcile"], call);
        yard.scene.done(&["reconcile"]);
        let when = format!("killed at call {call}");
        assert_eq!(yard.assert_agreement(&when), 6, "{when}");
        let counted = |action: &str| yard.events().iter().filter(|event| event["action"] == action).count();
        assert_eq!((counted("deleted"), counted("edited"), counted("rendered")), (2, 1, 8), "{when}");
        if survived {
            break;
        }
    }
    assert!(call > 10, "a look has only {call} calls: does the shim count?");
}
