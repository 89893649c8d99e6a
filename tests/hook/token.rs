//! Tokens are counted as the vocabularies cut them, and blocks fit their budgets by them.

use std::fs;

use learn::recall::{cl100k_tokens, o200k_tokens};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::stage::{Stage, lesson};

fn counted(text: &str) -> (usize, usize) {
    (cl100k_tokens(text), o200k_tokens(text))
}

#[test]
fn published_examples_are_counted_as_published() {
    for (text, tokens) in [
        ("", (0, 0)),
        ("hello world", (2, 2)),
        ("tiktoken is great!", (6, 6)),
        ("antidisestablishmentarianism", (6, 6)),
        ("2 + 2 = 4", (7, 7)),
        ("お誕生日おめでとう", (9, 8)),
    ] {
        assert_eq!(counted(text), tokens, "{text}");
    }
}

/// Counted once with `tiktoken-rs`, from which the vocabularies come too: hand-picked spaces, short forms and scripts, and texts by chance.
#[test]
fn texts_of_every_sort_are_counted_as_the_reference_counts_them() {
    let lines = include_str!("token.jsonl").lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let texts: Vec<Value> = lines.collect();
    assert!(texts.len() > 200, "{}", texts.len());
    for row in texts {
        let text = row["text"].as_str().expect("a text");
        assert_eq!(counted(text), (number(&row["cl100k"]), number(&row["o200k"])), "{text:?}");
    }
}

#[test]
fn names_of_special_tokens_are_text() {
    for special in ["<|endoftext|>", "<|fim_prefix|>", "<|endofprompt|>", "<|im_start|>"] {
        let (cl100k, o200k) = counted(special);
        assert!(cl100k > 3 && o200k > 3, "{special}: {cl100k} {o200k}");
    }
}

#[test]
fn a_long_word_is_no_burden() {
    // Trying every pair after every merge would take minutes.
    let (cl100k, o200k) = counted(&"ab".repeat(200_000));
    assert!((10_000..=200_000).contains(&cl100k) && (10_000..=200_000).contains(&o200k), "{cl100k} {o200k}");
}

proptest! {
    #[test]
    fn no_text_takes_more_tokens_than_bytes(text in any::<String>()) {
        let (cl100k, o200k) = counted(&text);
        prop_assert!(cl100k <= text.len() && o200k <= text.len());
        prop_assert_eq!(text.is_empty(), cl100k == 0 || o200k == 0);
    }
}

fn use_tokenizer(stage: &Stage, name: &str) {
    fs::write(stage.scene.workspace.settings(), format!("[inject]\nleast_tokens = 0\ntokenizer = \"{name}\"\n")).expect("settings");
}

fn injected(stage: &Stage, arguments: &[&str]) -> Value {
    let outcome = stage.scene.done(&[&["inject", "--format", "json"], arguments].concat());
    serde_json::from_str(&outcome.out).expect("JSON")
}

fn number(value: &Value) -> usize {
    usize::try_from(value.as_u64().expect("a number")).expect("a small number")
}

#[test]
fn a_block_keeps_its_budget_by_the_tokenizer_of_the_settings() {
    let lessons = [
        "Überprüfe 署名 before parsing <|endoftext|> of the body",
        "XMLHttpRequest::on_timeout() swallows ECONNRESET 0x7fffdeadbeef 🙂🙂🙂🙂",
        "Config loader falls back silently on missing keys",
        "設定ファイルが見つからない場合は静かに失敗する",
    ];
    let stage = Stage::with(&lessons.map(lesson));
    for (name, count) in [("cl100k", cl100k_tokens as fn(&str) -> usize), ("o200k", o200k_tokens)] {
        use_tokenizer(&stage, name);
        let mut reaches = Vec::new();
        for asked in [&["--agent", "builder"][..], &["--role", "judge"], &["--tool", "Bash"]] {
            for budget in [5, 20, 40, 60, 80, 110, 140, 170, 200, 500] {
                let injection = injected(&stage, &[asked, &["--budget", &budget.to_string()]].concat());
                let text = injection["text"].as_str().expect("a text");
                assert!(count(text) <= number(&injection["tokens"]), "{name} {asked:?} {budget}: {text}");
                assert!(number(&injection["tokens"]) <= budget, "{name} {asked:?} {budget}");
                reaches.push(injection["reach"].as_str().expect("a word").to_owned());
            }
        }
        for reach in ["full", "truncated", "none"] {
            assert!(reaches.iter().any(|other| other == reach), "{name} never reached {reach}");
        }
    }
}

#[test]
fn the_tokenizer_decides_how_much_fits() {
    let stage = Stage::with(&[lesson("設定ファイルが見つからない場合は静かに失敗する"), lesson("鍵を共有する前に必ず検証する")]);
    let tokens = |name: &str| {
        use_tokenizer(&stage, name);
        let injection = injected(&stage, &["--role", "judge"]);
        injection["patterns"].as_array().expect("patterns").iter().map(|pattern| number(&pattern["tokens"])).sum::<usize>()
    };
    let (characters, cl100k, o200k) = (tokens("characters"), tokens("cl100k"), tokens("o200k"));
    assert!(characters < o200k && o200k < cl100k, "{characters} {o200k} {cl100k}");
}

#[test]
fn an_unknown_tokenizer_is_an_error_that_names_those_there_are() {
    let stage = Stage::with(&[json!({"summary": "Validate webhook signatures before parsing the body"})]);
    use_tokenizer(&stage, "gpt-9");
    let outcome = stage.scene.run(&["inject", "--role", "judge", "--strict"]);
    assert_ne!(outcome.code, 0);
    assert_eq!(outcome.out, "");
    for word in ["gpt-9", "`characters`", "`cl100k`", "`o200k`", "tokenizer", "outerloop.toml:3:13"] {
        assert!(outcome.error.contains(word), "{word}: {}", outcome.error);
    }
    let lenient = stage.scene.run(&["inject", "--role", "judge"]);
    assert_eq!((lenient.code, &*lenient.out), (0, ""), "an agent's turn goes on without patterns");
    assert!(lenient.error.contains("`inject.tokenizer` is \"gpt-9\""), "{}", lenient.error);
}
