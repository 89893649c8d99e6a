//! Answers of all sorts.

use agent::embed::{parse_vectors, render_request};
use proptest::prelude::*;

#[track_caller]
fn refused(answer: &str, texts: usize, why: &str) {
    let cause = parse_vectors(answer, texts).expect_err("it is refused");
    assert!(cause.contains(why) && cause.chars().count() < 500, "{cause}");
}

#[test]
fn a_request_says_what_is_wanted() {
    let request = render_request(&["Close \"it\"", "line\nbreak"]);
    assert_eq!(request, r#"{"protocol":1,"texts":["Close \"it\"","line\nbreak"]}"#);
}

#[test]
fn as_many_vectors_as_texts_are_taken_in_their_order() {
    let vectors = parse_vectors("\n {\"model\": \"m\", \"vectors\": [[1, -0.5], [0, 1e-3]]}\n", 2).expect("vectors");
    assert_eq!(vectors.iter().map(|vector| vector.get().to_vec()).collect::<Vec<_>>(), [vec![1.0, -0.5], vec![0.0, 0.001]]);
    assert_eq!(parse_vectors(r#"{"vectors": []}"#, 0).expect("none"), []);
}

#[test]
fn everything_else_is_refused_as_a_whole() {
    for rubbish in ["", "Sure! {\"vectors\": [[1]]}", "[[1]]", "{\"vector\": [[1]]}", "{\"vectors\": [1]}", "{\"vectors\": [[1]]"] {
        refused(rubbish, 1, "not a JSON object with a list `vectors`");
    }
    for number in ["NaN", "Infinity", "-Infinity", "1e999", "null", "\"1\"", "true", "[1]"] {
        refused(&format!("{{\"vectors\": [[0, {number}]]}}"), 1, "not a JSON object with a list `vectors`");
    }
    refused(r#"{"vectors": [[1]]}"#, 2, "1 vectors for 2 texts");
    refused(r#"{"vectors": [[1], [1], [1]]}"#, 2, "3 vectors for 2 texts");
    refused(r#"{"vectors": [[1, 2], [1]]}"#, 2, "vector 2 of the answer holds 1 numbers, and the first one 2");
    refused(r#"{"vectors": [[1], [0]]}"#, 2, "vector 2 of the answer is zero");
    refused(r#"{"vectors": [[1e-200, 0]]}"#, 1, "is zero");
    refused(r#"{"vectors": [[]]}"#, 1, "holds no numbers");
    refused(r#"{"vectors": [[1000.5]]}"#, 1, "holds 1000.5");
    let long = vec!["1"; 16_385].join(",");
    refused(&format!("{{\"vectors\": [[{long}]]}}"), 1, "holds too many numbers");
}

proptest! {
    #[test]
    fn no_answer_does_harm(text in "\\PC{0,60}", inside in "[\\[\\]{}0-9.,eE+-]{0,40}") {
        for answer in [text, format!("{{\"vectors\":{inside}}}")] {
            if let Ok(vectors) = parse_vectors(&answer, 1) {
                prop_assert!(vectors.len() == 1 && !vectors[0].is_null());
                prop_assert!(vectors[0].get().iter().all(|number| number.abs() <= 1000.0));
            }
        }
    }
}
