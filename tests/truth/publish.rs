//! What is published about coins, and when nothing is.

use render::IndexReader;
use serde_json::json;
use setting::{Compat, Tossing};

use super::world::{DAY, HOUR, START, Story, pattern, truth};
use crate::law::lab::{Lab, as_of};

/// The loop's coin, and the coin and worth of each pattern.
fn index(bytes: &[u8]) -> (Option<f64>, Vec<(String, Option<f64>, Option<f64>)>) {
    let mut reader = IndexReader::open(bytes).expect("an index");
    let whole = reader.loop_coin();
    let mut entries = Vec::new();
    while let Some(entry) = reader.next_entry().expect("an entry") {
        entries.push((entry.id.clone().into_owned(), entry.coin, entry.worth));
    }
    reader.finish("").expect("the end");
    entries.sort_by(|one, other| one.0.cmp(&other.0));
    (whole, entries)
}

#[test]
fn coins_are_tossed_once_hooks_have_shown_patterns_and_goals_are_judged() {
    let mut story = Story::of(1, 1);
    let now = as_of(START + 2 * DAY);
    let lab = story.lab();
    let before = lab.publish(now);
    assert_eq!(index(&before["injection.tsv"]), (None, vec![("P-001".to_owned(), None, None)]));
    assert!(
        !before.contains_key("truth.json")
            && String::from_utf8_lossy(&before["injection.tsv"]).starts_with("# outerloop injection 1 1 0\n")
    );
    assert!(String::from_utf8_lossy(&before["report.md"]).contains("Nobody knows yet whether the loop helps"));
    story.tell(json!({"kind": "application", "run_id": "r", "pattern_id": "P-001", "status": "injected", "session": "s"}), START);
    assert_eq!(index(&story.lab().publish(now)["injection.tsv"]).0, None, "no outcome was ever judged");
    story.goal("r", true, START + HOUR);
    let lab = story.lab();
    let on = lab.publish(now);
    assert_eq!(index(&on["injection.tsv"]), (Some(0.9), vec![("P-001".to_owned(), Some(0.8), None)]));
    assert!(String::from_utf8_lossy(&on["report.md"]).contains("coins are tossed from now on"));
    for (compat, on) in [(Compat::None, Tossing::Never), (Compat::ClosedLoop, Tossing::Always)] {
        let mut lab = Lab::of(compat, &story.events);
        lab.settings.truth.on = on;
        let files = lab.publish(now);
        assert_eq!(index(&files["injection.tsv"]).0, None);
        assert!(!String::from_utf8_lossy(&files["injection.tsv"]).contains("coin"));
    }
}

/// Two patterns, of which the first helps and the second hurts a little.
fn lived() -> Story {
    let mut story = Story::of(3, 2);
    for number in 0..900 {
        let at = START + number * DAY / 45;
        let run = format!("run-{number}");
        if !story.toss_loop(&run, 0.9, at) {
            let success = story.chance(0.5);
            story.goal(&run, success, at + HOUR);
            continue;
        }
        let (first, second) = (story.toss(&run, 1, 0.8, at), story.toss(&run, 2, 0.8, at));
        let success = story.chance(0.5 + if first { 0.2 } else { 0.0 } - if second { 0.15 } else { 0.0 });
        story.goal(&run, success, at + HOUR);
    }
    story
}

#[test]
fn coins_that_adapt_follow_the_last_whole_day() {
    let story = lived();
    let mut lab = story.lab();
    lab.settings.truth.adapt = true;
    let noon = lab.publish(as_of(START + 20 * DAY + 12 * HOUR));
    let (whole, entries) = index(&noon["injection.tsv"]);
    assert_eq!(whole, Some(0.9));
    let coins: Vec<f64> = entries.iter().map(|entry| entry.1.expect("a coin")).collect();
    assert!(coins[0] >= 0.8 && coins[1] <= 0.35, "{coins:?}");
    assert!(coins.iter().all(|coin| learn::truth::LADDER.contains(coin)), "{coins:?}");
    let worth: Vec<f64> = entries.iter().map(|entry| entry.2.expect("a worth")).collect();
    assert!(worth[0] > worth[2] && worth[2] > worth[1], "what is not known stands between: {worth:?}");
    // An hour earlier or later on the same day, coins are the same.
    for hour in [1, 23] {
        let files = lab.publish(as_of(START + 20 * DAY + hour * HOUR));
        let other: Vec<f64> = index(&files["injection.tsv"]).1.iter().map(|entry| entry.1.expect("a coin")).collect();
        assert_eq!(coins, other);
    }
}

#[test]
fn what_a_person_rejects_has_no_coin_whatever_it_is_worth() {
    let mut story = lived();
    story.tell(json!({"kind": "curation", "action": "reject", "pattern_id": "P-001", "actor": "ann"}), START + 20 * DAY);
    let files = story.published(21);
    let ids: Vec<String> = index(&files["injection.tsv"]).1.into_iter().map(|entry| entry.0).collect();
    assert_eq!(ids, ["P-002", "P-003"]);
    assert!(pattern(&truth(&files), 1)["coin"].is_null());
}

#[test]
fn the_report_begins_with_whether_the_loop_helps() {
    let files = lived().published(21);
    let report = String::from_utf8_lossy(&files["report.md"]).into_owned();
    let told = truth(&files);
    let line = report.lines().nth(2).expect("a line");
    assert_eq!(line, told["sentence"], "{report}");
    assert!(line.starts_with("The loop helps: +") && line.ends_with("; 900 tasks, 10% without."), "{line}");
    assert!(report.contains("Measuring costs about "), "{report}");
    assert!(report.contains("| P-001 | helps | +"), "{report}");
    let metrics = String::from_utf8_lossy(&files["truth.prom"]).into_owned();
    assert!(metrics.contains("outerloop_truth_verdict{subject=\"P-001\"} 1\n"), "{metrics}");
    assert!(metrics.contains("outerloop_truth_units{subject=\"loop\"} 900\n"), "{metrics}");
}

#[test]
fn a_young_loop_is_told_how_long_it_takes() {
    let mut story = Story::of(1, 3);
    for number in 0..60 {
        let (run, at) = (format!("run-{number}"), START + number * DAY / 20);
        let is_shown = story.toss_loop(&run, 0.9, at) && story.toss(&run, 1, 0.8, at);
        let success = story.chance(if is_shown { 0.6 } else { 0.5 });
        story.goal(&run, success, at + HOUR);
    }
    let files = story.published(4);
    let sentence = truth(&files)["sentence"].as_str().expect("a sentence").to_owned();
    assert!(sentence.starts_with("Whether the loop helps: not enough data, about ") && sentence.contains(" days; "), "{sentence}");
    let days = truth(&files)["loop"]["days_left"].as_i64().expect("a forecast");
    // 15 judged units a day over four days, and about 3,900 units are needed at this coin.
    assert!((150..400).contains(&days), "{days}");
}
