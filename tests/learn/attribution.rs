//! Events that write a pattern's id where its text belongs.

use serde_json::{Value, json};

use super::work::{Log, MENDED, ORIGINAL, Work, summary, untested};

/// Learns from one application of each text, and from two more of the last pattern. Gives the figures, and how many applications
/// count for no pattern.
fn learn_from(settings: &str, texts: &[&str]) -> (Vec<String>, Value) {
    let mut log = Log::default();
    for text in texts {
        log.row("run-1", "1", text, "applied|a.py:1");
    }
    log.counts("1", 3, 1, 1);
    let work = Work::new(settings);
    work.import("one", &untested(3), log.text());
    let figures = work.learn();
    let report = work.scene.done(&["report", "--format", "json"]).out;
    let report: Value = serde_json::from_str(&report).expect("the report is JSON");
    (figures, report["totals"]["unattributed"].clone())
}

#[test]
fn a_text_that_is_an_id_counts_for_the_pattern_of_that_id() {
    let (figures, unattributed) = learn_from(MENDED, &["P-001", "P-003", "P-001"]);
    assert_eq!(figures, ["P-001 2 1.00 high", "P-002 0 - low [UNTESTED]", "P-003 3 0.67 medium"]);
    assert_eq!(unattributed, 0);
}

#[test]
fn a_text_that_is_nearly_an_id_or_that_of_no_pattern_counts_for_none() {
    let (figures, unattributed) = learn_from(MENDED, &["p-001", "P-1", "P-0001", "P-001.", "see P-001", "P-004", "P-000"]);
    assert_eq!(figures, ["P-001 0 - low [UNTESTED]", "P-002 0 - low [UNTESTED]", "P-003 2 0.50 medium"]);
    assert_eq!(unattributed, 7);
}

#[test]
fn the_original_knows_no_ids() {
    let (figures, unattributed) = learn_from(ORIGINAL, &["P-001", "P-003"]);
    assert_eq!(figures, ["P-001 0 - low [UNTESTED]", "P-002 0 - low [UNTESTED]", "P-003 2 0.50 medium"]);
    assert_eq!(unattributed, 2);
}

#[test]
fn an_event_that_names_an_id_is_not_asked_for_another_in_its_text() {
    let work = Work::new(MENDED);
    work.import("one", &untested(3), "");
    let shown = |id: &str, text: &str| {
        let event = json!({"kind": "application", "ts": "2026-05-06T10:00:00Z", "project": "one", "run_id": "run-1",
            "iteration": 1, "pattern_id": id, "trigger": text, "status": "applied"});
        assert_eq!(work.scene.run_with(&["record"], format!("{event}\n").as_bytes()).code, 0);
    };
    shown("P-002", "P-001");
    shown("P-077", "P-001");
    shown("P-077", &summary(3));
    assert_eq!(work.learn(), ["P-001 0 - low [UNTESTED]", "P-002 1 1.00 high", "P-003 1 1.00 high"]);
}
