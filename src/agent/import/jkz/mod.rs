//! Data of jkz: the records of its roles' deliberations, and the rows of its table of patterns where these were exported.
//!
//! Scores are worked out anew. What the rows count is taken over: nobody could tell any more what it was counted from.

mod record;

pub use record::{ImportedRecord, ImportedRows, RecordSource, import_record, import_rows};
