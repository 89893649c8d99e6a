//! Logs that mislead whoever counts without care.

use serde_json::{Value, json};

use super::world::{DAY, HOUR, START, Story, pattern, truth};
use crate::law::lab::as_of;

/// Runs that fit all patterns, some a day, for so many days; `succeed` gives a run's chance by which patterns it was shown.
fn work(story: &mut Story, days: i64, a_day: i64, patterns: usize, succeed: impl Fn(&[bool]) -> f64) {
    for number in 0..days * a_day {
        let at = START + number * DAY / a_day;
        let run = format!("run-{number}");
        let is_on = story.toss_loop(&run, 0.9, at);
        let shown: Vec<bool> = (1..=patterns).map(|pattern| is_on && story.toss(&run, pattern, 0.8, at)).collect();
        let success = story.chance(succeed(&shown));
        story.goal(&run, success, at + HOUR);
    }
}

#[test]
fn a_pattern_that_helps_and_one_that_hurts_are_told_from_one_that_does_nothing() {
    let mut story = Story::of(3, 1);
    work(&mut story, 30, 60, 3, |shown| 0.5 + if shown[0] { 0.25 } else { 0.0 } - if shown[1] { 0.25 } else { 0.0 });
    let files = story.published(31);
    let told = truth(&files);
    assert_eq!(pattern(&told, 1)["verdict"], "helps");
    assert_eq!(pattern(&told, 2)["verdict"], "hurts");
    let nothing = pattern(&told, 3);
    assert!(["not enough data", "no effect"].contains(&nothing["verdict"].as_str().expect("a word")), "{nothing}");
    let lift = |number: usize| pattern(&told, number)["lift"].as_f64().expect("a lift");
    assert!((lift(1) - 0.25).abs() < 0.1 && (lift(2) + 0.25).abs() < 0.1 && lift(3).abs() < 0.1, "{told}");
    // What hurts is shown rarely from now on, and not never: only so can it be acquitted.
    assert_eq!(pattern(&told, 2)["coin"], 0.1);
    assert_eq!(pattern(&told, 1)["coin"], 0.8);
}

#[test]
fn three_failures_over_56_shown_rules_give_no_verdict() {
    let mut story = Story::of(56, 2);
    for number in 0..3 {
        let (run, at) = (format!("run-{number}"), START + number * HOUR);
        (1..=56).for_each(|pattern| story.coin(&run, pattern, 0.8, true, at));
        story.goal(&run, false, at + HOUR);
    }
    let told = truth(&story.published(2));
    for number in 1..=56 {
        let verdict = pattern(&told, number);
        assert_eq!((&verdict["verdict"], &verdict["units"]), (&json!("not enough data"), &json!(3)));
        assert!((verdict["ln_hurts"].as_f64().expect("a number") - 0.157_440).abs() < 1e-6, "{verdict}");
    }
}

/// A pattern that helps is shown for hard work, one that does nothing for easy work.
fn confounded() -> Story {
    let mut story = Story::of(2, 3);
    for number in 0..2400 {
        let at = START + number * DAY / 60;
        let run = format!("run-{number}");
        let is_hard = number % 2 == 0;
        let is_shown = story.toss(&run, if is_hard { 1 } else { 2 }, 0.8, at);
        let chance = if is_hard { if is_shown { 0.35 } else { 0.1 } } else { 0.85 };
        let success = story.chance(chance);
        if is_shown {
            let pattern = if is_hard { "P-001" } else { "P-002" };
            let place = story.events.len() - 1;
            let shown = story.events[place]["id"].clone();
            story.tell(
                json!({"kind": "application", "run_id": run, "pattern_id": pattern, "status": "applied", "application_id": shown}),
                at + 1,
            );
        }
        story.goal(&run, success, at + HOUR);
    }
    story
}

