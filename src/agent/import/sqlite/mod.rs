//! Reads tables of `SQLite` files: rows only, in the order of their keys, without SQL and without touching the file.
//!
//! A library would have to open the file, which for a log of changes beside it means writing. The format is stable and documented:
//! <https://www.sqlite.org/fileformat2.html>.

mod page;
mod record;
mod schema;
mod table;

pub use table::Database;
