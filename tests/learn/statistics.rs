//! The statistics of a goal: what it takes, what is worked out, and what follows from it.

use learn::statistics::{GoalPattern, GoalRun, GoalStatistics, Shortage, compute_statistics};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use setting::{FlagSettings, StatisticsSettings};

fn run(passed: bool, score: Option<f64>) -> GoalRun {
    GoalRun { project: "shop".to_owned(), run_id: "r".to_owned(), passed, score, unit: None }
}

/// Runs, each passed or not, with a score.
fn runs(outcomes: &[(bool, f64)]) -> Vec<GoalRun> {
    outcomes.iter().map(|&(passed, score)| run(passed, Some(score))).collect()
}

fn pattern(pattern: u32, passed: u64, runs: u64) -> GoalPattern {
    GoalPattern { pattern, runs, passed }
}

fn compute(runs: &[GoalRun], patterns: &[GoalPattern]) -> GoalStatistics {
    let review_below = FlagSettings::default().review_below;
    assert!((review_below - 0.4).abs() < 1e-12);
    compute_statistics("reduce-failures", runs, patterns, &StatisticsSettings::default(), review_below)
}

#[test]
fn four_runs_are_too_few_and_five_are_enough() {
    let few = compute(&vec![run(true, Some(1.0)); 4], &[pattern(1, 4, 4)]);
    assert_eq!((few.runs, few.passed, few.shortage), (4, 4, Some(Shortage { runs: 4, needed: 5 })));
    assert_eq!((few.pass_rate, few.average_score, few.trend), (None, None, None));
    assert!(few.contributing.is_empty() && few.underperforming.is_empty());
    assert_eq!(few.recommendations, ["Collect more runs: 4 of 5 so far."]);
    let enough = compute(&runs(&[(true, 1.0), (true, 0.5), (true, 0.5), (false, 0.0), (true, 0.5)]), &[]);
    assert_eq!((enough.shortage, enough.pass_rate, enough.average_score), (None, Some(0.8), Some(0.5)));
    assert_eq!((enough.trend, enough.trend_shortage), (None, Some(Shortage { runs: 5, needed: 10 })));
    assert_eq!(compute(&[], &[]).shortage, Some(Shortage { runs: 0, needed: 5 }));
}

#[test]
fn runs_without_a_score_count_for_the_pass_rate_only() {
    let mut some = vec![run(true, None); 4];
    some.push(run(false, Some(0.25)));
    some.push(run(true, Some(f64::NAN)));
    some.push(run(true, Some(f64::INFINITY)));
    let found = compute(&some, &[]);
    assert_eq!((found.runs, found.passed, found.average_score), (7, 6, Some(0.25)));
    assert_eq!(compute(&vec![run(true, None); 5], &[]).average_score, None);
}

#[test]
fn patterns_are_in_the_order_of_rate_runs_and_number_and_rare_ones_are_counted() {
    let patterns = [
        pattern(9, 3, 4),
        pattern(7, 6, 8),
        pattern(2, 3, 4),
        pattern(1, 2, 2),
        pattern(3, 2, 5),
        pattern(4, 1, 3),
        pattern(5, 0, 3),
        pattern(6, 9, 3),
        pattern(8, 0, 0),
    ];
    let found = compute(&vec![run(true, None); 9], &patterns);
    let list = |figures: &[learn::statistics::PatternFigure]| -> Vec<(u32, u64, u64)> {
        figures.iter().map(|figure| (figure.pattern, figure.passed, figure.runs)).collect()
    };
    // Two of five is exactly the bound, which is good enough.
    assert_eq!(list(&found.contributing), [(6, 3, 3), (7, 6, 8), (2, 3, 4), (9, 3, 4), (3, 2, 5)]);
    assert_eq!(list(&found.underperforming), [(4, 1, 3), (5, 0, 3)]);
    assert_eq!(found.rare_patterns, 2);
    assert_eq!(
        found.recommendations,
        [
            "Review P-005: the goal was met in 0 of its 3 runs, less than 40%.",
            "Review P-004: the goal was met in 1 of its 3 runs, less than 40%.",
            "A trend needs 10 runs; there are 9.",
        ]
    );
}

