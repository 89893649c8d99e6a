//! The order in which patterns are published and shown, worked out on a frame of their figures.

use polars::prelude::*;

use crate::figure::Figures;
use crate::frame::{broken, place_of, word_at};
use learn::{Flag, Ranking, Score};
use text::diagnostic::Outcome;

/// How many patterns a list of the best or the worst shows.
const SHOWN: usize = 10;

/// From how many sightings on a rate says something about a pattern's strength.
const LEAST_SIGHTINGS: i64 = 3;

/// Ranks scores, which come in the order of their numbers.
pub(crate) fn rank(scores: &[Score], figures: &Figures, cap: usize) -> Outcome<Ranking> {
    ranked(scores, figures, cap).map_err(|error| broken(&error))
}

fn ranked(scores: &[Score], figures: &Figures, cap: usize) -> PolarsResult<Ranking> {
    let frame = frame_of(scores, figures)?;
    let is_in_use = frame.column("is_in_use")?.bool()?;
    let in_file = frame.filter(&(is_in_use & frame.column("is_for_organisation")?.bool()?))?;
    let order = places(&in_file, &["tier", "known_weight", "place"], &[false, true, false])?;
    let known = frame.filter(&(is_in_use & &frame.column("seen")?.i64()?.gt_eq(LEAST_SIGHTINGS)))?;
    let flagged = frame.filter(&(is_in_use & &frame.column("tier")?.u32()?.gt(0)))?;
    // What is flagged is not strong, however few others there are.
    let sound = known.filter(&known.column("tier")?.u32()?.equal(0))?;
    let mut strongest = places(&sound, &["lower", "seen", "place"], &[true, true, false])?;
    let mut weakest = places(&known, &["upper", "seen", "place"], &[false, true, false])?;
    // Where few patterns are known, nobody is among the best and the worst at once.
    strongest.truncate(SHOWN.min(known.height().div_ceil(2)));
    weakest.retain(|place| !strongest.contains(place));
    weakest.truncate(SHOWN);
    let count = |flag: &Flag| (is_in_use & &figures.flag.equal(place_of(*flag))).sum().unwrap_or(0) as usize;
    Ok(Ranking {
        dropped: order.len().saturating_sub(cap),
        published: order.iter().copied().take(cap).collect(),
        in_use: order,
        strongest,
        weakest,
        flagged: places(&flagged, &["tier", "seen", "place"], &[true, true, false])?,
        flags: Flag::ALL.iter().map(|flag| (*flag, count(flag))).collect(),
    })
}

fn frame_of(scores: &[Score], figures: &Figures) -> PolarsResult<DataFrame> {
    fn column<T>(scores: &[Score], name: &str, value: impl Fn(&Score) -> T) -> Column
    where
        Series: NamedFrom<Vec<T>, [T]>,
    {
        Column::new(name.into(), scores.iter().map(value).collect::<Vec<T>>())
    }
    let tier = figures.flag.apply_values(|place| word_at(place).map_or(0, Flag::tier));
    let columns = vec![
        Column::new("place".into(), (0..).take(scores.len()).collect::<Vec<i64>>()),
        tier.with_name("tier".into()).into_column(),
        figures.lower.clone().with_name("lower".into()).into_column(),
        figures.upper.clone().with_name("upper".into()).into_column(),
        column(scores, "seen", |score| score.seen),
        column(scores, "known_weight", Score::known_weight),
        column(scores, "is_in_use", Score::is_in_use),
        column(scores, "is_for_organisation", Score::is_for_organisation),
    ];
    DataFrame::new(scores.len(), columns)
}

/// The places of a frame's rows, sorted by some columns, each in its direction.
fn places(frame: &DataFrame, columns: &[&str], descending: &[bool]) -> PolarsResult<Vec<usize>> {
    let options = SortMultipleOptions::new().with_order_descending_multi(descending.iter().copied()).with_maintain_order(true);
    let sorted = frame.sort(columns.iter().copied(), options)?;
    Ok(sorted.column("place")?.i64()?.iter().flatten().filter_map(|place| usize::try_from(place).ok()).collect())
}
