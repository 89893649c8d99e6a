//! The limits of what may land: what is exactly as large as it may be is taken, one more is refused.

use event::Code;
use text::limit;

use crate::event::door::{line, refused, refused_code, run, taken};

/// The text of this many bytes, in quotes.
fn quotes(bytes: usize) -> String {
    format!("\"{}\"", "x".repeat(bytes))
}

/// A list of this many items.
fn list(items: usize, item: &str) -> String {
    format!("[{}]", vec![item; items].join(","))
}

/// Takes the value of that size and refuses the one beyond.
#[track_caller]
fn assert_limit(most: usize, event: impl Fn(usize) -> String) {
    taken(&event(most - 1));
    taken(&event(most));
    assert_eq!(refused_code(&event(most + 1)), Code::TooLarge);
}

#[test]
fn a_text_is_at_most_so_long() {
    assert_limit(limit::TEXT_BYTES, |bytes| run(&format!(r#""notes":{}"#, quotes(bytes))));
}

#[test]
fn a_text_is_measured_in_bytes_behind_its_escapes() {
    let half = limit::TEXT_BYTES / 2;
    taken(&run(&format!(r#""notes":"{}""#, "é".repeat(half))));
    taken(&run(&format!(r#""notes":"{}""#, "\\u00e9".repeat(half))));
    assert_eq!(refused_code(&run(&format!(r#""notes":"{}x""#, "é".repeat(half)))), Code::TooLarge);
    assert_eq!(refused_code(&run(&format!(r#""notes":"{}x""#, "\\u00e9".repeat(half)))), Code::TooLarge);
}

#[test]
fn an_item_is_at_most_so_long() {
    assert_limit(limit::ITEM_BYTES, |bytes| run(&format!(r#""issues":["a",{}]"#, quotes(bytes))));
}

#[test]
fn a_list_of_texts_has_at_most_so_many_items() {
    assert_limit(limit::LIST_ITEMS, |items| run(&format!(r#""issues":{}"#, list(items, r#""x""#))));
}

#[test]
fn a_list_of_labels_has_at_most_so_many_items_even_if_they_repeat() {
    assert_limit(limit::LIST_ITEMS, |items| run(&format!(r#""adapters":{}"#, list(items, r#""x""#))));
}

#[test]
fn a_list_of_decisions_has_at_most_so_many_items() {
    let decision = r#"{"agent":"a","confidence":1}"#;
    assert_limit(limit::LIST_ITEMS, |items| run(&format!(r#""agent_decisions":{}"#, list(items, decision))));
}

#[test]
fn a_name_is_at_most_so_long() {
    assert_limit(limit::NAME_BYTES, |bytes| {
        line("run", &format!(r#""run_id":{},"result":"success","adapters":["terminal"]"#, quotes(bytes)))
    });
    assert_limit(limit::NAME_BYTES, |bytes| run(&format!(r#""project":{}"#, quotes(bytes))));
    assert_limit(limit::NAME_BYTES, |bytes| run(&format!(r#""failure_type":{}"#, quotes(bytes))));
    assert_limit(limit::NAME_BYTES, |bytes| run(&format!(r#""failureDetails":{{"dominantFailureType":{}}}"#, quotes(bytes))));
    assert_limit(limit::NAME_BYTES, |bytes| run(&format!(r#""agent_decisions":[{{"agent":{},"confidence":1}}]"#, quotes(bytes))));
}

#[test]
fn a_label_is_at_most_so_long() {
    assert_limit(limit::LABEL_BYTES, |bytes| run(&format!(r#""command":{}"#, quotes(bytes))));
    assert_limit(limit::LABEL_BYTES, |bytes| run(&format!(r#""adapters":["a",{}]"#, quotes(bytes))));
    assert_limit(limit::LABEL_BYTES, |bytes| run(&format!(r#""id":{}"#, quotes(bytes))));
}

#[test]
fn an_event_has_at_most_so_many_fields() {
    // Kind, time, run, result and adapters are five of them.
    let fields = |count: usize| (5..count).map(|number| format!(r#""x{number}":0"#)).collect::<Vec<_>>().join(",");
    assert_limit(limit::FIELDS, |count| run(&fields(count)));
}

#[test]
fn repeated_and_empty_fields_count_too() {
    let fields = |count: usize| vec![r#""notes":null"#; count - 5].join(",");
    assert_limit(limit::FIELDS, |count| run(&fields(count)));
}

#[test]
fn a_value_is_nested_at_most_so_deeply() {
    let lists = |depth: usize| run(&format!(r#""x":{}{}"#, "[".repeat(depth), "]".repeat(depth)));
    let objects = |depth: usize| run(&format!(r#""x":{}0{}"#, r#"{"a":"#.repeat(depth), "}".repeat(depth)));
    let mixed = |depth: usize| run(&format!(r#""x":{}0{}"#, r#"[{"a":"#.repeat(depth / 2), "}]".repeat(depth / 2)));
    let context =
        |depth: usize| line("learning", &format!(r#""what":"w","context":{}"a"{}"#, "[".repeat(depth), "]".repeat(depth)));
    for nested in [&lists as &dyn Fn(usize) -> String, &objects, &context] {
        taken(&nested(limit::DEPTH - 1));
        taken(&nested(limit::DEPTH));
        assert_eq!(refused_code(&nested(limit::DEPTH + 1)), Code::NotJson);
    }
    taken(&mixed(limit::DEPTH));
    assert_eq!(refused_code(&mixed(limit::DEPTH + 2)), Code::NotJson);
}

#[test]
fn depth_is_counted_anew_for_each_value() {
    let deepest = format!("{}{}", "[".repeat(limit::DEPTH), "]".repeat(limit::DEPTH));
    taken(&run(&format!(r#""x":{deepest},"y":{deepest}"#)));
    let beside = "[".repeat(limit::DEPTH - 1) + &vec!["[]"; 100].join(",") + &"]".repeat(limit::DEPTH - 1);
    taken(&run(&format!(r#""x":{beside}"#)));
}

#[test]
fn nesting_without_end_is_refused_without_exhausting_the_stack() {
    for opener in ["[", r#"{"a":"#] {
        assert_eq!(refused_code(&run(&format!(r#""x":{}"#, opener.repeat(limit::LINE_BYTES)))), Code::NotJson);
    }
}

#[test]
fn a_refusal_says_what_is_too_large_and_what_the_limit_is() {
    let (_, message) = refused(&run(&format!(r#""notes":{}"#, quotes(limit::TEXT_BYTES + 1))));
    assert_eq!(message, format!("`notes` has {} bytes", limit::TEXT_BYTES + 1));
    let (_, message) = refused(&run(&format!(r#""issues":{}"#, list(limit::LIST_ITEMS + 1, r#""x""#))));
    assert_eq!(message, format!("`issues` has more than {} items", limit::LIST_ITEMS));
}
