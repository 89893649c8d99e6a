//! Weights, rates, intervals, bins and flags, each on its own.

use learn::closedloop::{Row, Tally};
use learn::{Basis, Confidence, Evidence, Flag, interval};
use proptest::prelude::*;
use score::{Figures, figure};
use setting::{FlagSettings, RateSettings, Settings};

const APPLIED: Row = Row { iteration: Some(1), is_injected: false, is_unverified: false, is_goal_met: None, relevance: None };
const UNVERIFIED: Row = Row { is_unverified: true, ..APPLIED };
const INJECTED: Row = Row { is_injected: true, ..APPLIED };
const MET: Row = Row { is_goal_met: Some(true), ..APPLIED };
const MISSED: Row = Row { is_goal_met: Some(false), ..APPLIED };

const fn missed(relevance: f64) -> Row {
    Row { relevance: Some(relevance), ..MISSED }
}

fn tally(rows: &[Row]) -> Tally {
    let mut tally = Tally::default();
    for &row in rows {
        tally.add(row);
    }
    tally
}

/// The figures of one pattern.
fn figures(basis: &Basis, settings: &Settings) -> Figures {
    figure(std::slice::from_ref(basis), settings).expect("figures")
}

fn credited_weight(evidence: &Evidence, settings: &RateSettings) -> f64 {
    let settings = Settings { rate: settings.clone(), ..Settings::default() };
    figures(&Basis { evidence: *evidence, ..Basis::default() }, &settings).weight.get(0).expect("a weight")
}

fn success_rate(weight: f64, seen: i64) -> Option<f64> {
    let evidence = Evidence { seen, ..Evidence::default() };
    figures(&Basis { evidence, fixed_weight: Some(weight), ..Basis::default() }, &Settings::default()).rate.get(0)
}

fn bin_confidence(rate: f64) -> Confidence {
    let found = figures(&Basis { fixed_rate: Some(rate), ..Basis::default() }, &Settings::default());
    Confidence::ALL[found.confidence.get(0).expect("a bin") as usize]
}

fn choose_flag(seen: i64, rate: Option<f64>, is_stale: bool, settings: &FlagSettings) -> Flag {
    let basis = Basis { evidence: Evidence { seen, ..Evidence::default() }, fixed_rate: rate, is_stale, ..Basis::default() };
    let found = figures(&basis, &Settings { flag: *settings, ..Settings::default() });
    Flag::ALL[found.flag.get(0).expect("a flag") as usize]
}

/// A rate as the original writes it, with its bin.
fn shown(rate: f64) -> String {
    format!("{rate:.2} {}", bin_confidence(rate).name())
}

#[track_caller]
fn assert_rate(rows: &[Row], wanted: &str) {
    assert_eq!(shown(tally(rows).rate().expect("a rate")), wanted, "{rows:?}");
}

#[test]
fn the_original_weighs_goals_and_lets_what_is_no_number_count_in_full() {
    assert_rate(&[MISSED], "0.25 low");
    assert_rate(&[missed(0.8)], "0.40 medium");
    assert_rate(&[missed(1.0)], "0.50 medium");
    assert_rate(&[MET, missed(0.6), APPLIED, UNVERIFIED], "0.57 medium");
    assert_rate(&[missed(0.1), missed(0.2), missed(0.3)], "0.10 low");
    assert_rate(&[Row { is_unverified: true, ..MISSED }, APPLIED], "0.50 medium");
    assert_rate(&[missed(f64::NAN)], "1.00 high");
    assert_rate(&[missed(f64::INFINITY)], "1.00 high");
    assert_rate(&[missed(f64::NEG_INFINITY)], "0.00 low");
    assert_rate(&[missed(f64::INFINITY), missed(f64::NEG_INFINITY)], "1.00 high");
    assert_rate(&[missed(-3.0), MET], "0.00 low");
    assert_rate(&[&[missed(2024.0)][..], &[UNVERIFIED; 9]].concat(), "1.00 high");
    assert_rate(&[missed(0.0)], "0.00 low");
    assert_rate(&[Row { is_goal_met: Some(true), ..INJECTED }, MET], "0.50 medium");
    assert_eq!(tally(&[]).rate(), None);
}

