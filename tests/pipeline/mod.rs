//! The whole way with the real program and real repositories: from what agents leave behind to published figures.

mod beside;
mod build;
mod capture;
mod claim;
mod classifier;
mod embed;
mod history;
mod hook;
mod lesson;
mod pruning;
mod sharing;
mod timing;
mod tool;
mod worked;

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::Scene;

/// A git repository called `shop`, in which a run works. It goes away with the test.
struct Shop {
    folder: TempDir,
    /// The commit that the run began at.
    since: String,
}

impl Shop {
    /// A file of 30 lines, of which the fifth was changed and committed since the run began.
    fn new() -> Self {
        let mut shop = Self { folder: TempDir::new().expect("a temporary folder"), since: String::new() };
        fs::create_dir_all(shop.learnings().join("pending")).expect("folders");
        shop.git(&["init", "--quiet", "--initial-branch=main"]);
        shop.write("src/api/client.ts", &lines((1..=30).map(|number| format!("step({number});"))));
        shop.commit();
        shop.since = shop.change(5);
        shop
    }

    /// The same with a workspace that knows it by the name of its folder, as after an import from before folders of one name were told
    /// apart.
    fn known() -> (Scene, Self) {
        let (scene, shop) = (Scene::new(), Self::new());
        let known: serde_json::Map<String, Value> = [shop.work(), shop.top()]
            .iter()
            .map(|folder| (folder.canonicalize().expect("a folder").to_str().expect("a path").to_owned(), "shop".into()))
            .collect();
        fs::write(scene.root().join("workdirs.json"), Value::from(known).to_string()).expect("the names");
        (scene, shop)
    }

    fn top(&self) -> PathBuf {
        self.folder.path().join("shop")
    }

    /// The folder of the run, somewhere below the top of the repository.
    fn work(&self) -> PathBuf {
        self.top().join(".closedloop-ai/work")
    }

    fn learnings(&self) -> PathBuf {
        self.work().join(".learnings")
    }

    /// Changes a line and commits it. Gives the commit before.
    fn change(&self, number: usize) -> String {
        let before = self.git(&["rev-parse", "HEAD"]);
        let path = self.top().join("src/api/client.ts");
        let text = fs::read_to_string(&path).expect("the file");
        let changed = text.replace(&format!("step({number});\n"), &format!("await retry({number});\n"));
        assert_ne!(text, changed);
        fs::write(path, changed).expect("the file");
        self.commit();
        before
    }

    fn write(&self, path: &str, text: &str) {
        put(&self.top().join(path), text);
    }

    fn commit(&self) {
        self.git(&["add", "src"]);
        self.git(&["commit", "--quiet", "--message", "work"]);
    }

    #[track_caller]
    fn git(&self, arguments: &[&str]) -> String {
        git(&self.top(), arguments)
    }

    /// A lesson as an agent leaves it behind. Gives its path.
    fn leave(&self, name: &str, text: &str) -> PathBuf {
        let path = self.learnings().join("pending").join(name);
        put(&path, text);
        path
    }

    /// The arguments that name an iteration of a run in this folder.
    fn turn(&self, run: &str, iteration: u32) -> Vec<String> {
        let work = self.work().to_str().expect("a path").to_owned();
        ["--workdir", &work, "--run", run, "--iteration", &iteration.to_string()].map(str::to_owned).to_vec()
    }
}

/// Runs a command about an iteration, which must succeed.
#[track_caller]
fn tell(scene: &Scene, first: &[&str], turn: &[String]) -> String {
    let outcome = try_tell(scene, first, turn);
    assert_eq!(outcome.code, 0, "{first:?} failed:\n{}", outcome.error);
    outcome.out + &outcome.error
}

fn try_tell(scene: &Scene, first: &[&str], turn: &[String]) -> crate::support::Outcome {
    let arguments: Vec<&str> = first.iter().copied().chain(turn.iter().map(String::as_str)).collect();
    scene.run(&arguments)
}

/// Runs git as a person would.
#[track_caller]
fn git(folder: &Path, arguments: &[&str]) -> String {
    let settings = ["-c", "user.name=Ann", "-c", "user.email=ann@localhost", "-c", "commit.gpgsign=false"];
    let output = Command::new("git").args(settings).args(arguments).current_dir(folder).output().expect("git starts");
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text").trim().to_owned()
}

/// Each thing on a line of its own.
fn lines(things: impl IntoIterator<Item = impl ToString>) -> String {
    things.into_iter().flat_map(|thing| [thing.to_string(), "\n".to_owned()]).collect()
}

