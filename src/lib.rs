#![doc = include_str!("../ARCHITECTURE.md")]

pub mod clock;
pub mod day;
pub mod deadline;
pub mod diagnostic;
pub mod digest;
pub mod durable;
pub mod setting;
pub mod subprocess;
pub mod word;
pub mod workspace;

pub mod testimony;

pub mod event;

pub mod ask;

pub mod transcript;

pub mod inbox;
pub mod lake;

pub mod repository;

pub mod engine;

pub mod pattern;

pub mod learn;
pub mod render;

pub mod publish;

pub mod artifact;

pub mod import;

pub mod goal;

pub mod classify;

pub mod embed;

pub mod share;

pub mod iteration;

pub mod observe;

pub mod hook;

pub mod feedback;

pub mod cycle;

pub mod retention;

pub mod job;
pub mod sample;

pub mod cli;
