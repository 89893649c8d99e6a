//! Texts that somebody wrote to be taken for something else: in nothing that is printed or published are they more than text.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::support::Scene;
use crate::support::published::{learned, read, set};

/// What a lesson, an agent or a reviewer may have written.
fn texts() -> Vec<String> {
    let mut texts: Vec<String> = [
        "harmless\n# Forged heading",
        "harmless\r\n\r\n## Forged heading\r\n| P-666 | 1.00 | x | x | 1.00 | 99 | | forged |",
        "a | P-666 | 1.00 | forged",
        "a \\| b \\\\| c \\",
        "\u{1b}[2J\u{1b}[31mred\u{1b}[0m \u{9b}31m \u{7}\u{8}\u{7f}",
        "\u{202e}desrever\u{202c} \u{2066}isolated\u{2069} zero\u{200b}width \u{2028}line \u{2029}paragraph",
        "<script>alert(1)</script><!-- --><h1>Forged</h1>",
        "[click](https://evil.example) ![x](https://evil.example/x.png) <https://evil.example>",
        "`code` ```\n# Forged heading\n``` ~~~ $x$ **bold** _it_",
        "quote \" comma , brace } bracket ] colon : \"\"",
        "patterns[1]{id,category}:\n  P-666,mistake,\"forged\"",
        "  - list\n1. item\n=====\n-----\n***",
        "\u{0}null\u{0} and \u{feff}mark",
    ]
    .map(str::to_owned)
    .to_vec();
    texts.push(format!("long {}", "x\n# Forged heading\n".repeat(6_000)));
    texts
}

/// Every text in every place where one can be written.
pub fn hostile() -> Scene {
    let scene = learned(40);
    let mut lines = String::new();
    for (number, text) in texts().iter().enumerate() {
        let time = "2026-10-01T00:00:00Z";
        // Each lesson has words of its own, so that none is merged with another.
        let pattern = format!("P-{}", 500 + number);
        let lesson = format!("word{number}a word{number}b {text}");
        let label: String = text.chars().take(100).collect();
        let events = [
            json!({"kind": "learning", "id": format!("l{number}"), "pattern_id": pattern, "summary": lesson, "trigger": format!("t{number} {text}")}),
            json!({"kind": "learning", "id": format!("m{number}"), "summary": lesson, "repo": label, "tags": [label], "applies_to": [label], "category": label}),
            json!({"kind": "application", "id": format!("a{number}"), "run_id": "r", "iteration": 1, "trigger": lesson, "status": "applied", "citations": [text]}),
            json!({"kind": "application", "id": format!("b{number}"), "run_id": "r", "iteration": 1, "trigger": format!("stranger{number} {text}"), "status": "applied"}),
            json!({"kind": "curation", "id": format!("c{number}"), "action": "annotate", "pattern_id": pattern, "actor": label, "reason": text}),
            json!({"kind": "curation", "id": format!("d{number}"), "action": "retire", "pattern_id": "P-9999", "actor": label, "reason": text}),
            json!({"kind": text, "id": format!("e{number}")}),
            json!({"kind": "learning", "id": label, "summary": format!("id{number}a id{number}b {number}")}),
        ];
        for mut event in events {
            event["ts"] = time.into();
            let _ = writeln!(lines, "{event}");
        }
    }
    // A file's name is somebody's text too.
    scene.land("z\u{1b}[31m\u{202e}\n# Forged heading\n.jsonl", lines.as_bytes());
    set(&scene, "[publish]\ncap = 1000\n");
    scene.done(&["run", "hourly"]);
    scene
}

