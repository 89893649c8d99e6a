//! One session of the engine: the views, a lock on everything outside of them, and queries that can only read.

use arrow::array::RecordBatch;
use duckdb::{Connection, InterruptHandle};
use std::path::Path;
use std::sync::Arc;

use super::body::Body;
use super::view::{Horizon, literal, published_statements, view_statements};
use event::Kind;
use event::row::Rows;
use store::workspace::Workspace;
use text::diagnostic::{Diagnostic, Exit, Outcome};

/// A session over the lake of one workspace.
pub struct Session {
    connection: Connection,
}

impl Session {
    /// Opens the engine in memory, with the lake's views. Nothing else of the machine can be read or written through it.
    pub fn open(workspace: &Workspace) -> Outcome<Self> {
        Self::open_at(workspace, Horizon::EVERYTHING)
    }

    /// The same, with what lies behind a horizon out of sight.
    pub fn open_at(workspace: &Workspace, horizon: Horizon) -> Outcome<Self> {
        let connection = Connection::open_in_memory().map_err(|error| unavailable(&error))?;
        let session = Self { connection };
        // A library without time zones knows UTC only, and not this setting.
        let _ = session.connection.execute_batch("set timezone = 'UTC'");
        // Every query looks at the footers of all files again; once is enough for one session.
        session.prepare("set parquet_metadata_cache = true")?;
        for statement in view_statements(workspace, horizon)? {
            session.prepare(&statement)?;
        }
        for [published, damaged] in published_statements(workspace) {
            session.prepare(&published).or_else(|_| session.prepare(&damaged))?;
        }
        let folders = [workspace.lake(), workspace.past(), workspace.quarantine(), workspace.history(), workspace.published()];
        let folders = folders.map(|folder| literal(&folder.display().to_string()));
        session.prepare(&format!("set allowed_directories = [{}]", folders.join(", ")))?;
        session.prepare("set enable_external_access = false")?;
        session.prepare("set lock_configuration = true")?;
        Ok(session)
    }

    /// Something that stops a query that takes too long, from another thread.
    #[must_use]
    pub fn interrupter(&self) -> Interrupter {
        Interrupter(self.connection.interrupt_handle())
    }

    /// Runs one of the program's queries.
    pub fn run(&self, body: &Body) -> Outcome<Rows> {
        self.query(&body.text).map_err(|fault| body.blame(fault))
    }

    /// Makes a query's rows a view, under a name that other queries use.
    pub fn define_view(&self, name: &str, body: &Body) -> Outcome<()> {
        self.define("view", name, body)
    }

    /// Makes a query's rows a table: computed once, used often.
    pub fn define_table(&self, name: &str, body: &Body) -> Outcome<()> {
        self.define("table", name, body)
    }

    fn define(&self, what: &str, name: &str, body: &Body) -> Outcome<()> {
        self.check_reads_only(&body.text).map_err(|fault| body.blame(fault))?;
        let statement = format!("create {what} {name} as {}", body.text);
        self.connection.execute_batch(&statement).map_err(|error| body.blame(refused(&error)))
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
        self.prepare(&format!("create view {name} as select * from read_parquet({})", literal(&path.display().to_string())))
    }

    /// Holds the events of a kind in memory, if there are few: every query over files looks at each of them, however little it holds.
    pub fn hold_if_few(&self, kind: Kind, most: usize) -> Outcome<()> {
        let name = kind.name();
        let held = format!("select cast(coalesce(sum(events), 0) as bigint) from holding_of_kind where kind = '{name}'");
        let events: i64 = self.connection.query_row(&held, [], |row| row.get(0)).map_err(|error| unprepared(&error))?;
        if usize::try_from(events).is_ok_and(|events| events <= most) {
            self.prepare(&format!("create table held_{name} as from \"{name}\""))?;
            self.prepare(&format!("create or replace view \"{name}\" as from held_{name}"))?;
        }
        Ok(())
    }

    /// Makes a pattern's number the one that `sql/explanation.sql` asks for.
    pub fn ask(&self, pattern: i64) -> Outcome<()> {
        self.prepare(&format!("create table asked as select cast({pattern} as bigint) as pattern"))
    }

    /// The version of the engine.
    pub fn version(&self) -> Outcome<String> {
        self.connection.version().map_err(|error| unavailable(&error))
    }

    /// Runs one query.
    pub fn query(&self, sql: &str) -> Outcome<Rows> {
        self.check_reads_only(sql)?;
        let mut statement = self.connection.prepare(sql).map_err(|error| refused(&error))?;
        let result = statement.query_arrow([]).map_err(|error| refused(&error))?;
        let schema = result.get_schema();
        Ok(Rows { schema, batches: result.collect() }.with_plain_zones())
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
