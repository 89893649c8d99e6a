//! Nothing but the order of lessons and decisions counts, and no event counts twice.

use fastrand::Rng;
use serde_json::Value;
use setting::Compat;

use super::lab::{INBOX, LARGE, Lab, as_of, assert_same, lines};
use super::world::{END, INSTANTS, START, STEP, events, is_folded};

/// The events in another order, in which lessons and decisions still follow each other as they did.
fn shuffled(events: &[Value], random: &mut Rng) -> Vec<Value> {
    let mut order: Vec<bool> = events.iter().map(is_folded).collect();
    random.shuffle(&mut order);
    let mut folded = events.iter().filter(|event| is_folded(event));
    let mut others: Vec<&Value> = events.iter().filter(|event| !is_folded(event)).collect();
    random.shuffle(&mut others);
    let mut others = others.into_iter();
    order.iter().filter_map(|is_folded| if *is_folded { folded.next() } else { others.next() }).cloned().collect()
}

#[test]
fn the_order_of_all_but_lessons_and_decisions_does_not_count() {
    for seed in 50..53 {
        let mut random = Rng::with_seed(seed);
        let events = events(seed, 300);
        let other = shuffled(&events, &mut random);
        assert_ne!(events, other);
        let wanted = Lab::of(Compat::None, &events).figures(as_of(END));
        assert_eq!(wanted, Lab::of(Compat::None, &other).figures(as_of(END)), "seed {seed}");
        // The same in several files, of which the first holds what must stay in order.
        let apart = Lab::new(Compat::None);
        for event in &other {
            let file = if is_folded(event) { INBOX } else { ["b.jsonl", "c.jsonl", "d.jsonl"][random.usize(..3)] };
            apart.land(file, &lines(std::slice::from_ref(event)));
            if random.u32(..60) == 0 {
                apart.compact(8192);
            }
        }
        apart.compact(LARGE);
        assert_eq!(wanted, apart.figures(as_of(END)), "seed {seed}, in several files");
    }
}

#[test]
fn events_that_are_delivered_twice_count_once() {
    for (seed, compat) in (60..).zip([Compat::None, Compat::ClosedLoop]) {
        let mut random = Rng::with_seed(seed);
        let events = events(seed, 300);
        let lab = Lab::of(compat, &events);
        let past = as_of(START + INSTANTS / 2 * STEP);
        let wanted = [lab.publish(as_of(END)), lab.publish(past)];
        lab.land(INBOX, &lines(&events));
        lab.land("b.jsonl", &lines(&shuffled(&events, &mut random)));
        lab.compact(8192);
        for (wanted, horizon) in wanted.iter().zip([as_of(END), past]) {
            assert_same(wanted, &lab.publish(horizon), &format!("seed {seed}, delivered again"));
        }
        let doubled = doubled(&events, &mut random);
        assert_eq!(doubled.len(), 2 * events.len());
        let figures = lab.figures(as_of(END));
        assert_eq!(figures, Lab::of(compat, &doubled).figures(as_of(END)), "seed {seed}, doubled");
    }
}

/// The events with every redelivery somewhere behind its event.
fn doubled(events: &[Value], random: &mut Rng) -> Vec<Value> {
    let mut doubled = Vec::new();
    let mut waiting = Vec::new();
    for event in events {
        doubled.push(event.clone());
        waiting.push(event.clone());
        while random.bool() && !waiting.is_empty() {
            doubled.push(waiting.swap_remove(random.usize(..waiting.len())));
        }
    }
    doubled.append(&mut waiting);
    doubled
}
