//! The one integration-test binary: the engine is linked once.
#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::disallowed_methods,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::float_cmp,
    clippy::format_collect,
    clippy::needless_for_each,
    clippy::needless_pass_by_value,
    clippy::print_stderr,
    clippy::redundant_closure_for_method_calls,
    clippy::similar_names,
    clippy::struct_field_names,
    clippy::type_complexity,
    unreachable_pub,
    reason = "a test may fail loudly and damage its own files"
)]

/// A path where nothing stands, below the folder that these tests have to themselves.
macro_rules! nowhere {
    ($($below:literal)?) => {
        concat!(env!("CARGO_TARGET_TMPDIR"), "/nowhere" $(, $below)?)
    };
}

mod support;

mod artifact;
mod browser;
mod classify;
mod cli;
mod client;
mod closedloop;
mod command;
mod embed;
mod event;
mod feedback;
mod goal;
mod golden;
mod hook;
mod import;
mod job;
mod lake;
mod law;
mod learn;
mod mcp;
mod observation;
mod observe;
mod pattern;
mod pipeline;
mod policy;
mod publish;
mod render;
mod repository;
mod retention;
mod review;
mod role;
mod setting;
mod share;
mod sql;
mod subprocess;
mod tidy;
mod transcript;
mod truth;
