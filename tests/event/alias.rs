//! Other systems' spellings: the same event under every name, and no event where two names disagree.

use event::Code;

use crate::event::door::{TIME, line, refused, refused_code, run, taken};
use crate::event::table::{Field, Table, fields};

/// Every pair of a field's own name and another spelling of it.
fn spellings() -> impl Iterator<Item = (&'static Table, &'static Field, &'static str)> {
    fields().flat_map(|(table, field)| field.aliases.iter().map(move |alias| (table, field, *alias)))
}

/// The spellings of what every event carries, each with two values that differ.
const ENVELOPE: [(&str, &[&str], [&str; 2]); 3] = [
    (
        "ts",
        &["timestamp", "createdAt", "created_at", "captured_at", "evaluated_at"],
        [r#""2026-03-14T09:26:53Z""#, r#""2026-03-14T09:26:54Z""#],
    ),
    ("project", &["project_id", "projectId"], [r#""shop""#, r#""office""#]),
    ("id", &["event_id", "eventId"], [r#""e-1""#, r#""e-2""#]),
];

/// A build with these members besides its own.
fn build(members: &[(&str, &str)]) -> String {
    let mut members: Vec<_> = members.iter().map(|(name, value)| format!(r#""{name}":{value}"#)).collect();
    if !members.iter().any(|member| member.contains("2026-")) {
        members.push(format!(r#""ts":"{TIME}""#));
    }
    format!(r#"{{"kind":"build","run_id":"r-1","passed":true,{}}}"#, members.join(","))
}

#[test]
fn every_spelling_of_a_field_gives_the_same_event() {
    for (table, field, alias) in spellings() {
        for value in field.values {
            let (own, other) = (table.line_with(field, &[(field.name, value)]), table.line_with(field, &[(alias, value)]));
            assert_eq!(taken(&other).body, taken(&own).body, "{other}");
            assert_eq!(taken(&other).extra, None, "{other}");
        }
    }
}

#[test]
fn every_spelling_of_the_time_the_project_and_the_id_gives_the_same_event() {
    for (name, aliases, values) in ENVELOPE {
        for alias in aliases {
            let (own, other) = (build(&[(name, values[0])]), build(&[(alias, values[0])]));
            let (own, other) = (taken(&own), taken(&other));
            assert_eq!((other.time_micros, &other.project), (own.time_micros, &own.project), "{alias}");
            assert_eq!((&other.body, &other.extra), (&own.body, &None), "{alias}");
            assert!(name != "id" || own.id == other.id, "{alias}");
        }
    }
}

#[test]
fn two_spellings_that_agree_pass() {
    for (table, field, alias) in spellings() {
        let once = table.line_with(field, &[(field.name, field.values[0])]);
        let twice = table.line_with(field, &[(alias, field.values[0]), (field.name, field.values[0])]);
        assert_eq!(taken(&twice).body, taken(&once).body, "{twice}");
    }
    for (name, aliases, values) in ENVELOPE {
        for alias in aliases {
            taken(&build(&[(name, values[0]), (alias, values[0])]));
        }
    }
}

#[test]
fn two_spellings_that_differ_are_refused_naming_the_second_one_and_the_field() {
    for (table, field, alias) in spellings() {
        let differing = table.line_with(field, &[(field.name, field.values[0]), (alias, field.values[1])]);
        let expected = format!("`{alias}` and another spelling of `{}` differ", field.name);
        assert_eq!(refused(&differing), (Code::Contradiction, expected), "{differing}");
        let reversed = table.line_with(field, &[(alias, field.values[0]), (field.name, field.values[1])]);
        let expected = format!("`{0}` and another spelling of `{0}` differ", field.name);
        assert_eq!(refused(&reversed), (Code::Contradiction, expected), "{reversed}");
    }
    for (name, aliases, values) in ENVELOPE {
        for alias in aliases {
            let expected = format!("`{alias}` and another spelling of `{name}` differ");
            assert_eq!(refused(&build(&[(name, values[0]), (alias, values[1])])), (Code::Contradiction, expected));
        }
    }
}

#[test]
fn one_name_twice_passes_only_if_the_values_agree() {
    for (table, field) in fields() {
        let once = table.line_with(field, &[(field.name, field.values[0])]);
        let twice = table.line_with(field, &[(field.name, field.values[0]), (field.name, field.values[0])]);
        assert_eq!(taken(&twice).body, taken(&once).body, "{twice}");
        let differing = table.line_with(field, &[(field.name, field.values[0]), (field.name, field.values[1])]);
        assert_eq!(refused_code(&differing), Code::Contradiction, "{differing}");
    }
}

#[test]
fn values_that_are_written_differently_but_equal_agree() {
    for members in [
        r#""retries":3,"retryCount":3.0"#,
        r#""retries":3,"retryCount":"3""#,
        r#""quality":0.5,"qualityScore":5e-1"#,
        r#""notes":"é","notes":"\u00e9""#,
        r#""failure_type":"timeout","failureDetails":{"dominantFailureType":"timeout"}"#,
        r#""agent_decisions":[{"agent":"a","confidence":1}],"agentDecisions":[ {"confidence":1.0,"agent":"a"} ]"#,
    ] {
        taken(&run(members));
    }
    taken(&line("build", r#""run_id":"r-1","passed":true,"status":"passed""#));
    taken(&line("verdict", r#""role":"v","verdict":"PASS","verdict":"pass""#));
}

#[test]
fn a_name_written_with_escapes_is_the_same_name() {
    let event = line("run", r#""run\u005fid":"r-1","\u0072esult":"success","\u0061dapters":["terminal"],"\u0069d":"e-1""#);
    assert_eq!(taken(&event).id, "e-1");
    assert_eq!(taken(&event).extra, None);
}
