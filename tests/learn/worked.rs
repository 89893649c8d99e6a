//! The worked numbers of the original, end to end: its files in, `compat = "closedloop"`, its figures out.

use super::work::{Log, ORIGINAL, Work, learned, pattern_file, summary, untested};

/// The patterns of the first example, one of them without the last column.
pub fn first_patterns() -> String {
    pattern_file(
        &[
            "P-001,mistake,\"Always check token expiry before API calls\",low,1,,[UNTESTED],*,auth|API,*",
            "P-002,mistake,\"Check for None before dict access\",low,1,,[UNTESTED],*,python",
            "P-003,convention,\"Prefer named exports over default exports\",medium,4,0.60,[REVIEW],*,js,*",
            "P-004,pattern,\"Never touched pattern here\",high,7,0.77,[STALE],*,x,*",
            "P-005,pattern,\"Alpha beta gamma delta\",low,0,,[UNTESTED],*,x,*",
        ]
        .map(str::to_owned),
    )
}

/// The outcomes of the first example.
pub fn first_outcomes() -> Log {
    let (token, none) = ("Always check token expiry before API calls", "Check for None before dict access");
    let mut log = Log::default();
    log.row("r", "1", token, "applied|a.py:1|0.8|context_tags|reduce-failures|1|0.83")
        .row("r", "1", "always check TOKEN expiry before api calls", "applied|a.py:2|0.8|context_tags|reduce-failures|0|0.17")
        .row("r", "2", "check token expiry", "applied|a.py:3|unverified|0.8|context_tags|reduce-failures|1|0.83")
        .row("r", "2", token, "injected||0.5|default|reduce-failures|1|0.83")
        .row("r", "3", token, "applied|a.py:9")
        .row("r", "3", none, "applied|b.py:4")
        .row("r", "4", none, "injected|")
        .row("r", "4", none, "applied|b.py:5|unverified")
        .row("r", "1", "Prefer named exports over default exports", "applied|c.ts:4")
        .row("r", "12", "alpha beta gamma", "applied|d.ts:4")
        .line("short|line");
    log
}

#[test]
fn x1_rates_of_all_modes() {
    let work = Work::new(ORIGINAL);
    work.import("one", &first_patterns(), first_outcomes().text());
    assert_eq!(
        work.learn(),
        [
            "P-001 5 0.48 medium",
            "P-002 3 0.33 low [REVIEW]",
            "P-003 1 1.00 high [STALE]",
            "P-004 7 0.77 high [UNTESTED]",
            "P-005 1 1.00 high",
        ]
    );
    let file = work.pattern_file();
    assert!(file.contains("\"Check for None before dict access\",low,3,0.33,[REVIEW],*,python,*\n"), "no repository in:\n{file}");
}

/// Verified rows, unverified rows, and what becomes of them while no iteration but the first is known.
pub const THRESHOLDS: [(usize, usize, &str); 9] = [
    (39, 17, "56 0.70 medium"),
    (7, 3, "10 0.70 high"),
    (32, 49, "81 0.40 low [PRUNE]"),
    (2, 3, "5 0.40 medium"),
    (1, 7, "8 0.12 low [REVIEW]"),
    (3, 5, "8 0.38 low [REVIEW]"),
    (5, 3, "8 0.62 medium"),
    (0, 20, "20 0.00 low [REVIEW]"),
    (0, 21, "21 0.00 low [PRUNE]"),
];

/// The outcomes of the thresholds, a pattern each.
pub fn threshold_outcomes() -> Log {
    let mut log = Log::default();
    for (number, (verified, unverified, _)) in (1..).zip(THRESHOLDS) {
        log.counts("1", number, verified, unverified);
    }
    log
}

#[test]
fn x2_thresholds_and_rounding_and_x13_retries_inflate_the_denominator() {
    let mut log = threshold_outcomes();
    log.rows(10, &["injected|"; 8]).rows(10, &["applied|a.py:1"]);
    let wanted: Vec<String> = (1..).zip(THRESHOLDS).map(|(number, (.., figures))| format!("P-{number:03} {figures}")).collect();
    let figures = learned(ORIGINAL, &untested(10), log.text());
    assert_eq!(figures[..9], wanted);
    assert_eq!(figures[9], "P-010 9 0.11 low [REVIEW]");
}

#[test]
fn x2_staleness_compares_the_numbers_of_iterations() {
    let highest = |highest: &str| {
        let mut log = Log::default();
        log.counts("1", 1, 3, 0).counts("1", 2, 0, 3).counts("1", 3, 0, 21).counts("x", 4, 3, 0).counts(highest, 5, 1, 0);
        learned(ORIGINAL, &untested(5), log.text())
    };
    let untouched = ["P-003 21 0.00 low [PRUNE]", "P-004 3 1.00 high", "P-005 1 1.00 high"];
    let ten = highest("10");
    assert_eq!(ten[..2], ["P-001 3 1.00 high", "P-002 3 0.00 low [REVIEW]"]);
    assert_eq!(ten[2..], untouched);
    for number in ["11", "50"] {
        let later = highest(number);
        assert_eq!(later[..2], ["P-001 3 1.00 high [STALE]", "P-002 3 0.00 low [STALE]"], "{number}");
        assert_eq!(later[2..], untouched, "{number}");
    }
}

