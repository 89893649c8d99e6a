//! Text that was written without rules, made to fit the fields of an event. Every change is noted.

use super::number::trim;
use crate::import::imported::Notes;
use text::fit;
use text::fit::cut;
use text::fit::quoted;
use text::limit;

/// What an empty run or role is called; the original writes the same word where it knows no run.
pub(super) const UNKNOWN: &str = "unknown";

/// A name: what separates paths or cannot be printed becomes `_`. None if there is nothing in it.
pub(super) fn fit_name(text: &str, field: &str, notes: &mut Notes) -> Option<String> {
    let name = fit::name(text)?;
    if name != text {
        notes.add(format!("`{field}` {} became {}", quoted(text), quoted(&name)));
    }
    Some(name)
}

/// A name that an event cannot do without.
pub(super) fn fit_needed_name(text: &str, field: &str, notes: &mut Notes) -> String {
    fit_name(text, field, notes).unwrap_or_else(|| {
        notes.add(format!("`{field}` is empty and became `{UNKNOWN}`"));
        UNKNOWN.to_owned()
    })
}

/// The project that all events of an import belong to, made a name if it is none.
pub(super) fn fit_project(project: &str) -> String {
    fit_name(project, "project", &mut Notes::default()).unwrap_or_else(|| UNKNOWN.to_owned())
}

/// A label: what cannot be printed becomes a space. None if nothing is left.
pub(super) fn fit_label(text: &str, field: &str, notes: &mut Notes) -> Option<String> {
    if text.trim().is_empty() {
        return None;
    }
    let label = fit::label(text);
    if label.as_deref() != Some(text) {
        notes.add(format!("`{field}` {} became {}", quoted(text), quoted(label.as_deref().unwrap_or_default())));
    }
    label
}

/// A text, cut at its limit.
pub(super) fn fit_text(text: &str, field: &str, notes: &mut Notes) -> String {
    fit_bytes(text, limit::TEXT_BYTES, field, notes).to_owned()
}

/// A short text that is kept beside the fields, cut where a name would be.
pub(super) fn fit_aside(text: &str, field: &str, notes: &mut Notes) -> String {
    fit_bytes(text, limit::NAME_BYTES, field, notes).to_owned()
}

/// A list of texts: trimmed, without empty ones.
pub(super) fn fit_texts<'a>(items: impl Iterator<Item = &'a str>, field: &str, notes: &mut Notes) -> Vec<String> {
    let texts = items.map(trim).filter(|item| !item.is_empty()).collect();
    bounded(texts, field, notes).into_iter().map(|item| fit_bytes(item, limit::ITEM_BYTES, field, notes).to_owned()).collect()
}

/// A list of labels: trimmed, without empty ones.
pub(super) fn fit_labels<'a>(items: impl Iterator<Item = &'a str>, field: &str, notes: &mut Notes) -> Vec<String> {
    let labels = items.map(trim).filter(|item| !item.is_empty()).collect();
    bounded(labels, field, notes).into_iter().filter_map(|item| fit_label(item, field, notes)).collect()
}

fn fit_bytes<'a>(text: &'a str, most_bytes: usize, field: &str, notes: &mut Notes) -> &'a str {
    if text.len() > most_bytes {
        notes.add(format!("`{field}` has {} bytes and was cut to {most_bytes}", text.len()));
    }
    cut(text, most_bytes)
}

fn bounded<'a>(mut items: Vec<&'a str>, field: &str, notes: &mut Notes) -> Vec<&'a str> {
    if items.len() > limit::LIST_ITEMS {
        notes.add(format!("`{field}` has {} items and was cut to {}", items.len(), limit::LIST_ITEMS));
        items.truncate(limit::LIST_ITEMS);
    }
    items
}
