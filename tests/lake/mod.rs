//! Nothing is lost, nothing counts twice.

mod crash;
mod durable;
mod fault;
mod inbox;
mod rewrite;
mod run;
