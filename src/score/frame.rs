//! Frames from rows, and what the other modules do with their columns.

use arrow::array::AsArray as _;
use arrow::datatypes::{DataType as ArrowType, Float64Type as ArrowReal, Int64Type as ArrowNumber};
use polars::prelude::arity::binary_elementwise;
use polars::prelude::*;

use event::cell::{Row, Word, batch_of};
use text::diagnostic::{Diagnostic, Outcome};

/// A frame with the columns of a row's definition. Lists and texts stay behind: nothing is computed from them.
pub(crate) fn frame_of<T: Row>(rows: &[T]) -> Outcome<DataFrame> {
    let batch = batch_of::<T, _>(rows)?;
    let schema = batch.schema();
    let columns = schema.fields().iter().zip(batch.columns()).filter_map(|(field, array)| {
        let name = field.name().as_str().into();
        match array.data_type() {
            ArrowType::Int64 => Some(Column::new(name, array.as_primitive::<ArrowNumber>().iter().collect::<Vec<_>>())),
            ArrowType::Float64 => Some(Column::new(name, array.as_primitive::<ArrowReal>().iter().collect::<Vec<_>>())),
            ArrowType::Boolean => Some(Column::new(name, array.as_boolean().iter().collect::<Vec<_>>())),
            _ => None,
        }
    });
    DataFrame::new(rows.len(), columns.collect()).map_err(|error| broken(&error))
}

/// What polars reports about the program's own columns is a bug of the program.
pub(crate) fn broken(error: &PolarsError) -> Diagnostic {
    Diagnostic::bug(format!("the figures of patterns cannot be computed: {error}"))
}

/// The first word whose condition holds, in each row, as its place among all words; nothing where none holds.
pub(crate) fn choose<W: Word>(cases: &[(BooleanChunked, W)]) -> UInt32Chunked {
    let length = cases.first().map_or(0, |(condition, _)| condition.len());
    cases.iter().rev().fold(UInt32Chunked::full_null(PlSmallStr::EMPTY, length), |others, (condition, word)| {
        let place = place_of(*word);
        binary_elementwise(
            condition,
            &others,
            |holds: Option<bool>, other: Option<u32>| {
                if holds == Some(true) { Some(place) } else { other }
            },
        )
    })
}

pub(crate) fn place_of<W: Word>(word: W) -> u32 {
    (0..).zip(W::ALL).find(|(_, known)| **known == word).map_or(0, |(place, _)| place)
}

pub(crate) fn word_at<W: Word>(place: u32) -> Option<W> {
    W::ALL.get(place as usize).copied()
}
