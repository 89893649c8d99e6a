//! The scanner: it takes what `serde_json` takes, refuses what it refuses, and no input makes it panic.

use event::Code;
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::Value;
use text::limit;

use crate::event::door::{cases, fresh, refused_code, run, taken};

/// One change to a text, at a place that is a share of its length.
#[derive(Debug, Clone)]
enum Mutation {
    Delete(Index),
    Insert(Index, String),
    Replace(Index, char),
    Swap(Index, Index),
    Repeat(Index, Index),
    Cut(Index),
}

impl Mutation {
    /// The text with the change; still UTF-8, because whole characters change.
    fn apply(&self, text: &str) -> String {
        let mut characters: Vec<char> = text.chars().collect();
        let length = characters.len();
        if length == 0 {
            return String::new();
        }
        match self {
            Self::Delete(at) => drop(characters.remove(at.index(length))),
            Self::Insert(at, inserted) => drop(characters.splice(at.index(length)..at.index(length), inserted.chars())),
            Self::Replace(at, by) => characters[at.index(length)] = *by,
            Self::Swap(one, other) => characters.swap(one.index(length), other.index(length)),
            Self::Repeat(one, other) => {
                let (from, to) = (one.index(length).min(other.index(length)), one.index(length).max(other.index(length)));
                let repeated = characters[from..to].to_vec();
                drop(characters.splice(to..to, repeated));
            }
            Self::Cut(at) => characters.truncate(at.index(length)),
        }
        characters.into_iter().collect()
    }
}

/// What makes or breaks JSON when it stands in the wrong place.
const PIECES: [&str; 34] = [
    "\"",
    "\\",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    " ",
    "\n",
    "\t",
    "\r",
    "\u{c}",
    "\0",
    "\u{1f}",
    "\u{7f}",
    "\u{feff}",
    "\u{a0}",
    "-",
    "+",
    ".",
    "e",
    "0",
    "1",
    "null",
    "true",
    "\\u",
    "\\ud800",
    "\\udc00",
    "é",
    "🦀",
    "\"a\":1,",
    ",\"b\":[]",
    "//",
];

/// Any change.
fn mutation() -> impl Strategy<Value = Mutation> {
    let place = any::<Index>;
    prop_oneof![
        3 => place().prop_map(Mutation::Delete),
        4 => (place(), proptest::sample::select(&PIECES[..])).prop_map(|(at, piece)| Mutation::Insert(at, piece.to_owned())),
        1 => (place(), any::<char>()).prop_map(|(at, character)| Mutation::Insert(at, character.to_string())),
        3 => (place(), proptest::sample::select(&PIECES[..]))
            .prop_map(|(at, piece)| Mutation::Replace(at, piece.chars().next().expect("not empty"))),
        2 => (place(), place()).prop_map(|(one, other)| Mutation::Swap(one, other)),
        1 => (place(), place()).prop_map(|(one, other)| Mutation::Repeat(one, other)),
        1 => place().prop_map(Mutation::Cut),
    ]
}

/// One of the lines after a few changes.
pub fn mutated(lines: &'static [&'static str]) -> impl Strategy<Value = String> {
    (proptest::sample::select(lines), proptest::collection::vec(mutation(), 0..4))
        .prop_map(|(line, changes)| changes.iter().fold(line.to_owned(), |line, change| change.apply(&line)))
}

/// Valid lines with every shape of value.
const LINES: [&str; 5] = [
    r#"{"kind":"build","ts":"2026-03-14T09:26:53Z","run_id":"r-1","passed":true,"details":"a \"quoted\" word\n\u00e9"}"#,
    r#"{ "kind" : "goal" , "ts" : "2026-03-14T09:26:53Z" , "run_id" : "r" , "goal" : "g" , "success" : false , "score" : -1.5 , "metrics" : { "a" : [ 1 , { } , [ ] ] } }"#,
    r#"{"ts":"2026-03-14T09:26:53Z","x":[[],{},"\ud83e\udd80",null,true,-0.1],"kind":"learning","summary":"s","tags":["a","b"],"context":{"file":"a.rs","line":3}}"#,
    r#"{"kind":"run","ts":"2026-03-14T09:26:53Z","run_id":"größe","result":"success","adapters":["a","a"],"quality":0.5,"retries":"3","y":{"z":"\\\/\b"},"issues":["","🦀"]}"#,
    r#"{"kind":"curation","ts":"2026-03-14T09:26:53Z","action":"clear","actor":"ada","target":"t","value":[{"a":{"b":{"c":[0]}}}],"n":null}"#,
];

