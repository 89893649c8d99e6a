//! The same log gives the same bytes, however often and in whatever pieces it is worked through.

use fastrand::Rng;
use setting::Compat;

use super::lab::{INBOX, LARGE, Lab, as_of, assert_same, lines};
use super::world::{END, INSTANTS, START, STEP, events};

const MODES: [Compat; 2] = [Compat::None, Compat::ClosedLoop];

#[test]
fn the_same_log_gives_the_same_bytes() {
    for (seed, compat) in (30..).zip(MODES) {
        let events = events(seed, 300);
        let one = Lab::of(compat, &events);
        let other = Lab::new(compat);
        other.land(INBOX, &lines(&events));
        other.land(INBOX, b"no event, and no JSON\n");
        one.land(INBOX, b"no event, and no JSON\n");
        one.compact(LARGE);
        other.compact(8192);
        let first = one.publish(as_of(END));
        assert_same(&first, &other.publish(as_of(END)), &format!("seed {seed}"));
        assert_same(&first, &one.publish(as_of(END)), &format!("seed {seed}, again"));
        other.rewrite();
        assert_same(&first, &other.publish(as_of(END)), &format!("seed {seed}, with merged files"));
    }
}

#[test]
fn fifty_cycles_along_the_way_give_the_bytes_of_one_at_the_end() {
    for (seed, compat, cycles) in [(40, Compat::None, 50), (41, Compat::ClosedLoop, 5)] {
        let mut random = Rng::with_seed(seed);
        let bytes = lines(&events(seed, 200));
        let once = Lab::new(compat);
        once.land(INBOX, &bytes);
        once.compact(LARGE);
        let often = Lab::new(compat);
        let mut rest = bytes.as_slice();
        for cycle in 1..=cycles {
            // A piece may end in the middle of a line, as a writer's buffer does.
            let length = if cycle == cycles { rest.len() } else { random.usize(..rest.len() / 10) };
            let (piece, behind) = rest.split_at(length);
            often.land(INBOX, piece);
            rest = behind;
            often.compact([2048, LARGE][random.usize(..2)]);
            // Each of the many small files costs every query its time.
            if cycle % 4 == 0 {
                often.rewrite();
            }
            if cycle < cycles {
                often.cycle(as_of(START + random.i64(0..INSTANTS) * STEP));
            }
        }
        assert_same(&once.publish(as_of(END)), &often.publish(as_of(END)), &format!("{compat:?}"));
        let past = as_of(START + INSTANTS / 2 * STEP);
        assert_same(&once.publish(past), &often.publish(past), &format!("{compat:?}, a past instant"));
    }
}
