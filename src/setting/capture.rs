//! The settings of captured lessons: where they are found, which are good enough, and who classifies them.

use std::path::PathBuf;

use crate::section::settings;
use crate::words;

settings! {
    /// Capture of the lessons that agents write into `.learnings/pending/` (`outerloop capture`, and a step of the hourly job).
    #[derive(Eq)]
    pub struct CaptureSettings {
        /// The run folders, each with a `.learnings/` inside, that jobs capture from and prune. A relative path starts at the
        /// workspace.
        workdirs: Vec<PathBuf>;
        /// Whether the hourly job also imports what is new in the logs of these folders, as `outerloop import closedloop` does.
        follow: bool = false;
        /// Whether another tool still works with these folders. Pending lessons are then imported where they lie and stay there for that
        /// tool, and nothing in the folders is pruned.
        beside: bool = false;
        /// Whether each run of the hourly job also compares ClosedLoop's figures of these folders with Outerloop's, as
        /// `outerloop closedloop shadow` does. `outerloop closedloop shadow --history` shows the results.
        shadow: bool = false;
        /// Shortest lesson that can become a pattern, in characters.
        least_characters: usize = 20;
        /// Longest lesson that can become a pattern, in characters.
        most_characters: usize = 200;
        /// How many specific words (long enough, and no stopwords) a lesson needs. With fewer it is vague.
        least_telling_words: usize = 3;
        /// Phrases that make a lesson vague, unless it has enough specific words besides.
        vague: Vec<String> = words(&[
            "be careful", "make sure", "double check", "double-check", "pay attention", "keep in mind", "good practice",
            "best practice", "do it right", "works better", "as needed", "if necessary", "when appropriate",
        ]);
        /// Phrases of lessons that apply to one task only.
        one_off: Vec<String> = words(&[
            "this task", "this ticket", "this pr", "this pull request", "this session", "this feature", "this branch", "for now",
            "just this once", "temporarily", "today", "yesterday", "tomorrow",
        ]);
    }

    /// Classification of captured lessons by scope, category, repository and wording. Answers are stored as events, so no lesson is
    /// classified twice.
    #[derive(Eq)]
    pub struct ClassifySettings {
        /// A program and its arguments. It gets JSON on stdin and answers with JSON on stdout. Without one, the built-in classifier
        /// decides.
        command: Vec<String>, example r#"["claude", "-p", "--output-format", "text"]"#;
        /// Time limit of one call, in seconds.
        timeout_seconds: u64 = 120;
        /// How often a failed call is retried within one run.
        retries: u32 = 1;
        /// Whether the built-in classifier decides about lessons for which the command failed after its retries. If not, they wait.
        fall_back: bool = false;
        /// How many calls to make per day, failed ones included.
        calls_per_day: u32 = 100;
        /// How many lessons to send in one call.
        lessons_per_call: usize = 20;
        /// Longest answer to read, in KiB.
        most_answer_kib: usize = 1024;
    }
}
