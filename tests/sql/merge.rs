//! However the rows are split into partitions, what is merged from them is the same.

use std::fmt::Write as _;

use proptest::prelude::*;

use super::stage::{Stage, shipped};

/// A row of `outcome` or `application`, and the partition that it falls into.
#[derive(Debug, Clone)]
struct Drawn {
    part: u8,
    hour: u32,
    project: u8,
    run: u8,
    iteration: Option<u8>,
    pattern: u8,
    status: &'static str,
    tier: &'static str,
    is_unverified: bool,
    is_goal_met: Option<bool>,
    relevance_millionths: Option<u32>,
    is_build_failed: Option<bool>,
}

/// How many partitions there are at most.
const PARTS: u8 = 4;

fn drawn() -> impl Strategy<Value = Drawn> {
    let what = (
        prop::sample::select(vec!["applied", "applied", "injected", "withheld", "offered"]),
        prop::sample::select(vec!["id", "exact", "case", "substring", "jaccard"]),
        any::<bool>(),
        any::<Option<bool>>(),
        prop::option::of(0..=1_000_000_u32),
        any::<Option<bool>>(),
    );
    // Three days and the midnights between them.
    let place = (0..PARTS, 0..72_u32, 0..2_u8, 0..2_u8, prop::option::of(0..3_u8), 1..4_u8);
    (place, what).prop_map(
        |(
            (part, hour, project, run, iteration, pattern),
            (status, tier, is_unverified, is_goal_met, relevance_millionths, is_build_failed),
        )| Drawn {
            part,
            hour,
            project,
            run,
            iteration,
            pattern,
            status,
            tier,
            is_unverified,
            is_goal_met,
            relevance_millionths,
            is_build_failed,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

    #[test]
    fn evidence_merged_from_any_partitions_is_the_evidence_of_all_rows(rows in prop::collection::vec(drawn(), 0..40)) {
        let values = values(&rows, |row, text| {
            let _ = write!(
                text, ", {}, '{}', '{}', {}, {}, {}, {}",
                row.pattern, row.status, row.tier, row.is_unverified, literal(row.is_goal_met), literal(row.relevance_millionths),
                literal(row.is_build_failed),
            );
        });
        let stage = Stage::empty();
        let merged = merge(&stage, &EVIDENCE, &values, Cut::Parts);
        prop_assert_eq!(merged.is_empty(), rows.is_empty());
        prop_assert_eq!(merged, merge(&stage, &EVIDENCE, &values, Cut::Nothing));
    }

    #[test]
    fn iterations_merged_from_any_partitions_are_the_iterations_of_all_rows(rows in prop::collection::vec(drawn(), 0..40)) {
        let values = values(&rows, |row, text| {
            // What is offered lands as injected beside a tool's use.
            let (status, tool) = if row.status == "offered" { ("injected", "'Bash'") } else { (row.status, "null") };
            let _ = write!(text, ", 'r{}', {}, '{status}', {tool}", row.run, literal(row.iteration));
        });
        let stage = Stage::empty();
        prop_assert_eq!(merge(&stage, &ITERATION, &values, Cut::Parts), merge(&stage, &ITERATION, &values, Cut::Nothing));
    }
}

/// From the rows of a table to what is merged from their partitions.
struct Road {
    table: &'static str,
    columns: &'static str,
    /// What is made of the rows before they are rolled up.
    between: Option<&'static str>,
    rollup: &'static str,
    merge: &'static str,
}

const EVIDENCE: Road = Road {
    table: "outcome",
    columns: "pattern, status, tier, is_unverified, is_goal_met, relevance_millionths, is_build_failed",
    between: Some("alike"),
    rollup: "rollup_evidence",
    merge: "merge_evidence",
};

const ITERATION: Road = Road {
    table: "application",
    columns: "run_id, iteration, status, tool",
    between: None,
    rollup: "rollup_iteration",
    merge: "merge_iteration",
};

/// How the rows are cut before they are rolled up.
#[derive(Debug, Clone, Copy)]
enum Cut {
    Parts,
    Nothing,
}

fn merge(stage: &Stage, road: &Road, values: &str, cut: Cut) -> Vec<String> {
    let Road { table, columns, between, rollup, merge } = *road;
    stage.aside(|| {
        stage.execute(&format!(
            "create table drawn as select * from (values {values}) as drawn (part, project, ts_us, date, {columns}) where part >= 0"
        ));
        let parts = match cut {
            Cut::Parts => (0..PARTS).map(|part| format!("part = {part}")).collect(),
            Cut::Nothing => vec!["true".to_owned()],
        };
        for part in parts {
            stage.execute(&format!("delete from {table}"));
            stage.execute(&format!("insert into {table} by name select * exclude (part) from drawn where {part}"));
            if let Some(made) = between {
                stage.execute(&format!("delete from {made}"));
                stage.execute(&format!("insert into {made} by name {}", shipped(made).text));
            }
            stage.execute(&format!("insert into {rollup} by name {}", shipped(rollup).text));
        }
        stage.answer(shipped(merge), None);
        // Not every merge promises an order.
        let mut lines = stage.lines(&stage.columns("actual"), "actual");
        lines.sort();
        lines
    })
}

/// The rows as values. One that no partition takes stands first: a list of values must not be empty.
fn values(rows: &[Drawn], own: impl Fn(&Drawn, &mut String)) -> String {
    let nobody = Drawn {
        part: 0,
        hour: 0,
        project: 0,
        run: 0,
        iteration: None,
        pattern: 0,
        status: "applied",
        tier: "id",
        is_unverified: false,
        is_goal_met: None,
        relevance_millionths: None,
        is_build_failed: None,
    };
    let mut text = String::new();
    for (row, part) in std::iter::once((&nobody, -1)).chain(rows.iter().map(|row| (row, i32::from(row.part)))) {
        let micros = (1_777_593_600 + i64::from(row.hour) * 3600) * 1_000_000;
        let separator = if text.is_empty() { "" } else { ", " };
        let day = row.hour / 24 + 1;
        let _ = write!(text, "{separator}({part}, 'p{}', {micros}, date '2026-05-0{day}'", row.project);
        own(row, &mut text);
        text.push(')');
    }
    text
}

fn literal(value: Option<impl ToString>) -> String {
    value.map_or_else(|| "null".to_owned(), |value| value.to_string())
}
