//! How much texts are like the one that is sought, from the lake.

use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};

use super::inquiry::Inquiry;
use crate::{Horizon, Query};
use event::field::Vector;
use event::row::Rows;
use store::deadline::Deadline;
use store::workspace::Workspace;
use text::diagnostic::{Diagnostic, Outcome};

/// What is sought, and among what.
#[derive(Debug, Clone, Copy)]
pub struct Sought<'s> {
    /// The project whose texts are compared with it.
    pub project: &'s str,
    /// The model that its vector is of.
    pub model: &'s str,
    /// Its vector.
    pub vector: &'s Vector,
}

/// How much each text that has a vector to compare is like what is sought, by the text's hash.
pub fn load_similarities(workspace: &Workspace, sought: Sought<'_>, deadline: Deadline) -> Outcome<Vec<(String, f64)>> {
    let inquiry = Inquiry::open(workspace, Horizon::EVERYTHING, deadline)?;
    let numbers = sought.vector.get();
    let places = Int64Array::from_iter_values((1..).take(numbers.len()));
    let vector = [("place", Arc::new(places) as ArrayRef), ("value", Arc::new(Float64Array::from(numbers.to_vec())))];
    inquiry.session.load_table("asked_vector", "place bigint, value double", &[batch(vector)?])?;
    let text = |text: &str| Arc::new(StringArray::from(vec![text])) as ArrayRef;
    let space = [("project", text(sought.project)), ("model", text(sought.model))];
    inquiry.session.load_table("asked_space", "project varchar, model varchar", &[batch(space)?])?;
    inquiry.load(Query::RoleSimilarity, parse_similarities)
}

fn batch(columns: [(&str, ArrayRef); 2]) -> Outcome<RecordBatch> {
    RecordBatch::try_from_iter(columns).map_err(|error| Diagnostic::bug(format!("what is sought does not fit its table: {error}")))
}

/// Reads the rows of `sql/role/similarity.sql`.
fn parse_similarities(rows: &Rows) -> Outcome<Vec<(String, f64)>> {
    let mut similarities = Vec::with_capacity(rows.count());
    for part in rows.parts() {
        let (texts, values) = (part.texts("text_hash")?, part.reals("similarity")?);
        similarities.extend((0..part.len()).map(|row| (texts.value(row).to_owned(), values.value(row))));
    }
    Ok(similarities)
}
