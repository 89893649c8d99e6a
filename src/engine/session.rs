//! One session of the engine: the views, a lock on everything outside of them, and queries that can only read.

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use duckdb::{Config, Connection, InterruptHandle, ToSql};
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use crate::argument::{Handed, Value};
use crate::body::shipped_graph;
use crate::graph::{Form, Node, Origin};
use crate::horizon::Horizon;
use crate::scan::{Scans, empty_scan, is_scan, literal, published_view};
use event::Kind;
use event::row::Rows;
use learn::table::published_tables;
use store::workspace::Workspace;
use text::diagnostic::{Diagnostic, Exit, Outcome};
use text::near::nearest;

/// How many threads the engine works with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Threads {
    Every,
    /// One: small questions are answered as soon, and take a sixth less processor time.
    One,
}

/// A session over the lake of one workspace.
pub struct Session {
    connection: Connection,
    /// None in a trial, which sees no files.
    scans: Option<Scans>,
}

impl Session {
    /// Opens the engine in memory, with all tables that analysts may ask. Nothing else of the machine can be read or written
    /// through it.
    pub fn open(workspace: &Workspace) -> Outcome<Self> {
        let session = Self::open_at(workspace, Horizon::EVERYTHING, Threads::Every)?;
        let graph = shipped_graph()?;
        let base: Vec<&str> =
            graph.nodes().filter(|node| matches!(node.origin, Origin::Scan | Origin::Prelude)).map(|node| &*node.name).collect();
        graph.plan(&base).into_iter().try_for_each(|node| session.make(node))?;
        Ok(session)
    }

    /// The same, with all published tables. Some are called like steps of the cycle, whose place they take.
    pub fn for_analysts(workspace: &Workspace) -> Outcome<Self> {
        let session = Self::open(workspace)?;
        for table in published_tables().iter().filter(|table| !is_scan(table.name)) {
            session.prepare(&published_view(workspace, table))?;
        }
        Ok(session)
    }

    /// The tables that analysts may ask, with their columns.
    pub fn tables(&self) -> Outcome<Vec<TableColumns>> {
        let sql =
            "select table_name, column_name, data_type from duckdb_columns() where not internal order by table_name, column_index";
        let listed: Vec<Listed> = self.run(sql, &HashMap::new())?.read()?;
        let mut tables: Vec<TableColumns> = Vec::new();
        for Listed { table, column, kind } in listed {
            if is_step(&table) {
                continue;
            }
            if tables.last().is_none_or(|last| last.name != table) {
                tables.push(TableColumns { name: table, columns: Vec::new() });
            }
            if let Some(last) = tables.last_mut() {
                last.columns.push((column, kind.to_lowercase()));
            }
        }
        Ok(tables)
    }

    /// Opens the engine without any table; what lies behind a horizon stays out of sight.
    pub fn open_at(workspace: &Workspace, horizon: Horizon, threads: Threads) -> Outcome<Self> {
        Self::open_over(workspace, Scans::open(workspace, horizon)?, threads)
    }

    /// The same over the events of one project alone.
    pub(crate) fn open_for(workspace: &Workspace, horizon: Horizon, threads: Threads, project: &str) -> Outcome<Self> {
        Self::open_over(workspace, Scans::open(workspace, horizon)?.of_project(project), threads)
    }

    fn open_over(workspace: &Workspace, scans: Scans, threads: Threads) -> Outcome<Self> {
        let folders = [workspace.lake(), workspace.past(), workspace.quarantine(), workspace.history(), workspace.published()];
        let folders = folders.map(|folder| literal(&folder.display().to_string()));
        let session = Self { connection: connect(threads)?, scans: Some(scans) };
        // Every query looks at the footers of all files again; once is enough for one session.
        session.prepare("set parquet_metadata_cache = true")?;
        // A day's file is small. Read whole and at once, and not kept beside the kernel's cache, its columns cost a fifth less.
        session.prepare("set prefetch_all_parquet_files = true")?;
        session.prepare("set enable_external_file_cache = false")?;
        session.prepare(&format!("set allowed_directories = [{}]", folders.join(", ")))?;
        session.lock()
    }

    /// Opens the engine over an empty lake: texts are tried in it.
    pub(crate) fn open_empty() -> Outcome<Self> {
        Self { connection: connect(Threads::One)?, scans: None }.lock()
    }

