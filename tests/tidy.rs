//! The rules of the house that a program can check.

use std::fs;
use std::path::{Path, PathBuf};

fn sources(folder: &str) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs" || ending == "sql") {
                found.push((path.clone(), fs::read_to_string(&path).expect("text")));
            }
        }
    }
    found
}

/// The code of a file without its unit tests and comments.
fn code(text: &str) -> String {
    let text = text.split("#[cfg(test)]").next().unwrap_or_default();
    text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

fn room(path: &Path) -> String {
    let relative = path.strip_prefix(Path::new(env!("CARGO_MANIFEST_DIR")).join("src")).expect("below src");
    relative.components().next().expect("a room").as_os_str().to_string_lossy().trim_end_matches(".rs").to_owned()
}

#[test]
fn each_room_knows_only_the_rooms_above_it() {
    const ORDER: [&str; 28] = [
        "testimony",
        "event",
        "ask",
        "transcript",
        "inbox",
        "lake",
        "repository",
        "engine",
        "pattern",
        "learn",
        "render",
        "publish",
        "artifact",
        "import",
        "goal",
        "classify",
        "embed",
        "share",
        "iteration",
        "observe",
        "hook",
        "feedback",
        "cycle",
        "retention",
        "job",
        "sample",
        "cli",
        "bin",
    ];
    for (path, text) in sources("src") {
        let Some(own) = ORDER.iter().position(|name| *name == room(&path)) else { continue };
        for below in &ORDER[own + 1..] {
            assert!(!code(&text).contains(&format!("crate::{below}")), "{} knows {below}", path.display());
        }
    }
}

#[test]
fn pure_rooms_touch_neither_disk_nor_clock_nor_environment() {
    for (path, text) in sources("src").into_iter().filter(|(path, _)| {
        matches!(
            &*room(path),
            "testimony"
                | "event"
                | "transcript"
                | "pattern"
                | "learn"
                | "render"
                | "import"
                | "sample"
                | "diagnostic"
                | "digest"
                | "day"
                | "word"
        )
    }) {
        for effect in ["std::fs", "std::env", "File::", "clock::", "Timestamp::now", "println!", "duckdb::", "std::process"] {
            assert!(!code(&text).contains(effect), "{} uses {effect}", path.display());
        }
    }
}

#[test]
fn only_the_engine_names_duckdb_and_only_the_printer_prints() {
    for (path, text) in sources("src") {
        let code = code(&text);
        assert!(room(&path) == "engine" || !code.contains("duckdb::"), "{}", path.display());
        assert!(!code.contains("println!") && !code.contains("eprintln!"), "{}", path.display());
    }
}

#[test]
fn sql_bodies_keep_to_the_shared_dialect() {
    for (path, text) in sources("sql") {
        let body = text.lines().filter(|line| !line.trim_start().starts_with("--")).collect::<Vec<_>>().join("\n").to_lowercase();
        for word in ["qualify", "arg_max", "group by all", "exclude", "::", "unnest", "epoch", "date_diff", "\""] {
            assert!(!body.contains(word), "{} uses {word}", path.display());
        }
        assert!(
            text.starts_with("-- ") && text.contains("-- Grain: "),
            "{} does not open with a sentence and its grain",
            path.display()
        );
        assert!(!body.contains("select *"), "{}", path.display());
    }
}

#[test]
fn files_stay_within_one_room_each() {
    for (path, text) in sources("src") {
        let lines = code(&text).lines().count();
        assert!(lines <= 420, "{} has {lines} lines of code", path.display());
    }
}

#[test]
fn every_query_has_a_case_without_rows_and_one_with_some() {
    use outerloop::engine::Query;
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sql");
    for query in Query::ALL {
        let folder = tests.join(query.name());
        assert!(folder.join("empty/expected.csv").is_file(), "{} has no case `empty`", folder.display());
        let others = fs::read_dir(&folder).expect("a folder").filter(|entry| {
            let path = entry.as_ref().expect("an entry").path();
            !path.ends_with("empty") && path.join("expected.csv").is_file()
        });
        assert!(others.count() > 0, "{} has no case with rows", folder.display());
    }
}

#[test]
fn every_case_of_a_query_belongs_to_one_that_ships() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sql");
    let mut folders = vec![tests.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.ends_with("expected.csv") {
                let query = folder.parent().and_then(|query| query.strip_prefix(&tests).ok()).expect("a query").to_string_lossy();
                let is_known = outerloop::engine::Query::ALL.iter().any(|known| known.name() == query);
                assert!(is_known, "{} belongs to no query", folder.display());
            }
        }
    }
}
