//! What two systems say about one run, as one event.

use serde_json::{Map, Value};

use super::record::is_same;

/// What became of two records of one run.
#[derive(Debug, PartialEq)]
pub(super) enum Merged {
    /// Both together, and what had to be decided.
    Joined(Map<String, Value>, Option<&'static str>),
    /// They say different things in this field.
    Contradiction(String),
}

/// Joins the fields of two records.
pub(super) fn join(first: &Map<String, Value>, second: &Map<String, Value>) -> Merged {
    let mut fields = first.clone();
    let mut decided = None;
    for (name, value) in second {
        match first.get(name) {
            None => {
                fields.insert(name.clone(), value.clone());
            }
            Some(earlier) if is_same(name, earlier, value) => {}
            // One of the systems has no word for a part of a success and says that such a run failed.
            Some(earlier) if name == "result" && is_part_and_failure(earlier, value) => {
                fields.insert("result".to_owned(), "partial".into());
                fields.insert("source_result".to_owned(), "failure".into());
                decided =
                    Some("one system calls the run `partial`, the other one, which has no such word, `failed`; it is partial");
            }
            Some(_) => return Merged::Contradiction(name.clone()),
        }
    }
    Merged::Joined(fields, decided)
}

fn is_part_and_failure(one: &Value, other: &Value) -> bool {
    matches!((one.as_str(), other.as_str()), (Some("partial"), Some("failure")) | (Some("failure"), Some("partial")))
}
