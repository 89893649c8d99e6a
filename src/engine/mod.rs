//! The SQL engine: the only room that names `DuckDB`. In memory, over views of the lake's Parquet; results are Arrow.

mod session;
mod view;

pub use session::{Rows, Session};
