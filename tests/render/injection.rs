//! The injection index: what is written is read again, and what is damaged is not read at all.

use learn::Score;
use learn::recall::{Entry, items};
use proptest::prelude::*;
use render::{Coins, IndexReader, Summary, render_index};
use serde_json::{Value, json};

/// A pattern with texts of any kind.
fn score(id: &str, summary: &str, tags: &[String], seen: i64, weight: f64, prior: Option<(i64, f64)>) -> Score {
    let fixed = r#"{"state": "learned", "category": "mistake", "trigger": null, "scope": null, "repo": "*", "applies_to": ["*"],
        "injected": 2, "withheld": 0, "unverified": 0, "met": 3, "unjudged": 1, "missed_rated": 0, "missed_unrated": 0,
        "withheld_met": 0, "withheld_missed": 0, "mode": "simple", "lower": null, "upper": null, "applied_rate": null,
        "confidence": "medium", "flag": "", "flag_reason": "", "is_settled": true, "iterations_since": 0, "first_seen": null,
        "last_seen": null, "last_used": "2026-05-02T00:00:00Z", "captures": 1, "learned": "2026-05-01T00:00:00Z",
        "last_captured": "2026-05-03T00:00:00Z", "source_event": "e", "source_file": "f", "source_line": 1, "note": null}"#;
    let mut score: Value = serde_json::from_str(fixed).expect("JSON");
    let own = json!({
        "id": id, "summary": summary, "tags": tags, "seen": seen, "applied": seen, "weight": weight,
        "rate": (seen > 0).then_some(0.5), "prior_seen": prior.map(|prior| prior.0), "prior_rate": prior.map(|prior| prior.1),
    });
    score.as_object_mut().expect("an object").extend(own.as_object().expect("an object").clone());
    serde_json::from_value(score).expect("a score")
}

/// All patterns of an index and the summary of a set, if it is whole.
fn read(bytes: &[u8], set: &str) -> Result<(Vec<Entry<'static>>, Option<String>), String> {
    let mut reader = IndexReader::open(bytes)?;
    let mut entries = Vec::new();
    while let Some(entry) = reader.next_entry()? {
        entries.push(entry.into_owned());
    }
    Ok((entries, reader.finish(set)?))
}

#[test]
fn what_counts_for_a_pattern_is_what_was_seen_here_or_elsewhere() {
    let scores = [
        score("P-001", "seen", &[], 4, 1.5, Some((100, 0.9))),
        score("P-002", "taken over", &[], 0, 0.0, Some((10, 0.25))),
        score("P-003", "captured", &[], 0, 0.0, None),
    ];
    let text = render_index(scores.iter(), &[], &[], &Coins::default());
    let (entries, _) = read(text.as_bytes(), "").expect("an index");
    let records: Vec<_> = entries.iter().map(|entry| (entry.successes, entry.failures, entry.seen, entry.rate)).collect();
    assert_eq!(records, [(1.5, 2.5, 4, Some(0.5)), (2.5, 7.5, 10, Some(0.25)), (1.0, 0.0, 0, None)]);
    let first = &entries[0];
    assert_eq!((first.validated, first.ignored, first.reinforced), (4, 2, 3));
    assert_eq!(first.used_micros, 1_777_766_400_000_000, "captured again after it was used");
}

#[test]
fn every_damage_is_noticed() {
    let scores =
        [score("P-001", "one\ttwo\nthree \\t", &["a b".to_owned()], 1, 1.0, None), score("P-002", "two", &[], 1, 1.0, None)];
    let summaries = [Summary { set: "ab".to_owned(), text: "words".to_owned() }];
    let whole = render_index(scores.iter(), &[], &summaries, &Coins::default());
    assert!(read(whole.as_bytes(), "").is_ok());
    for end in 0..whole.len() {
        assert!(read(&whole.as_bytes()[..end], "").is_err(), "cut at {end}");
    }
    for line in 0..whole.lines().count() {
        let others = whole.lines().enumerate().filter(|(at, _)| *at != line).map(|(_, line)| line);
        let without = others.fold(String::new(), |text, line| text + line + "\n");
        assert!(read(without.as_bytes(), "").is_err(), "without line {line}");
    }
    for (good, bad) in
        [("\t0.5\t", "\thalf\t"), ("\t1\t0.5", "\t-1\t0.5"), ("0.5\t1\t", "0.5\tNaN\t"), ("0.5\t1\t0\t", "0.5\t1\t-3\t")]
    {
        let changed = whole.replacen(good, bad, 1);
        assert_ne!(changed, whole, "{good}");
        assert!(read(changed.as_bytes(), "").is_err(), "{bad}");
    }
    assert!(read(format!("{whole}x\ty\n").as_bytes(), "").is_err());
}

proptest! {
    #[test]
    fn what_is_written_is_read_again(
        texts in proptest::collection::vec("[\\PC\t\n\r\\\\]{0,30}", 0..6),
        tags in proptest::collection::vec("[^\\p{C}]{1,10}", 0..4),
        words in "\\PC{0,40}",
    ) {
        let scores: Vec<Score> = texts.iter().map(|text| score("P-001", text, &tags, 2, 1.0, None)).collect();
        let summaries = [Summary { set: "cd".to_owned(), text: words.clone() }];
        let text = render_index(scores.iter(), &[], &summaries, &Coins::default());
        let (entries, summary) = read(text.as_bytes(), "cd").expect("an index");
        prop_assert_eq!(entries.len(), scores.len());
        for (entry, score) in entries.iter().zip(&scores) {
            prop_assert_eq!(&*entry.summary, &*score.summary);
            prop_assert_eq!(items(&entry.tags).map(str::to_owned).collect::<Vec<_>>(), tags.clone());
        }
        prop_assert_eq!(summary, Some(words));
        prop_assert_eq!(read(text.as_bytes(), "xx").expect("an index").1, None);
    }
}