/// Writes a file, and the folders around it.
fn put(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
    fs::write(path, text).expect("a file");
}

fn backdate(path: &Path, age: Duration) {
    File::open(path).expect("it opens").set_modified(SystemTime::now() - age).expect("its time can be set");
}

/// The names in a folder, in order. A folder that does not exist holds none.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let mut names: Vec<String> = entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// Lands events as an agent's hook does.
#[track_caller]
fn record(scene: &Scene, events: &[Value]) {
    let outcome = scene.run_with(&["record"], lines(events).as_bytes());
    assert_eq!(outcome.code, 0, "{}", outcome.error);
}

fn now() -> String {
    store::clock::now().to_string()
}

/// A lesson that is a pattern already.
fn known(id: &str, summary: &str, tag: &str) -> Value {
    json!({"kind": "learning", "ts": now(), "project": "shop", "pattern_id": id, "summary": summary, "tags": [tag]})
}

/// What became of a pattern in an iteration of a run of `shop`.
fn application(turn: (&str, u32), agent: &str, pattern: &str, status: &str, cited: &[&str]) -> Value {
    json!({"kind": "application", "ts": now(), "project": "shop", "run_id": turn.0, "iteration": turn.1, "agent": agent,
        "pattern_id": pattern, "status": status, "citations": cited})
}

#[track_caller]
fn json_of(scene: &Scene, arguments: &[&str]) -> Value {
    serde_json::from_str(&scene.done(arguments).out).expect("JSON")
}

/// Every pattern as `id seen rate confidence flag`, by its id.
#[track_caller]
fn figures(scene: &Scene) -> Vec<String> {
    let list = json_of(scene, &["patterns", "list", "--all", "--json"]);
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let figure = |pattern: &Value| {
        let rate = pattern["rate"].as_f64().map_or_else(|| "-".to_owned(), |rate| format!("{rate:.2}"));
        let [id, confidence, flag] = ["id", "confidence", "flag"].map(|name| text(&pattern[name]));
        format!("{id} {} {rate} {confidence} {flag}", pattern["seen"]).trim_end().to_owned()
    };
    let mut figures: Vec<String> = list.as_array().expect("a list").iter().map(figure).collect();
    figures.sort();
    figures
}

/// The rows of a query, each as it stands in a CSV file.
#[track_caller]
fn rows(scene: &Scene, sql: &str) -> Vec<String> {
    scene.done(&["query", sql, "--format", "csv"]).out.lines().skip(1).map(str::to_owned).collect()
}

/// The summaries of all patterns, by their ids.
#[track_caller]
fn summaries(scene: &Scene) -> Vec<String> {
    let list = json_of(scene, &["patterns", "list", "--all", "--json"]);
    let mut all: Vec<(String, String)> = list
        .as_array()
        .expect("a list")
        .iter()
        .map(|pattern| {
            (pattern["id"].as_str().expect("an id").to_owned(), pattern["summary"].as_str().expect("a summary").to_owned())
        })
        .collect();
    all.sort();
    all.into_iter().map(|(_, summary)| summary).collect()
}

/// The captured lessons that wait and those that were refused.
#[track_caller]
fn lessons(scene: &Scene) -> (Vec<String>, Vec<String>) {
    let told = json_of(scene, &["lessons", "--json"]);
    let all = |name: &str| {
        let list = told[name].as_array().expect("a list").iter();
        list.map(|lesson| lesson["summary"].as_str().expect("a summary").to_owned()).collect()
    };
    (all("waiting"), all("refused"))
}

/// The events behind a pattern must add up to its figures. Gives what each counts for, in the order of the log.
#[track_caller]
fn weights(scene: &Scene, id: &str) -> Vec<f64> {
    let told = json_of(scene, &["explain", id, "--json"]);
    let all: Vec<f64> =
        told["applications"].as_array().expect("a list").iter().filter_map(|reason| reason["weight"].as_f64()).collect();
    let sum: f64 = all.iter().sum();
    assert_eq!(told["pattern"]["seen"], all.len(), "{told}");
    if let Some(rate) = told["pattern"]["rate"].as_f64() {
        let seen = told["pattern"]["seen"].as_f64().expect("a number");
        assert!((rate * seen - sum).abs() < 1e-9, "{told}");
    }
    all
}

/// Two numbers that may differ in their last digits.
#[track_caller]
fn assert_near(is: &[f64], wanted: &[f64]) {
    let is_near = is.len() == wanted.len() && is.iter().zip(wanted).all(|(one, other)| (one - other).abs() < 1e-9);
    assert!(is_near, "{is:?} instead of {wanted:?}");
}
