//! The order in which patterns are published and shown, worked out on a frame of their figures.

use polars::prelude::*;

use learn::{Ranking, Score};
use text::diagnostic::{Diagnostic, Outcome};

/// How many patterns a list of the best or the worst shows.
const SHOWN: usize = 10;

/// From how many sightings on a rate says something about a pattern's strength.
const LEAST_SIGHTINGS: i64 = 3;

/// Ranks scores, which come in the order of their numbers.
pub fn rank(scores: &[Score], cap: usize) -> Outcome<Ranking> {
    ranked(scores, cap).map_err(|error| Diagnostic::bug(format!("the patterns cannot be ranked: {error}")))
}

fn ranked(scores: &[Score], cap: usize) -> PolarsResult<Ranking> {
    let frame = frame_of(scores)?;
    let in_file = frame.filter(frame.column("is_in_file")?.bool()?)?;
    let order = places(&in_file, &["tier", "known_seen", "place"], &[false, true, false])?;
    let known = frame.filter(&frame.column("seen")?.i64()?.gt_eq(LEAST_SIGHTINGS))?;
    let known = known.filter(known.column("is_in_use")?.bool()?)?;
    let flagged = frame.filter(&frame.column("urgency")?.u32()?.gt(0))?;
    let flagged = flagged.filter(flagged.column("is_in_use")?.bool()?)?;
    let mut strongest = places(&known, &["lower", "seen", "place"], &[true, true, false])?;
    let mut weakest = places(&known, &["upper", "seen", "place"], &[false, true, false])?;
    // Where few patterns are known, nobody is among the best and the worst at once.
    strongest.truncate(SHOWN.min(known.height().div_ceil(2)));
    weakest.retain(|place| !strongest.contains(place));
    weakest.truncate(SHOWN);
    Ok(Ranking {
        dropped: order.len().saturating_sub(cap),
        published: order.iter().copied().take(cap).collect(),
        in_use: order,
        strongest,
        weakest,
        flagged: places(&flagged, &["urgency", "seen", "place"], &[true, true, false])?,
    })
}

fn frame_of(scores: &[Score]) -> PolarsResult<DataFrame> {
    let column = |name: &str, values: Vec<f64>| Column::new(name.into(), values);
    let count = |name: &str, values: Vec<i64>| Column::new(name.into(), values);
    let columns = vec![
        count("place", (0..).take(scores.len()).collect()),
        Column::new("tier".into(), scores.iter().map(|score| score.flag().tier()).collect::<Vec<u32>>()),
        Column::new("urgency".into(), scores.iter().map(|score| score.flag().tier()).collect::<Vec<u32>>()),
        count("seen", scores.iter().map(|score| score.seen).collect()),
        count("known_seen", scores.iter().map(Score::known_seen).collect()),
        column("lower", scores.iter().map(|score| score.lower.unwrap_or(0.0)).collect()),
        column("upper", scores.iter().map(|score| score.upper.unwrap_or(1.0)).collect()),
        Column::new("is_in_use".into(), scores.iter().map(Score::is_in_use).collect::<Vec<bool>>()),
        Column::new(
            "is_in_file".into(),
            scores.iter().map(|score| score.is_in_use() && score.is_for_organisation()).collect::<Vec<bool>>(),
        ),
    ];
    DataFrame::new(scores.len(), columns)
}

/// The places of a frame's rows, sorted by some columns, each in its direction.
fn places(frame: &DataFrame, columns: &[&str], descending: &[bool]) -> PolarsResult<Vec<usize>> {
    let options = SortMultipleOptions::new().with_order_descending_multi(descending.iter().copied()).with_maintain_order(true);
    let sorted = frame.sort(columns.iter().copied(), options)?;
    Ok(sorted.column("place")?.i64()?.iter().flatten().filter_map(|place| usize::try_from(place).ok()).collect())
}
