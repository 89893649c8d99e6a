//! A plain engine with every table that the shipped queries read, empty until a case fills it.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use duckdb::Connection;
use engine::graph::{Form, Graph, Node, Origin};
use engine::{Session, Value, shipped_graph};
use learn::Score;
use render::render_table;
use store::workspace::Workspace;
use tempfile::TempDir;

use crate::support::strings;

/// What bodies make for other bodies of which events, in the order in which it is made.
const MADE: [(&str, &str); 13] = [
    ("finding", "application"),
    ("outcome", "application"),
    ("alike", "application"),
    ("goal_run", "application"),
    ("rollup_evidence", "application"),
    ("rollup_iteration", "application"),
    ("policy_failure", "run"),
    ("truth_limit", "truth_period"),
    ("truth_run_outcome", "truth_rule"),
    ("truth_run_unit", "coin"),
    ("truth_unit_outcome", "truth_rule"),
    ("truth_drawn", "coin"),
    ("truth_later_outcome", "coin"),
];

/// The views of the prelude whose rules cases are about; all others are tables that cases fill column by column.
const VIEWS: [&str; 10] = [
    "refused_adapter",
    "run",
    "verdict",
    "gate",
    "deliberation",
    "quarantine",
    "run_adapter",
    "run_skill",
    "run_decision",
    "embedding_value",
];

/// The files as they ship, whatever a workspace has put in their place.
pub static GRAPH: LazyLock<Graph> = LazyLock::new(|| shipped_graph().expect("a graph"));

