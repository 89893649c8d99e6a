//! One session of the engine: the views, a lock on everything outside of them, and queries that can only read.

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use duckdb::Connection;

use super::view::{literal, view_statements};
use crate::diagnostic::{Diagnostic, Exit, Outcome};
use crate::event::Kind;
use crate::workspace::Workspace;

/// A session over the lake of one workspace.
pub struct Session {
    connection: Connection,
}

/// What a query gave.
#[derive(Debug)]
pub struct Rows {
    /// The columns.
    pub schema: SchemaRef,
    /// The rows, in parts.
    pub batches: Vec<RecordBatch>,
}

impl Session {
    /// Opens the engine in memory, with the lake's views. Nothing else of the machine can be read or written through it.
    pub fn open(workspace: &Workspace) -> Outcome<Self> {
        let connection = Connection::open_in_memory().map_err(|error| unavailable(&error))?;
        let session = Self { connection };
        // A library without time zones knows UTC only, and not this setting.
        let _ = session.connection.execute_batch("set timezone = 'UTC'");
        for statement in view_statements(workspace)? {
            session.prepare(&statement)?;
        }
        let folders = [workspace.lake(), workspace.quarantine()].map(|folder| literal(&folder.display().to_string()));
        session.prepare(&format!("set allowed_directories = [{}]", folders.join(", ")))?;
        session.prepare("set enable_external_access = false")?;
        session.prepare("set lock_configuration = true")?;
        Ok(session)
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
        Ok(Rows { schema, batches: result.collect() })
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
        self.connection.execute_batch(sql).map_err(|error| {
            Diagnostic::new(Exit::Machine, "cannot prepare the engine", "run `outerloop doctor`: a file of the lake may be damaged")
                .because(error)
        })
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
