//! Having all texts turned into vectors that have none.

use std::time::Duration;

use agent::embed::{Embedded, Task, Text, embed_all, embed_one};
use event::field::Label;
use event::{Body, Latest, Parser};
use jiff::Timestamp;
use serde_json::Value;
use setting::EmbedSettings;
use store::deadline::Deadline;
use text::diagnostic::{Diagnostic, Exit};

use crate::command::Room;

fn now() -> Timestamp {
    "2026-03-14T12:00:00Z".parse().expect("a time")
}

fn settings(command: Vec<String>) -> EmbedSettings {
    EmbedSettings { command, retries: 0, texts_per_call: 2, ..EmbedSettings::default() }
}

fn texts(count: usize) -> Vec<Text> {
    let text = |number| Text { project: "shop".to_owned(), text_hash: format!("hash{number}"), text: format!("text {number}") };
    (1..=count).map(text).collect()
}

/// A command that gives every text of a request the same vector.
fn answerer(room: &Room) -> Vec<String> {
    room.script(
        "cat > request; echo x >> calls; grep -o '\"text [0-9]*\"' request > lines; printf '{\"vectors\":['; separator=''\n\
         while read -r line; do printf '%s[1,0.5]' \"$separator\"; separator=,; done < lines; printf ']}'",
    )
}

fn run_until(room: &Room, settings: &EmbedSettings, texts: &[Text], deadline: Deadline) -> (Embedded, Vec<Vec<String>>) {
    let task = Task { workspace: &room.workspace(), settings, deadline, now: now() };
    let (mut landed, mut reported) = (Vec::new(), Vec::new());
    let mut land = |lines: Vec<String>| {
        assert_ne!(lines, [""; 0], "nothing is landed for nothing");
        landed.push(lines);
        Ok(())
    };
    let embedded = embed_all(&task, texts, &mut land, &mut |done, all| reported.push((done, all))).expect("a result");
    assert!(reported.is_sorted() && reported.iter().all(|(done, all)| done <= all && *all == texts.len()), "{reported:?}");
    assert_eq!(embedded.vectors, landed.iter().flatten().count());
    assert_eq!(embedded.vectors + embedded.left, texts.len());
    (embedded, landed)
}

fn run(room: &Room, settings: &EmbedSettings, texts: &[Text]) -> (Embedded, Vec<Vec<String>>) {
    run_until(room, settings, texts, Deadline::NEVER)
}

#[test]
fn answers_become_events_that_the_door_takes() {
    let room = Room::new();
    let (embedded, landed) = run(&room, &settings(answerer(&room)), &texts(3));
    assert_eq!((embedded.vectors, embedded.left, embedded.calls), (3, 0, 2));
    assert_eq!((embedded.warnings, landed.len(), room.calls()), (vec![], 2, 2));
    let mut parser = Parser::new(Latest::from_clock(now().as_microsecond()));
    for (line, number) in landed.iter().flatten().zip(1..) {
        let event = parser.parse(line).unwrap_or_else(|rejection| panic!("{line}: {rejection}"));
        assert_eq!(event.extra, None, "{line}");
        let Body::Embedding(embedding) = event.body else { panic!("{line}") };
        assert_eq!(embedding.text_hash.get(), format!("hash{number}"));
        assert_eq!(embedding.model.as_ref().map(Label::get), Some("default"));
        assert_eq!(embedding.vector.get(), [1.0, 0.5]);
    }
}

#[test]
fn an_id_follows_from_project_text_and_model_alone() {
    let room = Room::new();
    let ids = |settings: &EmbedSettings, texts: &[Text]| {
        let (_, landed) = run(&room, settings, texts);
        let id = |line: &String| serde_json::from_str::<Value>(line).expect("JSON")["id"].as_str().expect("an id").to_owned();
        landed.iter().flatten().map(id).collect::<Vec<_>>()
    };
    let settings = settings(answerer(&room));
    let first = ids(&settings, &texts(2));
    let mut others = texts(2);
    others[0].text = "text 9".to_owned();
    others[1].project = "other".to_owned();
    let again = ids(&settings, &others);
    assert_eq!(first[0], again[0]);
    assert_ne!(first[1], again[1]);
    let newer = EmbedSettings { model: "newer".to_owned(), ..settings };
    assert_ne!(first, ids(&newer, &texts(2)));
}

