//! The analyst's contract: what the README shows reproduces every published rate, in three tools; columns are documented and typed.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use duckdb::Connection;
use learn::table::{SCHEMA_VERSION, published_tables};
use serde_json::Value;
use tempfile::TempDir;

use super::schema::{checkers, succeeds};
use crate::support::command;

const AS_OF: &str = "2026-10-08T00:00:00Z";

/// A project with the sample data in its workspace, and something published.
fn project(settings: &str) -> TempDir {
    let folder = TempDir::new().expect("a folder");
    let root = folder.path().join(".outerloop");
    succeeds(&mut command(&root, &["init"]));
    fs::write(root.join("outerloop.toml"), settings).expect("the settings");
    for name in ["sample.jsonl", "story.jsonl"] {
        fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join("data").join(name), root.join("inbox").join(name)).expect("a sample");
    }
    succeeds(&mut command(&root, &["run", "hourly", "--as-of", AS_OF]));
    folder
}

fn published(folder: &Path, file: &str) -> PathBuf {
    folder.join(".outerloop/published/current").join(file)
}

/// What a query gives, as text: the first column and the second.
fn pairs(connection: &Connection, sql: &str) -> BTreeMap<String, f64> {
    let mut statement = connection.prepare(sql).expect("a query");
    let rows = statement.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, f64>(1)?))).expect("rows");
    rows.map(|row| row.expect("a row")).collect()
}

fn rates(folder: &Path) -> BTreeMap<String, f64> {
    let table = published(folder, "patterns.parquet");
    let connection = Connection::open_in_memory().expect("the engine");
    pairs(&connection, &format!("select id, rate from '{}' where rate is not null", table.display()))
}

#[track_caller]
fn assert_rates(found: &BTreeMap<String, f64>, wanted: &BTreeMap<String, f64>, tool: &str) {
    assert!(wanted.len() >= 7, "{wanted:?}");
    assert_eq!(found.keys().collect::<Vec<_>>(), wanted.keys().collect::<Vec<_>>(), "{tool}");
    for (pattern, rate) in wanted {
        assert!((found[pattern] - rate).abs() < 1e-12, "{tool}: {pattern} is {} and not {rate}", found[pattern]);
    }
}

/// The blocks of a language in the section of the README about other tools.
fn blocks(language: &str) -> Vec<String> {
    let readme = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).expect("the README");
    let section =
        readme.split("\n## Figures, in other tools\n").nth(1).expect("the section").split("\n## ").next().expect("its end");
    let mut blocks = Vec::new();
    for part in section.split(&format!("```{language}\n")).skip(1) {
        blocks.push(part.split("```").next().expect("its end").to_owned());
    }
    blocks
}

