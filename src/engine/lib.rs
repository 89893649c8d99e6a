//! The SQL engine: the only crate that names `DuckDB`. In memory, over the lake's Parquet; results are Arrow.

pub mod cycle;
pub mod graph;

mod argument;
mod body;
mod horizon;
mod scan;
mod session;
mod table;
mod trial;

pub use argument::{Arguments, Value};
pub use body::{load_graph, shipped_graph};
pub use horizon::Horizon;
pub use session::{Interrupter, Session, TableColumns, Threads};
pub use table::declared_tables;
pub use trial::try_own;