/// Nothing that moves the cursor, hides text or turns its direction. The report itself breaks addresses with a space of no
/// width, so that viewers make no links of them.
#[track_caller]
fn assert_plain(text: &str) {
    let odd = |letter: char| {
        (letter.is_control() && letter != '\n')
            || matches!(letter, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
    };
    if let Some(line) = text.lines().find(|line| line.contains(odd)) {
        panic!("{}", line.escape_debug().take(300).collect::<String>());
    }
}

/// How many cells a row of a Markdown table has.
fn cells(line: &str) -> usize {
    let mut is_escaped = false;
    let mut bars = 0;
    for letter in line.chars() {
        bars += usize::from(letter == '|' && !is_escaped);
        is_escaped = letter == '\\' && !is_escaped;
    }
    bars
}

#[track_caller]
fn assert_report_is_ours(report: &str) {
    assert_plain(report);
    let headings: Vec<&str> = report.lines().filter(|line| line.trim_start().starts_with('#')).collect();
    let ours = [
        "# Learning report",
        "## What to do now",
        "## Changed since last week",
        "## Weeks",
        "## Lessons in numbers",
        "## Strongest",
        "## Weakest",
        "## Flags",
        "## Goals",
        "### Trends",
        "### Recommendations",
        "## Runs",
        "### Strongest adapters",
        "### Weakest adapters",
        "### Active overlays",
        "### Agents",
        "## Lessons",
        "## Unmatched texts",
        "## Quarantine",
        "## Events",
    ];
    let ours = ours.into_iter().chain(["## Sources", "## Changes since"]);
    let ours: Vec<&str> = ours.collect();
    assert_eq!(headings.len(), ours.len(), "{headings:#?}");
    assert!(headings.iter().zip(&ours).all(|(heading, wanted)| heading.starts_with(wanted)), "{headings:#?}");
    let mut columns = 0;
    for line in report.lines() {
        columns = match (line.starts_with('|'), columns) {
            (false, _) => 0,
            (true, 0) => cells(line),
            (true, columns) => {
                assert_eq!(cells(line), columns, "{line}");
                columns
            }
        };
        assert!(!line.starts_with("| P-666") && line.chars().count() < 500, "{line}");
        for markup in ["<script", "<h1", "<!--", "](", "https://", "```"] {
            assert!(!line.replace("\\]", "").contains(markup), "{markup} in {line}");
        }
        assert!(!line.starts_with(['=', '-', '*', ' ', '>']), "{line}");
    }
}

#[test]
fn hostile_texts_forge_nothing_in_what_is_printed_and_published() {
    let scene = hostile();
    assert_report_is_ours(&scene.done(&["report"]).out);

    let list: Value = serde_json::from_str(&scene.done(&["patterns", "list", "--all", "--json"]).out).expect("JSON");
    let list = list.as_array().expect("a list");
    assert!(list.len() > texts().len() + 5, "only {} patterns", list.len());
    let shown = scene.done(&["patterns", "list", "--all"]).out;
    assert_plain(&shown);
    assert_eq!(shown.lines().count(), list.len() + 2, "{shown}");
    assert!(!shown.lines().any(|line| line.trim_start().starts_with("P-666")), "{shown}");

    let file = read(&scene, "org-patterns.toon");
    assert_plain(&file);
    assert_eq!(file.lines().count(), list.len() + 1);
    assert!(file.lines().skip(1).all(|line| line.starts_with("  P-")) && !file.contains("\n  P-666"));
    let decoded: Value = toon_format::decode_default(&file).expect("TOON");
    assert_eq!(decoded["patterns"].as_array().map(Vec::len), Some(list.len()));
    for command in [&["status"][..], &["doctor"], &["run", "compact"], &["run", "learn"]] {
        let outcome = scene.run(command);
        assert_plain(&outcome.out);
        assert_plain(&outcome.error);
    }
}

#[test]
fn hostile_texts_forge_nothing_in_cards_and_explanations() {
    let scene = hostile();
    let list: Value = serde_json::from_str(&scene.done(&["patterns", "list", "--all", "--json"]).out).expect("JSON");
    let of_texts: Vec<&str> = list
        .as_array()
        .expect("a list")
        .iter()
        .filter(|pattern| {
            pattern["summary"].as_str().is_some_and(|summary| summary.starts_with("word") || summary.starts_with("id"))
        })
        .map(|pattern| pattern["id"].as_str().expect("an id"))
        .collect();
    assert!(of_texts.len() >= texts().len());
    for id in &of_texts {
        let card = scene.done(&["patterns", "show", id]).out;
        assert_plain(&card);
        assert!(
            card.lines().skip(1).all(|line| line.starts_with("  ")) && card.lines().all(|line| line.chars().count() < 500),
            "{card}"
        );
    }
    for id in of_texts.iter().step_by(5) {
        let shown = scene.done(&["explain", id]).out;
        assert_plain(&shown);
        assert_eq!(
            shown.lines().filter(|line| line.contains("Forged") && line.trim_start().starts_with('#')).count(),
            0,
            "{shown}"
        );
    }
}
