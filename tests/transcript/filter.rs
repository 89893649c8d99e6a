//! Which lines are turns.

use std::path::Path;

use agent::observe::Source;
use agent::transcript::Pair;
use jiff::Timestamp;
use serde_json::json;

use super::{lines, read, said, signals};

const WORKED: &str = include_str!("worked.jsonl");

fn pair(prior: &str, user: &str) -> Pair {
    Pair { prior: prior.to_owned(), user: user.to_owned() }
}

#[test]
fn the_worked_example_gives_its_channels_without_the_side_chain() {
    let channels = read(WORKED).channels();
    assert_eq!(
        channels.user_signals,
        [
            "implement the plan, then run tests",
            "dropped with the tool result",
            "no, do not amend pushed commits",
            "yes",
            "yes!!",
            "Please look at <system-reminder>x</system-reminder> here",
            "real text",
            "null markers are kept",
            "direct content form",
            "role only, no type",
            "isMeta string is kept",
            "type used when role absent",
        ]
    );
    assert_eq!(
        channels.dialog_pairs,
        [
            // What is sent in mid-turn may stand beside the result of a tool.
            pair("I will amend the commit.", "dropped with the tool result"),
            // With the side chain gone, this one answers the agent.
            pair("assistant B", "isMeta string is kept"),
            pair("role wins over type", "type used when role absent"),
        ]
    );
}

#[test]
fn lines_that_are_no_objects_are_counted_and_the_first_is_told() {
    let reading = read(WORKED).reading;
    assert_eq!((reading.lines, reading.rows, reading.faults, reading.long_lines), (25, 23, 2, 0));
    let (line, cause) = reading.first_fault.expect("a fault");
    assert!(line == 24 && cause.contains("expected"), "{line}: {cause}");
    let lists = read("[\"user\",\"user\",\"a list is no row\"]\n\n42\nnull\n\"text\"\n");
    assert_eq!((lists.reading.lines, lists.reading.faults, lists.turns), (4, 4, 0));
}

#[test]
fn sessions_are_read_whole_and_a_model_gets_the_last_eighty_turns() {
    let pair_of = |number: usize| [said("assistant", format!("assistant {number}")), said("user", format!("user msg {number}"))];
    let pairs = |count: usize| lines((0..count).flat_map(pair_of));
    let window = |text: &str| {
        let transcript = read(text);
        let source = Source::new(&transcript, Path::new("s.jsonl"), "shop".to_owned(), Timestamp::UNIX_EPOCH);
        assert_eq!(source.exchanges.len() as u64, transcript.user_turns);
        source.window()
    };
    let shown = window(&pairs(50));
    assert_eq!((shown.len(), &*shown[0].user, shown[0].prior.as_deref()), (40, "user msg 10", Some("assistant 10")));
    let more = window(&format!("{}{}\n", pairs(50), said("user", "one more turn")));
    assert_eq!((more.len(), &*more[0].user, more[0].prior.as_deref()), (41, "user msg 10", None));
    assert_eq!(more[1].prior.as_deref(), Some("assistant 11"));
    assert_eq!(more.iter().filter(|exchange| exchange.prior.is_some()).count(), 39);
    assert_eq!(read(&pairs(5000)).exchanges.len(), 5000);
}

#[test]
fn a_turn_is_cut_between_characters_and_never_inside_of_one() {
    let cut = |text: &str| signals(&said("user", text).to_string()).pop().expect("a turn");
    let long = cut(&format!("{}😀 tail", "x".repeat(1199)));
    assert_eq!((long.encode_utf16().count(), long.ends_with('x')), (1199, true));
    let fits = cut(&format!("{}😀 tail", "x".repeat(1198)));
    assert_eq!((fits.encode_utf16().count(), fits.ends_with('😀')), (1200, true));
    assert_eq!(cut(&"é".repeat(1300)).chars().count(), 1200);
}

