//! Words for made-up lessons.

use fastrand::Rng;

const ACTIONS: [&str; 16] = [
    "Validate", "Cache", "Retry", "Log", "Mock", "Escape", "Batch", "Lock", "Close", "Pin", "Check", "Split", "Rename", "Guard",
    "Measure", "Document",
];
const OBJECTS: [&str; 20] = [
    "webhook signatures",
    "database connections",
    "flaky network calls",
    "user input",
    "migration scripts",
    "API responses",
    "feature flags",
    "file handles",
    "dependency versions",
    "null results",
    "long functions",
    "test fixtures",
    "retry loops",
    "shell arguments",
    "time zones",
    "pagination limits",
    "error messages",
    "background jobs",
    "access rights",
    "generated files",
];
const REASONS: [&str; 16] = [
    "before parsing the body",
    "because the pool runs dry under load",
    "with a bounded backoff",
    "at the edge, not in the core",
    "so that a rerun is harmless",
    "before the first release",
    "when the schema changes",
    "in every test that touches the disk",
    "after the second failure",
    "as soon as the loop ends",
    "because reviewers ask for it",
    "to keep builds repeatable",
    "or the cache will serve stale data",
    "unless the caller says otherwise",
    "within the same transaction",
    "for each tenant on its own",
];

/// The text of a lesson. The number makes it one of its own.
pub(super) fn lesson(number: usize, random: &mut Rng) -> String {
    let (action, object, reason) = (pick(&ACTIONS, random), pick(&OBJECTS, random), pick(&REASONS, random));
    format!("{action} {object} {reason} (case {number})")
}

/// A sentence or a few about what happened.
pub(super) fn story(sentences: usize, random: &mut Rng) -> String {
    let mut text = String::new();
    for _ in 0..sentences {
        if !text.is_empty() {
            text.push(' ');
        }
        let (object, reason) = (pick(&OBJECTS, random), pick(&REASONS, random));
        text.extend(["The agent had not looked at ", object, " ", reason, ", and the build showed it."]);
    }
    text
}

/// One of some words.
pub(super) fn pick<'w>(words: &[&'w str], random: &mut Rng) -> &'w str {
    words[random.usize(..words.len())]
}
