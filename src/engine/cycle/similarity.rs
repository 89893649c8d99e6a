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
    let similarities: Vec<Similarity> =
        inquiry.ask("role_similarity", &space.with_rows("asked_vector", batch(vector)?), Rows::read)?;
    Ok(similarities.into_iter().map(|one| (one.text_hash, one.similarity)).collect())
}

fn batch(columns: [(&str, ArrayRef); 2]) -> Outcome<RecordBatch> {
    RecordBatch::try_from_iter(columns).map_err(|error| Diagnostic::bug(format!("what is sought does not fit its table: {error}")))
}

event::row! {
    struct Similarity {
        text_hash: String,
        similarity: f64,
    }
}
