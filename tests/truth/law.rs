//! Verdicts are a function of the log: neither order, nor cadence, nor pruning can show; and sums are a plain count.

use std::collections::BTreeMap;

use batch::retention::{Moment, prune_lake};
use fastrand::Rng;
use serde_json::{Value, json};
use setting::Compat;
use store::deadline::Deadline;

use super::world::{DAY, HOUR, START, Story, truth};
use crate::law::lab::{INBOX, LARGE, Lab, as_of, assert_same, lines};
use crate::law::world::time_text;

const DAYS: i64 = 40;
const END: i64 = START + (DAYS + 2) * DAY;

/// Tasks with several runs, coins that change, goals that come late or never, and everything told twice now and then.
fn tangled(seed: u64) -> Vec<Value> {
    let mut story = Story::of(5, seed);
    for number in 0..500 {
        let at = START + story.random.i64(0..DAYS) * DAY + story.random.i64(0..24) * HOUR;
        let task = format!("T-{}", story.random.u32(0..300));
        let run = format!("run-{number}");
        let before = story.events.len();
        let is_on = story.toss_loop(&task, 0.9, at);
        for pattern in 1..=5 {
            if is_on && story.random.bool() {
                let chance = [0.1, 0.5, 0.8][story.random.usize(..3)];
                let is_shown = story.random.f64() < chance;
                story.coin(&task, pattern, chance, is_shown, at);
            }
        }
        let names_task = story.random.bool();
        for event in &mut story.events[before..] {
            event["run_id"] = run.clone().into();
            if names_task {
                event["unit"] = task.clone().into();
            }
        }
        if story.chance(0.8) {
            let success = story.random.bool();
            let later = at + story.random.i64(0..40) * HOUR;
            story.goal(&run, success, later);
            if names_task && story.random.bool() {
                let place = story.events.len() - 1;
                story.events[place]["unit"] = task.clone().into();
            }
        }
    }
    story.tell(json!({"kind": "curation", "action": "retest", "pattern_id": "P-002", "actor": "ann"}), START + 20 * DAY + HOUR);
    story.events
}

/// Patterns are numbered in the order of landing, so lessons come first.
fn shuffled(events: &[Value], seed: u64) -> Vec<Value> {
    let mut random = Rng::with_seed(seed);
    let (mut first, mut rest): (Vec<Value>, Vec<Value>) = events.iter().cloned().partition(|event| event["kind"] == "learning");
    random.shuffle(&mut rest);
    first.append(&mut rest);
    first
}

fn published(lab: &Lab) -> Value {
    truth(&lab.publish(as_of(END)))
}

#[test]
fn the_order_of_landing_cannot_show() {
    for seed in 1..4 {
        let events = tangled(seed);
        let first = published(&Lab::of(Compat::None, &events));
        for again in 0..2 {
            assert_eq!(first, published(&Lab::of(Compat::None, &shuffled(&events, again))), "seed {seed}");
        }
    }
}

#[test]
fn the_cadence_of_cycles_cannot_show() {
    let events = tangled(7);
    let once = Lab::of(Compat::None, &events);
    let often = Lab::new(Compat::None);
    for (number, part) in events.chunks(events.len() / 12 + 1).enumerate() {
        often.land(INBOX, &lines(part));
        often.compact(LARGE);
        often.cycle(as_of(START + i64::try_from(number).expect("few") * 3 * DAY));
        if number % 4 == 0 {
            often.rewrite();
        }
    }
    assert_same(&once.publish(as_of(END)), &often.publish(as_of(END)), "at the end");
    let middle = as_of(START + 15 * DAY);
    assert_same(&once.publish(middle), &often.publish(middle), "in the middle");
}

#[test]
fn pruning_changes_no_byte() {
    for seed in [11, 12] {
        let events = tangled(seed);
        let (whole, mut pruned) = (Lab::of(Compat::None, &events), Lab::of(Compat::None, &events));
        let wanted = whole.publish(as_of(END));
        for days in [30, 15] {
            pruned.settings.retention.lake_days = days;
            let now = jiff::Timestamp::from_microsecond(END).expect("a time");
            let moment = Moment { now, deadline: Deadline::NEVER, is_dry: false };
            let gone = prune_lake(&pruned.workspace, &pruned.settings, moment, &mut |work| work()).expect("pruned");
            assert!(gone.events > 50, "{gone:?}");
            assert_same(&wanted, &pruned.publish(as_of(END)), &format!("seed {seed}, {days} days kept"));
        }
        // A later coin of a task whose first one was pruned is not its first.
        let late = json!({"kind": "application", "id": "late", "ts": time_text(END - HOUR), "project": "shop", "run_id": "late",
            "unit": "T-1", "pattern_id": "P-001", "status": "injected", "propensity": 0.8});
        for lab in [&whole, &pruned] {
            lab.land(INBOX, &lines(std::slice::from_ref(&late)));
            lab.compact(LARGE);
        }
        assert_same(&whole.publish(as_of(END)), &pruned.publish(as_of(END)), "a later coin");
    }
}

