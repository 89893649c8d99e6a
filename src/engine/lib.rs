//! The SQL engine: the only room that names `DuckDB`. In memory, over views of the lake's Parquet; results are Arrow.

pub mod cycle;

mod body;
mod session;
mod view;

pub use body::{Body, Query, load_body};
pub use session::{Interrupter, Session};
pub use view::{Horizon, KIND_OF_QUARANTINED, LISTS_OF_RUNS, NUMBERS_OF_VECTORS, derived_columns};
