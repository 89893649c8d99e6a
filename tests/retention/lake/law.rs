//! The law: with sums in the place of old days every published byte stays what it is.

use batch::retention::{LakePruned, Moment, prune_lake};
use event::Kind;
use proptest::prelude::*;
use serde_json::{Value, json};
use setting::Compat;
use store::deadline::Deadline;
use store::lake::{Past, list_partitions};
use text::day::Day;

use crate::law::lab::{INBOX, LARGE, Lab, as_of, assert_same, lines};
use crate::law::world::{END, START, events, time_text};

const DAY: i64 = 86_400_000_000;
/// How much longer than the made-up two days the events take.
const STRETCH: i64 = 43;
/// The instant that figures are worked out for, after all events.
const NOW: i64 = START + (END - START) * STRETCH + DAY / 2;
/// The agent whose work builds judge.
const BUILDER: &str = "builder";
/// Words that nobody knows until a lesson teaches them.
const UNKNOWN: &str = "Fold umbrellas inside doorways";

/// Events of sixty days, in which runs last for ever or for some days.
fn world(seed: u64, run_days: i64) -> Vec<Value> {
    let mut events = events(seed, 260);
    let umbrellas = (0..6).flat_map(|number| umbrella(number, number * 9));
    for (number, event) in (0..).zip(&mut events) {
        let time: jiff::Timestamp = event["ts"].as_str().expect("a time").parse().expect("a time");
        let time = START + (time.as_microsecond() - START) * STRETCH;
        event["ts"] = time_text(time).into();
        if let Some(run) = event["run_id"].as_str() {
            event["run_id"] = format!("{run}-{}", (time - START) / (DAY * run_days)).into();
        }
        match event["kind"].as_str() {
            Some("application") if number % 2 == 0 => event["agent"] = BUILDER.into(),
            Some("build") if number % 3 > 0 => event["iteration"] = (number % 6).into(),
            _ => {}
        }
    }
    events.extend(umbrellas);
    events
}

/// An application of words that nobody knows, and what was found out about it in the same words.
fn umbrella(number: i64, day: i64) -> [Value; 3] {
    let event = |kind: &str, minute: i64| {
        let ts = time_text(START + day * DAY + minute * 60_000_000);
        json!({"kind": kind, "id": format!("u-{number}-{minute}"), "ts": ts, "project": "shop", "run_id": format!("wet-{number}"),
            "iteration": number % 2, "trigger": UNKNOWN})
    };
    let (mut shown, mut rated, mut cited) = (event("application", 0), event("relevance", 1), event("citation", 2));
    shown["status"] = "applied".into();
    rated["score"] = json!(0.25);
    rated["method"] = "context_tags".into();
    cited["verified"] = (number % 3 > 0).into();
    [shown, rated, cited]
}

/// What lands after pruning: a lesson in words that were used long before, and applications of the last days.
fn latecomers() -> Vec<Value> {
    let mut late =
        vec![json!({"kind": "learning", "id": "late-lesson", "ts": time_text(NOW - DAY), "project": "shop", "summary": UNKNOWN})];
    for number in 0..4 {
        late.push(json!({"kind": "application", "id": format!("late-{number}"), "ts": time_text(NOW - number * 3 * DAY),
            "project": "bank", "run_id": "late-run", "iteration": number, "status": "applied", "trigger": UNKNOWN}));
    }
    late
}

fn lab(events: &[Value]) -> Lab {
    let mut lab = Lab::of(Compat::None, events);
    lab.settings.rate.build_agents = vec![BUILDER.to_owned()];
    lab.settings.rate.failed_build = 0.5;
    lab
}

fn prune(lab: &mut Lab, days: u32) -> LakePruned {
    lab.settings.retention.lake_days = days;
    let now = jiff::Timestamp::from_microsecond(NOW).expect("a time");
    let moment = Moment { now, deadline: Deadline::NEVER, is_dry: false };
    let pruned = prune_lake(&lab.workspace, &lab.settings, moment, &mut |work| work()).expect("pruned");
    assert_eq!(pruned.before, Some(Day::of_micros(NOW - i64::from(days) * DAY).to_string()));
    assert!(pruned.events > 10 && pruned.files > 5, "hardly anything was pruned: {pruned:?}");
    let past = Past::load(&lab.workspace).expect("it can be read").expect("a past");
    for found in list_partitions(&lab.workspace).expect("a list") {
        let first = past.first_kept(found.partition.kind);
        assert!(first.is_none_or(|first| found.partition.day >= first), "{:?} is still there", found.partition);
    }
    pruned
}

/// The one table that pruning may change has sums in the place of single rows: rates follow from it all the same.
#[track_caller]
fn assert_sums(lab: &Lab) {
    let current = lab.workspace.published().join("current");
    let connection = duckdb::Connection::open_in_memory().expect("the engine");
    let count = |sql: &str| -> i64 { connection.query_row(sql, [], |row| row.get(0)).expect("a count") };
    let summed = format!(
        "select pattern, sum(weight) / sum(applications) as rate from '{}' where weight is not null group by pattern",
        current.join("outcome.parquet").display()
    );
    let rated = format!("select id, rate from '{}' where rate is not null", current.join("patterns.parquet").display());
    let joined = format!("from ({summed}) as told full join ({rated}) as published on pattern = id");
    assert!(count(&format!("select count(*) {joined}")) > 0, "nothing is compared");
    let other = format!("select count(*) {joined} where coalesce(abs(told.rate - published.rate), 1) > 1e-9");
    assert_eq!(count(&other), 0, "rates that do not follow from the sums");
}

fn applications(lab: &Lab) -> usize {
    let partitions = list_partitions(&lab.workspace).expect("a list");
    partitions.iter().filter(|found| found.partition.kind == Kind::Application).count()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, max_shrink_iters: 0, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn pruning_changes_no_byte_of_what_is_published(seed in any::<u64>(), run_days in prop::sample::select(vec![2, 5, 12, 100])) {
        let events = world(seed, run_days);
        let (whole, mut twice, mut once) = (lab(&events), lab(&events), lab(&events));
        let wanted = whole.publish(as_of(NOW));
        prune(&mut twice, 40);
        assert_same(&wanted, &twice.publish(as_of(NOW)), "pruned once");
        prune(&mut twice, 20);
        assert_same(&wanted, &twice.publish(as_of(NOW)), "pruned twice");
        assert_sums(&twice);
        prune(&mut once, 20);
        prop_assert_eq!(Past::load(&once.workspace).expect("a past"), Past::load(&twice.workspace).expect("a past"));
        prop_assert!(applications(&once) < applications(&whole));

        for lab in [&whole, &twice] {
            lab.land(INBOX, &lines(&latecomers()));
            lab.compact(LARGE);
        }
        let late = whole.publish(as_of(NOW));
        prop_assert!(late != wanted);
        assert_same(&late, &twice.publish(as_of(NOW)), "what was pruned counts for a lesson that is learned later");
        assert_sums(&twice);
    }
}
