//! What becomes of captured lessons: the gates, the built-in rules, and commands of all tempers.

mod answer;
mod builtin;
mod gate;
mod run;
mod wording;

use agent::classify::PendingLesson;

use crate::command::Room;

/// A lesson of the project `shop`.
fn lesson(id: &str, summary: &str) -> PendingLesson {
    PendingLesson { id: id.to_owned(), project: "shop".to_owned(), summary: summary.to_owned(), ..PendingLesson::default() }
}

/// Lessons that pass every gate, with the ids `l1`, `l2` and so on.
fn lessons(count: usize) -> Vec<PendingLesson> {
    let numbered =
        |number| lesson(&format!("l{number}"), &format!("Close database connections of worker {number} after every request"));
    (1..=count).map(numbered).collect()
}

/// An answer that approves lessons.
fn approval(ids: &[&str]) -> String {
    let entry = |id: &&str| serde_json::json!({"id": id, "status": "approved", "scope": "organization", "category": "convention", "repo": "*"});
    serde_json::json!({"classifications": ids.iter().map(entry).collect::<Vec<_>>()}).to_string()
}
