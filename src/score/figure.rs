//! From what was counted to rates, intervals, bins and flags: the rules, each stated once, for all patterns at once.

use polars::prelude::arity::binary_elementwise;
use polars::prelude::*;

use crate::frame::{broken, choose, frame_of, place_of};
use learn::{Basis, Confidence, Flag, Interval, interval_of};
use setting::{Compat, ConfidenceSettings, FlagSettings, RateSettings, Settings};
use text::diagnostic::Outcome;

/// The figures of all patterns, one row each. Words are places in their lists.
#[derive(Debug, Clone)]
pub struct Figures {
    /// The successes that are counted, in parts of one where a goal was missed.
    pub weight: Float64Chunked,
    /// The successes for each sighting; none for what was never seen.
    pub rate: Float64Chunked,
    pub lower: Float64Chunked,
    pub upper: Float64Chunked,
    pub applied_rate: Float64Chunked,
    /// How many sightings history is worth.
    pub history: Float64Chunked,
    /// The rate of what was seen here and of history together.
    pub expected: Float64Chunked,
    /// The bin of the rate: a [`Confidence`].
    pub confidence: UInt32Chunked,
    /// The [`Flag`].
    pub flag: UInt32Chunked,
    /// Whether the interval supports the flag.
    pub is_settled: BooleanChunked,
}

/// Computes the figures of all patterns.
pub fn figure(bases: &[Basis], settings: &Settings) -> Outcome<Figures> {
    figures_of(&frame_of(bases)?, settings).map_err(|error| broken(&error))
}

fn figures_of(frame: &DataFrame, settings: &Settings) -> PolarsResult<Figures> {
    let (seen, applied) = (frame.column("seen")?.i64()?, frame.column("applied")?.i64()?);
    let weight = or_else(frame.column("fixed_weight")?.f64()?, &credited_weight(frame, &settings.rate)?);
    let rate = or_else(frame.column("fixed_rate")?.f64()?, &share(&weight, seen));
    // What happens in runs of one task is no independent evidence.
    let counted = or_else(frame.column("effective_seen")?.f64()?, &reals(seen));
    let reach = |end: fn(Interval) -> f64| -> Float64Chunked {
        binary_elementwise(&rate, &counted, |rate: Option<f64>, count: Option<f64>| Some(end(interval_of(rate?, count?))))
    };
    let (lower, upper) = (reach(|interval| interval.lower), reach(|interval| interval.upper));
    let history = weigh_history(frame, settings)?;
    let expected = or_else(&mix(&rate, seen, &history, frame.column("prior_rate")?.f64()?), &rate);
    let known = reals(seen) + history.clone();
    let flag = choose_flag(&expected, &known, frame, &settings.flag)?;
    let trusted = counted + history.clone();
    let highest: Float64Chunked =
        binary_elementwise(&expected, &trusted, |rate: Option<f64>, trusted: Option<f64>| Some(interval_of(rate?, trusted?).upper));
    Ok(Figures {
        applied_rate: share(&weight, applied),
        confidence: bin_confidence(&expected, &settings.confidence),
        is_settled: is_settled(&flag, &highest, &settings.flag),
        history,
        expected,
        weight,
        rate,
        lower,
        upper,
        flag,
    })
}

/// How many of a pattern's sightings count as successes, in parts of one where a goal was missed or a build failed. Both weigh by how
/// relevant the pattern was: a failed build takes its share of a use whose goal was met, and of what a missed goal leaves.
///
/// The sums are whole numbers, so the order in which events were added cannot show in the last digit.
fn credited_weight(frame: &DataFrame, settings: &RateSettings) -> PolarsResult<Float64Chunked> {
    let count = |name: &str| frame.column(name)?.i64();
    let relevance = |millionths: &str, unrated: &str| -> PolarsResult<Float64Chunked> {
        let rated = reals(count(millionths)?).apply_values(|millionths| millionths / 1e6);
        Ok(rated + reals(count(unrated)?) * settings.unrated_relevance)
    };
    let full = count("met")? + count("unjudged")?;
    let (full, missed) = if settings.goal_weighted {
        (reals(&full), relevance("missed_relevance_millionths", "missed_unrated")? * settings.missed_goal)
    } else {
        (reals(&full), reals(&(count("missed_rated")? + count("missed_unrated")?)))
    };
    let left = if settings.goal_weighted { settings.missed_goal } else { 1.0 };
    let failed = relevance("failed_relevance_millionths", "failed_unrated")?
        + relevance("failed_missed_relevance_millionths", "failed_missed_unrated")? * left;
    Ok(full + missed - failed * (1.0 - settings.failed_build))
}

