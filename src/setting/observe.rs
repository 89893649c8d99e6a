//! The settings of what is observed in transcripts.

use crate::section::{between, settings};

settings! {
    /// Observation of session transcripts (`outerloop observe`, and a step of the hourly job): recurring workflows and procedures,
    /// decisions with their reasons, pitfalls.
    #[derive(Eq)]
    pub struct ObserveSettings {
        /// Whether to observe the sessions whose end a hook reports. Quotations stay in this folder, without secrets; nothing leaves the
        /// machine unless `command` sends it.
        sessions: bool = true;
        /// A program and its arguments. It gets a request on stdin and answers with JSON on stdout. It needs no tools and should have
        /// none, because it reads the text of transcripts. Without one, built-in rules are used: English, German, Spanish, French, Japanese, Chinese.
        command: Vec<String>, example r#"["claude", "-p", "--output-format", "text"]"#;
        /// Time limit of one call, in seconds.
        timeout_seconds: u64 = 180;
        /// How many calls to make per day (UTC), failed ones included.
        max_daily_runs: u32 = 5, in between(1.0, 50.0);
        /// Minutes to wait between two calls.
        throttle_minutes: u32 = 5, in between(0.0, 60.0);
        /// With a command of `[embed]`: the least similarity, in percent, at which two sightings in other words are one observation. Words
        /// that forbid and words that ask for something, and words that name different things, are never one.
        alike_percent: u32 = 90, in between(50.0, 100.0);
        /// How many sessions of a project to collect for one call. The built-in rules take every session at once.
        batch_size: usize = 3, in between(1.0, 20.0);
        /// Sessions in which people spoke less often are not observed.
        least_turns: u64 = 3;
        /// Sessions in which people wrote fewer characters in all are not sent to the command.
        least_characters: usize = 200;
        /// How many known observations to tell the command, those with the highest confidence.
        most_known: usize = 30, in between(0.0, 200.0);
        /// Longest request, in KiB. The oldest turns of each session are left out first.
        most_request_kib: usize = 128, in between(16.0, 4096.0);
        /// Longest answer to read, in KiB.
        most_answer_kib: usize = 256, in between(1.0, 16384.0);
    }
}