/// What the sums must be, counted plainly: unit by unit, coin by coin.
fn counted(events: &[Value]) -> BTreeMap<(String, i64, bool, i64), i64> {
    let micros = |event: &Value| event["ts"].as_str().expect("a time").parse::<jiff::Timestamp>().expect("a time").as_microsecond();
    let text = |event: &Value, name: &str| event[name].as_str().map(str::to_owned);
    let mut tasks: BTreeMap<String, String> = BTreeMap::new();
    for event in events.iter().filter(|event| event["propensity"].is_number()) {
        if let Some(unit) = text(event, "unit") {
            tasks.insert(text(event, "run_id").expect("a run"), unit);
        }
    }
    let has_coin = |run: &str| events.iter().any(|event| event["propensity"].is_number() && event["run_id"] == run);
    // The coins of a run say what its unit is; where it has none, the goal does.
    let unit_of = |event: &Value| {
        let run = text(event, "run_id").expect("a run");
        let own = || if has_coin(&run) { Some(run.clone()) } else { text(event, "unit") };
        tasks.get(&run).cloned().or_else(own).unwrap_or_else(|| run.clone())
    };
    // Each run has one goal here. Of several at an instant the better one comes first.
    let mut outcomes: BTreeMap<String, Vec<(i64, bool, String)>> = BTreeMap::new();
    for event in events.iter().filter(|event| event["kind"] == "goal") {
        let told = (micros(event), event["success"] != true, text(event, "run_id").expect("a run"));
        outcomes.entry(unit_of(event)).or_default().push(told);
    }
    let mut coins: BTreeMap<(String, String), (i64, i64, bool)> = BTreeMap::new();
    let mut runs: BTreeMap<(String, String), (i64, String)> = BTreeMap::new();
    for event in events.iter().filter(|event| event["propensity"].is_number()) {
        let is_loop = event["kind"] == "assignment";
        let subject = if is_loop { "loop".to_owned() } else { text(event, "pattern_id").expect("a pattern") };
        let is_shown = if is_loop { event["arm"] == "on" } else { event["status"] != "withheld" };
        let chance = (event["propensity"].as_f64().expect("a chance") * 1e6).round() as i64;
        // A coin names its task, or is its run's.
        let unit = text(event, "unit").unwrap_or_else(|| text(event, "run_id").expect("a run"));
        let told = (micros(event), chance, is_shown);
        let run = (micros(event), text(event, "run_id").expect("a run"));
        let first = runs.entry((subject.clone(), unit.clone())).or_insert_with(|| run.clone());
        *first = first.clone().min(run);
        let known = coins.entry((subject, unit)).or_insert(told);
        *known = (*known).min(told);
    }
    let retest = START + 20 * DAY + HOUR;
    let mut sums = BTreeMap::new();
    for ((subject, unit), (at, chance, is_shown)) in coins {
        // What was judged before the coin, and not in its own run, is not its effect.
        let run = &runs[&(subject.clone(), unit.clone())].1;
        let is_after = |told: &&(i64, bool, String)| told.0 >= at || told.2 == *run;
        let Some((ended, is_missed, _)) = outcomes.get(&unit).and_then(|told| told.iter().filter(is_after).min()) else { continue };
        if *ended <= at + DAY && (subject != "P-002" || at >= retest) {
            *sums.entry((subject, chance, is_shown, if *is_missed { 0 } else { 100 })).or_default() += 1;
        }
    }
    sums
}

#[test]
fn the_sums_are_a_plain_count() {
    for seed in 21..25 {
        let events = tangled(seed);
        let told = published(&Lab::of(Compat::None, &shuffled(&events, seed)));
        let mut sums = BTreeMap::new();
        for sum in told["sums"].as_array().expect("sums") {
            let number = |name: &str| sum[name].as_i64().expect("a number");
            let subject = sum["subject"].as_str().expect("a subject").to_owned();
            sums.insert(
                (subject, number("propensity_millionths"), sum["is_shown"] == true, number("outcome_hundredths")),
                number("units"),
            );
        }
        assert_eq!(sums, counted(&events), "seed {seed}");
        assert!(sums.len() > 30);
    }
}