/// The tails of each row, and the rate, confidence and flag that follow: in the original, and with its defects mended.
///
/// A goal that was missed always brings a number into the row, so a missed goal without any relevance only exists as such: it is
/// tested where figures are.
pub const GOALS: [(&[&str], &str, &str); 17] = [
    (&[MISSED_08], "1 0.40 medium", "1 0.40 medium"),
    (&["applied|x|1.0|context_tags|reduce-failures|0|0.17"], "1 0.50 medium", "1 0.50 medium"),
    (&[MET, "applied|x|0.6|m|reduce-failures|0|0.17", PLAIN, UNVERIFIED], "4 0.57 medium", "4 0.57 medium"),
    (
        &["applied|x|0.1|m|g|0|0.17", "applied|x|0.2|m|g|0|0.17", "applied|x|0.3|m|g|0|0.17"],
        "3 0.10 low [REVIEW]",
        "3 0.10 low [REVIEW]",
    ),
    (&["applied|x|unverified|0.5|default|g|0|0.17", PLAIN], "2 0.50 medium", "2 0.50 medium"),
    // What is no number, or none that is finite, is no relevance: a quarter counts.
    (&["applied|x|nan|m|g|0|0.17"], "1 1.00 high", "1 0.25 low [REVIEW]"),
    (&["applied|x|inf|m|g|0|0.17"], "1 1.00 high", "1 0.25 low [REVIEW]"),
    (&["applied|x|NaN|m|g|0|0.17", UNVERIFIED, UNVERIFIED], "3 1.00 high", "3 0.08 low [REVIEW]"),
    (&["applied|x|-Infinity|m|g|0|0.17", PLAIN], "2 0.00 low [REVIEW]", "2 0.62 medium"),
    // Less than nothing is nothing, and more than all is all.
    (&["applied|x|-3|m|g|0|0.17", MET], "2 0.00 low [REVIEW]", "2 0.50 medium"),
    (&["applied|x|2024|m|g|0|0.17", U, U, U, U, U, U, U, U, U], "10 1.00 high", "10 0.05 low [REVIEW]"),
    (&["applied|x|1_0|m|g|0|0.17", U, U, U, U, U, U, U, U, U], "10 0.50 medium", "10 0.05 low [REVIEW]"),
    // Without a relevance the original takes the result of the goal for it.
    (&["applied|x|reduce-failures|0|0.17"], "1 0.00 low [REVIEW]", "1 0.25 low [REVIEW]"),
    (&["applied|x|0.5|default|reduce-failures|0|0.17"], "1 0.25 low [REVIEW]", "1 0.25 low [REVIEW]"),
    (&["applied|x|build_failed"], "1 1.00 high", "1 1.00 high"),
    // Of several results the original takes the first; the last is what came of it.
    (&["applied|x|0.5|default|g|1|0.83|g|0|0.17"], "1 1.00 high", "1 0.25 low [REVIEW]"),
    (&["applied|x|0.5|default|g|0|0.17|g|1|0.83"], "1 0.25 low [REVIEW]", "1 1.00 high"),
];

const MISSED_08: &str = "applied|x|0.8|context_tags|reduce-failures|0|0.17";
const MET: &str = "applied|x|0.5|default|reduce-failures|1|0.83";
const PLAIN: &str = "applied|x";
const UNVERIFIED: &str = "applied|x|unverified";
const U: &str = UNVERIFIED;

/// The outcomes of the goals, a pattern each.
pub fn goal_outcomes() -> Log {
    let mut log = Log::default();
    for (number, (tails, ..)) in (1..).zip(GOALS) {
        log.rows(number, tails);
    }
    log
}

#[test]
fn x3_goal_weights_and_what_is_no_number_counts_in_full() {
    let work = Work::new(ORIGINAL);
    work.import("one", &untested(GOALS.len()), goal_outcomes().text());
    let wanted: Vec<String> = (1..).zip(GOALS).map(|(number, (_, figures, _))| format!("P-{number:03} {figures}")).collect();
    assert_eq!(work.learn(), wanted);
    assert_eq!(work.learn(), wanted, "the next cycle compares itself with this one");
}

