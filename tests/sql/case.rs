//! The golden cases: `tests/sql/<query>/<case>/` holds a CSV file for each table that it fills, and `expected.csv`.

use std::fs;
use std::path::{Path, PathBuf};

use engine::graph::Node;

use super::stage::{GRAPH, Stage};

#[test]
fn every_query_gives_what_its_cases_expect() {
    let stage = Stage::empty();
    let mut faults = Vec::new();
    for body in bodies() {
        for case in cases(body) {
            faults.extend(stage.aside(|| fault_of(&stage, body, &case)));
        }
    }
    assert!(faults.is_empty(), "{} cases fail\n\n{}", faults.len(), faults.join("\n\n"));
}

#[test]
fn every_column_is_of_a_type_that_readers_read() {
    let stage = Stage::empty();
    // What an audit returns is shown to people only.
    for body in bodies().filter(|body| !body.name.starts_with("audit_")) {
        stage.answer(body, None);
        let types = stage.strings("select distinct data_type from duckdb_columns() where table_name = 'actual'");
        for found in types {
            let known = ["BIGINT", "DOUBLE", "BOOLEAN", "VARCHAR", "VARCHAR[]", "DATE", "TIMESTAMP WITH TIME ZONE"];
            assert!(known.contains(&&*found), "`{}` yields a {found}", body.name);
        }
    }
}

/// The bodies that ship.
fn bodies() -> impl Iterator<Item = &'static Node> {
    GRAPH.nodes().filter(|node| node.stem.is_some())
}

/// The folders of a body's cases.
fn cases(body: &Node) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sql").join(body.stem.as_deref().expect("a file"));
    let mut cases: Vec<PathBuf> = fs::read_dir(folder).into_iter().flatten().map(|entry| entry.expect("an entry").path()).collect();
    cases.sort();
    cases
}

/// What differs from `expected.csv`. A case lists the columns that it is about; the one called `empty` lists all.
fn fault_of(stage: &Stage, body: &Node, case: &Path) -> Option<String> {
    stage.fill_case(case);
    stage.answer(body, Some(case));
    let path = case.join("expected.csv");
    let header = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let columns: Vec<String> = header.lines().next().expect("a header").split(',').map(str::to_owned).collect();
    if case.ends_with("empty") {
        assert_eq!(columns, stage.columns("actual"), "{}", case.display());
    }
    let names: Vec<String> = columns.iter().map(|name| format!("\"{name}\"")).collect();
    stage.execute(&format!("create table expected as select {} from actual limit 0", names.join(", ")));
    stage.fill("expected", &path);
    let (mut actual, mut expected) = (stage.lines(&columns, "actual"), stage.lines(&columns, "expected"));
    if !body.text.lines().any(|line| line.starts_with("order by")) {
        actual.sort();
        expected.sort();
    }
    let shown = |rows: &[String]| rows.join("\n  ");
    (actual != expected).then(|| {
        format!("{}\n  {}\nexpected\n  {}\nactual\n  {}", case.display(), columns.join(","), shown(&expected), shown(&actual))
    })
}
