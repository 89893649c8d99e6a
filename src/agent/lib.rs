//! Everything that talks with agents and their tools: hooks, transcripts, iterations, goals, classifiers, importers, sharing, artifacts.

pub mod artifact;
pub mod classify;
pub mod embed;
pub mod feedback;
pub mod goal;
pub mod hook;
pub mod import;
pub mod intake;
pub mod iteration;
pub mod observe;
pub mod published;
pub mod repository;
pub mod share;
pub mod transcript;
