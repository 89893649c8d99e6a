//! What sessions spent, from real files of transcripts.

use std::os::unix::fs::symlink;

use agent::goal::{TokenCounts, count_tokens};

use super::place::{Place, error_of, known, result};

fn count(lines: &[&str]) -> TokenCounts {
    count_tokens(lines.join("\n").as_bytes()).expect("memory reads")
}

fn message(id: &str, input: u64, output: u64) -> String {
    format!(
        r#"{{"type":"assistant","uuid":"u-{output}","message":{{"id":"{id}","role":"assistant","content":[],"usage":{{"input_tokens":{input},"output_tokens":{output},"cache_creation_input_tokens":2,"cache_read_input_tokens":3}}}}}}"#
    )
}

#[test]
fn usage_is_read_from_the_line_and_from_its_message() {
    let counts = count(&[
        r#"{"usage":{"input_tokens":10,"output_tokens":5}}"#,
        &message("m1", 100, 50),
        r#"{"type":"user","message":{"role":"user","content":"hello"}}"#,
    ]);
    assert_eq!(counts, TokenCounts { input: 110, output: 55, cache: 5, messages: 2, unread_lines: 0 });
    assert_eq!(counts.total(), 165);
}

#[test]
fn a_message_that_is_written_several_times_counts_once_as_it_was_last() {
    let counts = count(&[&message("m1", 100, 1), &message("m2", 7, 7), &message("m1", 100, 20), &message("m1", 100, 50)]);
    assert_eq!((counts.input, counts.output, counts.cache, counts.messages), (107, 57, 10, 2));
}

#[test]
fn lines_that_cannot_be_read_are_passed_over_and_counted() {
    let counts = count(&[
        "not json",
        "[1,2,3]",
        "5",
        "",
        "null",
        r#"{"usage":{"input_tokens":-4}}"#,
        r#"{"usage":{"input_tokens":"many"}}"#,
        r#"{"usage":{"input_tokens":3"#,
        r#"{"usage":{"input_tokens":3,"output_tokens":null}}"#,
        r#"{"usage":null}"#,
        r#"{"message":"text"}"#,
        r#"{"usage":7}"#,
    ]);
    assert_eq!(counts, TokenCounts { input: 3, output: 0, cache: 0, messages: 1, unread_lines: 7 });
}

#[test]
fn a_line_that_sums_up_the_session_does_not_count_twice() {
    let sum = r#"{"type":"result","subtype":"success","usage":{"input_tokens":100,"output_tokens":50}}"#;
    assert_eq!(count(&[&message("m1", 100, 50), sum]).total(), 150);
    assert_eq!(count(&[sum]).total(), 150, "unless nothing else is known");
}

#[test]
fn a_long_transcript_is_counted_line_by_line() {
    let line = message("m", 1, 1).replace("\"content\":[]", &format!("\"content\":\"{}\"", "x".repeat(1 << 20))) + "\n";
    let counts = count_tokens(line.repeat(64).as_bytes()).expect("memory reads");
    assert_eq!((counts.total(), counts.messages), (2, 1));
}

#[test]
fn more_messages_than_are_remembered_all_count() {
    let lines: Vec<String> = (0..70_000).map(|number| message(&format!("m{number}"), 1, 0)).collect();
    let counts = count_tokens(lines.join("\n").as_bytes()).expect("memory reads");
    assert_eq!((counts.input, counts.messages), (70_000, 70_000));
}

#[test]
fn a_line_without_end_is_passed_over() {
    let mut transcript = vec![b'x'; (16 << 20) + 10];
    transcript.extend(format!("\n{}\n", message("m1", 4, 4)).bytes());
    let counts = count_tokens(&*transcript).expect("memory reads");
    assert_eq!((counts.total(), counts.unread_lines), (8, 1));
}

#[test]
fn the_transcript_is_looked_for_where_sessions_lie_and_then_in_every_project() {
    let mut place = Place::new();
    place.situation.session_id = Some("abc".to_owned());
    place.situation.home = Some(place.path("home"));
    assert_eq!(error_of(&place.judge(&known("minimize-tokens"))), Some("session_file_not_found"));
    place.write("home/.claude/projects/-work-b/other.jsonl", message("m", 1, 1));
    place.write("home/.claude/projects/-work-c/abc.jsonl", message("m", 30_000, 0));
    assert_eq!(place.judge(&known("minimize-tokens")).metrics["total_tokens"], 30_000);
    place.write("home/.claude/sessions/abc.jsonl", message("m", 20_000, 0));
    assert_eq!(place.judge(&known("minimize-tokens")).metrics["total_tokens"], 20_000);
    place.write("elsewhere/abc.jsonl", message("m", 10_000, 0));
    place.situation.sessions = Some(place.path("elsewhere"));
    assert_eq!(place.judge(&known("minimize-tokens")).metrics["total_tokens"], 10_000);
    place.situation.session_file = Some(place.write("this.jsonl", message("m", 5_000, 0)));
    assert_eq!(result(&place.judge(&known("minimize-tokens"))), (true, Some(0.95)));
}

#[test]
fn a_session_whose_id_could_lead_elsewhere_is_refused() {
    let mut place = Place::new();
    place.write("secret.jsonl", message("m", 1, 1));
    place.situation.sessions = Some(place.path("sessions"));
    place.write("sessions/x", "");
    for id in ["../secret", "..", ".", "/etc/passwd", "a/b", "a\\b", "a\nb", "a\0b", &"x".repeat(300)] {
        place.situation.session_id = Some(id.to_owned());
        let outcome = place.judge(&known("minimize-tokens"));
        assert_eq!(result(&outcome), (false, None), "{id:?}");
        assert_eq!(error_of(&outcome), Some("session_id_refused"), "{id:?}");
    }
}

#[test]
fn transcripts_that_say_nothing_or_cannot_be_read_give_no_score() {
    let mut place = Place::new();
    place.situation.session_file = Some(place.write("silent.jsonl", "{\"type\":\"user\"}\nrubbish\n"));
    let outcome = place.judge(&known("minimize-tokens"));
    assert_eq!((result(&outcome), error_of(&outcome)), ((false, None), Some("usage_not_found")));
    assert_eq!(outcome.metrics["unread_lines"], 1);
    symlink(place.write("real.jsonl", message("m", 1, 1)), place.path("link.jsonl")).expect("a link");
    place.situation.session_file = Some(place.path("link.jsonl"));
    assert_eq!(error_of(&place.judge(&known("minimize-tokens"))), Some("session_file_unreadable"));
}

#[test]
fn unread_lines_are_noted_beside_the_result() {
    let mut place = Place::new();
    place.situation.session_file = Some(place.write("s.jsonl", format!("rubbish\n{}\n", message("m", 1, 1))));
    assert_eq!(place.judge(&known("minimize-tokens")).notes, ["unreadable lines of the transcript that were skipped: 1"]);
}
