//! The files that the demo renders are committed, so that everybody sees what a project gets.

use std::fs;
use std::path::Path;

use super::list;
use crate::support::Scene;

/// The committed files.
const COMMITTED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/rendered");
/// What a project commits of it; the rest is bookkeeping.
const FOLDERS: [(&str, &str); 2] = [(".claude", "claude"), (".memory/knowledge", "knowledge")];

#[test]
fn the_committed_files_are_those_of_the_demo() {
    let scene = Scene::new();
    let folder = scene.root().join("demo");
    scene.done(&["demo", "--keep", folder.to_str().expect("a path")]);
    let mut rendered = Vec::new();
    for (place, name) in FOLDERS {
        for file in list(&folder.join(place), &folder.join(place)) {
            let text = fs::read_to_string(folder.join(place).join(&file)).expect("a file");
            rendered.push((format!("{name}/{file}"), text));
        }
    }
    assert_eq!(rendered.len(), 4, "{rendered:?}");
    if std::env::var_os("OUTERLOOP_DOCS").is_some() {
        let _ = fs::remove_dir_all(COMMITTED);
        for (name, text) in &rendered {
            let path = Path::new(COMMITTED).join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, text).expect("a file");
        }
    }
    let committed: Vec<(String, String)> = list(Path::new(COMMITTED), Path::new(COMMITTED))
        .into_iter()
        .map(|name| (name.clone(), fs::read_to_string(Path::new(COMMITTED).join(name)).expect("a file")))
        .collect();
    assert_eq!(rendered, committed, "run the test with OUTERLOOP_DOCS=write to write the files anew");
}