    fn lock(self) -> Outcome<Self> {
        self.prepare("set enable_external_access = false")?;
        self.prepare("set lock_configuration = true")?;
        Ok(self)
    }

    /// Whether of some days only sums are left.
    pub fn has_past(&self) -> bool {
        self.scans.as_ref().is_some_and(Scans::has_past)
    }

    /// Whether any event is dated after an instant.
    pub(crate) fn reaches_beyond(&self, micros: i64) -> Outcome<bool> {
        self.scans.as_ref().map_or(Ok(false), |scans| scans.reaches_beyond(micros))
    }

    /// Makes a table or a view that needs nothing but what is made already. Rows are made by whoever asks for them.
    pub fn make(&self, node: &Node) -> Outcome<()> {
        match (node.origin, &self.scans) {
            (Origin::Scan, Some(scans)) => {
                let (statement, fallback) = scans.statement(&node.name)?;
                self.prepare(&statement).or_else(|fault| fallback.map_or(Err(fault), |fallback| self.prepare(&fallback)))
            }
            (Origin::Scan, None) => self.prepare(&format!("create view {} as {}", node.name, empty_scan(&node.name)?)),
            (Origin::Prelude, _) if node.is_own => {
                self.connection.execute_batch(&node.text).map_err(|error| blame(node, refused(&error)))
            }
            (Origin::Prelude, _) => self.prepare(&node.text),
            (Origin::Body, _) => self.define(node),
            (Origin::Program | Origin::Caller, Some(_)) => Ok(()),
            (Origin::Program | Origin::Caller, None) if node.columns.is_empty() => {
                self.prepare(&format!("create view {} as {}", node.name, empty_scan(&node.name)?))
            }
            (Origin::Program | Origin::Caller, None) => self.prepare(&format!("create table {} ({})", node.name, node.columns)),
        }
    }

    /// The columns of what a node yields, by name. Over an empty lake, nothing must be known of the values that it takes.
    pub(crate) fn columns_of(&self, node: &Node) -> Outcome<SchemaRef> {
        if node.form == Form::Rows {
            self.check_own(node)?;
        }
        let text = if node.form == Form::Rows { node.text.clone() } else { format!("from {}", node.name) };
        let yielded = (|| {
            let mut statement = self.connection.prepare(&text)?;
            let values: Vec<(String, Option<i64>)> = node.parameters().map(|name| (name.to_owned(), None)).collect();
            let values: Vec<(&str, &dyn ToSql)> = values.iter().map(|(name, value)| (&**name, value as &dyn ToSql)).collect();
            Ok(statement.query_arrow(&*values)?.get_schema())
        })();
        yielded.map_err(|error| blame(node, refused(&error)))
    }

    fn define(&self, node: &Node) -> Outcome<()> {
        if node.form == Form::Rows {
            return Ok(());
        }
        self.check_own(node)?;
        let statement = format!("create {} {} as {}", node.form.name(), node.name, node.text);
        self.connection.execute_batch(&statement).map_err(|error| blame(node, refused(&error)))
    }

    /// Makes a body's rows about one pattern a table, where several questions are asked about that pattern alone.
    pub(crate) fn make_for(&self, node: &Node, pattern: u32) -> Outcome<()> {
        self.check_own(node)?;
        let statement = format!("create table {} as from ({}\n) where pattern = {pattern}", node.name, node.text);
        self.connection.execute_batch(&statement).map_err(|error| blame(node, refused(&error)))
    }

    /// Asks a question of the program. What is kept as a table or a view is made already.
    pub fn ask(&self, node: &Node, values: &HashMap<&'static str, Value>) -> Outcome<Rows> {
        self.check_own(node)?;
        if node.form == Form::Rows {
            self.run(&node.text, values).map_err(|fault| blame(node, fault))
        } else {
            self.run(&format!("from {}", node.name), values).map_err(|fault| blame(node, fault))
        }
    }

    /// The program's own texts only read, and parsing them twice takes time.
    fn check_own(&self, node: &Node) -> Outcome<()> {
        if node.is_own { self.check_reads_only(&node.text).map_err(|fault| blame(node, fault)) } else { Ok(()) }
    }

