//! What readers see of a workspace: the published generation, checked file by file.

use engine::graph::parse_mentions;
use engine::shipped_graph;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use store::publish::Manifest;
use store::workspace::Workspace;
use text::digest::sha256;

use super::{Material, Scene};

/// A workspace that took and learned from made-up events.
pub fn learned(lines: u64) -> Scene {
    let scene = Scene::new();
    scene.land("a.jsonl", &Material::made(21, lines).bytes);
    scene.done(&["run", "hourly"]);
    scene
}

/// Follows `current` once, then reads all that its manifest lists. None before anything is published.
pub fn read_current(workspace: &Workspace) -> Result<Option<Manifest>, String> {
    match fs::read_link(workspace.current()) {
        Ok(name) => read_whole(&workspace.published().join(name)).map(Some),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.to_string()),
    }
}

/// Reads a generation: every file must be there in its size and with its hash, and no other.
pub fn read_whole(folder: &Path) -> Result<Manifest, String> {
    let in_folder = |error: &dyn std::fmt::Display| format!("{}: {error}", folder.display());
    let manifest = fs::read(folder.join("manifest.json")).map_err(|error| in_folder(&error))?;
    let manifest: Manifest = serde_json::from_slice(&manifest).map_err(|error| in_folder(&error))?;
    // Where there are several projects, each has two more.
    if manifest.files.len() < 21 || manifest.files.len().is_multiple_of(2) || !folder.ends_with(&manifest.generation) {
        return Err(in_folder(&"the manifest is another's"));
    }
    // Tables of single rows stand in the last generations only.
    let is_thinned = |name: &str| ["outcome.parquet", "run-adapters.parquet"].contains(&name) && !folder.join(name).exists();
    for file in manifest.files.iter().filter(|file| !is_thinned(&file.name)) {
        let content = fs::read(folder.join(&file.name)).map_err(|error| in_folder(&error))?;
        if content.len() as u64 != file.bytes || sha256(&content) != file.sha256 {
            return Err(in_folder(&format!("{} is not what the manifest says", file.name)));
        }
    }
    Ok(manifest)
}

/// The name of the generation that readers read, which must be whole.
#[track_caller]
pub fn current(scene: &Scene) -> String {
    read_current(&scene.workspace).expect("a whole generation").expect("a generation").generation
}

/// A file of the generation that readers read.
pub fn read(scene: &Scene, name: &str) -> String {
    fs::read_to_string(scene.workspace.current().join(name)).expect("a published file")
}

/// The names of all generations, which must all be whole.
#[track_caller]
pub fn generations(scene: &Scene) -> Vec<String> {
    let names = store::publish::list_generations(&scene.workspace).expect("a list");
    for name in &names {
        read_whole(&scene.workspace.published().join(name)).expect("a whole generation");
    }
    names
}

/// What killed runs left behind.
pub fn leftovers(scene: &Scene) -> Vec<PathBuf> {
    let entries = fs::read_dir(scene.workspace.published()).expect("a folder").map(|entry| entry.expect("an entry").path());
    entries.filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'))).collect()
}

/// Adds to the settings.
pub fn set(scene: &Scene, settings: &str) {
    fs::write(scene.workspace.settings(), settings).expect("settings");
}

/// Puts a query of the workspace's own in the place of the program's, with a header that fits it.
pub fn put_query(scene: &Scene, name: &str, sql: &str) {
    let graph = shipped_graph().expect("a graph");
    let node = graph.node(&name.replace('/', "_")).expect("a query");
    let found = parse_mentions(sql);
    let (takes, needs): (Vec<String>, Vec<String>) =
        found.tables.into_iter().map(|table| table.name).partition(|name| node.takes.contains(name));
    let (needs, takes) = (needs.join(", "), takes.join(", "));
    let header = format!(
        "-- A query of the workspace's own.\n-- Needs: {needs}\n-- Takes: {takes}\n-- Makes: {} ({})\n-- Grain: (row).\n",
        node.name,
        node.form.name()
    );
    put_file(scene, name, &(header + sql));
}

/// Puts a file below the workspace's own `sql/`.
pub fn put_file(scene: &Scene, name: &str, sql: &str) {
    let path = scene.workspace.queries().join(format!("{name}.sql"));
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    fs::write(path, sql).expect("a query");
}
