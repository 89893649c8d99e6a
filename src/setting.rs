//! The settings of a workspace: `outerloop.toml`, each key with its default.

use std::fs;
use std::io;

use serde::Deserialize;

use crate::diagnostic::{Diagnostic, Outcome};
use crate::workspace::Workspace;

/// What `outerloop init` writes: every setting with its default and what it means.
pub const TEMPLATE: &str = include_str!("setting.toml");

/// The settings of a workspace. A key that is absent has its default; a key that is not known is an error.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// The project of events that name none.
    pub project: Option<String>,
    /// How the inbox is taken.
    pub compact: CompactSettings,
    /// When the small files of old partitions are merged.
    pub rewrite: RewriteSettings,
}

/// How the inbox is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CompactSettings {
    /// How much of the inbox is taken in one batch, in KiB. Larger batches make fewer files and need more memory.
    pub batch_kib: u32,
    /// How many ids are held in memory to recognise redeliveries, at about 25 bytes each. Days with more are read anew for
    /// every batch.
    pub held_ids: usize,
}

impl Default for CompactSettings {
    fn default() -> Self {
        Self { batch_kib: 48 << 10, held_ids: 4_000_000 }
    }
}

/// When the small files of old partitions are merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RewriteSettings {
    /// Partitions of the last days still grow and are left alone.
    pub after_days: u16,
    /// How many small files make a merge worth its cost.
    pub least_files: usize,
    /// Below this size, in MiB, a file is small.
    pub small_mib: u64,
}

impl Default for RewriteSettings {
    fn default() -> Self {
        Self { after_days: 2, least_files: 4, small_mib: 64 }
    }
}

/// Reads the settings of a workspace. Without a file, every setting has its default.
pub fn load_settings(workspace: &Workspace) -> Outcome<Settings> {
    let path = workspace.settings();
    let text = match fs::read_to_string(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Settings::default()),
        read => read.map_err(|error| Diagnostic::io("cannot read the settings", &path, &error))?,
    };
    toml::from_str(&text).map_err(|error| {
        Diagnostic::edit(
            "the settings are not valid",
            "correct the line; `outerloop init --print-settings` shows every setting with its default",
        )
        .at(&path)
        .because(error.to_string().trim_end())
    })
}