    /// Makes what comes with a question a table, in the place of one of that name.
    pub(crate) fn hand_over(&self, node: &Node, handed: &Handed) -> Outcome<()> {
        match handed {
            Handed::Rows(rows) => self.load_table(&node.name, node.columns, std::slice::from_ref(rows)),
            Handed::File(path) => self.view_of_parquet(&node.name, path),
        }
    }

    /// Something that stops a query that takes too long, from another thread.
    pub fn interrupter(&self) -> Interrupter {
        Interrupter(self.connection.interrupt_handle())
    }

    /// Makes rows a table, in the place of one of that name.
    pub fn load_table(&self, name: &str, columns: &str, rows: &[RecordBatch]) -> Outcome<()> {
        let failed = |error: &duckdb::Error| Diagnostic::bug(format!("cannot hand the table `{name}` to the engine: {error}"));
        self.connection.execute_batch(&format!("create or replace table {name} ({columns})")).map_err(|error| failed(&error))?;
        let mut appender = self.connection.appender(name).map_err(|error| failed(&error))?;
        for batch in rows {
            appender.append_record_batch(batch.clone()).map_err(|error| failed(&error))?;
        }
        appender.flush().map_err(|error| failed(&error))
    }

    /// Makes a Parquet file inside of the workspace a view.
    pub fn view_of_parquet(&self, name: &str, path: &Path) -> Outcome<()> {
        self.prepare(&format!(
            "create or replace view {name} as select * from read_parquet({})",
            literal(&path.display().to_string())
        ))
    }

    /// Holds the events of a kind in memory, if there are few: every query over files looks at each of them, however little it holds.
    /// Their view must be made already.
    pub fn hold_if_few(&self, kind: Kind, most: i64) -> Outcome<()> {
        let name = kind.name();
        let Some(scans) = &self.scans else { return Ok(()) };
        if scans.count(kind)? <= most {
            self.prepare(&format!("create table held_{name} as from {name}"))?;
            self.prepare(&format!("create or replace view {name} as from held_{name}"))?;
        }
        Ok(())
    }

    pub fn version(&self) -> Outcome<String> {
        self.connection.version().map_err(|error| unavailable(&error))
    }

    /// Answers an analyst's question. What fails names all tables, and the one that was meant.
    pub fn query(&self, sql: &str) -> Outcome<Rows> {
        self.check_reads_only(sql).and_then(|()| self.run(sql, &HashMap::new())).map_err(|fault| self.with_tables(fault))
    }

    fn with_tables(&self, mut fault: Diagnostic) -> Diagnostic {
        let (Some(cause), Ok(tables)) = (&fault.cause, self.tables()) else { return fault };
        let names = || tables.iter().map(|table| table.name.as_str());
        let wanted = cause.split_once("Table with name ").and_then(|(_, rest)| rest.split_whitespace().next());
        let near =
            wanted.and_then(|wanted| nearest(names(), wanted)).map_or_else(String::new, |near| format!("did you mean `{near}`? "));
        fault.remedy = format!(
            "{near}the tables are {}; `outerloop query 'from (describe run)'` lists the columns of one",
            names().collect::<Vec<_>>().join(", ")
        );
        // The engine would suggest a name that is not for analysts.
        fault.cause = Some(
            cause.lines().filter(|line| !(wanted.is_some() && line.starts_with("Did you mean"))).collect::<Vec<_>>().join("\n"),
        );
        fault
    }

    fn run(&self, sql: &str, values: &HashMap<&'static str, Value>) -> Outcome<Rows> {
        let mut statement = self.connection.prepare(sql).map_err(|error| refused(&error))?;
        let result = if values.is_empty() { statement.query_arrow([]) } else { statement.query_arrow(values) };
        let result = result.map_err(|error| refused(&error))?;
        let schema = result.get_schema();
        Rows { schema, batches: result.collect() }.with_plain_zones()
    }

