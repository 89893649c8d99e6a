//! The golden cases: `tests/sql/<query>/<case>/` holds a CSV file for each table that it fills, and `expected.csv`.

use std::fs;
use std::path::{Path, PathBuf};

use engine::Query;

use super::stage::{Stage, shipped};

#[test]
fn every_query_gives_what_its_cases_expect() {
    let stage = Stage::empty();
    let mut faults = Vec::new();
    for &query in Query::ALL {
        for case in cases(query) {
            faults.extend(stage.aside(|| fault_of(&stage, query, &case)));
        }
    }
    assert!(faults.is_empty(), "{} cases fail\n\n{}", faults.len(), faults.join("\n\n"));
}

#[test]
fn every_column_is_of_a_type_that_readers_read() {
    let stage = Stage::empty();
    // What an audit returns is shown to people only.
    for &query in Query::ALL.iter().filter(|query| !Query::AUDITS.contains(query)) {
        stage.execute(&format!("create or replace table actual as {}", shipped(query)));
        let types = stage.strings("select distinct data_type from duckdb_columns() where table_name = 'actual'");
        for found in types {
            let known = ["BIGINT", "DOUBLE", "BOOLEAN", "VARCHAR", "VARCHAR[]", "DATE", "TIMESTAMP WITH TIME ZONE"];
            assert!(known.contains(&&*found), "sql/{}.sql yields a {found}", query.name());
        }
    }
}

/// The folders of a query's cases.
fn cases(query: Query) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sql").join(query.name());
    let mut cases: Vec<PathBuf> = fs::read_dir(folder).into_iter().flatten().map(|entry| entry.expect("an entry").path()).collect();
    cases.sort();
    cases
}

/// What differs from `expected.csv`. A case lists the columns that it is about; the one called `empty` lists all.
fn fault_of(stage: &Stage, query: Query, case: &Path) -> Option<String> {
    stage.fill_case(case);
    let text = shipped(query);
    stage.execute(&format!("create table actual as {text}"));
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
    if !text.lines().any(|line| line.starts_with("order by")) {
        actual.sort();
        expected.sort();
    }
    let shown = |rows: &[String]| rows.join("\n  ");
    (actual != expected).then(|| {
        format!("{}\n  {}\nexpected\n  {}\nactual\n  {}", case.display(), columns.join(","), shown(&expected), shown(&actual))
    })
}
