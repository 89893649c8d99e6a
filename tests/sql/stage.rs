//! A plain engine with every table that the shipped queries read, empty until a case fills it.

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use duckdb::Connection;
use engine::{KIND_OF_QUARANTINED, LISTS_OF_RUNS, NUMBERS_OF_VECTORS, Query, Session, derived_columns, load_body};
use event::Kind;
use learn::Attribution;
use render::{render_observations, render_patterns};
use store::workspace::Workspace;
use tempfile::TempDir;

use crate::support::strings;

/// What queries make for other queries of which events, in the order in which the cycle makes it.
const MADE: [(&str, &str, Query); 7] = [
    ("finding", "application", Query::Finding),
    ("outcome", "application", Query::Outcome),
    ("alike", "application", Query::Alike),
    ("goal_run", "application", Query::GoalRun),
    ("evidence_rollup", "application", Query::EvidenceRollup),
    ("iteration_rollup", "application", Query::IterationRollup),
    ("seen_failure", "run", Query::PolicyFailure),
];

/// The text of a query as it ships, whatever a workspace has put in its place.
pub fn shipped(query: Query) -> String {
    load_body(&Workspace::at("/nowhere"), query).expect("the program has it").text
}

pub struct Stage {
    connection: Connection,
}

impl Stage {
    /// All tables, empty.
    pub fn empty() -> Self {
        let stage = Self { connection: Connection::open_in_memory().expect("the engine opens") };
        // With one thread, rows stay in the order in which a query gives them.
        stage.execute("set threads = 1");
        stage.execute(&TABLES);
        stage
    }

    /// Does something to the tables, then undoes it: opening an engine takes longer than most cases.
    pub fn aside<T>(&self, work: impl FnOnce() -> T) -> T {
        self.execute("begin");
        let result = work();
        self.execute("rollback");
        result
    }

    /// Fills the tables from the CSV files of a folder. What queries make of applications and runs for others is made, and what
    /// the folder holds of it comes on top.
    pub fn fill_case(&self, folder: &Path) {
        let mut tables: Vec<String> = fs::read_dir(folder)
            .expect("the case")
            .map(|entry| entry.expect("an entry").path().file_stem().expect("a name").to_string_lossy().into_owned())
            .filter(|table| table != "expected")
            .collect();
        tables.sort();
        let fill = |table: &str| self.fill(table, &folder.join(format!("{table}.csv")));
        tables.iter().filter(|table| MADE.iter().all(|(made, _, _)| made != table)).for_each(|table| fill(table));
        for (place, (table, events, query)) in MADE.into_iter().enumerate() {
            let is_before =
                |filled: &String| filled == events || MADE[..place].iter().any(|(made, of, _)| made == filled && *of == events);
            if tables.iter().any(is_before) {
                self.execute(&format!("insert into {table} by name {}", shipped(query)));
            }
            if tables.iter().any(|filled| filled == table) {
                fill(table);
            }
        }
    }

    /// Adds the rows of a CSV file. An empty cell is NULL and `""` the empty text. A time in microseconds may be written as a
    /// time; where a table has more columns that follow from the time or the place of a row, they are worked out.
    pub fn fill(&self, table: &str, path: &Path) {
        let text = fs::read_to_string(path).expect("a CSV file");
        let names: Vec<&str> = text.lines().next().expect("a header").split(',').collect();
        let types: Vec<String> = names.iter().map(|name| format!("'{name}': 'varchar'")).collect();
        let mut values: Vec<String> = names.iter().map(|name| value_of(name)).collect();
        let derived = [
            ("ts_us", "epoch_us(cast(ts as timestamp with time zone))"),
            ("date", "cast(left(ts, 10) as date)"),
            ("landing_seq", "row_number() over ()"),
            ("landing_line", "row_number() over ()"),
        ];
        let table = stored(table);
        let columns = self.columns(&table);
        for (name, value) in derived {
            let can_be_derived = !value.contains("ts") || names.contains(&"ts");
            if can_be_derived && !names.contains(&name) && columns.iter().any(|column| column == name) {
                values.push(format!("{value} as {name}"));
            }
        }
        self.execute(&format!(
            "insert into \"{table}\" by name select {} from read_csv('{}', columns = {{{}}}, auto_detect = false, header = true, \
             delim = ',', quote = '\"', escape = '\"', nullstr = ['', 'null'], allow_quoted_nulls = false)",
            values.join(", "),
            path.display(),
            types.join(", "),
        ));
    }

