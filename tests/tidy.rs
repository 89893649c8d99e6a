//! The rules of the house that a program can check.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

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

fn crate_of(path: &Path) -> String {
    let relative = path.strip_prefix(Path::new(env!("CARGO_MANIFEST_DIR")).join("src")).expect("below src");
    relative.components().next().expect("a crate").as_os_str().to_string_lossy().into_owned()
}

/// The packages that each package of the workspace builds with, as `cargo` resolves them. What only tests or build scripts use is left out.
struct Packages {
    names: HashMap<String, String>,
    needs: HashMap<String, Vec<String>>,
}

impl Packages {
    fn load() -> Self {
        // Of this machine alone: packages of other systems need not be at hand.
        let version = Command::new(env!("CARGO")).arg("-vV").output().expect("cargo starts").stdout;
        let version = String::from_utf8_lossy(&version).into_owned();
        let host = version.lines().find_map(|line| line.strip_prefix("host: ")).expect("a host");
        let output = Command::new(env!("CARGO"))
            .args(["metadata", "--format-version", "1", "--offline", "--locked", "--filter-platform", host])
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .output()
            .expect("cargo starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let metadata: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let text = |value: &Value| value.as_str().expect("text").to_owned();
        let packages = metadata["packages"].as_array().expect("packages");
        let nodes = metadata["resolve"]["nodes"].as_array().expect("nodes");
        let is_normal = |need: &&Value| need["dep_kinds"].as_array().expect("kinds").iter().any(|kind| kind["kind"].is_null());
        let needs = |node: &Value| {
            let needs = node["deps"].as_array().expect("needs").iter().filter(is_normal);
            needs.map(|need| text(&need["pkg"])).collect()
        };
        Self {
            names: packages.iter().map(|package| (text(&package["id"]), text(&package["name"]))).collect(),
            needs: nodes.iter().map(|node| (text(&node["id"]), needs(node))).collect(),
        }
    }

    /// The names of the packages that a package needs itself, or by way of others too.
    fn needed_by(&self, name: &str, is_deep: bool) -> BTreeSet<&str> {
        let (start, _) = self.names.iter().find(|(_, known)| *known == name).expect("a package of the workspace");
        let mut found = BTreeSet::new();
        let mut left = vec![start];
        while let Some(package) = left.pop() {
            for need in &self.needs[package] {
                if found.insert(&*self.names[need]) && is_deep {
                    left.push(need);
                }
            }
        }
        found
    }
}

#[test]
fn the_program_inside_of_an_agents_turn_depends_on_no_engine_and_no_frames() {
    let packages = Packages::load();
    let needed = packages.needed_by("outerloop", true);
    for heavy in ["duckdb", "libduckdb-sys", "polars", "polars-core", "outerloop-engine", "outerloop-score", "outerloop-batch"] {
        assert!(!needed.contains(heavy), "`outerloop` depends on `{heavy}`");
    }
    // The check would notice.
    let needed = packages.needed_by("outerloop-batch", true);
    assert!(needed.contains("duckdb") && needed.contains("polars"));
}

/// Every crate of the workspace, with those that it may know. The compiler sees to it that no other is used; this sees to it that
/// nobody adds one to a `Cargo.toml` without a second look.
const CRATES: [(&str, &[&str]); 11] = [
    ("text", &[]),
    ("setting", &["text"]),
    ("event", &["text", "setting"]),
    ("store", &["text", "setting", "event"]),
    ("learn", &["text", "setting", "event"]),
    ("score", &["text", "setting", "event", "learn"]),
    ("render", &["text", "setting", "event", "learn"]),
    ("engine", &["text", "setting", "event", "store", "learn", "score", "render"]),
    ("agent", &["text", "setting", "event", "store", "learn", "render"]),
    ("cli", &["text", "setting", "event", "store", "learn", "render", "agent"]),
    ("batch", &["text", "setting", "event", "store", "learn", "render", "engine", "agent", "cli"]),
];

#[test]
fn each_crate_knows_only_the_crates_above_it() {
    let packages = Packages::load();
    for (name, allowed) in CRATES {
        for need in packages.needed_by(&format!("outerloop-{name}"), false) {
            if let Some(own) = need.strip_prefix("outerloop-") {
                assert!(allowed.contains(&own), "`{name}` depends on `{own}`");
            }
            assert!(name == "engine" || need != "duckdb", "`{name}` depends on DuckDB");
            assert!(name == "score" || need != "polars", "`{name}` depends on polars");
        }
    }
}

#[test]
fn pure_crates_touch_neither_disk_nor_clock_nor_environment() {
    for (path, text) in sources("src") {
        let is_pure = matches!(&*crate_of(&path), "text" | "setting" | "event" | "learn" | "score" | "render")
            || ["src/agent/transcript", "src/agent/import", "src/cli/sample", "src/engine/graph"]
                .iter()
                .any(|folder| path.to_string_lossy().contains(folder));
        // A build script is no part of its crate.
        if !is_pure || path.ends_with("vocabulary.rs") {
            continue;
        }
        for effect in ["std::fs", "std::env", "File::", "clock::", "Timestamp::now", "println!", "std::process"] {
            assert!(!code(&text).contains(effect), "{} uses {effect}", path.display());
        }
    }
}

#[test]
fn only_the_printer_prints() {
    for (path, text) in sources("src").into_iter().filter(|(path, _)| {
        !["link.rs", "build.rs", "vocabulary.rs"].iter().any(|script| path.ends_with(script)) || path.ends_with("graph/build.rs")
    }) {
        let code = code(&text);
        assert!(!code.contains("println!") && !code.contains("eprintln!"), "{}", path.display());
    }
}

#[test]
fn sql_bodies_keep_to_the_shared_dialect() {
    // What engines spell differently stands in their preludes.
    for (path, text) in sources("sql").into_iter().filter(|(path, _)| !path.to_string_lossy().contains("sql/prelude/")) {
        let body = text.lines().filter(|line| !line.trim_start().starts_with("--")).collect::<Vec<_>>().join("\n").to_lowercase();
        for word in ["qualify", "arg_max", "group by all", "exclude", "::", "unnest", "epoch", "date_diff", "\""] {
            assert!(!body.contains(word), "{} uses {word}", path.display());
        }
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

/// The bodies that ship, by their paths below `sql/`.
fn stems() -> Vec<String> {
    engine::shipped_graph().expect("a graph").nodes().filter_map(|node| node.stem.clone()).collect()
}

#[test]
fn every_file_of_sql_is_in_the_graph_and_says_what_it_needs_and_makes() {
    use engine::graph::{Source, parse_graph};
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("sql");
    let mut files = Vec::new();
    for (path, text) in sources("sql") {
        let stem = path.strip_prefix(&root).expect("below sql").with_extension("").to_string_lossy().into_owned();
        files.push(Source { stem, text, own: None });
    }
    let prelude = files.iter().position(|file| file.stem == "prelude/duckdb").expect("the prelude");
    let prelude = files.swap_remove(prelude);
    let graph = parse_graph(&engine::declared_tables(), prelude, files.clone(), None).unwrap_or_else(|fault| panic!("{fault}"));
    // The demo asks a question that an analyst would, and figures rest on none of its kind.
    let embedded: BTreeSet<String> = stems().into_iter().chain(["demo/agents".to_owned()]).collect();
    assert_eq!(files.into_iter().map(|file| file.stem).collect::<BTreeSet<_>>(), embedded);
    // Every table is read by something: a question, or an analyst.
    let read: BTreeSet<&str> =
        graph.nodes().flat_map(|node| node.needs.iter().map(String::as_str).chain(node.tables_taken())).collect();
    let unread = graph.nodes().filter(|node| node.form != engine::graph::Form::Rows && !read.contains(&*node.name));
    let unread: Vec<&str> = unread.map(|node| &*node.name).collect();
    assert_eq!(
        unread,
        ["change", "history", "observation_pattern", "pattern", "role_pattern", "touch", "truth_sum", "truth_verdict"]
    );
}

#[test]
fn the_kinds_of_events_are_the_tables_of_the_prelude() {
    let graph = engine::shipped_graph().expect("a graph");
    for kind in event::Kind::ALL {
        let node = graph.node(kind.name()).unwrap_or_else(|| panic!("the prelude has no view `{}`", kind.name()));
        assert_eq!(node.needs[0], format!("lake_{}", kind.name()));
    }
}

/// `docs/sql-graph.md` shows commands, each before the picture that it prints.
#[test]
fn the_pictures_of_the_sql_graph_are_true() {
    use engine::graph::{Drawing, draw};
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/sql-graph.md");
    let text = fs::read_to_string(&path).expect("the document");
    let graph = engine::shipped_graph().expect("a graph");
    let mut shown = String::new();
    for section in text.split_inclusive("```\n") {
        let Some((before, _)) = section.split_once("```mermaid\n") else {
            shown.push_str(section);
            continue;
        };
        let command = before.lines().rev().find_map(|line| line.strip_prefix("    outerloop sql graph --format mermaid"));
        let wanted: Vec<String> = command.expect("a command").split_whitespace().map(str::to_owned).collect();
        let picture = draw(&graph, &wanted, Drawing::Mermaid).expect("a picture");
        shown.extend([before, "```mermaid\n", &picture, "```\n"]);
    }
    if std::env::var_os("OUTERLOOP_DOCS").is_some() {
        fs::write(&path, &shown).expect("the document");
    }
    assert_eq!(text, shown, "run the test with OUTERLOOP_DOCS=write to draw the pictures anew");
    let drawn: usize = text.matches("```mermaid").count();
    assert!(drawn >= 5, "the document shows {drawn} pictures");
}

#[test]
fn every_query_has_a_case_without_rows_and_one_with_some() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sql");
    for stem in stems() {
        let folder = tests.join(stem);
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
                assert!(stems().iter().any(|known| *known == query), "{} belongs to no query", folder.display());
            }
        }
    }
}
