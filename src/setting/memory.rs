//! The settings of the notes that agents keep.

use std::path::PathBuf;

use serde::Deserialize;

use text::diagnostic::{Diagnostic, Outcome};

/// The notes that agents keep.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MemorySettings {
    /// Their folder. A relative path starts at the workspace.
    pub folder: Option<PathBuf>,
    /// Documents that everybody reads: what they say need not be a note. Relative paths start at the workspace.
    pub documents: Vec<PathBuf>,
    /// Notes older than these days are stale.
    pub stale_days: u32,
    /// Notes that share this part of their words overlap.
    pub overlap: f64,
    /// A statement of which a document holds this part of the words is documented.
    pub documented: f64,
    /// What each of the five figures weighs: not documented, borne out, concrete, relevant, unique.
    pub weights: [f64; 5],
    /// From this sum on, the advice is to promote a note.
    pub promote: f64,
    /// Below this sum, the advice is to archive it.
    pub archive: f64,
}

impl Default for MemorySettings {
    fn default() -> Self {
        Self {
            folder: None,
            documents: Vec::new(),
            stale_days: 30,
            overlap: 0.6,
            documented: 0.5,
            weights: [0.30, 0.20, 0.20, 0.15, 0.15],
            promote: 0.70,
            archive: 0.40,
        }
    }
}

/// Parts of a whole lie from 0 to 1.
pub(super) fn check(settings: &MemorySettings) -> Outcome<()> {
    let parts = [
        ("overlap", settings.overlap),
        ("documented", settings.documented),
        ("promote", settings.promote),
        ("archive", settings.archive),
    ];
    let weights = settings.weights.map(|weight| ("weights", weight));
    if let Some((name, value)) = parts.into_iter().chain(weights).find(|(_, value)| !(0.0..=1.0).contains(value)) {
        return Err(Diagnostic::edit(format!("the setting `memory.{name}` is {value}"), "write a number from 0 to 1"));
    }
    if settings.archive > settings.promote {
        return Err(Diagnostic::edit(
            "the setting `memory.archive` lies above `memory.promote`",
            "let notes be archived below the sum from which on they are promoted",
        ));
    }
    if settings.stale_days == 0 {
        return Err(Diagnostic::edit("the setting `memory.stale_days` is 0", "write at least 1"));
    }
    Ok(())
}
