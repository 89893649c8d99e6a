//! Figures on frames are those of a naive definition, one pattern at a time, to the last digit.

use learn::{Basis, Confidence, Evidence, Flag, interval};
use proptest::prelude::*;
use score::figure;
use setting::{ConfidenceSettings, FlagSettings, RateSettings, Settings};

/// The figures of one pattern, by their definition.
#[derive(Debug, PartialEq)]
struct Naive {
    weight: f64,
    rate: Option<f64>,
    reach: Option<(f64, f64)>,
    applied_rate: Option<f64>,
    confidence: Option<Confidence>,
    flag: Flag,
    is_settled: bool,
}

#[expect(clippy::cast_precision_loss, reason = "the same rounding as in the program")]
fn real(count: i64) -> f64 {
    count as f64
}

fn weight_of(evidence: &Evidence, settings: &RateSettings) -> f64 {
    let relevance = |millionths: i64, unrated: i64| real(millionths) / 1e6 + settings.unrated_relevance * real(unrated);
    let Evidence { met, unjudged, missed_rated, missed_unrated, missed_relevance_millionths, .. } = *evidence;
    let missed = if settings.goal_weighted {
        settings.missed_goal * relevance(missed_relevance_millionths, missed_unrated)
    } else {
        real(missed_rated + missed_unrated)
    };
    let left = if settings.goal_weighted { settings.missed_goal } else { 1.0 };
    let failed = relevance(evidence.failed_relevance_millionths, evidence.failed_unrated)
        + left * relevance(evidence.failed_missed_relevance_millionths, evidence.failed_missed_unrated);
    real(met + unjudged) + missed - (1.0 - settings.failed_build) * failed
}

fn naive(basis: &Basis, settings: &Settings) -> Naive {
    let share = |weight: f64, count: i64| (count > 0).then(|| (weight / real(count)).clamp(0.0, 1.0));
    let Evidence { seen, applied, .. } = basis.evidence;
    let weight = basis.fixed_weight.unwrap_or_else(|| weight_of(&basis.evidence, &settings.rate));
    let rate = basis.fixed_rate.or_else(|| share(weight, seen));
    let reach = rate.map(|rate| interval(rate, seen)).map(|reach| (reach.lower, reach.upper));
    let FlagSettings { prune_below, prune_over, review_below, .. } = settings.flag;
    let flag = match rate {
        None => Flag::Untested,
        Some(rate) if seen.unsigned_abs() > prune_over && rate < prune_below => Flag::Prune,
        Some(_) if basis.is_stale => Flag::Stale,
        Some(rate) if rate < review_below => Flag::Review,
        Some(_) => Flag::None,
    };
    let ConfidenceSettings { high, medium, .. } = settings.confidence;
    Naive {
        applied_rate: share(weight, applied),
        confidence: rate.map(|rate| match rate {
            rate if rate >= high => Confidence::High,
            rate if rate >= medium => Confidence::Medium,
            _ => Confidence::Low,
        }),
        is_settled: match flag {
            Flag::Review => reach.is_some_and(|(_, upper)| upper < review_below),
            Flag::Prune => reach.is_some_and(|(_, upper)| upper < prune_below),
            Flag::None | Flag::Untested | Flag::Stale => true,
        },
        weight,
        rate,
        reach,
        flag,
    }
}

prop_compose! {
    fn any_evidence()(
        counts in prop::collection::vec(prop_oneof![0_i64..4, 0_i64..1_000, 0_i64..2_000_000_000], 11),
        seen in prop_oneof![0_i64..4, 0_i64..60, 0_i64..2_000_000_000],
    ) -> Evidence {
        Evidence {
            seen,
            applied: counts[0],
            met: counts[1],
            unjudged: counts[2],
            missed_rated: counts[3],
            missed_unrated: counts[4],
            missed_relevance_millionths: counts[5],
            failed_unrated: counts[6],
            failed_relevance_millionths: counts[7],
            failed_missed_unrated: counts[8],
            failed_missed_relevance_millionths: counts[9],
            judged: counts[10],
            ..Evidence::default()
        }
    }
}

prop_compose! {
    fn any_basis()(
        evidence in any_evidence(),
        fixed in prop::option::weighted(0.2, (0.0..1e6, 0.0..=1.0)),
        is_stale: bool,
    ) -> Basis {
        // Another way of counting gives figures only for what was seen.
        let fixed = fixed.filter(|_| evidence.seen > 0);
        let (fixed_weight, fixed_rate) = fixed.unzip();
        Basis { evidence, fixed_weight, fixed_rate, is_stale, ..Basis::default() }
    }
}

prop_compose! {
    fn any_settings()(
        goal_weighted: bool,
        parts in prop::collection::vec(0.0_f64..=1.0, 7),
        prune_over in prop_oneof![0_u64..40, Just(u64::MAX)],
    ) -> Settings {
        let plain = Settings::default();
        Settings {
            rate: RateSettings {
                goal_weighted,
                missed_goal: parts[0],
                unrated_relevance: parts[1],
                failed_build: parts[2],
                ..plain.rate
            },
            confidence: ConfidenceSettings { high: parts[3], medium: parts[4] },
            flag: FlagSettings { prune_below: parts[5], review_below: parts[6], prune_over, ..plain.flag },
            ..Settings::default()
        }
    }
}

proptest! {
    #[test]
    fn frames_give_the_figures_of_the_naive_definition(
        bases in prop::collection::vec(any_basis(), 0..12),
        settings in any_settings(),
    ) {
        let found = figure(&bases, &settings).expect("figures");
        for (row, basis) in bases.iter().enumerate() {
            let figures = Naive {
                weight: found.weight.get(row).expect("a weight"),
                rate: found.rate.get(row),
                reach: found.lower.get(row).zip(found.upper.get(row)),
                applied_rate: found.applied_rate.get(row),
                confidence: found.confidence.get(row).map(|place| Confidence::ALL[place as usize]),
                flag: Flag::ALL[found.flag.get(row).expect("a flag") as usize],
                is_settled: found.is_settled.get(row).expect("yes or no"),
            };
            prop_assert_eq!(figures, naive(basis, &settings), "row {} of {}", row, bases.len());
        }
        prop_assert_eq!(found.weight.len(), bases.len());
    }
}
