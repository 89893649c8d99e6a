//! Paths and texts from outside, as labels that are never empty.

use text::fit;

/// What stands for a text of which nothing can be shown.
const NOTHING: &str = "\u{fffd}";

/// A label: what cannot be printed becomes a space, and what is too long is cut. It is never empty.
pub(super) fn fit_label(text: &str) -> String {
    fit::label(text).unwrap_or_else(|| NOTHING.to_owned())
}
