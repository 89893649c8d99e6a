//! What comes with a question: values for its parameters, and tables.

use std::path::PathBuf;

use arrow::array::RecordBatch;
use duckdb::types::{ToSql, ToSqlOutput};

/// The value of a parameter.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    Number(i64),
    Real(f64),
    Text(String),
    Flag(bool),
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Self::Real(number)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<bool> for Value {
    fn from(flag: bool) -> Self {
        Self::Flag(flag)
    }
}

impl ToSql for Value {
    fn to_sql(&self) -> duckdb::Result<ToSqlOutput<'_>> {
        match self {
            Self::Number(number) => number.to_sql(),
            Self::Real(number) => number.to_sql(),
            Self::Text(text) => text.to_sql(),
            Self::Flag(flag) => flag.to_sql(),
        }
    }
}

/// A table that comes with a question.
#[derive(Debug, Clone)]
pub(crate) enum Handed {
    Rows(RecordBatch),
    /// A Parquet file inside of the workspace.
    File(PathBuf),
}

/// What comes with a question.
#[derive(Debug, Clone, Default)]
pub struct Arguments {
    pub(crate) values: Vec<(&'static str, Value)>,
    pub(crate) tables: Vec<(&'static str, Handed)>,
}

impl Arguments {
    pub const NONE: Self = Self { values: Vec::new(), tables: Vec::new() };

    /// Some values, by the names of their parameters.
    pub fn values<const N: usize>(values: [(&'static str, Value); N]) -> Self {
        Self { values: values.into(), tables: Vec::new() }
    }

    #[must_use]
    pub fn with_rows(mut self, name: &'static str, rows: RecordBatch) -> Self {
        self.tables.push((name, Handed::Rows(rows)));
        self
    }

    #[must_use]
    pub fn with_file(mut self, name: &'static str, file: PathBuf) -> Self {
        self.tables.push((name, Handed::File(file)));
        self
    }
}