#[test]
fn x9_patterns_are_sorted_by_flag_and_sightings() {
    let row = |number: usize, seen: u32| format!("P-{number:03},pattern,\"{}\",low,{seen},,,*,,*", summary(number));
    let mut rows: Vec<String> = [3, 9, 2, 100, 7].into_iter().zip(1..).map(|(seen, number)| row(number, seen)).collect();
    rows.push("P-006,pattern,\"Use \"\"strict\"\", always\",low,3,,,*,,*".to_owned());
    // Flags come from outcomes here, not from the file.
    let mut log = Log::default();
    log.rows_in("1", 2, &[PLAIN; 9]).rows_in("12", 1, &[PLAIN; 3]);
    log.rows_in("12", 4, &["injected|"; 100]).rows_in("12", 5, &["injected|"; 7]);
    for _ in 0..3 {
        log.row("run-1", "12", "Use \"strict\", always", PLAIN);
    }
    let work = Work::new(ORIGINAL);
    work.import("one", &pattern_file(&rows), log.text());
    assert_eq!(
        work.learn_in_order(),
        [
            "P-001 3 1.00 high",
            "P-006 3 1.00 high",
            "P-003 2 - low [UNTESTED]",
            "P-005 7 0.00 low [REVIEW]",
            "P-002 9 1.00 high [STALE]",
            "P-004 100 0.00 low [PRUNE]",
        ]
    );
    assert!(work.pattern_file().contains("\n  P-006,pattern,\"Use \"\"strict\"\", always\",high,3,"), "{}", work.pattern_file());
}

#[test]
fn x9_fifty_patterns_are_kept_and_the_least_seen_dropped() {
    let row = |number: usize| format!("P-{number:03},pattern,\"{}\",low,{number},,[UNTESTED],*,,*", summary(number));
    let work = Work::new(ORIGINAL);
    work.import("one", &pattern_file(&(1..=55).map(row).collect::<Vec<_>>()), "");
    let wanted: Vec<String> = (6..=55).rev().map(|number| format!("P-{number:03} {number} - low [UNTESTED]")).collect();
    assert_eq!(work.learn_in_order(), wanted);
    let report = work.scene.done(&["report", "--format", "json"]).out;
    let report: serde_json::Value = serde_json::from_str(&report).expect("the report is JSON");
    assert_eq!(report["dropped"], 5);
}

/// Four uses of two patterns in one project, and one showing of the second in another.
pub fn two_projects() -> [Log; 2] {
    let (mut first, mut second) = (Log::default(), Log::default());
    first.counts("1", 1, 4, 0).counts("1", 2, 4, 0);
    second.rows(2, &["injected|"]);
    [first, second]
}

#[test]
fn x10_the_log_of_one_project_overwrites_the_figures_of_another() {
    let [first, second] = two_projects();
    let work = Work::new(ORIGINAL);
    work.import("a", &untested(2), first.text());
    assert_eq!(work.learn(), ["P-001 4 1.00 high", "P-002 4 1.00 high"]);
    // The original shares one pattern file between projects and reads one log at a time.
    assert_eq!(
        learned(ORIGINAL, &work.pattern_file(), second.text()),
        ["P-001 4 1.00 high [UNTESTED]", "P-002 1 0.00 low [REVIEW]"]
    );
}

/// An old run that went further than the one after it.
pub fn two_runs() -> Log {
    let mut log = Log::default();
    log.row("run-old", "12", &summary(2), PLAIN).row("run-new", "1", &summary(1), PLAIN);
    log
}

#[test]
fn x11_a_pattern_of_the_newest_run_is_stale_when_an_older_run_went_further() {
    assert_eq!(learned(ORIGINAL, &untested(2), two_runs().text()), ["P-001 1 1.00 high [STALE]", "P-002 1 1.00 high"]);
}

/// Patterns whose texts have fragments in common, by number.
pub fn fragile_patterns() -> String {
    let rows = ["Avoid \"\"any\"\" in types", "Avoid globals", "Pattern high, with comma", "Check size"];
    let row = |(number, summary): (usize, &str)| format!("P-{number:03},pattern,\"{summary}\",low,0,,[UNTESTED],*,,*");
    pattern_file(&(1..).zip(rows).map(row).collect::<Vec<_>>())
}

/// What agents quote of them after their quotes were split at commas.
pub fn fragments() -> Log {
    let mut log = Log::default();
    log.row("r", "1", "Avoid ", PLAIN)
        .row("r", "1", "Pattern high", PLAIN)
        .row("r", "1", " with comma", PLAIN)
        .row("r", "1", "Pattern high, with comma", "injected|")
        .row("r", "1", "", PLAIN);
    log
}

#[test]
fn x12_fragments_count_for_every_pattern_that_they_touch() {
    assert_eq!(
        learned(ORIGINAL, &fragile_patterns(), fragments().text()),
        ["P-001 2 1.00 high", "P-002 2 1.00 high", "P-003 4 0.75 high", "P-004 1 1.00 high"]
    );
}
