//! The shipped queries, on a plain engine: golden cases in folders, and what merging must keep.

mod case;
mod merge;
mod stage;
