//! How roles judge: what is flagged, what is thin, and where each limit lies.

use serde_json::{Value, json};

use super::{Team, rejected, said, time, with};

/// A role judges in a run.
fn judged(id: &str, role: &str, on: f64, run: &str, has_passed: bool) -> Value {
    let verdict = if has_passed { "PASS" } else { "FAIL" };
    with(said(id, role, on, "1", &[]), &json!({"run_id": run, "verdict": verdict}))
}

/// A validator judges what a role said.
fn checked(id: &str, validator: &str, deliberation: &str, run: &str, has_passed: bool) -> Value {
    let verdict = if has_passed { json!({"verdict": "PASS"}) } else { json!({"verdict": "FAIL", "must_fix": ["J1"]}) };
    let more =
        json!({"role": validator, "deliberation_id": deliberation, "run_id": run, "rejected": null, "adversarial_role": null});
    with(with(rejected(id, "judge", 1.0, &[]), &more), &verdict)
}

/// The report of a day, and its text.
fn report(team: &Team, on: f64) -> (Value, String) {
    let folder = team.publish(on);
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect("a file");
    (serde_json::from_str(&read("report.json")).expect("JSON"), read("report.md"))
}

/// The entry of a role.
#[track_caller]
fn of<'r>(report: &'r Value, list: &str, role: &str) -> &'r Value {
    let entries = report["roles"][list].as_array().expect("a list");
    entries.iter().find(|entry| entry["role"] == role).unwrap_or_else(|| panic!("{role} is not in {entries:#?}"))
}

#[test]
fn a_role_that_lets_less_than_half_pass_over_two_runs_is_flagged() {
    let verdicts = [
        ("half", &[("r1", true), ("r2", false)][..], false),
        ("less", &[("r1", true), ("r1", false), ("r2", false)], true),
        ("once", &[("r1", false), ("r1", false), ("r1", false)], false),
        ("always", &[("r1", true), ("r2", true)], false),
    ];
    let mut events = Vec::new();
    for (role, runs, _) in verdicts {
        for (number, (run, has_passed)) in runs.iter().enumerate() {
            events.push(judged(&format!("{role} {number}"), role, 1.0, run, *has_passed));
        }
    }
    let (report, text) = report(&Team::of(&events), 2.0);
    for (role, runs, is_low) in verdicts {
        let standing = of(&report, "standings", role);
        assert_eq!((&standing["is_low"], &standing["verdicts"]), (&json!(is_low), &json!(runs.len())), "{role}");
        let line = text.lines().find(|line| line.contains(&format!("| {role} |"))).expect("a line");
        assert_eq!(line.contains("low pass rate"), is_low, "{line}");
        assert!(line.contains("thin data"), "{line}");
    }
}

#[test]
fn data_are_thin_below_ten_runs() {
    let mut events = Vec::new();
    for (role, runs) in [("nine", 9), ("ten", 10)] {
        for run in 0..runs {
            let (id, run) = (format!("{role} {run}"), format!("r{run}"));
            events.push(judged(&id, role, 1.0, &run, true));
            events.push(checked(&format!("v {id}"), &format!("of {role}"), &id, &run, true));
        }
    }
    let (report, text) = report(&Team::of(&events), 2.0);
    for (role, is_thin) in [("nine", true), ("ten", false)] {
        for list in ["standings", "agreements"] {
            assert_eq!(of(&report, list, role)["is_thin"], is_thin, "{role} in {list}");
        }
        for line in text.lines().filter(|line| line.contains(&format!("| {role} |"))) {
            assert_eq!(line.contains("thin data"), is_thin, "{line}");
        }
    }
    assert!(text.contains("### Verdicts by role") && text.contains("### Validator agreement"), "{text}");
}

#[test]
fn a_trend_compares_two_weeks_with_the_two_before() {
    let verdicts = [
        ("late", -0.1, true),
        ("then", 0.1, true),
        ("edge", 14.0, false),
        ("now", 14.1, true),
        ("last", 28.0, true),
        ("next", 28.1, false),
    ];
    let mut events: Vec<Value> = verdicts.iter().map(|(id, on, has_passed)| judged(id, "judge", *on, id, *has_passed)).collect();
    events.push(judged("alone", "sentinel", 20.0, "r", true));
    let (report, text) = report(&Team::of(&events), 28.0);
    let standing = of(&report, "standings", "judge");
    assert_eq!((&standing["verdicts"], &standing["passed"], &standing["trend"]), (&json!(5), &json!(4), &json!(0.5)));
    assert_eq!(of(&report, "standings", "sentinel")["trend"], Value::Null, "there is nothing to compare with");
    assert!(text.contains("| +0.50 |"), "{text}");
}

#[test]
fn agreement_is_told_and_judged_with_its_limits() {
    // How often both pass, both fail, only the validator passes, only the role does.
    let pairs = [
        ("misaligned", [6, 0, 4, 0], 0.6, "misaligned"),
        ("fair", [7, 0, 3, 0], 0.7, "aligned"),
        ("strict", [8, 1, 0, 1], 0.9, "aligned"),
        ("lenient", [8, 1, 1, 0], 0.9, "nodding"),
        ("same", [5, 5, 0, 0], 1.0, "calibrated"),
        ("few", [6, 0, 1, 0], 6.0 / 7.0, "nodding"),
    ];
    let mut events = Vec::new();
    for (role, counts, ..) in pairs {
        let outcomes = [(true, true), (false, false), (false, true), (true, false)];
        let all = counts.into_iter().zip(outcomes).flat_map(|(count, outcome)| std::iter::repeat_n(outcome, count));
        for (number, (own, validator)) in all.enumerate() {
            let (id, run) = (format!("{role} {number}"), format!("r{number}"));
            events.push(judged(&id, role, 1.0, &run, own));
            events.push(checked(&format!("v {id}"), "inspector", &id, &run, validator));
        }
    }
    let (report, text) = report(&Team::of(&events), 2.0);
    for (role, counts, part, accord) in pairs {
        let agreement = of(&report, "agreements", role);
        assert_eq!(
            (&agreement["accord"], &agreement["verdicts"]),
            (&json!(accord), &json!(counts.iter().sum::<usize>())),
            "{role}"
        );
        assert!((agreement["agreement"].as_f64().expect("a part") - part).abs() < 1e-9, "{agreement}");
    }
    let line = text.lines().find(|line| line.contains("| few | inspector |")).expect("a line");
    assert!(line.contains("the validator may be rubber-stamping, thin data"), "{line}");
    assert!(text.lines().any(|line| line.contains("| same | inspector |") && line.ends_with("| well calibrated |")), "{text}");
}

#[test]
fn a_report_without_roles_says_nothing_of_them() {
    let team = Team::of(&[json!({"kind": "learning", "ts": time(0.0), "summary": "Check input before it is used"})]);
    assert!(!report(&team, 1.0).1.contains("## Roles"));
}
