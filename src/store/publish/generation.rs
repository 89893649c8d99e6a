//! A published generation, and its manifest: what was written, from what, by which rules.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fmt, fs, io};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::workspace::Workspace;
use text::diagnostic::{Diagnostic, Outcome};
use text::digest::sha256;
use text::program::Program;

/// The name of the manifest's file.
pub(super) const MANIFEST: &str = "manifest.json";

/// What a generation holds, and what it was made from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// The generation's name.
    pub generation: String,
    /// The instant it holds for.
    pub as_of: String,
    pub as_of_micros: i64,
    /// The last event in the order of landing that was looked at, where that was limited.
    pub through: Option<i64>,
    /// The SHA-256 of the settings that figures depend on.
    pub settings_hash: String,
    #[serde(default)]
    pub program: Program,
    /// The version of the published tables.
    #[serde(default)]
    pub tables: u32,
    /// The SHA-256 of the prelude and of every body of `sql/`, by path.
    pub queries: BTreeMap<String, String>,
    pub files: Vec<ManifestFile>,
}

/// A file of a generation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ManifestFile {
    pub name: String,
    pub bytes: u64,
    /// The SHA-256 of its content.
    pub sha256: String,
}

/// A published generation. Its folder stays the same one, whatever is published after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Generation {
    pub folder: PathBuf,
    pub manifest: Manifest,
}

impl Generation {
    /// The content of one of its files.
    pub fn read(&self, name: &str) -> Outcome<Vec<u8>> {
        let path = self.folder.join(name);
        fs::read(&path).map_err(|error| Diagnostic::io("cannot read the published file", &path, &error))
    }

    /// Whether it has a file of that name. Earlier versions published fewer files.
    pub fn has(&self, name: &str) -> bool {
        self.manifest.files.iter().any(|file| file.name == name)
    }

    pub fn parse<T, E: fmt::Display>(&self, name: &str, parse: impl FnOnce(Vec<u8>) -> Result<T, E>) -> Outcome<T> {
        parse(self.read(name)?).map_err(|cause| {
            Diagnostic::edit(format!("the published `{name}` cannot be read"), "publish a new generation: outerloop run hourly")
                .at(&self.folder.join(name))
                .because(cause)
        })
    }

    pub fn parse_json<T: DeserializeOwned>(&self, name: &str) -> Outcome<T> {
        self.parse(name, |bytes| serde_json::from_slice(&bytes))
    }
}

/// The current generation; none before the first.
pub fn load_current(workspace: &Workspace) -> Outcome<Option<Generation>> {
    // The link is followed once: everything else is read from the folder that it named.
    match fs::read_link(workspace.current()) {
        Ok(name) => load(&workspace.published().join(name)).map(Some),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Diagnostic::io("cannot find the published generation", &workspace.current(), &error)),
    }
}

/// The current generation, for publishing the next one. A damaged generation counts as none, otherwise it could never be
/// replaced.
pub fn find_current(workspace: &Workspace) -> Outcome<Option<Generation>> {
    let manifest = workspace.current().join(MANIFEST);
    match fs::read(&manifest) {
        Ok(bytes) if serde_json::from_slice::<Manifest>(&bytes).is_ok() => load_current(workspace),
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(Diagnostic::io("cannot read the published generation", &manifest, &error))
        }
        _ => Ok(None),
    }
}

/// Compares every file of the published generation with its manifest.
pub fn check_current(workspace: &Workspace) -> Outcome<Option<Manifest>> {
    let Some(generation) = load_current(workspace)? else { return Ok(None) };
    for file in &generation.manifest.files {
        if sha256(&generation.read(&file.name)?) != file.sha256 {
            return Err(Diagnostic::edit(
                format!("`{}` is not what was published", file.name),
                "publish a new generation: outerloop run hourly",
            )
            .at(&generation.folder));
        }
    }
    Ok(Some(generation.manifest))
}

pub fn load_generation(workspace: &Workspace, name: &str) -> Outcome<Generation> {
    let names = list_generations(workspace)?;
    if names.iter().any(|known| known == name) {
        return load(&workspace.published().join(name));
    }
    let latest = names.last().map_or_else(|| "nothing was published yet".to_owned(), |latest| format!("the latest is {latest}"));
    Err(Diagnostic::edit(
        format!("there is no generation `{}`", name.escape_default()),
        format!("{latest}; `ls {}` shows all that are kept", workspace.published().display()),
    ))
}

/// The names of all generations that are kept, in the order of the instants they hold for.
pub fn list_generations(workspace: &Workspace) -> Outcome<Vec<String>> {
    let folder = workspace.published();
    let entries = match fs::read_dir(&folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(|error| Diagnostic::io("cannot list the generations", &folder, &error))?,
    };
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry.map_err(|error| Diagnostic::io("cannot list the generations", &folder, &error))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if !name.starts_with('.') && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            names.push(name);
        }
    }
    names.sort_unstable();
    Ok(names)
}

fn load(folder: &Path) -> Outcome<Generation> {
    let path = folder.join(MANIFEST);
    let damaged = |cause: String| {
        Diagnostic::edit("the published generation is damaged", "publish a new one: outerloop run hourly").at(&path).because(cause)
    };
    let bytes = fs::read(&path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => damaged(error.to_string()),
        _ => Diagnostic::io("cannot read the published generation", &path, &error),
    })?;
    let manifest = serde_json::from_slice(&bytes).map_err(|error| damaged(error.to_string()))?;
    Ok(Generation { folder: folder.to_path_buf(), manifest })
}