#[test]
fn ten_runs_are_parted_into_three_four_and_three() {
    let mut all = runs(&[(true, 9.0); 4]);
    all.extend(runs(&[(true, 0.5), (false, 0.25), (false, 0.0)]));
    all.extend(runs(&[(true, 1.0), (true, 0.0), (false, 0.0), (false, 1.0)]));
    all.extend(runs(&[(true, 0.5), (true, 0.5), (false, 0.5)]));
    let trend = compute(&all, &[]).trend.expect("a trend");
    assert_eq!((trend.runs, trend.score), (10, [Some(0.25), Some(0.5), Some(0.5)]));
    assert_eq!(trend.pass_rate.map(Some), [Some(1.0 / 3.0), Some(0.5), Some(2.0 / 3.0)]);
    assert_eq!((trend.score_change, trend.pass_rate_change), (Some(1.0), Some(1.0)));
}

#[test]
fn nothing_is_said_of_a_change_from_nothing() {
    let mut all = runs(&[(false, 0.0); 7]);
    all.extend(runs(&[(true, 1.0); 3]));
    let found = compute(&all, &[]);
    let trend = found.trend.expect("a trend");
    assert_eq!((trend.score_change, trend.pass_rate_change), (None, None));
    assert_eq!(
        found.recommendations,
        ["The goal was missed in 7 of 10 runs: look for a common cause.", "The pass rate rose over the last 10 runs: keep going.",]
    );
    let unscored = compute(&vec![run(true, None); 10], &[]);
    assert_eq!(
        unscored.trend.map(|trend| (trend.score, trend.score_change, trend.pass_rate_change)),
        Some(([None; 3], None, Some(0.0)))
    );
    assert_eq!(unscored.recommendations, Vec::<String>::new());
}

#[test]
fn a_trend_is_told_only_where_it_is_more_than_noise() {
    // One more failure among three is no trend.
    let mut all = runs(&[(true, 1.0); 7]);
    all.extend(runs(&[(true, 1.0), (false, 0.5), (false, 0.0)]));
    let found = compute(&all, &[]);
    assert_eq!(found.recommendations, Vec::<String>::new());
    assert!(found.trend.is_some_and(|trend| !trend.is_pass_rate_clear && !trend.is_score_clear));
    // Three failures of one task are one failure.
    let mut all = runs(&[(true, 1.0); 7]);
    all.extend(runs(&[(false, 0.0); 3]).into_iter().map(|run| GoalRun { unit: Some("T-1".to_owned()), ..run }));
    assert!(compute(&all, &[]).trend.is_some_and(|trend| !trend.is_pass_rate_clear));
}

#[test]
fn where_tasks_are_named_figures_are_as_sure_as_tasks_agree() {
    let of = |task: usize, passed: bool| GoalRun {
        unit: Some(format!("T-{task}")),
        ..run(passed, Some(if passed { 1.0 } else { 0.0 }))
    };
    // 40 runs of four tasks, each of which always or never succeeds.
    let clustered: Vec<GoalRun> = (0..40).map(|number| of(number % 4, number % 2 == 0)).collect();
    let mixed: Vec<GoalRun> = (0..40).map(|number| of(number / 4, number % 2 == 0)).collect();
    let one: Vec<GoalRun> = (0..40).map(|number| of(0, number % 2 == 0)).collect();
    let width = |runs: &[GoalRun]| {
        let found = compute(runs, &[]);
        let (lower, upper) = found.pass_rate_range.expect("a range");
        (found.tasks, upper - lower)
    };
    let ((few, wide), (many, narrow), (single, whole)) = (width(&clustered), width(&mixed), width(&one));
    assert_eq!((few, many, single), (Some(4), Some(10), Some(1)));
    assert!(wide > 2.0 * narrow && whole == 1.0, "{wide} {narrow} {whole}");
    assert_eq!(compute(&runs(&[(true, 1.0); 9]), &[]).tasks, None);
}