#[test]
fn the_shortest_answer_of_a_person_is_a_turn() {
    for text in ["1", "y", "yes", "  yes!  ", "\u{1f600}", "\u{feff}\u{a0}ok"] {
        assert_eq!(signals(&said("user", text).to_string()).len(), 1, "{text:?}");
    }
    for text in ["", "  ", "\u{feff}\u{a0}\n"] {
        assert!(signals(&said("user", text).to_string()).is_empty(), "{text:?}");
    }
}

#[test]
fn what_the_host_writes_in_a_persons_name_is_nobodys() {
    let noise = [
        json!("<command-message>review</command-message>\n<command-name>/review</command-name>"),
        json!("  <local-command-stdout>done</local-command-stdout>"),
        json!("<bash-input>ls -la</bash-input>"),
        json!("<bash-stdout>total 4</bash-stdout><bash-stderr></bash-stderr>"),
        json!("<task-notification>agent ended</task-notification>"),
        json!("[Request interrupted by user for tool use]"),
        json!([{"type": "text", "text": "[Request interrupted by user]"}]),
        json!([{"type": "text", "text": "<ide_opened_file>The user opened a.rs</ide_opened_file>"}]),
        json!([{"type": "tool_result", "tool_use_id": "t", "content": [{"type": "image", "source": {"data": "AAAA"}}]}]),
        json!("This session is being continued from a previous conversation that ran out of context. The summary: use tabs."),
        json!(7),
        json!({"type": "text", "text": "an object is no content"}),
    ];
    for content in noise {
        assert_eq!(signals(&said("user", content.clone()).to_string()), [""; 0], "{content}");
    }
    let mixed =
        json!([{"type": "text", "text": "<ide_selection>x</ide_selection>"}, {"type": "text", "text": "rename this function"}]);
    assert_eq!(signals(&said("user", mixed).to_string()), ["rename this function"]);
}

#[test]
fn summaries_notes_and_errors_of_the_host_are_known_by_their_flags() {
    for flag in ["isMeta", "isCompactSummary", "isVisibleInTranscriptOnly", "isSidechain", "isApiErrorMessage"] {
        for role in ["user", "assistant"] {
            let mut row = said(role, "something that reads like a turn");
            row[flag] = true.into();
            assert_eq!(read(&row.to_string()).turns, 0, "{flag} {role}");
            row[flag] = false.into();
            assert_eq!(read(&row.to_string()).turns, 1, "{flag} {role}");
        }
    }
    let mut told = said("user", "an agent in the background has ended");
    told["origin"] = json!({"kind": "task-notification"});
    assert_eq!(read(&told.to_string()).turns, 0);
    told["origin"] = json!({"kind": "human"});
    assert_eq!(read(&told.to_string()).turns, 1);
    let mut synthetic = said("assistant", "No response requested.");
    synthetic["message"]["model"] = "<synthetic>".into();
    assert_eq!(read(&synthetic.to_string()).turns, 0);
}

