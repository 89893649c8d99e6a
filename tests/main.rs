//! The one integration-test binary: the engine is linked once.
#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::disallowed_methods,
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
mod classify;
mod cli;
mod client;
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
