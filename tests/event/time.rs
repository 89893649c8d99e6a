//! Times: which are taken, and that they are read as `jiff` reads them.

use event::{Code, Latest, Parser, parse_time};
use proptest::prelude::*;
use text::limit;

use crate::event::door::{CLOCK, cases, micros, refused, taken};

/// An event of that time.
fn at(time: &str) -> String {
    format!(r#"{{"kind":"build","ts":"{time}","run_id":"r-1","passed":true}}"#)
}

/// How `jiff` reads a time.
fn read_by_jiff(text: &str) -> Option<i64> {
    text.parse::<jiff::Timestamp>().ok().map(jiff::Timestamp::as_microsecond)
}

#[test]
fn times_are_read_in_all_forms_of_rfc_3339() {
    const NOON: i64 = 1_773_489_600_000_000;
    for (text, time) in [
        ("2026-03-14T12:00:00Z", NOON),
        ("2026-03-14t12:00:00z", NOON),
        ("2026-03-14 12:00:00Z", NOON),
        ("2026-03-14T12:00:00.0Z", NOON),
        ("2026-03-14T12:00:00.000000000Z", NOON),
        ("2026-03-14T12:00:00+00:00", NOON),
        ("2026-03-14T12:00:00-00:00", NOON),
        ("2026-03-14T13:30:00+01:30", NOON),
        ("2026-03-14T00:00:00-12:00", NOON),
        ("2026-03-15T02:00:00+14:00", NOON),
        ("2026-03-14T17:45:00.5+05:45", NOON + 500_000),
        ("2026-03-14T12:00:00.1Z", NOON + 100_000),
        ("2026-03-14T12:00:00.123456Z", NOON + 123_456),
        ("2026-03-14T12:00:00.000001Z", NOON + 1),
        ("1970-01-01T00:00:00Z", 0),
        ("1969-12-31T23:59:59Z", -1_000_000),
        ("2000-02-29T00:00:00Z", 951_782_400_000_000),
        ("2000-01-01T00:00:00Z", limit::EARLIEST_MICROS),
    ] {
        assert_eq!(parse_time(text), Some(time), "{text}");
    }
}

#[test]
fn what_is_finer_than_a_microsecond_is_cut_off() {
    for text in ["2026-03-14T12:00:00.1234569Z", "2026-03-14T12:00:00.123456999Z", "2026-03-14T13:00:00.123456999+01:00"] {
        assert_eq!(parse_time(text), Some(micros(CLOCK) + 123_456), "{text}");
    }
}

#[test]
fn a_leap_second_is_the_second_before_it() {
    assert_eq!(parse_time("2016-12-31T23:59:60Z"), parse_time("2016-12-31T23:59:59Z"));
    assert_eq!(parse_time("2017-01-01T00:59:60+01:00"), parse_time("2016-12-31T23:59:59Z"));
    assert!(taken(&at("2016-12-31T23:59:60Z")).time_micros < taken(&at("2017-01-01T00:00:00Z")).time_micros);
}

#[test]
fn what_is_no_time_is_refused() {
    for text in [
        "",
        "now",
        "1773489600",
        "2026-03-14",
        "12:00:00Z",
        "2026-03-14T12:00:00",
        "2026-03-14T12:00:00.Z",
        "2026-03-14T12:00:00.1234567890Z",
        "2026-03-14T24:00:00Z",
        "2026-03-14T12:60:00Z",
        "2026-03-14T12:00:61Z",
        "2026-02-29T12:00:00Z",
        "1900-02-29T12:00:00Z",
        "2026-04-31T12:00:00Z",
        "2026-13-01T12:00:00Z",
        "2026-00-01T12:00:00Z",
        "2026-01-00T12:00:00Z",
        "2026-3-14T12:00:00Z",
        "026-03-14T12:00:00Z",
        "2026-03-14T12:00:00ZZ",
        "2026-03-14T12:00:00Z ",
        " 2026-03-14T12:00:00Z",
        "2026-03-14T12:00:00+01:0",
        "2026-03-14T12:00:00+99:00",
        "2026-03-14T12:00:0٣Z",
        "２026-03-14T12:00:00Z",
        "+2026-03-14T12:00:00Z",
        "Sat, 14 Mar 2026 12:00:00 GMT",
    ] {
        assert_eq!(parse_time(text), None, "{text}");
        assert_eq!(refused(&at(text)).0, Code::OutOfRange, "{text}");
    }
}

#[test]
fn a_time_before_2000_means_a_broken_clock() {
    assert_eq!(taken(&at("2000-01-01T00:00:00Z")).time_micros, limit::EARLIEST_MICROS);
    assert_eq!(taken(&at("2000-01-01T00:00:00.000001Z")).time_micros, limit::EARLIEST_MICROS + 1);
    assert_eq!(taken(&at("1999-12-31T23:00:00-01:00")).time_micros, limit::EARLIEST_MICROS);
    for text in
        ["1999-12-31T23:59:59.999999Z", "1999-12-31T23:59:59.999999999Z", "2000-01-01T00:59:59+01:00", "1970-01-01T00:00:00Z"]
    {
        assert_eq!(refused(&at(text)), (Code::OutOfRange, format!("`ts` `{text}` is before 2000")));
    }
}

#[test]
fn a_time_may_lie_a_day_ahead_and_no_more() {
    let day_ahead = micros(CLOCK) + limit::AHEAD_MICROS;
    assert_eq!(taken(&at("2026-03-15T12:00:00Z")).time_micros, day_ahead);
    assert_eq!(taken(&at("2026-03-15T12:00:00.000000999Z")).time_micros, day_ahead);
    assert_eq!(taken(&at("2026-03-16T02:00:00+14:00")).time_micros, day_ahead);
    for text in ["2026-03-15T12:00:00.000001Z", "2026-03-15T12:00:01Z", "2026-03-15T12:00:00-00:01", "9999-12-30T00:00:00Z"] {
        let message = format!("`ts` `{text}` is more than a day in the future");
        assert_eq!(refused(&at(text)), (Code::OutOfRange, message));
    }
}

#[test]
fn a_clock_at_the_end_of_time_does_not_overflow() {
    let line = at("2026-03-14T12:00:00Z");
    assert!(Parser::new(Latest::from_clock(i64::MAX)).parse(&line).is_ok());
    assert!(Parser::new(Latest::from_clock(i64::MIN)).parse(&line).is_err());
}

#[test]
fn a_time_may_be_written_with_escapes() {
    assert_eq!(taken(&at("2026\\u002d03-14T12:00:00\\u005a")).time_micros, micros(CLOCK));
}

#[test]
fn every_day_of_five_centuries_is_read_as_jiff_reads_it() {
    for day in -150 * 365..350 * 365 {
        let text = jiff::Timestamp::from_second(day * 86_400 + 45_296).expect("within range").to_string();
        assert_eq!(parse_time(&text), Some((day * 86_400 + 45_296) * 1_000_000), "{text}");
    }
}

/// Seconds from 1970 to the end of 9998.
fn seconds() -> impl Strategy<Value = i64> {
    prop_oneof![0..253_370_764_800_i64, 946_684_800..4_102_444_800_i64]
}

/// A valid time in some form of RFC 3339, and its microseconds.
fn written_time() -> impl Strategy<Value = (String, i64)> {
    let fraction = proptest::option::of((0..1_000_000_000_u32, 1..=9_usize));
    let separator = proptest::sample::select(&["T", "t", " "][..]);
    // Minutes; None is Greenwich in letters.
    let offset = prop_oneof![Just(None), (-1439..=1439_i32).prop_map(Some)];
    (seconds(), fraction, separator, offset, any::<bool>()).prop_map(|(second, fraction, separator, offset, is_lower)| {
        let offset_seconds = offset.unwrap_or(0) * 60;
        let local = jiff::tz::Offset::from_seconds(offset_seconds).expect("within range");
        let local = local.to_datetime(jiff::Timestamp::from_second(second).expect("within range"));
        let digits = fraction.map_or(String::new(), |(nanos, digits)| format!(".{}", &format!("{nanos:09}")[..digits]));
        let part = format!("{:0<6}", digits.trim_start_matches('.'))[..6].parse::<i64>().expect("digits");
        let zone = match offset {
            None if is_lower => "z".to_owned(),
            None => "Z".to_owned(),
            Some(minutes) => {
                let sign = if minutes < 0 { '-' } else { '+' };
                format!("{sign}{:02}:{:02}", minutes.abs() / 60, minutes.abs() % 60)
            }
        };
        (format!("{}{separator}{}{digits}{zone}", local.date(), local.time()), second * 1_000_000 + part)
    })
}

/// What has the shape of a time from 1970 on, valid or not.
fn near_time() -> impl Strategy<Value = String> {
    let number = |most: u32| prop_oneof![8 => 0..=most, 1 => 0..100_u32];
    let zone = prop_oneof![4 => Just("Z".to_owned()), 1 => "[zZ+-]?[0-9]{0,2}:?[0-9]{0,2}"];
    (1970..9999_u32, number(12), number(31), number(23), number(59), number(60), r"(\.[0-9]{0,11})?", zone).prop_map(
        |(year, month, day, hour, minute, second, fraction, zone)| {
            format!("{year}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{fraction}{zone}")
        },
    )
}

proptest! {
    #![proptest_config(cases(4096))]

    #[test]
    fn a_valid_time_is_read_as_jiff_reads_it((text, time) in written_time()) {
        prop_assert_eq!(parse_time(&text), Some(time), "{}", text);
        prop_assert_eq!(parse_time(&text), read_by_jiff(&text), "{}", text);
    }

    #[test]
    fn what_has_the_shape_of_a_time_is_read_as_jiff_reads_it(text in near_time()) {
        prop_assert_eq!(parse_time(&text), read_by_jiff(&text), "{}", text);
    }

    #[test]
    fn a_time_with_one_character_replaced_is_read_as_jiff_reads_it(
        (text, _) in written_time(),
        // The year stays, and with it the range in which both keep microseconds.
        place in 4..35_usize,
        by in prop_oneof![proptest::sample::select(&['0', '9', '-', ':', 'T', 'Z', '.', ' ', '+'][..]), any::<char>()],
    ) {
        let text: String = text.chars().enumerate().map(|(at, character)| if at == place { by } else { character }).collect();
        prop_assert_eq!(parse_time(&text), read_by_jiff(&text), "{}", text);
    }

    #[test]
    fn no_text_makes_the_time_panic(text in any::<String>(), near in "[-+0-9TZtz:., \\[\\]é]{0,40}") {
        let _ = (parse_time(&text), parse_time(&near));
    }

    #[test]
    fn an_event_is_taken_exactly_if_its_time_lies_within_the_limits((text, time) in written_time(), clock in seconds()) {
        let line = at(&text);
        let is_within = time >= limit::EARLIEST_MICROS && time <= clock * 1_000_000 + limit::AHEAD_MICROS;
        let event = Parser::new(Latest::from_clock(clock * 1_000_000)).parse(&line).map(|event| event.time_micros);
        prop_assert_eq!(event.ok(), is_within.then_some(time), "{}", text);
    }
}
