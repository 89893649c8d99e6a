use std::fs::{self, File};
use std::io;
use std::path::PathBuf;

use agent::hook::{Speaker, find_last_words, last_words};
use proptest::prelude::*;
use serde_json::{Value, json};
use tempfile::TempDir;

/// A line as the agent's program writes it.
fn line(kind: &str, message: &Value) -> String {
    let line = json!({
        "parentUuid": "0d1f6c0e-7a52-4a60-9d8f-0a4f3f6e2b11", "isSidechain": true, "userType": "external", "cwd": "/home/ada/shop",
        "sessionId": "5a0e7b9c-2f5e-4c55-8a5b-1c1a4d0c9f3e", "version": "2.0.14", "gitBranch": "main", "type": kind, "message": message,
        "requestId": "req_011CTx", "uuid": "b7b1a3f2-5f0d-4c8e-9a41-2f0c7d5e6a90", "timestamp": "2025-10-02T09:15:30.123Z",
    });
    format!("{line}\n")
}

fn assistant(id: &str, content: &Value) -> String {
    let usage = json!({"input_tokens": 4, "cache_read_input_tokens": 15923, "output_tokens": 57, "service_tier": "standard"});
    let model = "claude-sonnet-4-5-20250929";
    line(
        "assistant",
        &json!({"id": id, "type": "message", "role": "assistant", "model": model, "content": content, "stop_reason": null, "usage": usage}),
    )
}

fn text(text: &str) -> Value {
    json!([{"type": "text", "text": text}])
}

fn tool_use(command: &str) -> Value {
    json!([{"type": "tool_use", "id": "toolu_01A", "name": "Bash", "input": {"command": command, "text": 3}}])
}

fn tool_result(content: &str) -> String {
    line("user", &json!({"role": "user", "content": [{"tool_use_id": "toolu_01A", "type": "tool_result", "content": content}]}))
}

fn file(content: &[u8]) -> (TempDir, PathBuf) {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("transcript.jsonl");
    fs::write(&path, content).expect("written");
    (folder, path)
}

#[track_caller]
fn assert_last(content: impl AsRef<[u8]>, wanted: Option<&str>) {
    let (_folder, path) = file(content.as_ref());
    assert_eq!(last_words(&path, Speaker::Anyone).expect("read").as_deref(), wanted);
    let open = File::open(&path).expect("open");
    for block in [1, 7, 100] {
        assert_eq!(find_last_words(&open, Speaker::Anyone, block, 1 << 20).expect("read").as_deref(), wanted, "blocks of {block}");
    }
}

#[test]
fn the_lines_of_the_last_message_are_joined() {
    let thinking = json!([{"type": "thinking", "thinking": "hm", "signature": "Eq4"}]);
    let content = [
        assistant("msg_1", &text("early")),
        tool_result("ok"),
        assistant("msg_2", &thinking),
        assistant("msg_2", &text("LEARNINGS_ACKNOWLEDGED")),
        assistant("msg_2", &json!([{"type": "text", "text": "one"}, {"type": "text", "text": "two"}])),
        assistant("msg_2", &tool_use("ls")),
    ];
    assert_last(content.concat(), Some("LEARNINGS_ACKNOWLEDGED\none\ntwo"));
}

#[test]
fn a_message_without_text_is_passed_over() {
    let content = [
        assistant("msg_1", &text("said")),
        assistant("msg_2", &tool_use("ls")),
        tool_result("x"),
        assistant("msg_3", &text(" \n")),
    ];
    assert_last(content.concat(), Some("said"));
}

#[test]
fn results_that_come_between_do_not_part_a_message() {
    let content = [
        assistant("msg_2", &text("first")),
        assistant("msg_2", &tool_use("ls")),
        tool_result("x"),
        assistant("msg_2", &text("second")),
    ];
    assert_last(content.concat(), Some("first\nsecond"));
}

#[test]
fn messages_without_an_id_are_one_line_each() {
    let said = |text: &str| line("assistant", &json!({"role": "assistant", "content": text}));
    assert_last([said("first"), said("second")].concat(), Some("second"));
}

