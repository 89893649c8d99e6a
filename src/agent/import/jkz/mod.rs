//! Data of jkz: the records of its roles' deliberations, and the rows of its table of patterns.
//!
//! Scores are worked out anew. What the rows count is taken over: nobody could tell any more what it was counted from.

mod record;
mod row;

pub use record::{ImportedRecord, RecordSource, import_record};
pub use row::{Counted, ImportedRows, Owner, import_rows, import_table, projects_in, projects_of};
