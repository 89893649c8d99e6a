//! The goal room: files of goals, real commands and real reports, and what becomes of them.

mod config;
mod coverage;
mod criterion;
mod evaluator;
mod iteration;
mod outcome;
mod place;
mod session;
mod start;
mod test_run;
mod worked;
