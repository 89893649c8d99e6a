//! Matching texts to patterns: the index, and beside it the definition that it must equal, on a part that it can bear.
//!
//! `cargo bench --bench matching -- --phrases 50000 --triggers 1000000`

#![expect(clippy::expect_used, clippy::print_stdout, clippy::cast_precision_loss, reason = "a benchmark is a program for people")]

use std::env;
use std::hint::black_box;
use std::time::Instant;

use learn::matching::{Index, Looseness, Phrase, definition};

/// How many triggers the definition is given: it compares each with every phrase.
const BORNE: usize = 200;

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let option = |name: &str, default: usize| {
        let at = arguments.iter().position(|argument| argument == name);
        at.and_then(|at| arguments.get(at + 1)).map_or(default, |text| text.parse().expect("a number"))
    };
    let (phrases, triggers) = (option("--phrases", 50_000), option("--triggers", 1_000_000));
    let mut random = fastrand::Rng::with_seed(1);
    let words: Vec<String> = (0..5000).map(|number| format!("w{number:x}ord{}", number % 7)).collect();
    let sentence = |random: &mut fastrand::Rng| {
        // Half of the words of a lesson are the same few: always, check, before.
        let word = |random: &mut fastrand::Rng| {
            let reach = if random.bool() { 20 } else { words.len() };
            words[random.usize(..reach)].clone()
        };
        (0..10).map(|_| word(random)).collect::<Vec<_>>().join(" ")
    };
    let phrases: Vec<Phrase> =
        (1..).take(phrases).map(|pattern| Phrase { text: format!("{} {pattern}", sentence(&mut random)), pattern }).collect();
    let looseness = Looseness::default();
    let start = Instant::now();
    let index = Index::new(&phrases, looseness);
    println!("index of {} phrases: {:.2} s", phrases.len(), start.elapsed().as_secs_f64());
    println!("\n| triggers | texts | index us each | definition us each | ratio |\n|---|---:|---:|---:|---:|");
    for (name, kind) in [("as quoted: 70% exact, the rest loose or unrelated", 0), ("all unrelated", 1), ("near misses", 2)] {
        let texts: Vec<String> = (0..triggers).map(|number| trigger(kind, number, &phrases, &sentence, &mut random)).collect();
        let start = Instant::now();
        let found = texts.iter().filter(|text| black_box(index.best(text)).is_some()).count();
        let each = start.elapsed().as_secs_f64() * 1e6 / texts.len() as f64;
        let start = Instant::now();
        for text in &texts[..BORNE.min(texts.len())] {
            assert_eq!(
                definition::best(&phrases, looseness, text).map(|best| best.pattern),
                index.best(text).map(|best| best.pattern)
            );
        }
        let naive = start.elapsed().as_secs_f64() * 1e6 / BORNE.min(texts.len()) as f64;
        println!("| {name} ({found} matched) | {} | {each:.1} | {naive:.0} | {:.0} |", texts.len(), naive / each);
    }
}

fn trigger(
    kind: usize,
    number: usize,
    phrases: &[Phrase],
    sentence: &impl Fn(&mut fastrand::Rng) -> String,
    random: &mut fastrand::Rng,
) -> String {
    let phrase = &phrases[random.usize(..phrases.len())].text;
    let mut words: Vec<&str> = phrase.split(' ').collect();
    match (kind, number % 10) {
        (0, 0..7) => phrase.clone(),
        (0, 7) => phrase.to_uppercase(),
        (0, 8) => {
            random.shuffle(&mut words);
            words.join(" ")
        }
        (2, _) => {
            random.shuffle(&mut words);
            words.truncate(8);
            format!("{} {number:x}a {number:x}b {number:x}c", words.join(" "))
        }
        _ => format!("{} {number:x}", sentence(random)),
    }
}
