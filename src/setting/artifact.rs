//! The settings of what observations become in a project's folder.

use std::path::PathBuf;

use serde::Deserialize;

use text::diagnostic::{Diagnostic, Outcome};

/// What observations become in a project's folder.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ArtifactSettings {
    /// The project's folder [default: the one that holds the workspace]. A relative path starts at the workspace.
    pub root: Option<PathBuf>,
    /// Whether the jobs render too.
    pub render: bool,
    /// From so many entries of one file on people are told that it fills up.
    pub soft_start: usize,
    /// So many entries of one file may be in use.
    pub ceiling: usize,
}

impl Default for ArtifactSettings {
    fn default() -> Self {
        Self { root: None, render: true, soft_start: 50, ceiling: 100 }
    }
}

pub(super) fn check(settings: &ArtifactSettings) -> Outcome<()> {
    if settings.ceiling == 0 || settings.soft_start > settings.ceiling {
        return Err(Diagnostic::edit(
            format!(
                "the settings `artifact.soft_start` and `artifact.ceiling` are {} and {}",
                settings.soft_start, settings.ceiling
            ),
            "let the ceiling be at least 1, and people be told before it is reached",
        ));
    }
    Ok(())
}
