//! The settings of what is found out about one iteration: lessons, relevance, goals, citations.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Deserialize;

use super::tag::{TagRule, default_tags};
use super::words;

/// Where lessons are captured from, and which are good enough.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CaptureSettings {
    /// The folders of runs, each with a `.learnings/` inside, that jobs capture from and prune.
    pub workdirs: Vec<PathBuf>,
    /// A lesson of fewer characters says too little.
    pub least_characters: usize,
    /// A lesson of more characters is no lesson in a sentence.
    pub most_characters: usize,
    /// A lesson of fewer telling words (long enough, and no stopwords) is vague.
    pub least_telling_words: usize,
    /// Phrases that make a lesson vague unless it says at least `least_telling_words` besides.
    pub vague: Vec<String>,
    /// Phrases of lessons that hold for one task only.
    pub one_off: Vec<String>,
}

impl Default for CaptureSettings {
    fn default() -> Self {
        Self {
            workdirs: Vec::new(),
            least_characters: 20,
            most_characters: 200,
            least_telling_words: 3,
            vague: words(&[
                "be careful",
                "make sure",
                "double check",
                "double-check",
                "pay attention",
                "keep in mind",
                "good practice",
                "best practice",
                "do it right",
                "works better",
                "as needed",
                "if necessary",
                "when appropriate",
            ]),
            one_off: words(&[
                "this task",
                "this ticket",
                "this pr",
                "this pull request",
                "this session",
                "this feature",
                "this branch",
                "for now",
                "just this once",
                "temporarily",
                "today",
                "yesterday",
                "tomorrow",
            ]),
        }
    }
}

/// Who classifies captured lessons.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ClassifySettings {
    /// The program and its arguments. It gets JSON on stdin and answers with JSON on stdout. None: the built-in classifier.
    pub command: Vec<String>,
    /// How long one call may take.
    pub timeout_seconds: u64,
    /// How often a call is tried again within one run.
    pub retries: u32,
    /// How many calls a day may make, failed ones included.
    pub calls_per_day: u32,
    /// How many lessons one call classifies.
    pub lessons_per_call: usize,
    /// The longest answer that is read, in KiB.
    pub most_answer_kib: usize,
}

impl Default for ClassifySettings {
    fn default() -> Self {
        Self {
            command: Vec::new(),
            timeout_seconds: 120,
            retries: 1,
            calls_per_day: 100,
            lessons_per_call: 20,
            most_answer_kib: 1024,
        }
    }
}

/// How the words of a path are compared with a tag's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TagMatch {
    /// Whole words: `inspect.go` is no test.
    #[default]
    Word,
    /// Any part of the path, as the original does.
    Substring,
}

/// How relevant a pattern is to what was changed.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RelevanceSettings {
    /// How the words of a path are compared with a tag's.
    pub matching: TagMatch,
    /// What a pattern gains that shares a word with a changed path.
    pub boost: f64,
    /// Shorter words are no keywords.
    pub least_keyword: usize,
    /// Words that are no keywords, beside those of the program.
    pub stopwords: Vec<String>,
    /// The tags, and what in a path earns them. A tag that is given here takes the place of the program's own.
    pub tags: BTreeMap<String, TagRule>,
}

impl Default for RelevanceSettings {
    fn default() -> Self {
        Self { matching: TagMatch::Word, boost: 0.2, least_keyword: 3, stopwords: Vec::new(), tags: BTreeMap::new() }
    }
}

impl RelevanceSettings {
    /// All tags: the program's, and the workspace's in their place.
    #[must_use]
    pub fn all_tags(&self) -> BTreeMap<String, TagRule> {
        let mut all = default_tags();
        all.extend(self.tags.clone());
        all
    }
}

/// How goals are judged.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct GoalSettings {
    /// The goals [default: `goal.yaml` in the run's `.learnings/`, else in the workspace].
    pub file: Option<PathBuf>,
    /// How long a goal's test command may take.
    pub test_timeout_seconds: u64,
    /// How long a goal's own evaluator may take.
    pub evaluator_timeout_seconds: u64,
    /// Where session files lie [default: `~/.claude/sessions`, then below `~/.claude/projects`].
    pub sessions: Option<PathBuf>,
}

impl Default for GoalSettings {
    fn default() -> Self {
        Self { file: None, test_timeout_seconds: 300, evaluator_timeout_seconds: 60, sessions: None }
    }
}

/// When a citation holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CitationSettings {
    /// How many lines a cited line may lie from a changed one.
    pub tolerance: u32,
}

impl Default for CitationSettings {
    fn default() -> Self {
        Self { tolerance: 5 }
    }
}