/// How deeply a value is nested.
fn depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Value::Object(members) => 1 + members.values().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}

/// Whether a line is one JSON object that is not nested too deeply, in the eyes of `serde_json`.
///
/// It refuses half a surrogate pair by itself. White space around a line is no part of it.
fn is_object(line: &str) -> bool {
    match serde_json::from_str(line.trim_matches([' ', '\t', '\r', '\n'])) {
        Ok(Value::Object(members)) => members.values().all(|value| depth(value) <= limit::DEPTH),
        _ => false,
    }
}

/// Asserts that a line is refused as no JSON only if it is none, and that it is refused if it is none.
#[track_caller]
fn assert_same_grammar(line: &str) {
    match fresh().parse(line) {
        Ok(_) => assert!(is_object(line), "taken, although serde_json refuses it: {line:?}"),
        Err(rejection) if rejection.code == Code::NotJson => assert!(!is_object(line), "{rejection}: {line:?}"),
        Err(_) => {}
    }
}

/// Asserts that a value is taken as an unknown field exactly if it is JSON.
#[track_caller]
fn assert_same_value(value: &str) {
    let line = run(&format!(r#""x":{value}"#));
    assert_same_grammar(&line);
    if serde_json::from_str::<Value>(value).is_ok() {
        assert_eq!(taken(&line).extra, Some(format!(r#"{{"x":{}}}"#, value.trim_matches([' ', '\t', '\r', '\n']))));
    } else {
        assert_eq!(refused_code(&line), Code::NotJson, "{value:?}");
    }
}

#[test]
fn the_lines_that_are_changed_below_are_taken_unchanged() {
    for line in LINES {
        taken(line);
    }
}

#[test]
fn a_line_cut_off_anywhere_is_no_json() {
    for line in LINES {
        for (at, _) in line.char_indices() {
            assert_eq!(refused_code(&line[..at]), Code::NotJson, "{}", &line[..at]);
        }
    }
}

#[test]
fn a_line_without_one_of_its_quotes_brackets_commas_or_colons_is_refused() {
    for line in LINES {
        for (at, _) in line.char_indices().filter(|(_, character)| r#""{}[],:"#.contains(*character)) {
            let line = format!("{}{}", &line[..at], &line[at + 1..]);
            assert_same_grammar(&line);
        }
    }
}

#[test]
fn a_line_that_is_another_value_than_an_object_is_refused() {
    for line in [
        "",
        " ",
        "\n",
        "null",
        "true",
        "0",
        "\"kind\"",
        "[]",
        r#"[{"kind":"run"}]"#,
        "{",
        "}",
        "{}}",
        "{}{}",
        "{} {}",
        "{},",
        "\u{feff}{}",
    ] {
        assert_eq!(refused_code(line), Code::NotJson, "{line:?}");
    }
}

#[test]
fn what_other_dialects_allow_is_no_json() {
    for value in [
        "'a'",
        "a",
        "{a:1}",
        "{'a':1}",
        "[1,]",
        "[,1]",
        "[,]",
        "{,}",
        r#"{"a":1,}"#,
        r#"{"a"}"#,
        r#"{"a":}"#,
        "{:1}",
        "1 // one",
        "/* one */ 1",
        "#",
        "undefined",
        "None",
        "True",
        "TRUE",
        "nul",
        "nulls",
        "truefalse",
        "\"\\x41\"",
        "\"\\a\"",
        "\"\\u12\"",
        "\"\\u12g4\"",
        "\"\\U0041\"",
        "\"a\nb\"",
        "\"\t\"",
        "[1 2]",
        "[1}",
        "{\"a\":1]",
        "(1)",
        "1;",
        "\u{a0}1",
        "1\u{c}",
        "\u{2028}1",
        "",
    ] {
        assert_same_value(value);
        assert!(serde_json::from_str::<Value>(value).is_err(), "{value}");
    }
}

#[test]
fn every_value_of_json_is_kept_as_it_was_written() {
    for value in [
        "0",
        "-0",
        "10",
        "-10",
        "0.5",
        "-0.0",
        "1e5",
        "1E5",
        "1e+5",
        "1E-5",
        "123456789012345678901234567890",
        "0.1e1",
        "\"\"",
        "\"\\\\\"",
        "\"\\\"\"",
        "\"\u{7f}\"",
        "\"\u{2028}\"",
        "\"\\u0000\"",
        "\"/\"",
        "[]",
        "[ ]",
        "{}",
        "{ }",
        "[[]]",
        "[{}]",
        "{\"\":{}}",
        "[1,\n2]",
        "{\"a\" :\t1 , \"a\":2}",
        "true",
        "false",
        "null",
        "[null,true,false]",
        "[\"]\",\"}\",\",\"]",
        "{\"{\":\"}\"}",
    ] {
        assert_same_value(value);
        assert!(serde_json::from_str::<Value>(value).is_ok(), "{value}");
    }
}

#[test]
fn white_space_may_stand_between_all_tokens() {
    for space in [" ", "\t", "\r", "\n", " \r\n\t "] {
        let line = r#" { "kind" : "run" , "ts" : "2026-03-14T09:26:53Z" , "run_id" : "r-1" , "adapters" : [ "a" , "b" ] , "success" : true , "x" : { } } "#;
        let spaced = line.replace(' ', space);
        assert_eq!(taken(&spaced).body.kind().name(), "run");
    }
}

/// Any JSON value, written in some style.
fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 40, 6, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            proptest::collection::vec((any::<String>(), inner), 0..6)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// Tokens in any order. Numbers stay within the range of a double however they run together.
const TOKENS: [&str; 24] = [
    "{", "}", "[", "]", ",", ":", "{", "}", "[", "]", ",", ":", "\"a\"", "\"b\"", "\"\"", "\"", "\\", "0", "-1.5", "2e-1", "true",
    "null", " ", "\n",
];

proptest! {
    #![proptest_config(cases(4096))]

    #[test]
    fn arbitrary_text_is_refused_and_never_makes_the_door_panic(text in any::<String>()) {
        prop_assert!(fresh().parse(&text).is_err());
    }

    #[test]
    fn a_changed_line_is_taken_or_refused_as_serde_json_does(line in mutated(&LINES)) {
        assert_same_grammar(&line);
    }

    #[test]
    fn a_soup_of_tokens_is_taken_or_refused_as_serde_json_does(tokens in proptest::collection::vec(proptest::sample::select(&TOKENS[..]), 0..10)) {
        let soup = tokens.concat();
        assert_same_grammar(&soup);
        assert_same_grammar(&run(&soup));
        assert_same_grammar(&run(&format!(r#""x":{soup}"#)));
        assert_same_grammar(&run(&format!(r#""x":[{soup}]"#)));
        assert_same_grammar(&run(&format!(r#""x":{{"y":{soup}}}"#)));
    }

    #[test]
    fn a_soup_of_digits_is_a_number_exactly_if_serde_json_says_so(soup in "[-+.eE019]{1,4}") {
        assert_same_value(&soup);
    }

    #[test]
    fn a_soup_of_escapes_is_a_string_exactly_if_serde_json_says_so(soup in r#"(\\|\\\\|\\u|u|n|/|"|d8|dc|00|[0-9a-fA-F]|é| ){0,12}"#) {
        let line = run(&format!(r#""x":"{soup}""#));
        assert_same_grammar(&line);
        assert_same_grammar(&run(&format!(r#""notes":"{soup}""#)));
        assert_same_grammar(&run(&format!(r#""x{soup}":0"#)));
    }

    #[test]
    fn any_value_is_kept_as_it_was_written(value in value(), is_pretty in any::<bool>()) {
        let written = if is_pretty { format!("{value:#}") } else { value.to_string() };
        let line = run(&format!(r#""x":{written}"#));
        let extra = fresh().parse(&line).expect("taken").extra.expect("kept");
        prop_assert_eq!(extra, format!(r#"{{"x":{written}}}"#));
    }

    #[test]
    fn nesting_of_any_shape_is_taken_up_to_the_limit(is_object in proptest::collection::vec(any::<bool>(), 1..80), is_closed in any::<bool>()) {
        let open: String = is_object.iter().map(|is_object| if *is_object { r#"{"a":"# } else { "[" }).collect();
        let close: String = is_object.iter().rev().map(|is_object| if *is_object { "}" } else { "]" }).collect();
        let line = run(&format!(r#""x":{open}0{}"#, if is_closed { &close } else { &close[1..] }));
        prop_assert_eq!(fresh().parse(&line).is_ok(), is_closed && is_object.len() <= limit::DEPTH);
    }
}
