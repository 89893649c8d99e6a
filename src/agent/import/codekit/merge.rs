//! What two systems say about one run, as one event.

use serde_json::{Map, Value};

use super::record::is_same;

/// What became of two records of one run.
#[derive(Debug, PartialEq)]
pub(super) enum Merged {
    /// Both together, and what had to be decided.
    Joined(Map<String, Value>, Vec<&'static str>),
    /// They say different things in this field.
    Contradiction(String),
}

/// Joins the fields of two records.
pub(super) fn join(first: &Map<String, Value>, second: &Map<String, Value>) -> Merged {
    let mut fields = first.clone();
    let mut decided = Vec::new();
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
                decided.push("one store says `partial`, the other, which has no such value, `failed`; `partial` is used");
            }
            Some(earlier) if name == "quality" && (is_automatic(first, earlier) || is_automatic(second, value)) => {
                let graded = if is_automatic(first, earlier) { value } else { earlier };
                fields.insert("quality".to_owned(), graded.clone());
                decided.push("one store only has quality 1 for a success and 0 otherwise; the quality of the other store is used");
            }
            Some(_) => return Merged::Contradiction(name.clone()),
        }
    }
    Merged::Joined(fields, decided)
}

/// Whether a quality is the one that the adapter system gives by itself: 1 for a success, 0 for anything else.
fn is_automatic(fields: &Map<String, Value>, quality: &Value) -> bool {
    let by_itself = fields.get("success").and_then(Value::as_bool).map(f64::from);
    by_itself.is_some() && quality.as_f64() == by_itself
}

fn is_part_and_failure(one: &Value, other: &Value) -> bool {
    matches!((one.as_str(), other.as_str()), (Some("partial"), Some("failure")) | (Some("failure"), Some("partial")))
}