#[test]
fn only_real_messages_of_the_agent_count() {
    let fake = r#"{"type":"assistant","message":{"role":"assistant","content":"no"}}"#;
    let others = [
        tool_result(fake),
        line("user", &json!({"role": "user", "content": fake})),
        line("user", &json!({"role": "assistant", "content": "no"})),
        line("assistant", &json!({"role": "user", "content": "no"})),
        line("assistant", &json!({"role": "assistant", "model": "<synthetic>", "content": text("API Error: 529")})),
        json!({"type": "progress", "data": {"message": {"type": "assistant", "message": {"role": "assistant", "content": "no"}}}})
            .to_string(),
        "\n[1, 2]\n\"role\":\"assistant\"\nnull\n\n".to_owned(),
    ];
    assert_last(format!("{}{}", assistant("msg_1", &text("yes")), others.concat()), Some("yes"));
    let spaced = "{ \"type\" : \"assistant\" , \"message\" : { \"role\" : \"assistant\" , \"content\" : \"spaced\" } }";
    assert_last(spaced, Some("spaced"));
    assert_last(r#"{"message":{"role":"assistant","content":[{"type":"text","text":"no type"}]}}"#, Some("no type"));
}

#[test]
fn a_torn_last_line_is_passed_over() {
    let whole = [assistant("msg_1", &text("whole")), assistant("msg_2", &text("torn ü"))].concat();
    let second = assistant("msg_1", &text("whole")).len();
    for end in (second + 1..whole.len() - 2).step_by(13).chain([whole.len() - 2]) {
        assert_last(&whole.as_bytes()[..end], Some("whole"));
    }
    assert_last(whole.trim_end(), Some("torn ü"));
}

#[test]
fn odd_bytes_are_replaced() {
    let mut content = assistant("msg_1", &text("a?b")).replace('\n', "\r\n").into_bytes();
    let place = content.windows(3).position(|bytes| bytes == b"a?b").expect("the text");
    content[place + 1] = 0xff;
    assert_last(content, Some("a\u{fffd}b"));
    let half = assistant("msg_1", &text("half ?")).replace("half ?", r"half \ud83d");
    let words = {
        let (_folder, path) = file(half.as_bytes());
        last_words(&path, Speaker::Anyone).expect("read").expect("words")
    };
    assert!(words.starts_with("half \u{fffd}"), "{words}");
    assert_last(format!("\u{feff}{}", assistant("msg_1", &text("mark"))), Some("mark"));
}

#[test]
fn an_empty_transcript_says_nothing() {
    for content in ["", "\n", "\n\n\n", "{}", "{\"type\":\"summary\",\"summary\":\"x\",\"leafUuid\":\"y\"}\n"] {
        assert_last(content, None);
    }
}

#[test]
fn a_transcript_is_read_only_so_far_back() {
    let early = assistant("msg_1", &text("early"));
    let late = tool_result(&"x".repeat(5000));
    let (_folder, path) = file([early.clone(), late.clone()].concat().as_bytes());
    let open = File::open(&path).expect("open");
    let all = (early.len() + late.len()) as u64;
    assert_eq!(find_last_words(&open, Speaker::Anyone, 512, all).expect("read").as_deref(), Some("early"));
    // A line of which the beginning is not seen is not taken, even if what is seen of it is JSON.
    assert_eq!(find_last_words(&open, Speaker::Anyone, 512, all - 1).expect("read"), None);
}

#[test]
fn a_huge_result_behind_the_last_words_is_read_over() {
    let content = [assistant("msg_1", &text("before")), tool_result(&"\"role\":\"assistant\" ".repeat(500_000))];
    let (_folder, path) = file(content.concat().as_bytes());
    assert_eq!(last_words(&path, Speaker::Anyone).expect("read").as_deref(), Some("before"));
}

#[test]
fn links_pipes_and_missing_files_are_errors() {
    let (folder, path) = file(assistant("msg_1", &text("x")).as_bytes());
    let link = folder.path().join("link");
    std::os::unix::fs::symlink(&path, &link).expect("a link");
    assert!(last_words(&link, Speaker::Anyone).is_err());
    assert_eq!(last_words(&folder.path().join("none"), Speaker::Anyone).expect_err("missing").kind(), io::ErrorKind::NotFound);
    let pipe = folder.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo");
    assert!(made.success());
    assert!(last_words(&pipe, Speaker::Anyone).is_err());
}

/// The last words by the book: the whole file, forwards.
fn naive(content: &[u8]) -> Option<String> {
    let content = String::from_utf8_lossy(content);
    let mut messages: Vec<(Option<String>, Vec<String>)> = Vec::new();
    for line in content.split('\n').filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
        let message = &line["message"];
        if line["type"] != "assistant" || message["role"] != "assistant" {
            continue;
        }
        let texts: Vec<String> = match &message["content"] {
            Value::String(text) => vec![text.clone()],
            Value::Array(blocks) => blocks
                .iter()
                .filter(|block| block["type"] == "text")
                .filter_map(|block| block["text"].as_str())
                .map(str::to_owned)
                .collect(),
            _ => Vec::new(),
        };
        let id = message["id"].as_str().map(str::to_owned);
        match messages.last_mut() {
            Some(last) if id.is_some() && last.0 == id => last.1.extend(texts),
            _ => messages.push((id, texts)),
        }
    }
    let mut texts =
        messages.into_iter().map(|(_, texts)| texts.into_iter().filter(|text| !text.trim().is_empty()).collect::<Vec<_>>());
    texts.rfind(|texts| !texts.is_empty()).map(|texts| texts.join("\n"))
}

fn any_line() -> impl Strategy<Value = Vec<u8>> {
    let content = prop_oneof![
        "\\PC{0,12}".prop_map(Value::String),
        "\\PC{0,12}".prop_map(|words| text(&words)),
        Just(text("one \"role\":\"assistant\"\n")),
        Just(tool_use("ls")),
        Just(json!([{"type": "thinking", "thinking": "x"}, {"type": "text", "text": "y"}, {"type": "text", "text": "z"}])),
        Just(Value::Null),
    ];
    prop_oneof![
        4 => (0..3, content).prop_map(|(id, content)| assistant(&format!("msg_{id}"), &content).into_bytes()),
        1 => "\\PC{0,20}".prop_map(|words| line("assistant", &json!({"role": "assistant", "content": words})).into_bytes()),
        2 => "\\PC{0,60}".prop_map(|words| tool_result(&words).into_bytes()),
        1 => prop::collection::vec(any::<u8>(), 0..20),
        1 => Just(b"\r\n".to_vec()),
    ]
}

proptest! {
    #[test]
    fn reading_from_the_end_finds_what_reading_all_does(
        lines in prop::collection::vec(any_line(), 0..12),
        torn in 0_usize..200,
        block in 1_usize..700,
    ) {
        let mut content = lines.concat();
        content.truncate(content.len().saturating_sub(torn.saturating_sub(100)));
        let (_folder, path) = file(&content);
        let found = find_last_words(&File::open(&path).expect("open"), Speaker::Anyone, block, 1 << 20).expect("read");
        prop_assert_eq!(found, naive(&content));
    }
}