#[test]
fn a_falling_pass_rate_and_unused_patterns_are_remarked() {
    let mut all = runs(&[(true, 1.0); 7]);
    all.extend(runs(&[(false, 1.0), (false, 0.5), (false, 0.0)]));
    let found = compute(&all, &[pattern(1, 1, 1)]);
    assert_eq!(
        found.recommendations,
        [
            "The pass rate fell over the last 10 runs: look at what changed.",
            "Use patterns in more runs: none was used often enough to tell whether it helps.",
        ]
    );
    assert_eq!(found.trend.and_then(|trend| trend.score_change), Some(-0.5));
}

#[test]
fn only_the_worst_patterns_are_recommended_by_name() {
    let patterns: Vec<_> = (1..=8).map(|number| pattern(number, 0, u64::from(number) + 2)).collect();
    let advice = compute(&vec![run(true, None); 10], &patterns).recommendations;
    assert_eq!(advice.len(), 6, "{advice:?}");
    assert_eq!(advice[0], "Review P-001: the goal was met in 0 of its 3 runs, less than 40%.");
    assert_eq!(advice[5], "Review 3 more patterns with the same problem.");
}

#[test]
fn the_settings_say_how_much_it_takes() {
    let settings = StatisticsSettings { least_runs: 20, least_applications: 1, trend_runs: 0, ..StatisticsSettings::default() };
    let found = compute_statistics("g", &vec![run(true, None); 12], &[], &settings, 0.4);
    let short = Some(Shortage { runs: 12, needed: 20 });
    assert_eq!((found.shortage, found.trend_shortage), (short, short));
    let settings = StatisticsSettings { least_runs: 0, ..settings };
    let found = compute_statistics("g", &vec![run(true, None); 3], &[pattern(1, 1, 1)], &settings, 0.4);
    assert_eq!((found.contributing.len(), found.trend.map(|trend| trend.runs)), (1, Some(3)));
    assert_eq!(compute_statistics("g", &[], &[], &settings, 0.4).shortage, Some(Shortage { runs: 0, needed: 1 }));
}

proptest! {
    #[test]
    fn figures_are_parts_of_one_and_always_numbers(
        outcomes in vec((any::<bool>(), option::of(any::<f64>())), 0..30),
        patterns in vec((0_u32..50, any::<u64>(), select(vec![0, 1, 3, 10, u64::MAX])), 0..20),
        review_below in 0.0..=1.0_f64,
    ) {
        let all: Vec<_> = outcomes.iter().map(|&(passed, score)| run(passed, score)).collect();
        let patterns: Vec<_> = patterns.into_iter().map(|(number, passed, runs)| pattern(number, passed, runs)).collect();
        let settings = StatisticsSettings::default();
        let found = compute_statistics("g", &all, &patterns, &settings, review_below);
        prop_assert_eq!(&compute_statistics("g", &all, &patterns, &settings, review_below), &found);
        let rates = found.contributing.iter().chain(&found.underperforming).map(|figure| figure.rate).chain(found.pass_rate);
        let trend_rates = found.trend.iter().flat_map(|trend| trend.pass_rate);
        prop_assert!(rates.chain(trend_rates).all(|rate| (0.0..=1.0).contains(&rate)));
        prop_assert!(found.contributing.iter().all(|figure| figure.rate >= review_below));
        prop_assert!(found.underperforming.iter().all(|figure| figure.rate < review_below));
        let trend = found.trend.iter().flat_map(|trend| trend.score.into_iter().chain([trend.score_change, trend.pass_rate_change]));
        prop_assert!(trend.chain([found.average_score]).flatten().all(f64::is_finite));
        let known = found.shortage.is_none();
        prop_assert_eq!(known, found.pass_rate.is_some());
        let listed = found.contributing.len() + found.underperforming.len() + usize::try_from(found.rare_patterns).expect("small");
        prop_assert_eq!(listed, if known { patterns.len() } else { 0 });
    }

    #[test]
    fn the_order_of_patterns_does_not_matter(patterns in vec((0_u32..9, 0_u64..9, 3_u64..9), 0..9)) {
        let mut patterns: Vec<_> = patterns.into_iter().map(|(number, passed, runs)| pattern(number, passed, runs)).collect();
        let all = vec![run(true, None); 5];
        let found = compute(&all, &patterns);
        patterns.reverse();
        prop_assert_eq!(compute(&all, &patterns), found);
    }
}
