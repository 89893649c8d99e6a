//! `outerloop sql`: the graph of the program's SQL.

use serde_json::Value;

use crate::support::Scene;
use crate::support::published::learned;

#[test]
fn the_graph_lists_each_table_after_those_that_it_needs() {
    let scene = Scene::new();
    let shown = scene.done(&["sql", "graph", "merge_evidence"]).out;
    let place = |name: &str| shown.find(&format!("\n{name} (")).unwrap_or_else(|| panic!("{name} is missing in {shown}"));
    assert!(place("application") < place("subject") && place("attribution") < place("outcome"), "{shown}");
    assert!(place("alike") < place("rollup_evidence") && place("rollup_evidence") < place("merge_evidence"), "{shown}");
    assert!(!shown.contains("policy_total"), "{shown}");
    let whole = scene.done(&["sql", "graph"]).out;
    assert!(whole.contains("policy_total (rows, body, sql/policy/total.sql)\n    needs policy_run\n"), "{whole}");
    let json: Vec<Value> = serde_json::from_str(&scene.done(&["sql", "graph", "--format", "json"]).out).expect("JSON");
    assert!(
        json.iter().any(|node| node["name"] == "explanation" && node["takes"][0] == "$pattern" && node["stem"] == "explanation")
    );
    assert!(scene.done(&["sql", "graph", "outcome", "--format", "dot"]).out.contains("attribution -> outcome;"));
}

#[test]
fn a_table_shows_its_text_and_an_unknown_one_is_refused() {
    let scene = Scene::new();
    assert!(scene.done(&["sql", "show", "run"]).out.contains("as is_denied"));
    assert!(scene.done(&["sql", "show", "outcome"]).out.contains("-- Makes: outcome (view)"));
    assert!(scene.done(&["sql", "show", "attribution"]).out.contains("-- Made by: program"));
    for command in [&["sql", "show", "nothing_like_it"][..], &["sql", "graph", "nothing_like_it"]] {
        let outcome = scene.run(command);
        assert_eq!(outcome.code, 2);
        assert!(outcome.error.contains("there is no table `nothing_like_it`"), "{}", outcome.error);
    }
}

#[test]
fn a_generation_names_its_program_and_explain_says_when_another_one_made_it() {
    let scene = learned(60);
    let current = scene.workspace.current();
    let read = |name: &str| std::fs::read_to_string(current.join(name)).expect("a file");
    let manifest: Value = serde_json::from_str(&read("manifest.json")).expect("JSON");
    let report: Value = serde_json::from_str(&read("report.json")).expect("JSON");
    for document in [&manifest, &report] {
        assert_eq!(document["program"]["version"], env!("CARGO_PKG_VERSION"));
        assert!(document["program"]["commit"].as_str().is_some_and(|commit| !commit.is_empty()));
        assert!(document["queries"]["prelude/duckdb"].as_str().is_some_and(|hash| hash.len() == 64));
        assert!(document["queries"]["outcome"].as_str().is_some_and(|hash| hash.len() == 64));
    }
    assert!(read("report.md").contains("Program: "), "the report for people names it too");
    let found = scene.done(&["query", "select id from pattern order by id limit 1", "--format", "csv"]).out;
    let id = found.lines().nth(1).expect("a pattern");
    assert!(!scene.done(&["explain", id]).error.contains("changed since"));
    let path = current.join("manifest.json");
    let older =
        read("manifest.json").replacen(&format!("\"version\": \"{}\"", env!("CARGO_PKG_VERSION")), "\"version\": \"0.0.1\"", 1);
    std::fs::write(&path, older).expect("a manifest");
    let told = scene.done(&["explain", id]).error;
    assert!(told.contains("note: the program (then 0.0.1 at commit ") && told.contains("figures may differ"), "{told}");
    // What it prints differs from a generation of another version by more than its figures.
    let verified = scene.done(&["run", "verify"]);
    assert!(format!("{}{}", verified.out, verified.error).contains("the program has changed since"), "{verified:?}");
}

#[test]
fn files_that_are_not_text_must_be_corrected_and_are_no_reason_to_retry() {
    let scene = Scene::new();
    let own = scene.workspace.queries().join("outcome.sql");
    for path in [scene.workspace.settings(), own] {
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        let before = std::fs::read(&path).ok();
        std::fs::write(&path, b"# caf\xe9\n").expect("a file");
        let outcome = scene.run(&["run", "hourly"]);
        assert!(outcome.code == 2 && outcome.error.contains("not UTF-8 text"), "{}: {}", outcome.code, outcome.error);
        match before {
            Some(bytes) => std::fs::write(&path, bytes).expect("a file"),
            None => std::fs::remove_file(&path).expect("gone"),
        }
    }
    scene.done(&["run", "hourly"]);
}
