//! Golden hashes: what twenty workspaces publish and answer, made with the real program, compared with hashes in this folder.
//! A change of the program's structure must not change any of them.
//!
//! `<workspace>.txt` has a line for each file with the hash of its figures, `<workspace>.words.txt` one for each file that people
//! read. After an intended change, `OUTERLOOP_GOLDEN=write cargo test golden` rewrites them; commit the difference with its cause.

mod command;
mod event;
mod foreign;
mod normal;
mod place;
mod workspace;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use normal::{Normal, normalise};
use place::Place;

/// Set to `write`, this variable rewrites the hashes instead of comparing them.
const SWITCH: &str = "OUTERLOOP_GOLDEN";

/// Compares everything that a workspace published and answered with its golden hashes.
#[track_caller]
fn compare(workspace: &str, place: &Place) {
    let shown: Vec<(String, Normal)> =
        place.shown.iter().flat_map(|(name, bytes)| normalise(name, bytes, place.folder())).collect();
    let figures = shown.iter().filter_map(|(name, normal)| Some((name.as_str(), normal.figures.as_deref()?)));
    let words = shown.iter().filter_map(|(name, normal)| Some((name.as_str(), normal.words.as_deref()?)));
    let mut differing = hold(workspace, "txt", &figures.collect());
    differing.extend(hold(workspace, "words.txt", &words.collect()));
    assert!(
        differing.is_empty(),
        "the workspace `{workspace}` differs from its golden hashes:\n  {}\nIf the change is intended, run the test again with \
         {SWITCH}=write, which rewrites tests/golden/{workspace}.txt and {workspace}.words.txt.",
        differing.join("\n  ")
    );
}

/// Compares texts with their golden hashes. Returns a line for each that differs, with the path of the text.
fn hold(workspace: &str, ending: &str, texts: &BTreeMap<&str, &str>) -> Vec<String> {
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/golden/{workspace}.{ending}"));
    let hashes: BTreeMap<&str, String> = texts.iter().map(|(name, text)| (*name, sha256(text))).collect();
    let list = hashes.iter().map(|(name, hash)| format!("{hash} {name}\n")).collect::<Vec<_>>().concat();
    let known = fs::read_to_string(&kept).unwrap_or_default();
    // Texts are written even if they are equal: run on an older version, the test leaves the other side of a `diff -r`.
    let folder = empty_folder(workspace, ending);
    for (name, text) in texts {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }
    if known == list {
        return Vec::new();
    }
    if std::env::var(SWITCH).is_ok_and(|value| value == "write") {
        fs::write(&kept, list).expect("the hashes");
        return Vec::new();
    }
    let known: BTreeMap<&str, &str> =
        known.lines().filter_map(|line| line.split_once(' ')).map(|(hash, name)| (name, hash)).collect();
    let mut differing: Vec<String> = Vec::new();
    for (name, hash) in &hashes {
        match known.get(name) {
            Some(known) if known == hash => {}
            Some(_) => differing.push(format!("{name} differs ({ending}): {}", folder.join(name).display())),
            None => differing.push(format!("{name} is new ({ending}): {}", folder.join(name).display())),
        }
    }
    differing.extend(known.keys().filter(|name| !hashes.contains_key(*name)).map(|name| format!("{name} is gone ({ending})")));
    differing
}

/// The folder for the texts of a workspace.
fn empty_folder(workspace: &str, ending: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("golden").join(workspace).join(ending);
    match fs::remove_dir_all(&folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => panic!("{}: {error}", folder.display()),
        _ => folder,
    }
}

fn sha256(text: &str) -> String {
    Sha256::digest(text).iter().fold(String::with_capacity(64), |mut hash, byte| {
        write!(hash, "{byte:02x}").expect("a string takes it");
        hash
    })
}