#[test]
fn where_the_raw_rate_is_wrong_the_verdict_is_right() {
    let files = confounded().published(41);
    let told = truth(&files);
    let report: Value = serde_json::from_slice(&files["report.json"]).expect("JSON");
    let rate = |id: &str| {
        let lines = report["published"].as_array().expect("a list");
        lines.iter().find(|line| line["id"] == id).expect("the pattern")["rate"].as_f64().expect("a rate")
    };
    assert!(rate("P-001") < 0.6 && rate("P-002") > 0.85, "{} {}", rate("P-001"), rate("P-002"));
    assert_eq!(pattern(&told, 1)["verdict"], "helps");
    assert_ne!(pattern(&told, 2)["verdict"], "helps");
    let lift = pattern(&told, 1)["lift"].as_f64().expect("a lift");
    assert!((lift - 0.25).abs() < 0.1, "{lift}");
    // Rows that a later report took the place of had a coin all the same: nothing is lost.
    assert!(pattern(&told, 1)["ln_ratio_mismatch"].as_f64().expect("a number") < 2.0, "{told}");
}

#[test]
fn a_proven_help_overrules_prune() {
    let story = confounded();
    let mut lab = story.lab();
    lab.settings.flag.prune_below = 0.65;
    let files = lab.publish(as_of(START + 41 * DAY));
    let report: Value = serde_json::from_slice(&files["report.json"]).expect("JSON");
    let line = report["published"].as_array().expect("a list").iter().find(|line| line["id"] == "P-001").expect("it").clone();
    assert_ne!(line["flag"], "PRUNE");
    assert!(line["reason"].as_str().expect("a reason").contains("PRUNE overruled"), "{line}");
    // Without the coins the same rate is flagged.
    lab.settings.truth.on = setting::Tossing::Never;
    lab.settings.truth.metric = setting::Metric::Quality;
    let files = lab.publish(as_of(START + 41 * DAY));
    let report: Value = serde_json::from_slice(&files["report.json"]).expect("JSON");
    let line = report["published"].as_array().expect("a list").iter().find(|line| line["id"] == "P-001").expect("it").clone();
    assert_eq!(line["flag"], "PRUNE");
}

#[test]
fn lost_rows_raise_the_alarm_and_silence_the_verdict() {
    let mut story = Story::of(1, 4);
    work(&mut story, 30, 60, 1, |shown| if shown[0] { 0.8 } else { 0.5 });
    assert_eq!(pattern(&truth(&story.published(31)), 1)["verdict"], "helps");
    // A writer that drops every other row of the withheld.
    let mut place = 0;
    story.events.retain(|event| {
        place += usize::from(event["status"] == "withheld");
        event["status"] != "withheld" || place % 2 == 0
    });
    let files = story.published(31);
    assert_eq!(pattern(&truth(&files), 1)["verdict"], "broken");
    let report = String::from_utf8_lossy(&files["report.md"]).into_owned();
    assert!(report.contains("broken: rows are lost"), "{report}");
}

#[test]
fn a_coin_that_changes_in_mid_epoch_is_no_effect() {
    // Work gets easier while the coin goes from .2 to .9: counted together, shown runs would look better by far.
    let mut story = Story::of(1, 5);
    for number in 0..3000 {
        let at = START + number * DAY / 100;
        let run = format!("run-{number}");
        let (chance, base) = if number < 1500 { (0.2, 0.2) } else { (0.9, 0.8) };
        story.toss(&run, 1, chance, at);
        let success = story.chance(base);
        story.goal(&run, success, at + HOUR);
    }
    let told = truth(&story.published(31));
    let verdict = pattern(&told, 1);
    assert!(verdict["lift"].as_f64().expect("a lift").abs() < 0.06, "{verdict}");
    assert_ne!(verdict["verdict"], "helps");
    let mut shares = [[0_i64; 2]; 2];
    for sum in told["sums"].as_array().expect("sums") {
        let arm = usize::from(sum["is_shown"] == true);
        shares[arm][usize::from(sum["outcome_hundredths"] == 100)] += sum["units"].as_i64().expect("a number");
    }
    let rate = |arm: [i64; 2]| learn::real(arm[1]) / learn::real(arm[0] + arm[1]);
    assert!(rate(shares[1]) > rate(shares[0]) + 0.3, "the plain difference misleads: {shares:?}");
}