fn python(folder: &Path, block: &str) -> BTreeMap<String, f64> {
    let script = format!(
        "{block}\nimport json\nrows = rates.to_dicts() if hasattr(rates, 'to_dicts') else rates.to_dict('records')\n\
         print(json.dumps({{row['pattern']: row['rate'] for row in rows}}))\n"
    );
    let mut command = Command::new("python3");
    command.args(["-W", "error::DeprecationWarning", "-c", &script]).env("PYTHONPATH", checkers().join("python"));
    let output = command.current_dir(folder).output().expect("python3 starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

#[test]
fn the_readmes_query_reproduces_every_published_rate_in_three_tools() {
    let folder = project("");
    let wanted = rates(folder.path());
    let [sql]: [String; 1] = blocks("sql").try_into().expect("one block of SQL");
    let connection = Connection::open_in_memory().expect("the engine");
    let sql = sql.replace(".outerloop/", &format!("{}/.outerloop/", folder.path().display()));
    assert_rates(&pairs(&connection, &sql), &wanted, "DuckDB");
    let blocks = blocks("python");
    assert_eq!(blocks.len(), 2);
    for block in blocks {
        assert_rates(&python(folder.path(), &block), &wanted, block.lines().next().unwrap_or_default());
    }
}

#[test]
fn summed_rows_reproduce_the_rates_as_well_and_list_no_application() {
    let folder = project("[publish]\nrow_days = 0\n");
    let table = published(folder.path(), "outcome.parquet");
    let connection = Connection::open_in_memory().expect("the engine");
    let sql = format!(
        "select pattern, sum(weight) / sum(applications) from '{}' where weight is not null group by pattern",
        table.display()
    );
    assert_rates(&pairs(&connection, &sql), &rates(folder.path()), "sums");
    let single = format!("select 'single', count(*)::double from '{}' where application is not null", table.display());
    assert_eq!(pairs(&connection, &single)["single"], 0.0);
}

#[test]
fn single_rows_tell_each_application_with_its_reason() {
    let folder = project("");
    let connection = Connection::open_in_memory().expect("the engine");
    let (table, lake) = (published(folder.path(), "outcome.parquet"), folder.path().join(".outerloop/lake/application"));
    let listed = format!("select 'rows', count(*)::double from '{}' where application is not null", table.display());
    let held = format!("select 'rows', count(*)::double from '{}/*/*.parquet'", lake.display());
    assert_eq!(pairs(&connection, &listed), pairs(&connection, &held));
    let mute = format!(
        "select 'rows', count(*)::double from '{}' where reason = '' or (pattern is null) <> (tier is null)",
        table.display()
    );
    assert_eq!(pairs(&connection, &mute)["rows"], 0.0);
}

#[test]
fn runs_of_adapters_reproduce_every_published_score_and_so_does_the_last_day() {
    let folder = project("");
    let policy: Value =
        serde_json::from_slice(&fs::read(published(folder.path(), "report.json")).expect("the report")).expect("JSON");
    let mut wanted: BTreeMap<String, f64> = BTreeMap::new();
    for adapter in policy["policy"]["adapters"].as_array().expect("a list") {
        let project = adapter["project"].as_str().expect("each project has rules of its own");
        let name = format!("{} in {project}", adapter["adapter"].as_str().expect("a name"));
        wanted.insert(name, adapter["score"].as_f64().expect("a score"));
    }
    assert!(wanted.len() >= 8, "{}", policy["policy"]);
    let connection = Connection::open_in_memory().expect("the engine");
    let scored = format!(
        "select adapter || ' in ' || project, round(0.6 * sum(runs) filter (success) / sum(runs) + 0.2 * (1 - least(sum(retries) / sum(runs), 3) / 3) \
         + 0.2 * sum(quality) / sum(runs), 3) from '{}' where not is_denied group by all",
        published(folder.path(), "run-adapters.parquet").display()
    );
    let last = format!(
        "select adapter || ' in ' || project, arg_max(score, ts) from '{}' where project is not null group by all",
        published(folder.path(), "adapter-days.parquet").display()
    );
    for sql in [scored, last] {
        let found = pairs(&connection, &sql);
        for (adapter, score) in &wanted {
            assert!((found[adapter] - score).abs() < 1.5e-3, "{adapter} is {} and not {score}", found[adapter]);
        }
    }
}

#[test]
fn every_column_is_documented_and_has_the_type_that_the_reference_names() {
    let folder = project("");
    for table in published_tables() {
        let names: Vec<&str> = table.schema.fields().iter().map(|field| &**field.name()).collect();
        assert_eq!(names, table.comments.iter().map(|(name, _)| &**name).collect::<Vec<_>>());
        for (name, comment) in &table.comments {
            assert!(comment.len() > 3, "`{}.{name}` has no comment", table.name);
            let is_time = table.schema.field_with_name(name).expect("a column").data_type().is_temporal();
            assert!(
                is_time
                    || (!name.ends_with("_seen") || name == "prior_seen")
                        && !name.ends_with("_at")
                        && name != "ts"
                        && name != "learned",
                "{name} is text"
            );
        }
    }
    let root = folder.path().join(".outerloop");
    let manifest: Value = serde_json::from_slice(&fs::read(published(folder.path(), "manifest.json")).expect("it")).expect("JSON");
    assert_eq!(manifest["tables"], SCHEMA_VERSION);
    for table in published_tables() {
        let sql = format!("select count(*) as rows from {}", table.name);
        succeeds(&mut command(&root, &["query", &sql]));
    }
    let sql = "select count(*) as n from pattern_day join pattern on id = pattern where days_ago = 0 and pattern_day.rate <> pattern.rate";
    let output = command(&root, &["query", "--format", "csv", sql]).output().expect("it starts");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "n\n0\n");
}

#[test]
fn single_rows_stand_in_the_last_two_generations_only() {
    let folder = project("");
    let root = folder.path().join(".outerloop");
    for day in ["2026-10-09", "2026-10-10"] {
        succeeds(&mut command(&root, &["run", "hourly", "--as-of", &format!("{day}T00:00:00Z")]));
    }
    let mut have: Vec<bool> = Vec::new();
    let mut generations: Vec<PathBuf> =
        fs::read_dir(root.join("published")).expect("a list").map(|entry| entry.expect("one").path()).collect();
    generations.retain(|path| path.is_dir() && !path.is_symlink());
    generations.sort();
    for generation in generations {
        assert!(generation.join("patterns.parquet").is_file());
        have.push(generation.join("outcome.parquet").is_file());
    }
    assert_eq!(have, [false, true, true]);
}
