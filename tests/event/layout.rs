//! A parser learns what lines look like. What it has learned makes it faster and changes nothing else.

use event::Parser;
use proptest::prelude::*;
use proptest::sample::{Index, select, subsequence};

use crate::event::door::{TIME, cases, fresh, run};
use crate::event::table::{Field, TABLES, Table};

/// How the members of a line are put together.
#[derive(Debug, Clone, Copy)]
enum Spacing {
    Compact,
    Spaced,
    Padded,
}

impl Spacing {
    fn join(self, members: &[(String, String)]) -> String {
        let (colon, comma, pad) = match self {
            Self::Compact => (":", ",", ""),
            Self::Spaced => (": ", ", ", ""),
            Self::Padded => (" : ", " ,\t", " "),
        };
        let members: Vec<_> = members.iter().map(|(name, value)| format!("\"{name}\"{colon}{value}")).collect();
        format!("{{{pad}{}{pad}}}", members.join(comma))
    }
}

/// One field as a member: under any of its names, with either of its values, null or a value of another type.
fn member(field: &'static Field) -> impl Strategy<Value = (String, String)> {
    let names = [&[field.name], field.aliases].concat();
    let value = prop_oneof![20 => Just(field.values[0]), 8 => Just(field.values[1]), 1 => Just("null"), 1 => Just("[{}]")];
    (prop_oneof![3 => Just(field.name), 1 => select(names)], value).prop_map(|(name, value)| (name.to_owned(), value.to_owned()))
}

/// What every event carries, under any of its names.
fn envelope(table: &'static Table) -> impl Strategy<Value = Vec<(String, String)>> {
    let own = |text: &str| text.to_owned();
    let time =
        prop_oneof![4 => Just("ts"), 1 => select(&["timestamp", "createdAt", "created_at", "captured_at", "evaluated_at"][..])];
    let rest = [
        ("project", "\"shop\""),
        ("projectId", "\"shop\""),
        ("id", "7"),
        ("event_id", "\"e/1\""),
        ("x", "{\"y\":[]}"),
        ("ß", "\"\\u00df\""),
    ];
    (time, subsequence(rest.to_vec(), 0..4)).prop_map(move |(time, rest)| {
        let mut members = vec![(own("kind"), format!("\"{}\"", table.kind)), (own(time), format!("\"{TIME}\""))];
        members.extend(rest.into_iter().map(|(name, value)| (own(name), own(value))));
        members
    })
}

/// A line of any kind: some or all of its fields, in the usual order or in any other, sometimes cut off.
fn any_line() -> impl Strategy<Value = String> {
    let members = (0..TABLES.len()).prop_flat_map(|number| {
        let table = &TABLES[number];
        let needed: Vec<_> = table.fields.iter().filter(|field| table.least.contains(&field.name)).map(member).collect();
        let others: Vec<&'static Field> = table.fields.iter().filter(|field| !table.least.contains(&field.name)).collect();
        let count = others.len();
        let others = subsequence(others, 0..=count).prop_flat_map(|fields| fields.into_iter().map(member).collect::<Vec<_>>());
        (envelope(table), needed, others).prop_map(|(envelope, needed, others)| [envelope, needed, others].concat())
    });
    let ordered = members.prop_flat_map(|members| prop_oneof![Just(members.clone()), Just(members).prop_shuffle()]);
    let spacing = prop_oneof![4 => Just(Spacing::Compact), 1 => Just(Spacing::Spaced), 1 => Just(Spacing::Padded)];
    (ordered, spacing, proptest::option::weighted(0.05, any::<Index>())).prop_map(|(members, spacing, cut)| {
        let line = spacing.join(&members);
        let end = cut.map_or(line.len(), |cut| cut.index(line.len()));
        line.chars()
            .scan(0, |at, character| {
                *at += character.len_utf8();
                (*at <= end).then_some(character)
            })
            .collect()
    })
}

/// Asserts that a parser reads a line as one that has seen nothing does.
#[track_caller]
fn assert_as_fresh(parser: &mut Parser, line: &str) {
    assert_eq!(parser.parse(line), fresh().parse(line), "{line}");
}

#[test]
fn names_that_begin_alike_are_told_apart_however_often_they_were_seen() {
    let mut parser = fresh();
    for _ in 0..3 {
        for members in [
            r#""retries":1,"retryCount":1,"retry_count":1"#,
            r#""retry_count":1,"retry":2,"retries ":3"#,
            r#""retries" :1,"retries_":2"#,
            r#""retr\u0069es":1"#,
            r#""quality":0,"qualityScore":0,"qualit":1"#,
            r#""x":{"retries":5},"y":["retries"],"z":",\"retries\":1""#,
        ] {
            assert_as_fresh(&mut parser, &run(members));
        }
    }
}

#[test]
fn a_likely_name_without_a_value_or_an_end_is_no_json() {
    let line = run(r#""retries":1,"quality":1"#);
    let mut parser = fresh();
    parser.parse(&line).expect("taken");
    for (at, _) in line.char_indices() {
        assert_as_fresh(&mut parser, &line[..at]);
    }
    for wrong in
        [r#""retries":,"quality":1"#, r#""retries":1,,"quality":1"#, r#""retries":1"quality":1"#, r#""retries":1,"quality":1,"#]
    {
        assert_as_fresh(&mut parser, &run(wrong));
    }
}

#[test]
fn more_names_than_are_remembered_change_nothing() {
    let mut parser = fresh();
    for table in TABLES {
        for _ in 0..2 {
            for field in table.fields {
                for name in [&[field.name], field.aliases].concat() {
                    assert_as_fresh(&mut parser, &table.line_with(field, &[(name, field.values[0])]));
                    assert_as_fresh(&mut parser, &table.line_with(field, &[("x", "1"), (name, field.values[1]), ("y", "2")]));
                }
            }
        }
    }
}

#[test]
fn a_contradiction_is_found_between_likely_names_too() {
    let mut parser = fresh();
    for members in [
        r#""retries":1,"retryCount":1"#,
        r#""retries":1,"retryCount":2"#,
        r#""retryCount":2,"retries":1"#,
        r#""retries":1,"retries":2"#,
    ] {
        for _ in 0..2 {
            assert_as_fresh(&mut parser, &run(members));
        }
    }
}

proptest! {
    #![proptest_config(cases(1024))]

    #[test]
    fn lines_in_any_order_are_read_as_by_a_parser_that_has_seen_nothing(lines in proptest::collection::vec(any_line(), 1..24), again in any::<Index>()) {
        let mut parser = fresh();
        for line in lines.iter().chain(&lines[again.index(lines.len())..]) {
            prop_assert_eq!(parser.parse(line), fresh().parse(line), "{}", line);
        }
    }

    #[test]
    fn the_members_of_a_line_may_stand_in_any_order(
        members in Just(TABLES).prop_flat_map(|tables| {
            let run = tables.iter().find(|table| table.kind == "run").expect("a kind");
            let members: Vec<_> = run.fields.iter().map(|field| (field.name.to_owned(), field.values[0].to_owned())).collect();
            Just(members).prop_shuffle()
        }),
    ) {
        let line = |members: &[(String, String)]| {
            let envelope = [("ts".to_owned(), format!("\"{TIME}\"")), ("kind".to_owned(), "\"run\"".to_owned())];
            Spacing::Compact.join(&[&envelope, members].concat())
        };
        let mut sorted = members.clone();
        sorted.sort();
        let (shuffled, sorted) = (line(&members), line(&sorted));
        prop_assert_eq!(fresh().parse(&shuffled).expect("taken").body, fresh().parse(&sorted).expect("taken").body);
    }
}
