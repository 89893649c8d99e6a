//! Names and labels: what may become part of a file name or stand in a terminal, and what may not.

use event::{Body, Code};
use proptest::prelude::*;
use serde_json::json;
use text::fit::is_unprintable;
use text::limit;

use crate::event::door::{cases, fresh, line, refused, refused_code, run, taken};

/// A run of that name.
fn named(name: &str) -> String {
    line("run", &format!(r#""run_id":{},"result":"success","adapters":["terminal"]"#, json!(name)))
}

/// A run with that label.
fn labelled(label: &str) -> String {
    run(&format!(r#""command":{}"#, json!(label)))
}

/// Characters that reorder text around them, as terminals and editors show it.
const DIRECTIONS: [char; 11] = [
    '\u{200e}', '\u{200f}', '\u{202a}', '\u{202b}', '\u{202c}', '\u{202d}', '\u{202e}', '\u{2066}', '\u{2067}', '\u{2068}',
    '\u{2069}',
];

/// Characters that take no space, break lines or act on a terminal.
const INVISIBLE: [char; 14] = [
    '\0', '\u{7}', '\u{8}', '\t', '\n', '\r', '\u{1b}', '\u{7f}', '\u{85}', '\u{9b}', '\u{200b}', '\u{2028}', '\u{2029}',
    '\u{feff}',
];

#[test]
fn a_name_may_hold_what_file_names_hold() {
    for name in [
        "r",
        "r-1",
        "20260314-092653-a1b2",
        "feature.x",
        "...",
        "..a",
        ".hidden",
        "a b",
        " a ",
        "a:b",
        "größe",
        "名前",
        "🦀",
        "null",
    ] {
        let line = named(name);
        let Body::Run(run) = taken(&line).body else { panic!("another kind") };
        assert_eq!(run.run_id.get(), name);
    }
}

#[test]
fn a_name_that_is_a_path_is_refused() {
    for name in ["/", "\\", "a/b", "a\\b", "/etc/passwd", "..\\..\\x", "../x", "a/", ".", ".."] {
        let (code, message) = refused(&named(name));
        assert_eq!(code, Code::BadName, "{name}");
        assert!(message.starts_with("`run_id` holds a path separator or is a path: "), "{message}");
    }
}

#[test]
fn a_path_separator_cannot_hide_behind_an_escape() {
    for written in [r#""a\/b""#, r#""a\u002fb""#, r#""a\\b""#, r#""a\u005cb""#, r#""\u002e\u002e""#] {
        assert_eq!(
            refused_code(&line("run", &format!(r#""run_id":{written},"result":"success","adapters":["terminal"]"#))),
            Code::BadName,
            "{written}"
        );
    }
}

#[test]
fn the_project_and_the_agents_of_a_run_are_names_too() {
    for members in [
        r#""project":"../x""#,
        r#""projectId":"a\\b""#,
        r#""session":"a/b""#,
        r#""agent_decisions":[{"agent":"a/b","confidence":1}]"#,
        r#""project":"\u202e""#,
        r#""project":"""#,
    ] {
        assert_eq!(refused_code(&run(members)), Code::BadName, "{members}");
    }
}

#[test]
fn a_label_may_be_a_path() {
    for label in ["src/a.rs", "C:\\work", "..", ".", "/", "a & b; c", "<b>", "`x`"] {
        let line = labelled(label);
        let Body::Run(run) = taken(&line).body else { panic!("another kind") };
        assert_eq!(run.command.expect("a command").get(), label);
    }
}

#[test]
fn names_and_labels_are_not_empty() {
    for blank in ["", " ", "   ", "\t", "\r\n", " \t "] {
        assert_eq!(refused_code(&named(blank)), Code::BadName, "{blank:?}");
        assert_eq!(refused_code(&labelled(blank)), Code::BadName, "{blank:?}");
    }
}

#[test]
fn characters_that_reorder_hide_or_act_are_refused_in_names_and_labels() {
    for character in DIRECTIONS.into_iter().chain(INVISIBLE) {
        // At the front, in the middle and at the end, beyond the first sixteen bytes that are looked at together.
        for name in [format!("{character}a"), format!("a{character}b"), format!("a-name-of-some-length{character}")] {
            assert_eq!(refused_code(&named(&name)), Code::BadName, "{name:?}");
            assert_eq!(refused_code(&labelled(&name)), Code::BadName, "{name:?}");
            assert_eq!(refused_code(&run(&format!(r#""adapters":["a",{}]"#, json!(name)))), Code::BadName, "{name:?}");
            assert_eq!(refused_code(&run(&format!(r#""id":{}"#, json!(name)))), Code::BadName, "{name:?}");
        }
    }
}

#[test]
fn the_same_characters_pass_in_free_text() {
    for character in DIRECTIONS.into_iter().chain(INVISIBLE) {
        let line = run(&format!(r#""notes":{},"issues":[{}]"#, json!(format!("a{character}b")), json!(character)));
        let Body::Run(run) = taken(&line).body else { panic!("another kind") };
        assert_eq!(run.notes.expect("notes").get(), format!("a{character}b"));
        assert_eq!(run.issues.expect("issues").iter().collect::<Vec<_>>(), [character.to_string()]);
    }
}

#[test]
fn digits_without_quotes_are_names_and_labels() {
    let line = line("run", r#""run_id":42,"result":"success","project":7,"command":0,"adapters":[1,2],"failure_type":404"#);
    let event = taken(&line);
    assert_eq!(event.project, "7");
    let Body::Run(run) = event.body else { panic!("another kind") };
    assert_eq!((run.run_id.get(), run.command.expect("a command").get()), ("42", "0"));
    assert_eq!(run.adapters.expect("adapters").iter().collect::<Vec<_>>(), ["1", "2"]);
    assert_eq!(run.failure_type.expect("a failure type").get(), "404");
}

#[test]
fn other_values_are_no_names() {
    for written in ["-1", "1.5", "1e3", "true", "[]", "{}", r#"["r"]"#] {
        assert_eq!(
            refused_code(&line("run", &format!(r#""run_id":{written},"result":"success","adapters":["terminal"]"#))),
            Code::WrongType,
            "{written}"
        );
    }
}

/// Text of all lengths around the limits, with characters that matter.
fn text() -> impl Strategy<Value = String> {
    let character = prop_oneof![
        20 => proptest::char::range(' ', '~'),
        4 => any::<char>(),
        1 => proptest::sample::select(&DIRECTIONS[..]),
        1 => proptest::sample::select(&INVISIBLE[..]),
    ];
    prop_oneof![
        4 => proptest::collection::vec(character.clone(), 0..40),
        1 => proptest::collection::vec(character, 0..300),
        2 => proptest::collection::vec(proptest::sample::select(&['.', '/', '\\', ' ', 'a'][..]), 0..4),
    ]
    .prop_map(|characters| characters.into_iter().collect::<String>())
    .prop_filter("blank beyond ASCII", |text| text.trim().is_empty() == text.trim_ascii().is_empty())
}

proptest! {
    #![proptest_config(cases(2048))]

    #[test]
    fn a_label_is_taken_exactly_if_it_is_short_printable_and_not_blank(label in text()) {
        let is_label = label.len() <= limit::LABEL_BYTES && !label.trim_ascii().is_empty() && !label.chars().any(is_unprintable);
        prop_assert_eq!(fresh().parse(&labelled(&label)).is_ok(), is_label, "{:?}", label);
    }

    #[test]
    fn a_name_is_taken_exactly_if_it_is_a_short_label_and_no_path(name in text()) {
        let is_label = name.len() <= limit::NAME_BYTES && !name.trim_ascii().is_empty() && !name.chars().any(is_unprintable);
        let is_path = name.contains(['/', '\\']) || name == "." || name == "..";
        prop_assert_eq!(fresh().parse(&named(&name)).is_ok(), is_label && !is_path, "{:?}", name);
    }
}
