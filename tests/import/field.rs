//! A field is one line of the table of kinds: whatever that line says, the door, the recorder and the importers follow it. Nothing here
//! or in an importer lists fields, but for those that an importer works out itself.

use std::fs;

use agent::import::closedloop::{import_pending, import_perf};
use agent::import::codekit::{Gathering, Repeats, Source};
use agent::import::devflow::{Memory, import_memory};
use agent::import::jkz::{Counted, Owner, RecordSource, import_record};
use event::field::{
    ApplicationStatus, Arm, ArtifactAction, ClassificationStatus, CurationAction, Lack, ObservationType, Risk, RunResult, Verdict,
};
use event::{Code, ENVELOPE, FieldSpec, Kind, Latest, Parser};
use jiff::Timestamp;
use serde_json::{Map, Value, json};

use crate::support::Scene;

const TIME: &str = "2026-05-06T10:00:00Z";

fn time() -> Timestamp {
    TIME.parse().expect("a time")
}

fn door() -> Parser {
    Parser::new(Latest::from_clock(time().as_microsecond()))
}

fn line(kind: Kind, members: &Map<String, Value>) -> String {
    let carried = json!({"kind": kind.name(), "ts": TIME, "project": "shop", "id": "e-1"});
    let all: Map<String, Value> = carried.as_object().expect("an object").clone().into_iter().chain(members.clone()).collect();
    Value::Object(all).to_string()
}

/// A value that the door takes in a field. An event that lacks other fields is refused for them only after its own were read.
fn sample(kind: Kind, field: &FieldSpec) -> Value {
    // Text in a field of numbers is kept as an unknown member instead of refused.
    if field.name == "raw_score" {
        return json!(0.5);
    }
    let words = [
        ApplicationStatus::ALL[0].name(),
        Arm::ALL[0].name(),
        ArtifactAction::ALL[0].name(),
        ClassificationStatus::ALL[0].name(),
        CurationAction::ALL[0].name(),
        Lack::ALL[0].name(),
        ObservationType::ALL[0].name(),
        Risk::ALL[0].name(),
        RunResult::ALL[0].name(),
        Verdict::ALL[0].name(),
    ];
    let lists = [json!(["lock before writing"]), json!([{"agent": "a", "confidence": 1}]), json!([0.5])];
    let plain = [json!("n-1"), json!(true), json!(0.5), json!(1)];
    let fits = |value: &Value| {
        let line = line(kind, &Map::from_iter([(field.name.to_owned(), value.clone())]));
        door().parse(&line).map_or_else(|rejection| rejection.code == Code::MissingField, |_| true)
    };
    let mut candidates = plain.into_iter().chain(lists).chain(words.map(Value::from));
    candidates.find(fits).unwrap_or_else(|| panic!("no value fits `{}` of {}", field.name, kind.name()))
}

fn samples(kind: Kind) -> Map<String, Value> {
    kind.fields().iter().map(|field| (field.name.to_owned(), sample(kind, field))).collect()
}

/// The same members, one of them under another name.
fn respelled(members: &Map<String, Value>, field: &FieldSpec, spelling: &str) -> Map<String, Value> {
    let name = |name: &str| if name == field.name { spelling.to_owned() } else { name.to_owned() };
    members.iter().map(|(own, value)| (name(own), value.clone())).collect()
}

/// Every field of a kind, and every way to spell it.
fn spellings(kind: Kind) -> impl Iterator<Item = (&'static FieldSpec, &'static str)> {
    kind.fields().iter().flat_map(|field| field.spellings.iter().map(move |spelling| (field, *spelling)))
}

#[test]
fn the_door_reads_every_spelling_as_the_field() {
    for kind in Kind::ALL.iter().copied() {
        let members = samples(kind);
        let plain = line(kind, &members);
        let wanted = door().parse(&plain).unwrap_or_else(|rejection| panic!("{rejection}: {plain}")).body;
        for (field, spelling) in spellings(kind) {
            let line = line(kind, &respelled(&members, field, spelling));
            let event = door().parse(&line).unwrap_or_else(|fault| panic!("{fault}: {line}"));
            assert_eq!((event.body, event.extra), (wanted.clone(), None), "{line}");
        }
    }
}