#[test]
fn the_first_judged_run_of_a_task_counts_and_the_first_coin() {
    let mut story = Story::of(1, 6);
    let turn = |story: &mut Story, run: &str, is_shown: bool, success: Option<bool>, at: i64| {
        story.coin(run, 1, 0.8, is_shown, at);
        let place = story.events.len() - 1;
        story.events[place]["unit"] = "ISSUE-17".into();
        if let Some(success) = success {
            // The goal names the run only.
            story.goal(run, success, at + HOUR);
        }
    };
    turn(&mut story, "r1", true, None, START);
    turn(&mut story, "r2", true, Some(false), START + 2 * HOUR);
    turn(&mut story, "r3", false, Some(true), START + 4 * HOUR);
    let told = truth(&story.published(2));
    assert_eq!(
        told["sums"],
        json!([{"subject": "P-001", "metric": "goal", "propensity_millionths": 800_000, "is_shown": true,
            "outcome_hundredths": 0, "units": 1}])
    );
}

#[test]
fn what_is_judged_too_late_does_not_count_and_is_told() {
    let mut story = Story::of(1, 7);
    for (run, hours) in [("early", 23), ("late", 25)] {
        story.toss_loop(run, 0.9, START);
        story.coin(run, 1, 0.8, true, START);
        story.goal(run, true, START + hours * HOUR);
    }
    story.toss_loop("never", 0.9, START);
    story.coin("never", 1, 0.8, true, START);
    story.toss_loop("yet", 0.9, START + 4 * DAY - HOUR);
    story.coin("yet", 1, 0.8, true, START + 4 * DAY - HOUR);
    let files = story.published(4);
    let verdict = pattern(&truth(&files), 1);
    let numbers = ["units", "late", "unjudged_shown", "pending", "drawn_shown"].map(|name| verdict[name].as_i64().expect("it"));
    assert_eq!(numbers, [1, 1, 2, 1, 4], "{verdict}");
    assert!(String::from_utf8_lossy(&files["report.md"]).contains("judged too late to count"));
}

#[test]
fn failures_of_infrastructure_are_not_judged() {
    let mut story = Story::of(1, 8);
    for (run, failure) in [("a", "Network"), ("b", "tests")] {
        story.coin(run, 1, 0.8, true, START);
        story.goal(run, false, START + HOUR);
        let report = json!({"kind": "run", "run_id": run, "result": "failure", "failure_type": failure, "adapters": ["terminal"]});
        story.tell(report, START + HOUR);
    }
    let verdict = pattern(&truth(&story.published(3)), 1);
    assert_eq!((&verdict["units"], &verdict["unjudged_shown"]), (&json!(1), &json!(1)));
}

#[test]
fn a_guard_that_gets_worse_blocks_a_verdict() {
    let mut story = Story::of(1, 9);
    for number in 0..2400 {
        let at = START + number * DAY / 80;
        let run = format!("run-{number}");
        let is_shown = story.toss(&run, 1, 0.8, at);
        let success = story.chance(if is_shown { 0.8 } else { 0.5 });
        story.goal(&run, success, at + HOUR);
        let tokens = if is_shown { 2000 + number % 100 } else { 1000 + number % 100 };
        let result = json!({"kind": "run", "run_id": run, "result": "success", "tokens": tokens, "adapters": ["terminal"]});
        story.tell(result, at + HOUR);
    }
    let mut lab = story.lab();
    let files = lab.publish(as_of(START + 31 * DAY));
    let verdict = pattern(&truth(&files), 1);
    assert_eq!((&verdict["verdict"], &verdict["guards"]), (&json!("blocked"), &json!(["tokens"])));
    lab.settings.truth.guards.clear();
    assert_eq!(pattern(&truth(&lab.publish(as_of(START + 31 * DAY))), 1)["verdict"], "helps");
}

