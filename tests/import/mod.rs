//! The import room: what the files of other systems become.

mod closedloop;
mod codekit;
mod devflow;
mod field;
mod jkz;
mod merged;
mod perf;
mod tool;
