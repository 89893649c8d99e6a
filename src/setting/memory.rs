//! The settings of the notes that agents keep.

use std::path::PathBuf;

use crate::parse::Conflict;
use crate::section::{SHARE, at_least, settings};

settings! {
    /// Review of the Markdown notes that agents keep between sessions (`outerloop memory promote`, `review`, `status`).
    pub struct MemorySettings {
        /// The folder of the notes. A relative path starts at the workspace.
        folder: Option<PathBuf>, example r#""../.claude/memory""#;
        /// Shared documents whose content need not be in a note. Without any, CLAUDE.md, AGENTS.md and README.md of the work tree. A
        /// relative path starts at the workspace.
        documents: Vec<PathBuf>;
        /// Notes older than this many days are stale.
        stale_days: u32 = 30, in at_least(1.0);
        /// Notes overlap if they share this part of their words.
        overlap: f64 = 0.6, in SHARE;
        /// A statement is documented if a document holds this part of its words.
        documented: f64 = 0.5, in SHARE;
        /// Weights of the five scores of a note: undocumented, supported by patterns, concrete, relevant, unique.
        weights: [f64; 5] = [0.30, 0.20, 0.20, 0.15, 0.15], in SHARE;
        /// Notes with at least this total are recommended for promotion.
        promote: f64 = 0.70, in SHARE;
        /// Notes below this total are recommended for archiving. At most `promote`.
        archive: f64 = 0.40, in SHARE;
    }
}

pub(crate) fn check(settings: &MemorySettings) -> Result<(), Conflict> {
    let MemorySettings { archive, promote, .. } = settings;
    Conflict::unless(archive <= promote, &["memory.archive", "memory.promote"], || {
        (format!("`memory.archive` is {archive}, more than `memory.promote`"), format!("write a number from 0 to {promote}"))
    })
}