    /// The engine's own parser decides: it turns nothing but queries into its syntax tree.
    fn check_reads_only(&self, sql: &str) -> Outcome<()> {
        let tree: String = self
            .connection
            .query_row(&format!("select cast(json_serialize_sql({}) as varchar)", literal(sql)), [], |row| row.get(0))
            .map_err(|error| refused(&error))?;
        let tree: serde_json::Value =
            serde_json::from_str(&tree).map_err(|error| Diagnostic::bug(format!("the syntax tree is not JSON: {error}")))?;
        if tree["error"] != serde_json::Value::Bool(true) {
            return Ok(());
        }
        let message = tree["error_message"].as_str().unwrap_or("the query cannot be parsed");
        let position = tree["position"].as_str().and_then(|position| position.parse::<usize>().ok());
        if tree["error_type"] == "not implemented" {
            return Err(Diagnostic::edit(
                "only queries are run here: the lake is read-only",
                "start the statement with `select`, `from` or `with`; `from (describe run)` lists the columns of a table",
            ));
        }
        Err(with_hint(&position.map_or_else(|| message.to_owned(), |position| with_line(message, sql, position))))
    }

    fn prepare(&self, sql: &str) -> Outcome<()> {
        self.connection.execute_batch(sql).map_err(|error| unprepared(&error))
    }
}

fn connect(threads: Threads) -> Outcome<Connection> {
    let config = Config::default();
    let config = if threads == Threads::One { config.threads(1) } else { Ok(config) };
    let opened = config.and_then(Connection::open_in_memory_with_flags);
    let connection = opened.map_err(|error| unavailable(&error))?;
    // A library without time zones knows UTC only, and not this setting.
    let _ = connection.execute_batch("set timezone = 'UTC'");
    Ok(connection)
}

/// A fault of the engine, as one of a text, with the line that the engine names.
pub(crate) fn blame(node: &Node, mut fault: Diagnostic) -> Diagnostic {
    let (file, first) = &node.place;
    if file.is_empty() {
        return fault;
    }
    let query = node
        .stem
        .as_ref()
        .map_or_else(|| format!("the view `{}` of {file}", node.name), |stem| format!("the query `sql/{stem}.sql`"));
    let what = std::mem::replace(&mut fault.what, format!("{query} failed"));
    let line = line_in(fault.cause.get_or_insert(what)).unwrap_or(1);
    if node.is_own {
        fault = fault.at(Path::new(&format!("{file}:{}", first + line - 1)));
        fault.exit = Exit::Edit;
        fault.remedy = String::from("correct the workspace's own file below sql/, or remove it: the program has its own");
    }
    fault
}

/// The line that a message of the engine names.
fn line_in(message: &str) -> Option<usize> {
    let rest = &message[message.find("LINE ")? + 5..];
    rest[..rest.find(':')?].parse().ok()
}

/// A message that names no line, with the line of a position, as the engine writes it elsewhere.
fn with_line(message: &str, sql: &str, position: usize) -> String {
    let before = sql.get(..position).unwrap_or(sql);
    let line = before.matches('\n').count();
    format!("{message}\nLINE {}: {}", line + 1, sql.lines().nth(line).unwrap_or_default())
}

fn unprepared(error: &duckdb::Error) -> Diagnostic {
    Diagnostic::new(Exit::Machine, "cannot prepare the engine", "run `outerloop doctor`: a file of the lake may be damaged")
        .because(error)
}

/// A table and its columns with their types.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableColumns {
    pub name: String,
    pub columns: Vec<(String, String)>,
}

event::row! {
    struct Listed {
        table: String = "table_name",
        column: String = "column_name",
        kind: String = "data_type",
    }
}

/// Whether a table is only a step towards others.
fn is_step(name: &str) -> bool {
    name == "superseded" || ["lake_", "landed_", "past_"].iter().any(|start| name.starts_with(start))
}

/// Stops a session's query from another thread.
#[derive(Clone)]
pub struct Interrupter(Arc<InterruptHandle>);

impl Interrupter {
    /// Stops the query that is running, if any.
    pub fn interrupt(&self) {
        self.0.interrupt();
    }
}

fn unavailable(error: &duckdb::Error) -> Diagnostic {
    Diagnostic::new(Exit::Machine, "cannot open the SQL engine", "check the installation of the DuckDB library").because(error)
}

fn refused(error: &duckdb::Error) -> Diagnostic {
    with_hint(&error.to_string())
}

fn with_hint(cause: &str) -> Diagnostic {
    Diagnostic::edit("the query failed", "`outerloop query 'from (describe run)'` lists the columns of a table").because(cause)
}
