//! What an iteration changed, as events.

use serde_json::{Map, Value, json};

use super::label::fit_label;
use super::turn::Turn;
use learn::change::{ChangedFile, Changes, Lines};
use text::diagnostic::{Diagnostic, Outcome};
use text::digest::sha256;
use text::limit;

/// The most ranges that are told of one file.
const MOST_RANGES: usize = 1000;
/// The most that paths and details may take of a line. The rest is for the other fields.
const PART_BYTES: usize = limit::LINE_BYTES - (64 << 10);
/// The digits of an id.
const ID_DIGITS: usize = 32;

/// The `change` events of an iteration: one, or several if one line cannot hold all files. Without changes it has no files.
///
/// Counts of lines are those of the event's own files, so that they add up. The details say of each file its `path`, its
/// `status`, the path it came `from`, the ranges `added` as pairs of first line and count, and the lines that others were
/// `deleted_after`. Of a file with more than 1000 ranges the first ones are told, and `cut` is true. The same changes at the
/// same instant give the same lines.
pub fn change_lines(turn: &Turn, repo_name: &str, changes: &Changes) -> Outcome<Vec<String>> {
    let mut lines = Vec::new();
    let mut part = Part::default();
    for file in &changes.files {
        let (path, details) = (fit_label(&file.path), describe(file));
        let size_bytes = Value::from(&*path).to_string().len() + details.to_string().len() + 2;
        if part.paths.len() == limit::LIST_ITEMS || part.size_bytes + size_bytes > PART_BYTES {
            lines.push(std::mem::take(&mut part).finish(turn, repo_name, changes, lines.len())?);
        }
        part.size_bytes += size_bytes;
        part.added_lines += file.added_lines;
        part.removed_lines += file.removed_lines;
        part.paths.push(path);
        part.details.push(details);
    }
    if !part.paths.is_empty() || lines.is_empty() {
        lines.push(part.finish(turn, repo_name, changes, lines.len())?);
    }
    Ok(lines)
}

/// The files of one event.
#[derive(Debug, Default)]
struct Part {
    paths: Vec<String>,
    details: Vec<Value>,
    added_lines: u64,
    removed_lines: u64,
    size_bytes: usize,
}

impl Part {
    fn finish(self, turn: &Turn, repo_name: &str, changes: &Changes, number: usize) -> Outcome<String> {
        let details = Value::from(self.details);
        let head = changes.head.as_deref();
        let identity = json!([
            turn.project,
            turn.run_id,
            turn.iteration,
            turn.time.to_string(),
            repo_name,
            changes.base,
            head,
            number,
            sha256(details.to_string().as_bytes()),
        ]);
        let event = turn
            .draft("change")
            .with("id", identify("change", &identity))
            .with("base", fit_label(&changes.base))
            .with_some("head", head.map(fit_label))
            .with("repo", fit_label(repo_name))
            .with_items("files", self.paths)
            .with("added_lines", self.added_lines)
            .with("removed_lines", self.removed_lines)
            .with("details", details);
        event.finish().map_err(|reason| Diagnostic::bug("the event of a change is too large").because(reason))
    }
}

/// An id that is the same whenever the same is said.
pub(super) fn identify(kind: &str, identity: &Value) -> String {
    format!("{kind}-{}", &sha256(identity.to_string().as_bytes())[..ID_DIGITS])
}

fn describe(file: &ChangedFile) -> Value {
    let mut told = Map::new();
    told.insert("path".to_owned(), fit_label(&file.path).into());
    told.insert("status".to_owned(), file.status.name().into());
    if let Some(from) = &file.from {
        told.insert("from".to_owned(), fit_label(from).into());
    }
    let pair = |lines: &Lines| json!([lines.first, lines.count]);
    told.insert("added".to_owned(), file.added.iter().take(MOST_RANGES).map(pair).collect());
    told.insert("deleted_after".to_owned(), file.deleted_after.iter().take(MOST_RANGES).copied().collect());
    if file.is_binary {
        told.insert("binary".to_owned(), true.into());
    }
    if file.added.len().max(file.deleted_after.len()) > MOST_RANGES {
        told.insert("cut".to_owned(), true.into());
    }
    told.into()
}