#[test]
fn the_recorder_takes_every_spelling_as_it_is_and_stamps_what_is_in_none() {
    let scene = Scene::new();
    let mut lines: Vec<String> = Vec::new();
    for kind in Kind::ALL.iter().copied() {
        let members = samples(kind);
        lines.extend(spellings(kind).map(|(field, spelling)| line(kind, &respelled(&members, field, spelling))));
    }
    for (field, spelling) in ENVELOPE.iter().flat_map(|field| field.spellings.iter().map(move |spelling| (field, *spelling))) {
        let event = json!({"kind": "build", "ts": TIME, "project": "shop", "id": "e-1", "run_id": "r", "passed": true});
        lines.push(Value::Object(respelled(event.as_object().expect("an object"), field, spelling)).to_string());
    }
    let bare = r#"{"run_id":"r","passed":true}"#;
    let file = scene.root().join("events");
    fs::write(&file, format!("{}\n{bare}\n", lines.join("\n"))).expect("a file");
    let outcome = scene.done(&["record", "--batch", "--kind", "build", "--project", "office", file.to_str().expect("a path")]);
    assert_eq!(outcome.code, 0, "{}", outcome.error);
    let inbox = fs::read_dir(scene.workspace.inbox()).expect("the inbox").map(|entry| entry.expect("an entry").path());
    let landed: String = inbox.map(|path| fs::read_to_string(path).expect("events")).collect();
    let mut landed: Vec<&str> = landed.lines().collect();
    let stamped: Value = serde_json::from_str(landed.pop().expect("an event")).expect("JSON");
    assert_eq!(landed, lines);
    assert_eq!((&stamped["kind"], &stamped["project"], stamped["ts"].is_string()), (&json!("build"), &json!("office"), true));
}

/// Imports an object of each spelling of each field, and checks that the event has the field under its own name. `own` are fields
/// that the importer works out itself.
fn assert_carried(kind: Kind, own: &[&str], base: &Value, import: impl Fn(Value) -> Vec<String>) {
    for (field, spelling) in spellings(kind).filter(|(field, _)| !own.contains(&field.name)) {
        let value = sample(kind, field);
        let mut object = base.clone();
        let members = object.as_object_mut().expect("an object");
        for other in field.spellings {
            members.shift_remove(*other);
        }
        members.insert(spelling.to_owned(), value.clone());
        let lines = import(object);
        let events: Vec<Value> = lines.iter().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        let event = events.iter().find(|event| event["kind"] == kind.name()).unwrap_or_else(|| panic!("{spelling}: no event"));
        assert_eq!(event[field.name], value, "{spelling} of {}: {event}", kind.name());
    }
}

#[test]
fn the_importers_carry_every_spelling_of_every_field() {
    assert_carried(Kind::Learning, &[], &json!({"summary": "s"}), |lesson| {
        import_pending("lesson.json", lesson.to_string().as_bytes(), time(), "shop").lines
    });
    assert_carried(Kind::Timing, &["started", "ended"], &json!({"event": "e", "run_id": "r", "started": TIME}), |row| {
        import_perf(row.to_string().as_bytes(), "shop").lines
    });
    assert_carried(Kind::Run, &[], &json!({"run_id": "r", "result": "success"}), |outcome| {
        let mut gathering = Gathering::new("shop", Latest::from_clock(time().as_microsecond()), Repeats::First);
        gathering.read(Source::Log, "log", outcome.to_string().as_bytes(), time());
        gathering.finish().files.remove(0).lines
    });
    let from_text = ["evidence_level", "verdict", "patterns", "prior"];
    assert_carried(Kind::Deliberation, &from_text, &json!({"text": "words", "role": "judge"}), |record| {
        let counted = Counted::new();
        let source = RecordSource { owner: Owner { project: "shop", is_apart: false }, counted_through: &counted };
        import_record("1-judge-1.json", record.to_string().as_bytes(), time(), source).imported.lines
    });
    let row = json!({"id": "obs_1", "type": "workflow", "pattern": "p", "last_seen": TIME});
    assert_carried(Kind::Observation, &["observation_id", "prior"], &row, |row| {
        let log = row.to_string();
        let memory = Memory { log: Some(log.as_bytes()), ..Memory::default() };
        import_memory(memory, &[], "shop", &|_, _| None).log.expect("a log").lines
    });
    let entry = json!({"observationId": "obs_1", "path": "a", "renderedAt": TIME});
    assert_carried(Kind::Artifact, &["action", "content_hash", "observation_id"], &entry, |entry| {
        let (log, manifest) = (row.to_string(), json!({"entries": [entry]}).to_string());
        let memory = Memory { log: Some(log.as_bytes()), manifest: Some(manifest.as_bytes()), usage: None };
        import_memory(memory, &[], "shop", &|_, _| None).manifest.expect("a manifest").lines
    });
}