#[test]
fn a_retest_begins_a_new_epoch_and_the_verdict_stands_until_it_speaks() {
    let mut story = Story::of(1, 10);
    work(&mut story, 20, 60, 1, |shown| if shown[0] { 0.9 } else { 0.5 });
    let before = pattern(&truth(&story.published(20)), 1);
    assert_eq!(before["verdict"], "helps");
    story.tell(json!({"kind": "curation", "action": "retest", "pattern_id": "P-001", "actor": "ann"}), START + 20 * DAY);
    story.toss("again", 1, 0.8, START + 21 * DAY);
    story.goal("again", true, START + 21 * DAY + HOUR);
    let after = pattern(&truth(&story.published(22)), 1);
    assert_eq!((&after["verdict"], &after["units"], &after["is_earlier"]), (&json!("helps"), &json!(1), &json!(true)));
    assert_eq!(after["epoch"], "2026-04-21");
}

#[test]
fn epochs_last_as_long_as_the_setting_says() {
    let mut story = Story::of(1, 11);
    for day in 0..100 {
        story.toss(&format!("run-{day}"), 1, 0.8, START + day * DAY);
        story.goal(&format!("run-{day}"), true, START + day * DAY + HOUR);
    }
    let verdict = pattern(&truth(&story.published(101)), 1);
    assert_eq!((&verdict["units"], &verdict["epoch"]), (&json!(10), &json!("2026-06-30")));
    // Bets of an epoch expect what the days before it brought.
    assert_eq!(verdict["baseline"], 0.95);
}

#[test]
fn an_experiment_is_judged_by_its_own_coin() {
    let mut story = Story::of(1, 12);
    for number in 0..1500 {
        let at = START + number * DAY / 60;
        let run = format!("run-{number}");
        let is_on = story.salt.toss(&run, "short", 0.5).is_shown;
        let arm = if is_on { "on" } else { "off" };
        story.tell(json!({"kind": "assignment", "run_id": run, "arm": arm, "propensity": 0.5, "experiment": "short"}), at);
        let success = story.chance(if is_on { 0.7 } else { 0.5 });
        story.goal(&run, success, at + HOUR);
    }
    let files = story.published(26);
    let told = truth(&files);
    assert_eq!(
        (&told["experiments"][0]["subject"], &told["experiments"][0]["verdict"]),
        (&json!("experiment short"), &json!("helps"))
    );
    assert!(told["loop"].is_null());
    assert!(String::from_utf8_lossy(&files["report.md"]).contains("The variant of experiment short helps: +"));
}

/// A lesson that a failed run taught is shown when its task is tried again: the failure before is not its doing. Words that come after
/// the time of settling, and goals that could not be measured, change nothing; and a goal may name the task that coins do not know.
#[test]
fn only_what_follows_a_coin_in_time_counts_as_its_effect() {
    let story = |odd: bool| {
        let mut story = Story::of(1, 3);
        for number in 0..300_i64 {
            let at = START + number * DAY / 20;
            let (first, again, task) = (format!("r{number}"), format!("again{number}"), format!("T-{number}"));
            let is_shown = story.salt.toss(&again, "P-001", 0.8).is_shown;
            let status = if is_shown { "injected" } else { "withheld" };
            let mut coin = json!({"kind": "application", "run_id": again, "pattern_id": "P-001", "status": status, "propensity": 0.8,
                "session": "s", "unit": task});
            if number % 3 == 0 {
                coin.as_object_mut().expect("an object").remove("unit");
            }
            let success = story.chance(if is_shown { 0.8 } else { 0.3 });
            let goal = |run: &str, success: bool| json!({"kind": "goal", "run_id": run, "goal": "tests", "success": success, "unit": task});
            if odd {
                story.tell(goal(&first, false), at - 5 * HOUR);
            }
            story.tell(coin, at);
            story.tell(goal(&again, success), at + HOUR);
            if odd {
                let mut unmeasured = goal(&again, false);
                unmeasured["measured"] = false.into();
                story.tell(unmeasured, at + 2 * HOUR);
                story.tell(goal(&again, !success), at + 60 * HOUR);
            }
        }
        let verdict = pattern(&truth(&story.published(30)), 1);
        (verdict["lift"].as_f64().expect("a lift"), verdict["units"].clone(), verdict["verdict"].clone())
    };
    let (plain, odd) = (story(false), story(true));
    assert_eq!((&plain.1, &plain.2), (&json!(300), &json!("helps")));
    assert_eq!(plain, odd);
}
