//! A past state can be had again, whatever has landed since.

use std::fs;

use engine::Horizon;
use serde_json::Value;
use setting::Compat;
use store::publish::load_current;

use super::lab::{INBOX, LARGE, Lab, as_of, assert_same, lines};
use super::world::{END, INSTANTS, START, STEP, events, time_text};
use crate::support::Scene;

/// The same events at other instants.
fn moved(mut events: Vec<Value>, mut instant: impl FnMut(i64) -> i64) -> Vec<Value> {
    for event in &mut events {
        let time: jiff::Timestamp = event["ts"].as_str().expect("a time").parse().expect("a time");
        event["ts"] = time_text(instant(time.as_microsecond())).into();
    }
    events
}

#[test]
fn what_happens_later_does_not_change_a_past_state() {
    for (seed, compat) in (70..).zip([Compat::None, Compat::ClosedLoop]) {
        let lab = Lab::of(compat, &events(seed, 250));
        let wanted = lab.publish(as_of(END));
        lab.land(INBOX, &lines(&moved(events(seed + 100, 250), |time| time + END - START + 1)));
        lab.compact(LARGE);
        assert_same(&wanted, &lab.publish(as_of(END)), &format!("seed {seed}"));
        assert_ne!(wanted, lab.publish(as_of(END + INSTANTS * STEP)), "seed {seed}: nothing happened later");
    }
}

#[test]
fn what_lands_later_does_not_change_what_was_known_then() {
    for (seed, compat) in (80..).zip([Compat::None, Compat::ClosedLoop]) {
        let lab = Lab::of(compat, &events(seed, 250));
        // Half of the log lies behind the horizon, and what lands later lies on both sides of it.
        let then = Horizon { as_of_micros: START + INSTANTS / 2 * STEP, through: lab.landed() };
        let wanted = lab.publish(then);
        lab.land(INBOX, &lines(&events(seed + 100, 250)));
        lab.compact(LARGE);
        assert_same(&wanted, &lab.publish(then), &format!("seed {seed}"));
        assert_ne!(wanted, lab.publish(as_of(then.as_of_micros)), "seed {seed}: nothing landed late");
        lab.rewrite();
        assert_same(&wanted, &lab.publish(then), &format!("seed {seed}, with merged files"));
    }
}

#[test]
fn the_program_gives_the_state_of_an_instant_at_which_it_published_again() {
    let scene = Scene::new();
    let state = || {
        let generation = load_current(&scene.workspace).expect("the link").expect("a generation");
        (generation.manifest.generation, generation.manifest.as_of)
    };
    let mut published = Vec::new();
    for seed in 90..93 {
        // Some of it lies ahead of the clock, and is not known yet when it lands.
        let ahead = store::clock::now().as_microsecond() + 80_000_000_000 - END;
        scene.land(INBOX, &lines(&moved(events(seed, 150), |time| time + ahead)));
        scene.land(INBOX, format!("no event {seed}\n").as_bytes());
        scene.done(&["run", "hourly"]);
        published.push(state());
    }
    for (generation, as_of) in &published {
        let folder = scene.workspace.published().join(generation);
        let pattern_file = fs::read(folder.join("org-patterns.toon")).expect("the pattern file");
        let out = scene.done(&["run", "learn", "--as-of", as_of, "--json"]).out;
        assert!(out.contains(&format!("\"{generation}\"")), "at {as_of} {generation} was published:\n{out}");
        assert_eq!(fs::read(folder.join("org-patterns.toon")).expect("the pattern file"), pattern_file);
    }
    assert_eq!(state(), published[2], "readers still see the latest");
}
