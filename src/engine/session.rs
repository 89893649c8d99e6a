//! One session of the engine: the views, a lock on everything outside of them, and queries that can only read.

use arrow::array::RecordBatch;
use duckdb::{Connection, InterruptHandle};
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use crate::argument::{Handed, Value};
use crate::body::shipped_graph;
use crate::graph::{Form, Node, Origin};
use crate::horizon::Horizon;
use crate::scan::{Scans, literal};
use event::Kind;
use event::row::Rows;
use store::workspace::Workspace;
use text::diagnostic::{Diagnostic, Exit, Outcome};

/// How many threads the engine works with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Threads {
    /// One a processor.
    Every,
    /// One: small questions are answered as soon, and take a sixth less processor time.
    One,
}

/// A session over the lake of one workspace.
pub struct Session {
    connection: Connection,
    scans: Scans,
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

    /// Opens the engine without any table; what lies behind a horizon stays out of sight.
    pub fn open_at(workspace: &Workspace, horizon: Horizon, threads: Threads) -> Outcome<Self> {
        let connection = Connection::open_in_memory().map_err(|error| unavailable(&error))?;
        let session = Self { connection, scans: Scans::open(workspace, horizon)? };
        // A library without time zones knows UTC only, and not this setting.
        let _ = session.connection.execute_batch("set timezone = 'UTC'");
        // Every query looks at the footers of all files again; once is enough for one session.
        session.prepare("set parquet_metadata_cache = true")?;
        if threads == Threads::One {
            session.prepare("set threads = 1")?;
        }
        let folders = [workspace.lake(), workspace.past(), workspace.quarantine(), workspace.history(), workspace.published()];
        let folders = folders.map(|folder| literal(&folder.display().to_string()));
        session.prepare(&format!("set allowed_directories = [{}]", folders.join(", ")))?;
        session.prepare("set enable_external_access = false")?;
        session.prepare("set lock_configuration = true")?;
        Ok(session)
    }

    /// Whether of some days only sums are left.
    #[must_use]
    pub const fn has_past(&self) -> bool {
        self.scans.has_past()
    }

    /// Makes a table or a view that needs nothing but what is made already. Rows are made by whoever asks for them.
    pub fn make(&self, node: &Node) -> Outcome<()> {
        match node.origin {
            Origin::Scan => {
                let (statement, fallback) = self.scans.statement(&node.name)?;
                self.prepare(&statement).or_else(|fault| fallback.map_or(Err(fault), |fallback| self.prepare(&fallback)))
            }
            Origin::Prelude => self.prepare(&node.text),
            Origin::Body => self.define(node),
            Origin::Program | Origin::Caller => Ok(()),
        }
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
    #[must_use]
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
        if self.scans.count(kind)? <= most {
            self.prepare(&format!("create table held_{name} as from {name}"))?;
            self.prepare(&format!("create or replace view {name} as from held_{name}"))?;
        }
        Ok(())
    }

    /// The version of the engine.
    pub fn version(&self) -> Outcome<String> {
        self.connection.version().map_err(|error| unavailable(&error))
    }

    /// Runs one query.
    pub fn query(&self, sql: &str) -> Outcome<Rows> {
        self.check_reads_only(sql)?;
        self.run(sql, &HashMap::new())
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
        if tree["error_type"] == "not implemented" {
            return Err(Diagnostic::edit(
                "only queries are run here: the lake is read-only",
                "start the statement with `select`, `from` or `with`; `from (describe run)` lists the columns of a table",
            ));
        }
        Err(with_hint(message))
    }

    fn prepare(&self, sql: &str) -> Outcome<()> {
        self.connection.execute_batch(sql).map_err(|error| unprepared(&error))
    }
}

/// A fault of the engine, as one of a body.
pub(crate) fn blame(node: &Node, mut fault: Diagnostic) -> Diagnostic {
    let Some(stem) = &node.stem else { return fault };
    let what = std::mem::replace(&mut fault.what, format!("the query `sql/{stem}.sql` failed"));
    fault.cause.get_or_insert(what);
    if node.is_own {
        fault.remedy = String::from("correct the workspace's own file below sql/, or remove it: the program has its own");
    }
    fault
}

fn unprepared(error: &duckdb::Error) -> Diagnostic {
    Diagnostic::new(Exit::Machine, "cannot prepare the engine", "run `outerloop doctor`: a file of the lake may be damaged")
        .because(error)
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
    let tables: Vec<&str> = Kind::ALL.iter().map(|kind| kind.name()).collect();
    let remedy = format!(
        "the tables are {} and quarantine; `outerloop query 'from (describe run)'` lists the columns of one",
        tables.join(", ")
    );
    Diagnostic::edit("the query failed", remedy).because(cause)
}