#[test]
fn the_original_counts_and_rounds_as_its_thresholds_show() {
    for (verified, unverified, wanted) in [
        (39, 17, "0.70 medium"),
        (7, 3, "0.70 high"),
        (32, 49, "0.40 low"),
        (2, 3, "0.40 medium"),
        (1, 7, "0.12 low"),
        (3, 5, "0.38 low"),
        (5, 3, "0.62 medium"),
        (0, 20, "0.00 low"),
        (1, 8, "0.11 low"),
    ] {
        let rows = [vec![APPLIED; verified], vec![UNVERIFIED; unverified]].concat();
        let tally = tally(&rows);
        assert_eq!(shown(tally.rate().expect("a rate")), wanted, "{verified} and {unverified}");
        assert_eq!(usize::try_from(tally.seen), Ok(verified + unverified));
        let evidence = Evidence { seen: tally.seen, unjudged: verified.try_into().expect("few"), ..Evidence::default() };
        let weight = credited_weight(&evidence, &RateSettings::default());
        assert_eq!(success_rate(weight, evidence.seen), tally.rate(), "both ways of counting agree");
    }
}

#[test]
fn the_original_compares_the_numbers_of_iterations_and_passes_over_what_is_none() {
    let at = |iteration| tally(&[Row { iteration, ..APPLIED }]);
    assert!(!at(Some(1)).is_stale(Some(10)));
    assert!(at(Some(1)).is_stale(Some(11)));
    assert!(!at(None).is_stale(Some(50)));
    assert!(!at(Some(1)).is_stale(None));
    assert!(!at(Some(0)).is_stale(Some(0)));
    let both = tally(&[Row { iteration: Some(12), ..APPLIED }, Row { iteration: None, ..APPLIED }, APPLIED]);
    assert_eq!(both.iteration, Some(12));
}

#[test]
fn halves_are_rounded_to_even_by_their_binary_value() {
    for (rate, wanted) in [(0.125, "0.12"), (0.375, "0.38"), (0.625, "0.62"), (0.575, "0.57"), (0.015, "0.01"), (0.875, "0.88")] {
        assert_eq!(format!("{rate:.2}"), wanted);
    }
}

#[test]
fn a_missed_goal_counts_half_of_its_relevance_and_a_quarter_where_nobody_rated_it() {
    let settings = RateSettings::default();
    let weight = |evidence| credited_weight(&evidence, &settings);
    let nothing = Evidence::default();
    assert_eq!(shown(weight(Evidence { missed_unrated: 1, ..nothing })), "0.25 low");
    assert_eq!(shown(weight(Evidence { missed_rated: 1, missed_relevance_millionths: 800_000, ..nothing })), "0.40 medium");
    assert_eq!(shown(weight(Evidence { missed_rated: 1, missed_relevance_millionths: 1_000_000, ..nothing })), "0.50 medium");
    let mixed = Evidence { met: 1, unjudged: 1, missed_rated: 1, missed_relevance_millionths: 600_000, unverified: 1, ..nothing };
    assert_eq!(success_rate(weight(mixed), 4).map(shown), Some("0.57 medium".to_owned()));
    let none = Evidence { injected: 5, unverified: 5, withheld: 5, withheld_met: 3, withheld_missed: 2, ..nothing };
    assert_eq!(shown(weight(none)), "0.00 low");
    let simple = RateSettings { goal_weighted: false, ..settings.clone() };
    let missed = Evidence { met: 1, missed_unrated: 2, missed_rated: 3, missed_relevance_millionths: 7, unverified: 4, ..nothing };
    assert_eq!(shown(credited_weight(&missed, &simple) / 10.0), "0.60 medium");
    let strict = RateSettings { missed_goal: 0.0, ..settings.clone() };
    assert_eq!(shown(credited_weight(&missed, &strict)), "1.00 high");
    let unrated = RateSettings { unrated_relevance: 1.0, missed_goal: 1.0, ..settings.clone() };
    assert_eq!(format!("{:.2}", credited_weight(&Evidence { missed_unrated: 3, ..nothing }, &unrated)), "3.00");
}

#[test]
fn what_was_never_seen_has_no_rate_and_no_rate_leaves_its_bounds() {
    assert_eq!(success_rate(0.0, 0), None);
    assert_eq!(success_rate(3.0, 0), None);
    assert_eq!(success_rate(3.0, 2).map(shown), Some("1.00 high".to_owned()));
    assert_eq!(success_rate(-1.0, 2).map(shown), Some("0.00 low".to_owned()));
}

/// Successes, sightings, and the roots of `(p - rate)^2 = z^2 p (1 - p) / n`, solved elsewhere.
const INTERVALS: [(f64, i64, f64, f64); 9] = [
    (0.0, 3, 0.0, 0.474_195_574_157_512_57),
    (3.0, 3, 0.525_804_425_842_487_3, 1.0),
    (1.0, 2, 0.120_866_319_422_273_73, 0.879_133_680_577_726_2),
    (39.0, 56, 0.588_252_651_904_937_5, 0.786_499_010_469_209_9),
    (0.0, 1, 0.0, 0.730_134_051_215_945_7),
    (1.0, 1, 0.269_865_948_784_054_34, 1.0),
    (32.0, 81, 0.310_498_399_741_684_4, 0.486_408_718_968_764_1),
    (500.0, 1000, 0.474_027_691_478_419_6, 0.525_972_308_521_580_4),
    (2.3, 4, 0.229_277_836_209_230_78, 0.860_200_370_010_363_5),
];

