use agent::iteration::{Claim, Turn, claims_of_log};

use super::sandbox::turn;

fn told(claims: &[Claim]) -> Vec<(String, String)> {
    let place =
        |claim: &Claim| claim.places.iter().map(|place| format!("{}:{}", place.path, place.line)).collect::<Vec<_>>().join(" ");
    claims.iter().map(|claim| (claim.trigger.clone().expect("a text"), place(claim))).collect()
}

#[track_caller]
fn assert_told(log: &[u8], turn: &Turn, wanted: &[(&str, &str)]) {
    let wanted: Vec<_> = wanted.iter().map(|(pattern, places)| (pattern.to_string(), places.to_string())).collect();
    assert_eq!(told(&claims_of_log(log, turn)), wanted);
}

const TIME: &str = "2026-03-01T10:00:00Z";

#[test]
fn only_this_run_and_this_iteration_are_read() {
    let log = format!(
        "{TIME}|old|2|writer|true|Old|a.py:1\n{TIME}|r|1|writer|true|Earlier|a.py:2\r\n\n{TIME}|r|2|writer|true|Wanted|a.py:3\n{TIME}|r|x|writer|true|Odd|a.py:4\n{TIME}|r|2|other|false||missing acknowledgment\nshort|r|2|row"
    );
    assert_told(log.as_bytes(), &turn("r", 2), &[("Wanted", "a.py:3")]);
    assert_told(log.as_bytes(), &turn("r", 0), &[("Odd", "a.py:4")]);
    let whole_run = Turn { iteration: None, ..turn("r", 0) };
    assert_told(log.as_bytes(), &whole_run, &[("Earlier", "a.py:2"), ("Wanted", "a.py:3"), ("Odd", "a.py:4")]);
    assert_eq!(claims_of_log(log.as_bytes(), &turn("r", 2))[0].agent.as_deref(), Some("writer"));
    assert_told(b"", &turn("r", 2), &[]);
}

#[test]
fn two_patterns_of_one_acknowledgment_are_two_claims() {
    let log = format!(r#"{TIME}|r|1|w|true|Use tabs,Check errors|ACK Applied: "Use tabs" a.py:1 Applied: "Check errors" b.py:2"#);
    assert_told(log.as_bytes(), &turn("r", 1), &[("Use tabs", "a.py:1"), ("Check errors", "b.py:2")]);
}

#[test]
fn a_broken_character_costs_no_row() {
    let mut log = format!("\u{feff}{TIME}|r|1|w|true|One|a.py:1 caf").into_bytes();
    log.extend(b"\xc3\n");
    log.extend(format!("{TIME}|r|1|w|true|Two|b.py:2\n").bytes());
    assert_told(&log, &turn("r", 1), &[("One", "a.py:1"), ("Two", "b.py:2")]);
}

#[test]
fn evidence_behind_a_bar_is_seen() {
    let log = format!("{TIME}|r|1|w|true|One|see | src/zzz.py:1\n");
    assert_told(log.as_bytes(), &turn("r", 1), &[("One", "src/zzz.py:1")]);
}

#[test]
fn the_last_word_before_the_cut_is_not_trusted() {
    let evidence = format!("a.py:1 {} b.py:1", "x".repeat(186));
    assert_eq!(evidence.len(), 200);
    let log = format!("{TIME}|r|1|w|true|One|{evidence}\n{TIME}|r|1|w|true|Two|{evidence}0\n");
    assert_told(log.as_bytes(), &turn("r", 1), &[("One", "a.py:1"), ("Two", "a.py:1 b.py:10")]);
}
