//! Strings: whatever escapes they are written with, they mean what `serde_json` says they mean.

use std::fmt::Write as _;

use event::{Body, Code};
use proptest::prelude::*;
use serde_json::Value;

use crate::event::door::{cases, fresh, line, refused_code, run, taken};

/// How one character is written.
#[derive(Debug, Clone, Copy)]
enum Style {
    Bare,
    Short,
    Lower,
    Upper,
}

/// Writes text as JSON, each character in its style where the grammar leaves a choice.
fn written(characters: &[(char, Style)]) -> String {
    let mut json = String::from('"');
    for &(character, style) in characters {
        let short = "\"\\/\u{8}\u{c}\n\r\t".chars().zip("\"\\/bfnrt".chars()).find(|(meant, _)| *meant == character);
        match (style, short) {
            (Style::Bare, _) if character >= ' ' && character != '"' && character != '\\' => json.push(character),
            (Style::Bare | Style::Short, Some((_, letter))) => json.extend(['\\', letter]),
            (Style::Short, None) if character >= ' ' => json.push(character),
            _ => {
                for unit in character.encode_utf16(&mut [0; 2]) {
                    let escape = if matches!(style, Style::Upper) { format!("\\u{unit:04X}") } else { format!("\\u{unit:04x}") };
                    json.push_str(&escape);
                }
            }
        }
    }
    json.push('"');
    json
}

/// Text, its characters each with a style; long enough to cross the blocks in which strings are scanned.
fn styled() -> impl Strategy<Value = Vec<(char, Style)>> {
    let style = prop_oneof![8 => Just(Style::Bare), 1 => Just(Style::Short), 1 => Just(Style::Lower), 1 => Just(Style::Upper)];
    let character =
        prop_oneof![8 => proptest::char::range(' ', '~'), 2 => any::<char>(), 1 => proptest::char::range('\0', '\u{1f}')];
    proptest::collection::vec((character, style), 0..80)
}

fn meant(characters: &[(char, Style)]) -> String {
    characters.iter().map(|(character, _)| *character).collect()
}

fn decoded(json: &str) -> String {
    serde_json::from_str(json).expect("a string")
}

