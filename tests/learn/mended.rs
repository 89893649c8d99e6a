//! The same inputs as the worked numbers, by default: what the original's defects would have made of them is mended.

use agent::published::load_scores;
use learn::Score;
use store::publish::load_current;

use super::work::{Log, MENDED, Work, learned, summary, untested};
use super::worked::{
    GOALS, THRESHOLDS, first_outcomes, first_patterns, fragile_patterns, fragments, goal_outcomes, threshold_outcomes,
    two_projects, two_runs,
};

fn scores(work: &Work) -> Vec<Score> {
    let generation = load_current(&work.scene.workspace).expect("the link").expect("a generation");
    load_scores(&generation).expect("the scores")
}

#[test]
fn rates_of_all_modes_are_those_of_the_original_but_for_false_staleness_and_history() {
    assert_eq!(
        learned(MENDED, &first_patterns(), first_outcomes().text()),
        ["P-001 5 0.48 medium", "P-002 3 0.33 low [REVIEW]", "P-003 1 0.76 high", "P-004 7 0.77 high", "P-005 1 1.00 high",]
    );
}

#[test]
fn thresholds_and_rounding_are_those_of_the_original_and_showings_have_a_rate_beside_them() {
    let mut log = threshold_outcomes();
    log.rows(10, &["injected|"; 8]).rows(10, &["applied|a.py:1"]);
    let work = Work::new(MENDED);
    work.import("one", &untested(10), log.text());
    let figures = work.learn();
    let wanted: Vec<String> = (1..).zip(THRESHOLDS).map(|(number, (.., figures))| format!("P-{number:03} {figures}")).collect();
    assert_eq!(figures[..9], wanted);
    assert_eq!(figures[9], "P-010 9 0.11 low [REVIEW]");
    let score = scores(&work).pop().expect("the last pattern");
    assert_eq!((score.id.as_str(), score.seen, score.applied, score.injected), ("P-010", 9, 1, 8));
    assert_eq!(score.applied_rate, Some(1.0), "used once, and it worked");
    assert!(score.lower.is_some_and(|lower| lower < 0.111) && score.upper.is_some_and(|upper| upper > 0.112));
}

#[test]
fn a_pattern_is_stale_after_ten_iterations_without_it_whatever_their_numbers() {
    let after = |iterations: usize| {
        let mut log = Log::default();
        log.counts("99", 1, 3, 0).counts("99", 2, 0, 3).counts("99", 3, 0, 21).counts("x", 4, 3, 0);
        for iteration in 1..=iterations {
            // Two rows of one iteration are one iteration.
            log.row("run-2", &iteration.to_string(), &summary(5), "applied|x").row(
                "run-2",
                &iteration.to_string(),
                &summary(5),
                "applied|x",
            );
        }
        let mut figures = learned(MENDED, &untested(5), log.text());
        figures.truncate(4);
        figures
    };
    assert_eq!(after(9), ["P-001 3 1.00 high", "P-002 3 0.00 low [REVIEW]", "P-003 21 0.00 low [PRUNE]", "P-004 3 1.00 high"]);
    assert_eq!(
        after(10),
        ["P-001 3 1.00 high [STALE]", "P-002 3 0.00 low [STALE]", "P-003 21 0.00 low [PRUNE]", "P-004 3 1.00 high [STALE]"]
    );
}

#[test]
fn relevance_stays_within_bounds_and_the_last_result_of_a_goal_counts() {
    let wanted: Vec<String> = (1..).zip(GOALS).map(|(number, (.., figures))| format!("P-{number:03} {figures}")).collect();
    assert_eq!(learned(MENDED, &untested(GOALS.len()), goal_outcomes().text()), wanted);
}

#[test]
fn all_projects_count() {
    let [first, second] = two_projects();
    let work = Work::new(MENDED);
    work.import("a", &untested(2), first.text());
    assert_eq!(work.learn(), ["P-001 4 1.00 high", "P-002 4 1.00 high"]);
    work.import("b", "", second.text());
    assert_eq!(work.learn(), ["P-001 4 1.00 high", "P-002 5 0.80 high"]);
    // The second project shares the first one's pattern file, as the original has it: nothing changes.
    work.import("b", &work.pattern_file(), second.text());
    assert_eq!(work.learn(), ["P-001 4 1.00 high", "P-002 5 0.80 high"]);
}

#[test]
fn a_pattern_of_the_newest_run_is_not_stale() {
    assert_eq!(learned(MENDED, &untested(2), two_runs().text()), ["P-001 1 1.00 high", "P-002 1 1.00 high"]);
}

#[test]
fn a_fragment_counts_for_the_one_pattern_that_it_quotes_and_a_word_for_none() {
    let work = Work::new(MENDED);
    work.import("one", &fragile_patterns(), fragments().text());
    assert_eq!(
        work.learn(),
        ["P-001 0 - low [UNTESTED]", "P-002 0 - low [UNTESTED]", "P-003 3 0.67 medium", "P-004 0 - low [UNTESTED]"]
    );
    let report = work.scene.done(&["report", "--format", "json"]).out;
    let report: serde_json::Value = serde_json::from_str(&report).expect("the report is JSON");
    assert_eq!(report["totals"]["unattributed"], 2, "the word and the empty text are accounted for");
}