/// A body as it ships.
pub fn shipped(name: &str) -> &'static Node {
    GRAPH.node(name).unwrap_or_else(|| panic!("there is no body `{name}`"))
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
            .filter(|table| table != "expected" && table != "takes")
            .collect();
        tables.sort();
        let fill = |table: &str| self.fill(table, &folder.join(format!("{table}.csv")));
        tables.iter().filter(|table| MADE.iter().all(|(made, _)| made != table)).for_each(|table| fill(table));
        for (place, (table, events)) in MADE.into_iter().enumerate() {
            let is_before =
                |filled: &String| filled == events || MADE[..place].iter().any(|(made, of)| made == filled && *of == events);
            if tables.iter().any(is_before) {
                self.execute(&format!("insert into {table} by name {}", shipped(table).text));
            }
            if tables.iter().any(|filled| filled == table) {
                fill(table);
            }
        }
    }

    /// Makes the table `actual` from a body. Its parameters stand in `takes.csv` of the case; without one they are null.
    pub fn answer(&self, body: &Node, case: Option<&Path>) {
        let sql = format!("create or replace table actual as {}", body.text);
        let file = case.map(|case| case.join("takes.csv")).filter(|path| path.is_file());
        let text = file.map(|path| fs::read_to_string(path).expect("a CSV file")).unwrap_or_default();
        let mut lines = text.lines().map(|line| line.split(','));
        let given: HashMap<&str, &str> = lines.next().into_iter().flatten().zip(lines.next().into_iter().flatten()).collect();
        let values: HashMap<&str, Option<Value>> =
            body.parameters().map(|name| (name, given.get(name).map(|value| self.parse_value(name, value)))).collect();
        let mut statement = self.connection.prepare(&sql).unwrap_or_else(|error| panic!("{error}\n{sql}"));
        let done = if values.is_empty() { statement.execute([]) } else { statement.execute(&values) };
        done.unwrap_or_else(|error| panic!("{error}\n{sql}"));
    }

    fn parse_value(&self, name: &str, value: &str) -> Value {
        let number = || value.parse::<i64>().ok().map(Value::from);
        let time = || {
            let micros = self.strings(&format!("select cast(epoch_us(cast('{value}' as timestamp with time zone)) as varchar)"));
            Value::from(micros[0].parse::<i64>().expect("a number"))
        };
        match value {
            "true" | "false" => Value::from(value == "true"),
            _ if name.ends_with("_us") => number().unwrap_or_else(time),
            _ => number().or_else(|| value.parse::<f64>().ok().map(Value::from)).unwrap_or_else(|| Value::from(value)),
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

/// The table that holds the rows: the scan under a view.
fn stored(table: &str) -> String {
    if VIEWS.contains(&table) { format!("lake_{table}") } else { table.to_owned() }
}

/// What a cell is that a case does not care for.
fn default_of(table: &str, column: &str, data_type: &str) -> Option<&'static str> {
    match (table, column) {
        (_, "project") => Some("'default'"),
        (_, "landing_file") => Some("'inbox.jsonl'"),
        (_, "is_unverified") | ("past_application" | "past_task", "is_rated") => Some("false"),
        ("application" | "outcome" | "past_application" | "past_task", "status") => Some("'applied'"),
        ("attribution" | "outcome", "tier") => Some("'exact'"),
        (
            "attribution" | "past_application" | "past_task" | "past_use" | "past_coin" | "coin" | "outcome",
            "pattern_id" | "trigger",
        )
        | ("staged_pattern", "flag")
        | ("truth_drawn" | "truth_later_outcome", "experiment") => Some("''"),
        ("rollup_evidence", "pattern" | "first_us" | "last_us" | "used_us") => None,
        ("staged_pattern" | "rollup_evidence", _) if data_type == "BIGINT" => Some("0"),
        _ => None,
    }
}

/// The statements that create the tables as the program gives them to its queries.
static TABLES: LazyLock<String> = LazyLock::new(|| {
    let folder = TempDir::new().expect("a temporary folder");
    let workspace = Workspace::at(folder.path());
    fs::create_dir_all(workspace.published()).expect("a folder");
    let patterns = workspace.published().join("patterns.parquet");
    fs::write(&patterns, render_table::<Score>(&[]).expect("no patterns fit")).expect("a file");
    let session = Session::open(&workspace).expect("the engine opens");
    session.view_of_parquet("staged_pattern", &patterns).expect("the file can be read");
    let observations = workspace.published().join("observations.parquet");
    fs::write(&observations, render_table::<learn::observation::ObservationScore>(&[]).expect("no observations fit"))
        .expect("a file");
    session.view_of_parquet("staged_observation", &observations).expect("the file can be read");
    let handed = |node: &&Node| matches!(node.origin, Origin::Program | Origin::Caller);
    for node in GRAPH.nodes().filter(handed).filter(|node| !node.columns.is_empty()) {
        session.load_table(&node.name, node.columns, &[]).expect("a table");
    }
    for view in body_views() {
        session.make(view).expect("the view is made");
    }
    for (table, _) in MADE {
        session.make(shipped(table)).expect("the query runs");
    }
    let is_table = |node: &&Node| match node.origin {
        // What lies under a view that is a table here is never read.
        Origin::Scan => {
            !node.name.starts_with("lake_") || node.name == "lake_holding" || VIEWS.iter().any(|view| stored(view) == node.name)
        }
        Origin::Prelude => !VIEWS.contains(&&*node.name),
        Origin::Program | Origin::Caller => true,
        Origin::Body => MADE.iter().any(|(table, _)| *table == node.name),
    };
    let tables = GRAPH.nodes().filter(is_table).map(|node| create_statement(&session, &node.name));
    let views = GRAPH.plan(&VIEWS).into_iter().filter(|node| VIEWS.contains(&&*node.name)).map(|node| format!("{};\n", node.text));
    let bodies = body_views().map(|node| format!("create view {} as {};\n", node.name, node.text));
    tables.chain(views).chain(bodies).collect()
});

/// The bodies that other bodies read as views.
fn body_views() -> impl Iterator<Item = &'static Node> {
    let is_made = |node: &Node| MADE.iter().any(|(made, _)| *made == node.name);
    GRAPH.nodes().filter(move |node| node.stem.is_some() && node.form == Form::View && !is_made(node))
}

fn create_statement(session: &Session, table: &str) -> String {
    let columns = strings(session, &format!("select column_name || ' ' || column_type from (describe \"{table}\")"));
    let columns: Vec<String> = columns
        .iter()
        .map(|column| {
            let (name, data_type) = column.split_once(' ').expect("a name and a type");
            let default = default_of(table, name, data_type).map(|value| format!(" default {value}")).unwrap_or_default();
            format!("\"{name}\" {data_type}{default}")
        })
        .collect();
    format!("create table \"{table}\" ({});\n", columns.join(", "))
}
