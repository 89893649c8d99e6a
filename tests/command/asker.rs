//! Asking one command again and again.

use std::fs;
use std::time::Duration;

use jiff::Timestamp;
use store::command::{Asked, Asker, Purpose, Terms};
use store::deadline::Deadline;

use super::Room;

const PURPOSE: Purpose = Purpose { table: "guess", file: "guesses", things: "riddles", doing: "guessing" };

fn now() -> Timestamp {
    "2026-03-14T12:00:00Z".parse().expect("a time")
}

fn terms(command: &[String]) -> Terms<'_> {
    Terms { purpose: PURPOSE, command, timeout_seconds: 60, retries: 1, calls_per_day: 5, most_answer_kib: 1 }
}

fn asker<'t>(room: &Room, terms: Terms<'t>, deadline: Deadline) -> Asker<'t> {
    Asker::load(&room.workspace(), terms, deadline, now()).expect("a budget").expect("a command")
}

fn number(text: &str) -> Result<u32, String> {
    text.trim().parse().map_err(|_| format!("{} is no number", text.trim()))
}

#[test]
fn without_a_command_nobody_asks_and_nothing_is_written() {
    let room = Room::new();
    assert!(Asker::load(&room.workspace(), terms(&[]), Deadline::NEVER, now()).expect("no fault").is_none());
    assert!(!room.workspace().history().exists());
}

#[test]
fn an_answer_of_no_use_is_asked_for_again_and_every_call_is_paid_for() {
    let room = Room::new();
    let command = room.script("cat > request; echo x >> calls; wc -l < calls | tr -d ' '");
    let mut asker = asker(&room, terms(&command), Deadline::NEVER);
    let wanted = |text: &str| number(text).and_then(|number| if number == 2 { Ok(number) } else { Err(format!("{number}")) });
    assert_eq!(asker.ask("riddle", 7, wanted), Asked::Answered(2));
    assert_eq!(asker.ask("riddle", 7, wanted), Asked::Failed("4".to_owned()));
    let over = asker.ask("riddle", 7, wanted);
    assert!(
        matches!(&over, Asked::Over(cause) if cause.contains("the 5 calls of the day") && cause.contains("`[guess]`")),
        "{over:?}"
    );
    assert_eq!((asker.calls(), room.calls()), (5, 5));
    let lines = fs::read_to_string(room.workspace().history().join("guesses-2026-03-14.jsonl")).expect("a file");
    let line: serde_json::Value = serde_json::from_str(lines.lines().next().expect("a line")).expect("JSON");
    assert_eq!(line, serde_json::json!({"ts": "2026-03-14T12:00:00Z", "riddles": 7, "program": "sh"}));
}

#[test]
fn three_failures_in_a_row_are_reason_to_despair() {
    let room = Room::new();
    let command = room.script("cat");
    let mut asker = asker(&room, Terms { retries: 0, calls_per_day: 100, ..terms(&command) }, Deadline::NEVER);
    for (request, is_hopeless) in [("x", false), ("x", false), ("1", false), ("x", false), ("x", false), ("x", true), ("2", false)]
    {
        let _ = asker.ask(request, 1, number);
        assert_eq!(asker.despair().is_some(), is_hopeless);
    }
}

#[test]
fn when_the_time_is_over_nobody_is_asked() {
    let room = Room::new();
    let command = room.answering("1");
    let over = asker(&room, terms(&command), Deadline::after(Duration::ZERO)).ask("riddle", 1, number);
    assert_eq!(over, Asked::Over("the time limit for guessing is reached".to_owned()));
    assert_eq!(room.calls(), 0);
}