#[test]
fn a_session_as_a_host_writes_it_gives_what_was_said_and_nothing_else() {
    let rows = [
        json!({"type": "file-history-snapshot", "messageId": "m", "snapshot": {}}),
        json!({"type": "user", "sessionId": "s-1", "cwd": "/home/ann/shop", "timestamp": "2026-03-01T10:00:00.123Z", "isSidechain": false, "userType": "external",
               "message": {"role": "user", "content": "Füge bitte Prüfungen hinzu, danke"}}),
        json!({"type": "assistant", "sessionId": "s-1", "cwd": "/home/ann/shop", "timestamp": "2026-03-01T10:00:05Z",
               "message": {"id": "msg_1", "role": "assistant", "model": "m", "content": [{"type": "thinking", "thinking": "secret thoughts", "signature": "x"}]}}),
        json!({"type": "assistant", "sessionId": "s-1", "cwd": "/home/ann/shop", "timestamp": "2026-03-01T10:00:06Z",
               "message": {"id": "msg_1", "role": "assistant", "model": "m", "content": [{"type": "text", "text": "I'll add checks to 入力.rs"}]}}),
        json!({"type": "assistant", "sessionId": "s-1", "timestamp": "2026-03-01T10:00:07Z",
               "message": {"id": "msg_1", "role": "assistant", "model": "m", "content": [{"type": "tool_use", "id": "t", "name": "Task", "input": {"prompt": "look"}}]}}),
        json!({"type": "user", "isSidechain": true, "sessionId": "s-1", "timestamp": "2026-03-01T10:00:08Z", "message": {"role": "user", "content": "You are a sub-agent: look"}}),
        json!({"type": "assistant", "isSidechain": true, "sessionId": "s-1", "timestamp": "2026-03-01T10:00:09Z", "message": {"role": "assistant", "content": [{"type": "text", "text": "I looked"}]}}),
        json!({"type": "user", "sessionId": "s-1", "timestamp": "2026-03-01T10:00:10Z", "toolUseResult": {"totalTokens": 1},
               "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "I looked"}]}}),
        json!({"type": "user", "sessionId": "s-1", "cwd": "/home/ann/shop/src", "timestamp": "2026-03-01T10:01:00Z",
               "message": {"role": "user", "content": [{"type": "image", "source": {"type": "base64", "data": "iVBOR"}}, {"type": "text", "text": "not there, see the picture"}]}}),
        json!({"type": "system", "subtype": "turn_duration", "timestamp": "2026-03-01T11:00:00Z", "content": "system says"}),
    ];
    let transcript = read(&lines(rows));
    let told: Vec<(Option<&str>, &str)> =
        transcript.exchanges.iter().map(|exchange| (exchange.prior.as_deref(), &*exchange.user)).collect();
    assert_eq!(
        told,
        [(None, "Füge bitte Prüfungen hinzu, danke"), (Some("I'll add checks to 入力.rs"), "not there, see the picture")]
    );
    assert_eq!((transcript.session.as_deref(), transcript.folder.as_deref()), (Some("s-1"), Some("/home/ann/shop")));
    assert_eq!(transcript.time.map(|time| time.to_string()).as_deref(), Some("2026-03-01T10:01:00Z"));
    assert_eq!(transcript.user_turns, 2);
}

#[test]
fn secrets_are_gone_before_a_turn_is_kept() {
    let secret = format!("AK{}", "IAZ7Q2M4X9P3L8K5T1");
    let kept = signals(&said("user", format!("use the key {secret} for now")).to_string());
    assert!(!kept[0].contains(&secret) && kept[0].contains("[REDACTED:"), "{kept:?}");
}

#[test]
fn half_characters_and_broken_bytes_cost_a_sign_and_not_the_turn() {
    let half = r#"{"type":"user","message":{"role":"user","content":"half \ud83d here"}}"#;
    assert_eq!(signals(half), ["half \u{fffd}\u{fffd}\u{fffd} here"]);
    let mut bytes = br#"{"type":"user","message":{"role":"user","content":"broken "#.to_vec();
    bytes.extend([0xff, 0xfe]);
    bytes.extend(br#" bytes"}}"#);
    let transcript = agent::transcript::read_transcript(&bytes[..]).expect("memory can be read");
    assert_eq!(transcript.channels().user_signals, ["broken \u{fffd}\u{fffd} bytes"]);
}

#[test]
fn a_message_that_is_nothing_leaves_the_row_to_speak() {
    for nothing in ["null", "false", "0", "-0.0", "\"\""] {
        let row = format!(r#"{{"type":"user","message":{nothing},"content":"the row itself"}}"#);
        assert_eq!(signals(&row), ["the row itself"], "{nothing}");
    }
    for something in ["1", "\"text\"", "[]", "true", "{}"] {
        let row = format!(r#"{{"type":"user","message":{something},"content":"the row itself"}}"#);
        assert_eq!(signals(&row), [""; 0], "{something}");
    }
}
