//! The queries against the definition: what a cycle publishes is what counting event by event gives.

use agent::published::load_scores;
use serde_json::{Value, json};
use setting::Compat;

use super::lab::{Lab, as_of, lines};
use super::naive::{self, Figures};
use super::world::{END, INSTANTS, START, STEP, events};

/// Publishes, counts anew, and compares. Gives how many applications counted.
#[track_caller]
fn compare(events: &[Value], as_of_micros: i64, what: &str) -> i64 {
    let lab = Lab::of(Compat::None, events);
    let cycle = lab.cycle(as_of(as_of_micros));
    let scores = load_scores(&cycle.published.generation).expect("the scores");
    let (wanted, unattributed) = naive::figures(&lines(events), as_of_micros);
    assert_eq!(cycle.unattributed, unattributed, "{what}");
    let ids: Vec<String> = wanted.keys().map(|number| format!("P-{number:03}")).collect();
    assert_eq!(scores.iter().map(|score| score.id.clone()).collect::<Vec<_>>(), ids, "{what}");
    for (score, wanted) in scores.iter().zip(wanted.values()) {
        let is = Figures {
            seen: score.seen,
            applied: score.applied,
            withheld: score.withheld,
            offered: score.offered,
            unverified: score.unverified,
            withheld_met: score.withheld_met,
            withheld_missed: score.withheld_missed,
            weight: (score.weight * 1e9).round() / 1e9,
            iterations_since: score.iterations_since,
            files: score.files.clone(),
            used_micros: score.last_used.as_deref().map(micros),
        };
        let wanted = Figures { weight: (wanted.weight * 1e9).round() / 1e9, ..wanted.clone() };
        assert_eq!(is, wanted, "{what}: {}", score.id);
        #[expect(clippy::cast_precision_loss, reason = "small numbers")]
        let rate = (wanted.seen > 0).then(|| (wanted.weight / wanted.seen as f64).clamp(0.0, 1.0));
        let difference = rate.unwrap_or(9.0) - score.rate.unwrap_or(9.0);
        assert!(difference.abs() < 1e-9, "{what}: {}: {rate:?} and {:?}", score.id, score.rate);
    }
    scores.iter().map(|score| score.seen + score.withheld + score.offered).sum()
}

fn micros(time: &str) -> i64 {
    time.parse::<jiff::Timestamp>().expect("a time").as_microsecond()
}

#[test]
fn figures_are_what_counting_event_by_event_gives() {
    let counted: i64 = (0..8).map(|seed| compare(&events(seed, 400), END, &format!("seed {seed}"))).sum();
    assert!(counted > 8 * 80, "only {counted} applications counted");
}

#[test]
fn figures_of_a_past_instant_are_what_counting_up_to_it_gives() {
    for seed in 20..22 {
        compare(&events(seed, 400), START + INSTANTS / 3 * STEP, &format!("seed {seed}"));
    }
    compare(&events(24, 100), START - STEP, "before everything");
}

#[test]
fn what_is_said_of_a_run_counts_where_nothing_nearer_is_said() {
    let say = |mut event: Value, id: usize, more: Value| {
        event["id"] = format!("e{id}").into();
        event["project"] = "shop".into();
        event["ts"] = format!("2026-10-01T00:00:{id:02}Z").into();
        for (name, value) in more.as_object().expect("an object") {
            event[name] = value.clone();
        }
        event
    };
    let application = || json!({"kind": "application", "run_id": "r", "pattern_id": "P-001", "status": "applied"});
    let relevance = || json!({"kind": "relevance", "run_id": "r", "pattern_id": "P-001"});
    let citation = || json!({"kind": "citation", "run_id": "r", "pattern_id": "P-001"});
    let mut log = vec![
        say(json!({"kind": "learning", "summary": "check the lock"}), 1, json!({})),
        say(application(), 2, json!({"iteration": 1})),
        say(application(), 3, json!({"iteration": 2})),
        say(application(), 4, json!({})),
        say(application(), 5, json!({"iteration": 3})),
        say(json!({"kind": "goal", "run_id": "r", "goal": "g", "success": false}), 6, json!({})),
        say(relevance(), 7, json!({"score": 0.8})),
        say(relevance(), 8, json!({"score": 0.2, "iteration": 2})),
        say(relevance(), 9, json!({"score": 1, "application_id": "e5"})),
    ];
    let weight = |log: &[Value]| {
        compare(log, END, "a run");
        let (_, scores) = Lab::of(Compat::None, log).figures(as_of(END));
        (format!("{:.2}", scores[0].weight), scores[0].missed_unrated, scores[0].unverified)
    };
    assert_eq!(weight(&log), ("1.40".to_owned(), 0, 0), "0.4 + 0.1 + 0.4 + 0.5");
    log.push(say(citation(), 10, json!({"path": "a.rs", "verified": false})));
    log.push(say(citation(), 11, json!({"path": "a.rs", "verified": true, "iteration": 2})));
    assert_eq!(weight(&log), ("0.10".to_owned(), 0, 3), "the second iteration was checked on its own");
    log.push(say(citation(), 12, json!({"path": "a.rs", "verified": true})));
    assert_eq!(weight(&log), ("1.40".to_owned(), 0, 0), "the last check of a citation counts");
}