#[test]
fn every_escape_means_its_character() {
    let event = run(r#""notes":"\"\\\/\b\f\n\r\t\u0041\u00e9\u00E9\u20ac\ud83e\udd80\u0000\uffff""#);
    let Body::Run(run) = taken(&event).body else { panic!("another kind") };
    assert_eq!(run.notes.expect("notes").get(), "\"\\/\u{8}\u{c}\n\r\tAéé€🦀\0\u{ffff}");
}

#[test]
fn text_may_be_empty_or_blank() {
    let event = line("observation", r#""type":"decision","pattern":"","details":"  ","evidence":[""," "]"#);
    let Body::Observation(observation) = taken(&event).body else { panic!("another kind") };
    assert_eq!((observation.pattern.get(), observation.details.expect("details").get()), ("", "  "));
    assert_eq!(observation.evidence.expect("evidence").iter().collect::<Vec<_>>(), ["", " "]);
}

#[test]
fn text_keeps_its_items_as_often_as_they_stand_there() {
    let event = run(r#""issues":["a","b","a","a"]"#);
    let Body::Run(run) = taken(&event).body else { panic!("another kind") };
    assert_eq!(run.issues.expect("issues").iter().collect::<Vec<_>>(), ["a", "b", "a", "a"]);
}

#[test]
fn half_a_surrogate_pair_is_no_text() {
    for half in
        [r"\ud800", r"\udbff", r"\udc00", r"\udfff", r"\ud83e\ud83e", r"\udd80\ud83e", r"\ud83ex", r"\ud83e\n", r"\ud83e\u0041"]
    {
        for members in [
            format!(r#""notes":"{half}""#),
            format!(r#""issues":["a","{half}"]"#),
            format!(r#""adapters":["{half}"]"#),
            format!(r#""command":"{half}""#),
            format!(r#""id":"{half}""#),
            format!(r#""failure_type":"{half}""#),
            format!(r#""x":"{half}""#),
            format!(r#""x":{{"a":["{half}"]}}"#),
            format!(r#""x":{{"{half}":1}}"#),
            format!(r#""{half}":1"#),
        ] {
            assert_eq!(refused_code(&run(&members)), Code::NotJson, "{members}");
        }
        let context = line("learning", &format!(r#""what":"w","context":{{"a":"{half}"}}"#));
        assert_eq!(refused_code(&context), Code::NotJson, "{context}");
    }
}

#[test]
fn a_backslash_in_front_of_an_escape_is_no_escape() {
    let event = run(r#""notes":"\\ud800","x":"\\ud800""#);
    let Body::Run(run) = taken(&event).body else { panic!("another kind") };
    assert_eq!(run.notes.expect("notes").get(), r"\ud800");
}

#[test]
fn a_string_of_any_length_ends_at_its_quote() {
    for length in 0..70 {
        for filling in ["x", "é", "\\n", "🦀"] {
            let text = filling.repeat(length);
            let event = run(&format!(r#""notes":"{text}","command":"after""#));
            let Body::Run(run) = taken(&event).body else { panic!("another kind") };
            assert_eq!(run.notes.expect("notes").get(), text.replace("\\n", "\n"));
            assert_eq!(run.command.expect("a command").get(), "after");
        }
    }
}

#[test]
fn a_bare_control_character_anywhere_in_a_string_is_refused() {
    for control in ('\0'..' ').chain(['\u{1f}']) {
        for place in 0..40 {
            let text = format!("{}{control}{}", "x".repeat(place), "y".repeat(39 - place));
            assert_eq!(refused_code(&run(&format!(r#""notes":"{text}""#))), Code::NotJson, "{text:?}");
        }
    }
}

proptest! {
    #![proptest_config(cases(2048))]

    #[test]
    fn a_text_means_what_serde_json_says(characters in styled()) {
        let json = written(&characters);
        let event = run(&format!(r#""notes":{json}"#));
        let event = fresh().parse(&event).expect("taken");
        let Body::Run(run) = event.body else { panic!("another kind") };
        let notes = run.notes.expect("notes");
        prop_assert_eq!(notes.get(), meant(&characters));
        prop_assert_eq!(notes.get(), decoded(&json));
    }

    #[test]
    fn the_items_of_a_list_mean_what_serde_json_says(items in proptest::collection::vec(styled(), 0..6)) {
        let items: Vec<_> = items.iter().map(|item| written(item)).collect();
        let event = run(&format!(r#""issues":[ {} ]"#, items.join(" , ")));
        let event = fresh().parse(&event).expect("taken");
        let Body::Run(run) = event.body else { panic!("another kind") };
        let issues = run.issues.expect("issues");
        prop_assert_eq!(issues.iter().collect::<Vec<_>>(), items.iter().map(|item| decoded(item)).collect::<Vec<_>>());
    }

    #[test]
    fn an_unknown_name_and_its_value_mean_what_serde_json_says(name in styled(), value in styled()) {
        let mut members = String::new();
        write!(members, "\"x-{}:{}", &written(&name)[1..], written(&value)).expect("strings grow");
        let event = run(&members);
        let extra = fresh().parse(&event).expect("taken").extra.expect("kept");
        let kept: Value = serde_json::from_str(&extra).expect("an object");
        prop_assert_eq!(kept, serde_json::json!({ format!("x-{}", meant(&name)): meant(&value) }));
    }

    #[test]
    fn labels_are_each_kept_once_in_order(labels in proptest::collection::vec("[a-c]{1,2}", 0..12)) {
        let event = run(&format!(r#""skills":{}"#, serde_json::json!(labels)));
        let event = fresh().parse(&event).expect("taken");
        let Body::Run(run) = event.body else { panic!("another kind") };
        let mut expected: Vec<String> = Vec::new();
        for label in labels {
            if !expected.contains(&label) {
                expected.push(label);
            }
        }
        prop_assert_eq!(run.skills.expect("skills").iter().collect::<Vec<_>>(), expected);
    }
}