    /// The names of a table's columns, in their order.
    pub fn columns(&self, table: &str) -> Vec<String> {
        self.strings(&format!("select column_name from duckdb_columns() where table_name = '{table}' order by column_index"))
    }

    /// The rows of a query, one line each.
    pub fn lines(&self, columns: &[String], from: &str) -> Vec<String> {
        let cells: Vec<String> = columns.iter().map(|name| format!("coalesce(cast(\"{name}\" as varchar), 'null')")).collect();
        self.strings(&format!("select concat_ws(',', {}) from {from}", cells.join(", ")))
    }

    /// The first column of a query's rows.
    pub fn strings(&self, sql: &str) -> Vec<String> {
        let mut statement = self.connection.prepare(sql).unwrap_or_else(|error| panic!("{error}\n{sql}"));
        let rows = statement.query_map([], |row| row.get(0)).unwrap_or_else(|error| panic!("{error}\n{sql}"));
        rows.map(|row| row.expect("a text")).collect()
    }

    pub fn execute(&self, sql: &str) {
        self.connection.execute_batch(sql).unwrap_or_else(|error| panic!("{error}\n{sql}"));
    }
}

fn value_of(name: &str) -> String {
    if name.ends_with("_us") {
        format!("coalesce(try_cast({name} as bigint), epoch_us(try_cast({name} as timestamp with time zone))) as {name}")
    } else {
        format!("\"{name}\"")
    }
}

/// The columns that the engine derives from the stored ones, where the stage has it do so.
fn derived(table: &str) -> Option<&'static str> {
    match table {
        "run" => Some(derived_columns(Kind::Run)),
        "verdict" => Some(derived_columns(Kind::VerdictGiven)),
        "quarantine" => Some(KIND_OF_QUARANTINED),
        _ => None,
    }
}

/// The table that holds the rows: itself, unless it is a view with derived columns.
fn stored(table: &str) -> String {
    if derived(table).is_some() { format!("stored_{table}") } else { table.to_owned() }
}

/// What a cell is that a case does not care for.
fn default_of(table: &str, column: &str, data_type: &str) -> Option<&'static str> {
    match (table, column) {
        (_, "project") => Some("'default'"),
        (_, "landing_file") => Some("'inbox.jsonl'"),
        (_, "is_unverified") | ("past_application", "is_rated") => Some("false"),
        ("application" | "outcome" | "past_application", "status") => Some("'applied'"),
        ("attribution" | "outcome", "tier") => Some("'exact'"),
        ("attribution" | "past_application" | "past_use" | "outcome", "pattern_id" | "trigger") | ("staged_pattern", "flag") => {
            Some("''")
        }
        ("evidence_rollup", "pattern" | "first_us" | "last_us" | "used_us") => None,
        ("staged_pattern" | "evidence_rollup", _) if data_type == "BIGINT" => Some("0"),
        _ => None,
    }
}

