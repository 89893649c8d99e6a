//! The settings of what is found out about one iteration: relevance, goals, citations.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::section::{SHARE, choices, kinds, settings};
use crate::tag::{TagRule, default_tags};

settings! {
    /// Relevance of a pattern to the files that an iteration changed.
    pub struct RelevanceSettings {
        /// How tags are found in a path: "word" compares whole words, "substring" any part of the path, as the original does.
        matching: TagMatch;
        /// Added to the relevance of a pattern that shares a word with a changed path.
        boost: f64 = 0.2, in SHARE;
        /// Shortest word that counts as a keyword, in characters.
        least_keyword: usize = 3;
        /// Words that do not count as keywords, in addition to the built-in ones.
        stopwords: Vec<String>, example r#"["really"]"#;
        /// Tags, and the words in a path, words in a file name or endings that earn them. A tag given here replaces the built-in one of
        /// that name.
        tags: BTreeMap<String, TagRule>, example r#"{ database = { path = ["migration", "sql"], name = [], ending = ["sql"] } }"#;
    }

    /// Whether a run reached its goal.
    #[derive(Eq)]
    pub struct GoalSettings {
        /// The goals. Without this, `goal.yaml` in the `.learnings/` of the run, else in the workspace. A relative path starts at the
        /// workspace.
        file: Option<PathBuf>, example r#""goal.yaml""#;
        /// Time limit of a goal's test command, in seconds.
        test_timeout_seconds: u64 = 300;
        /// Time limit of a goal's own evaluator, in seconds.
        evaluator_timeout_seconds: u64 = 60;
        /// The folder of session transcripts. Without this, `~/.claude/sessions`, then `~/.claude/projects`. A relative path starts at
        /// the workspace.
        sessions: Option<PathBuf>, example r#""/home/me/.claude/sessions""#;
    }

    /// Verification of the places that agents cite as evidence.
    #[derive(Copy, Eq)]
    pub struct CitationSettings {
        /// How many lines a cited line may be away from a changed one.
        tolerance: u32 = 5;
    }
}

/// How the words of a path are compared with those of a tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum TagMatch {
    /// Whole words: `inspect.go` is not a test.
    #[default]
    Word,
    /// Any part of the path, as the original does.
    Substring,
}

choices! { TagMatch }
kinds! { TagRule => "a table with `path`, `name` and `ending`"; }

impl RelevanceSettings {
    /// The built-in tags, with those of the workspace in their place.
    #[must_use]
    pub fn all_tags(&self) -> BTreeMap<String, TagRule> {
        let mut all = default_tags();
        all.extend(self.tags.clone());
        all
    }
}