#[test]
fn intervals_are_wilsons_at_ninety_percent() {
    for (successes, seen, lower, upper) in INTERVALS {
        let rate = success_rate(successes, seen).expect("a rate");
        let reach = interval(rate, seen);
        assert!((reach.lower - lower).abs() < 1e-9, "{successes} of {seen}: {reach:?}");
        assert!((reach.upper - upper).abs() < 1e-9, "{successes} of {seen}: {reach:?}");
    }
}

#[test]
fn bins_begin_at_their_thresholds() {
    let bin = bin_confidence;
    assert_eq!([0.7, 1.0].map(bin), [Confidence::High; 2]);
    assert_eq!([0.7_f64.next_down(), 0.4].map(bin), [Confidence::Medium; 2]);
    assert_eq!([0.4_f64.next_down(), 0.0].map(bin), [Confidence::Low; 2]);
}

#[test]
fn pruning_comes_before_staleness_and_staleness_before_a_review() {
    let flag = |seen, rate, is_stale| choose_flag(seen, Some(rate), is_stale, &FlagSettings::default());
    assert_eq!(flag(21, 0.39, true), Flag::Prune);
    assert_eq!(flag(20, 0.39, true), Flag::Stale);
    assert_eq!(flag(20, 0.39, false), Flag::Review);
    assert_eq!(flag(21, 0.40, true), Flag::Stale);
    assert_eq!(flag(21, 0.40, false), Flag::None);
    assert_eq!(flag(81, 32.0 / 81.0, false), Flag::Prune, "0.40 after rounding, and below it before");
    assert_eq!(flag(1, 1.0, true), Flag::Stale);
    assert_eq!(choose_flag(0, None, true, &FlagSettings::default()), Flag::Untested);
    let settings = FlagSettings { review_below: 0.1, prune_below: 0.6, prune_over: 2, stale_after: 1 };
    let flag = |seen, rate| choose_flag(seen, Some(rate), false, &settings);
    assert_eq!([flag(3, 0.5), flag(2, 0.5), flag(2, 0.05)], [Flag::Prune, Flag::None, Flag::Review]);
}

proptest! {
    /// An interval holds its rate, and more sightings never widen it.
    #[test]
    fn an_interval_holds_its_rate_and_narrows(seen in 1_i64..5000, part in 0.0_f64..=1.0) {
        let reach = interval(part, seen);
        prop_assert!(0.0 <= reach.lower && reach.lower <= part + 1e-12 && part - 1e-12 <= reach.upper && reach.upper <= 1.0);
        let more = interval(part, seen * 2);
        prop_assert!(more.upper - more.lower <= reach.upper - reach.lower + 1e-12);
    }

    /// The tally of the original and the sums of the default agree wherever relevance keeps to its bounds.
    #[test]
    fn both_ways_of_counting_agree_within_bounds(
        rows in prop::collection::vec((any::<bool>(), any::<bool>(), any::<Option<bool>>(), prop::option::of(0_i64..=1_000_000)), 1..40)
    ) {
        let mut tally = Tally::default();
        let mut evidence = Evidence::default();
        for (is_injected, is_unverified, is_goal_met, millionths) in rows {
            #[expect(clippy::cast_precision_loss, reason = "small numbers")]
            let relevance = millionths.map(|millionths| millionths as f64 / 1e6);
            tally.add(Row { iteration: None, is_injected, is_unverified, is_goal_met, relevance });
            evidence.seen += 1;
            match (is_injected || is_unverified, is_goal_met, millionths) {
                (true, ..) => {}
                (false, None, _) => evidence.unjudged += 1,
                (false, Some(true), _) => evidence.met += 1,
                (false, Some(false), None) => evidence.missed_unrated += 1,
                (false, Some(false), Some(millionths)) => {
                    evidence.missed_rated += 1;
                    evidence.missed_relevance_millionths += millionths;
                }
            }
        }
        let rate = success_rate(credited_weight(&evidence, &RateSettings::default()), evidence.seen);
        prop_assert!((rate.unwrap_or(9.0) - tally.rate().unwrap_or(0.0)).abs() < 1e-9);
    }
}