/// The statements that create the tables as the program gives them to its queries.
static TABLES: LazyLock<String> = LazyLock::new(|| {
    let folder = TempDir::new().expect("a temporary folder");
    let workspace = Workspace::at(folder.path());
    fs::create_dir_all(workspace.published()).expect("a folder");
    let patterns = workspace.published().join("patterns.parquet");
    fs::write(&patterns, render_patterns(&[]).expect("no patterns fit")).expect("a file");
    let session = Session::open(&workspace).expect("the engine opens");
    session.view_of_parquet("staged_pattern", &patterns).expect("the file can be read");
    let observations = workspace.published().join("observations.parquet");
    fs::write(&observations, render_observations(&[]).expect("no observations fit")).expect("a file");
    session.view_of_parquet("staged_observation", &observations).expect("the file can be read");
    session.load_table("attribution", Attribution::COLUMNS, &[]).expect("a table");
    session.load_table("staged_total", "unattributed bigint, is_exclusive boolean", &[]).expect("a table");
    session.load_table("asked", "pattern bigint", &[]).expect("a table");
    session.load_table("asked_adapter", "adapter varchar", &[]).expect("a table");
    session.load_table("asked_event", "landing_seq bigint", &[]).expect("a table");
    session.load_table("asked_vector", "place bigint, value double", &[]).expect("a table");
    session.load_table("asked_space", "project varchar, model varchar", &[]).expect("a table");
    session.load_table("builder", "agent varchar", &[]).expect("a table");
    session.load_table("considered", "runs bigint", &[]).expect("a table");
    session.load_table("pruning", "before date", &[]).expect("a table");
    session.load_table("replaced", "seq bigint", &[]).expect("a table");
    session.load_table("cleared", "adapter varchar, failure_type varchar, seq bigint, ts_us bigint", &[]).expect("a table");
    session.load_table("weight", "success double, retry double, quality double, most_retries double", &[]).expect("a table");
    session.load_table("trend", "since_us bigint, before_us bigint", &[]).expect("a table");
    session.load_table("span", "after_seq bigint, until_seq bigint", &[]).expect("a table");
    let decision = "suggestion varchar, run_id varchar, status varchar, seq bigint, ts_us bigint";
    session.load_table("constraint_decision", decision, &[]).expect("a table");
    for (table, _, query) in MADE {
        let body = load_body(&workspace, query).expect("the program has it");
        session.define_view(table, &body).expect("the query runs");
    }
    let handed = [
        "holding_of_kind",
        "landed_learning",
        "landed_classification",
        "landed_deliberation",
        "landed_observation",
        "past_application",
        "past_iteration",
        "past_use",
        "past_exposure",
        "builder",
        "considered",
        "pruning",
        "landed_curation",
        "quarantine",
        "attribution",
        "asked",
        "asked_adapter",
        "asked_event",
        "asked_vector",
        "asked_space",
        "staged_pattern",
        "staged_observation",
        "staged_total",
        "replaced",
        "cleared",
        "weight",
        "trend",
        "span",
        "constraint_decision",
    ];
    let tables = Kind::ALL.iter().map(|kind| kind.name()).chain(handed).chain(MADE.map(|(table, _, _)| table));
    let statements = tables.map(|table| create_statement(&session, table));
    let views = LISTS_OF_RUNS.into_iter().chain([NUMBERS_OF_VECTORS]);
    statements.chain(views.map(|view| format!("{view};\n"))).collect()
});

fn create_statement(session: &Session, table: &str) -> String {
    let is_stored = derived(table).map_or_else(
        || "true".to_owned(),
        |more| format!("column_name not in (select column_name from (describe select {more} from \"{table}\"))"),
    );
    let columns =
        strings(session, &format!("select column_name || ' ' || column_type from (describe \"{table}\") where {is_stored}"));
    let columns: Vec<String> = columns
        .iter()
        .map(|column| {
            let (name, data_type) = column.split_once(' ').expect("a name and a type");
            let default = default_of(table, name, data_type).map(|value| format!(" default {value}")).unwrap_or_default();
            format!("\"{name}\" {data_type}{default}")
        })
        .collect();
    let stored = stored(table);
    let view = derived(table).map(|more| format!("create view \"{table}\" as select *, {more} from \"{stored}\";\n"));
    format!("create table \"{stored}\" ({});\n{}", columns.join(", "), view.unwrap_or_default())
}
