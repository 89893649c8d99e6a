//! How much texts are like the one that is sought, from the lake.

use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array, Int64Array, RecordBatch};

use super::inquiry::Inquiry;
use crate::{Arguments, Horizon};
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
    pub vector: &'s Vector,
}

/// How much each text that has a vector to compare is like what is sought, by the text's hash.
pub fn load_similarities(workspace: &Workspace, sought: Sought<'_>, deadline: Deadline) -> Outcome<Vec<(String, f64)>> {
    let inquiry = Inquiry::open(workspace, Horizon::EVERYTHING, deadline)?;
    let numbers = sought.vector.get();
    let places = Int64Array::from_iter_values((1..).take(numbers.len()));
    let vector = [("place", Arc::new(places) as ArrayRef), ("value", Arc::new(Float64Array::from(numbers.to_vec())))];
    let space = Arguments::values([("project", sought.project.into()), ("model", sought.model.into())]);
    inquiry.ask("role_similarity", &space.with_rows("asked_vector", batch(vector)?), parse_similarities)
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