/// How many sightings the figures of another store are worth: a part of each that it has and that was not seen here. What it counted may
/// have been imported as well, so a sighting here takes the place of one there.
fn weigh_history(frame: &DataFrame, settings: &Settings) -> PolarsResult<Float64Chunked> {
    let (part, most) = (settings.rate.history, settings.rate.history_most);
    let part = if settings.compat == Compat::ClosedLoop { 0.0 } else { part };
    #[expect(clippy::cast_precision_loss, reason = "nothing is seen so often")]
    let weigh = |prior: Option<i64>, seen: Option<i64>| {
        let more = prior?.saturating_sub(seen?).max(0);
        Some((more as f64 * part).min(most as f64))
    };
    let weighed: Float64Chunked = binary_elementwise(frame.column("prior_seen")?.i64()?, frame.column("seen")?.i64()?, weigh);
    let rate = frame.column("prior_rate")?.f64()?;
    Ok(binary_elementwise(&weighed, rate, |weighed: Option<f64>, rate: Option<f64>| Some(rate.and(weighed).unwrap_or(0.0))))
}

/// The rate of what was seen and of history together; none where there is no history.
fn mix(rate: &Float64Chunked, seen: &Int64Chunked, history: &Float64Chunked, prior: &Float64Chunked) -> Float64Chunked {
    let times = |rate: Option<f64>, count: Option<f64>| Some(rate.unwrap_or(0.0) * count.unwrap_or(0.0));
    let own: Float64Chunked = binary_elementwise(rate, &reals(seen), times);
    let others: Float64Chunked = binary_elementwise(prior, history, times);
    let all: Float64Chunked = binary_elementwise(history, &reals(seen), |history: Option<f64>, seen: Option<f64>| {
        history.filter(|history| *history > 0.0).map(|history| history + seen.unwrap_or(0.0))
    });
    binary_elementwise(&(own + others), &all, |weight: Option<f64>, all: Option<f64>| Some((weight? / all?).clamp(0.0, 1.0)))
}

/// The part of some count that a weight is; none of nothing.
///
/// A column that is divided by one of a single row is multiplied with its reciprocal, which is off in the last digit. This
/// division is the same for one pattern and for many.
fn share(weight: &Float64Chunked, count: &Int64Chunked) -> Float64Chunked {
    binary_elementwise(weight, &reals(count), |weight: Option<f64>, count: Option<f64>| {
        let count = count.filter(|count| *count > 0.0)?;
        Some((weight? / count).clamp(0.0, 1.0))
    })
}

/// The bin of each rate, before it is rounded.
fn bin_confidence(rate: &Float64Chunked, settings: &ConfidenceSettings) -> UInt32Chunked {
    choose(&[
        (rate.gt_eq(settings.high), Confidence::High),
        (rate.gt_eq(settings.medium), Confidence::Medium),
        (rate.is_not_null(), Confidence::Low),
    ])
}

/// The flag of each pattern: pruning before staleness before a review. What another store gave up, and nobody has tried here, stays
/// given up.
fn choose_flag(
    rate: &Float64Chunked,
    known: &Float64Chunked,
    frame: &DataFrame,
    settings: &FlagSettings,
) -> PolarsResult<UInt32Chunked> {
    let is_stale = frame.column("is_stale")?.bool()?;
    #[expect(clippy::cast_precision_loss, reason = "nothing is seen so often")]
    let is_seen_often = known.gt(settings.prune_over as f64);
    let is_given_up = frame.column("is_given_up")?.bool()? & &frame.column("seen")?.i64()?.equal(0);
    // What is proven to help is not pruned, however hard the work is that it is shown for.
    let is_unproven = !frame.column("is_proven")?.bool()?;
    Ok(choose(&[
        (rate.is_null(), Flag::Untested),
        ((is_seen_often | is_given_up) & rate.lt(settings.prune_below) & is_unproven, Flag::Prune),
        (is_stale.clone(), Flag::Stale),
        (rate.lt(settings.review_below), Flag::Review),
        (rate.is_not_null(), Flag::None),
    ]))
}

/// A low rate is settled when all of its interval lies below the threshold. The other flags are matters of fact.
fn is_settled(flag: &UInt32Chunked, upper: &Float64Chunked, settings: &FlagSettings) -> BooleanChunked {
    let is_open = |known: Flag, below: f64| flag.equal(place_of(known)) & upper.gt_eq(below);
    !(is_open(Flag::Review, settings.review_below) | is_open(Flag::Prune, settings.prune_below))
}

/// The first of two values that is there.
fn or_else(first: &Float64Chunked, second: &Float64Chunked) -> Float64Chunked {
    binary_elementwise(first, second, |first: Option<f64>, second: Option<f64>| first.or(second))
}

#[expect(clippy::cast_precision_loss, reason = "counts of events stay far below 2^52")]
fn reals(counts: &Int64Chunked) -> Float64Chunked {
    arity::unary_elementwise_values(counts, |count: i64| count as f64)
}