#[test]
fn without_a_command_nothing_is_done() {
    let room = Room::new();
    let (embedded, _) = run(&room, &settings(Vec::new()), &texts(2));
    assert_eq!((embedded.calls, embedded.warnings), (0, vec![]));
    assert!(!room.workspace().history().exists());
    let task = Task { workspace: &room.workspace(), settings: &settings(Vec::new()), deadline: Deadline::NEVER, now: now() };
    let fault = embed_one(&task, "text").expect_err("nobody to ask").to_string();
    assert!(fault.contains("no embedding command is configured") && fault.contains("`[embed]`"), "{fault}");
}

#[test]
fn one_bad_vector_leaves_all_texts_of_its_call_without() {
    let room = Room::new();
    let (embedded, landed) = run(&room, &settings(room.answering(r#"{"vectors": [[1], [1, 2]]}"#)), &texts(3));
    // The third text alone gets two vectors.
    assert_eq!((embedded.vectors, embedded.left, embedded.calls, landed.len()), (0, 3, 2, 0));
    assert!(embedded.warnings[0].contains("2 texts stay without a vector: vector 2"), "{:?}", embedded.warnings);
    assert!(embedded.warnings[1].contains("2 vectors for 1 texts"), "{:?}", embedded.warnings);
}

#[test]
fn after_three_failures_in_a_row_the_command_is_left_alone() {
    let room = Room::new();
    let command = room.script("echo x >> calls; echo no credit >&2; exit 3");
    let (embedded, _) = run(&room, &settings(command), &texts(20));
    assert_eq!((embedded.left, embedded.calls, room.calls(), embedded.warnings.len()), (20, 3, 3, 4));
    assert!(embedded.warnings[0].contains("no credit") && embedded.warnings[3].contains("not called again"));
}

#[test]
fn the_calls_of_a_day_are_bounded_for_texts_and_queries_alike() {
    let room = Room::new();
    let settings = EmbedSettings { calls_per_day: 3, ..settings(answerer(&room)) };
    let (first, _) = run(&room, &settings, &texts(4));
    assert_eq!((first.vectors, first.warnings), (4, vec![]));
    let task = Task { workspace: &room.workspace(), settings: &settings, deadline: Deadline::NEVER, now: now() };
    assert_eq!(embed_one(&task, "text 7").expect("a vector").get(), [1.0, 0.5]);
    let fault = embed_one(&task, "text 7").expect_err("no call is left").to_string();
    assert!(fault.contains("`calls_per_day` of `[embed]`"), "{fault}");
    let (second, _) = run(&room, &settings, &texts(1));
    assert!(second.left == 1 && second.warnings[0].contains("used up"), "{second:?}");
    assert_eq!(room.calls(), 3);
    let lines = std::fs::read_to_string(room.workspace().history().join("embed-2026-03-14.jsonl")).expect("a file");
    assert!(lines.lines().count() == 3 && lines.contains("\"texts\":2"), "{lines}");
}

#[test]
fn when_the_time_is_over_nothing_more_is_asked() {
    let room = Room::new();
    let (embedded, _) = run_until(&room, &settings(answerer(&room)), &texts(3), Deadline::after(Duration::ZERO));
    assert_eq!((embedded.left, embedded.calls, room.calls()), (3, 0, 0));
    assert_eq!(embedded.warnings, ["the time limit for embedding is reached"]);
}

#[test]
fn where_answers_cannot_be_landed_nothing_more_is_asked() {
    let room = Room::new();
    let settings = settings(answerer(&room));
    let task = Task { workspace: &room.workspace(), settings: &settings, deadline: Deadline::NEVER, now: now() };
    let mut land = |_| Err(Diagnostic::new(Exit::Machine, "the disk is full", "make room"));
    assert!(embed_all(&task, &texts(6), &mut land, &mut |_, _| {}).is_err());
    assert_eq!(room.calls(), 1);
}
