//! A work directory of the original, imported and learned from by the real program.

use std::fmt::Write as _;
use std::fs;

use render::toon::parse_toon;
use tempfile::TempDir;

use crate::support::Scene;

/// The settings that reproduce the original.
pub const ORIGINAL: &str = "compat = \"closedloop\"\n";
/// The settings with the original's defects mended.
pub const MENDED: &str = "";

/// A workspace into which work directories are imported.
pub struct Work {
    pub scene: Scene,
}

impl Work {
    pub fn new(settings: &str) -> Self {
        let scene = Scene::new();
        fs::write(scene.workspace.settings(), settings).expect("settings");
        Self { scene }
    }

    /// Imports a work directory: its pattern file, if there is one, and its outcomes.
    pub fn import(&self, project: &str, patterns: &str, outcomes: &str) {
        let folder = TempDir::new().expect("a temporary folder");
        let learnings = folder.path().join(".learnings");
        fs::create_dir(&learnings).expect("a folder");
        if !patterns.is_empty() {
            fs::write(learnings.join("org-patterns.toon"), patterns).expect("the pattern file");
        }
        fs::write(learnings.join("outcomes.log"), outcomes).expect("the log");
        let path = folder.path().display().to_string();
        let outcome = self.scene.run(&["import", "closedloop", &path, "--project", project]);
        // Lines that the original drops too are left out, and said so with 1.
        assert!(matches!(outcome.code, 0 | 1), "{}", outcome.error);
    }

    /// Learns, and gives the rows of the published pattern file by id: `P-001 5 0.48 medium [REVIEW]`.
    pub fn learn(&self) -> Vec<String> {
        let mut rows = self.learn_in_order();
        rows.sort();
        rows
    }

    /// The same in the order of the file.
    pub fn learn_in_order(&self) -> Vec<String> {
        self.scene.done(&["run", "hourly"]);
        let document = parse_toon(&self.pattern_file());
        let figures = document.rows.into_iter().map(|located| {
            let row = located.row;
            let rate = row.success_rate.map_or_else(|| "-".to_owned(), |rate| format!("{rate:.2}"));
            format!("{} {} {rate} {} {}", row.id, row.seen_count, row.confidence, row.flags).trim_end().to_owned()
        });
        figures.collect()
    }

    /// The published pattern file.
    pub fn pattern_file(&self) -> String {
        fs::read_to_string(self.scene.workspace.current().join("org-patterns.toon")).expect("the pattern file")
    }
}

/// Imports one work directory and learns from it.
pub fn learned(settings: &str, patterns: &str, outcomes: &str) -> Vec<String> {
    let work = Work::new(settings);
    work.import("one", patterns, outcomes);
    work.learn()
}

/// A pattern file with rows as the original writes them.
pub fn pattern_file(rows: &[String]) -> String {
    let head = "# Organization Patterns (TOON format)\n# Last updated: 2026-05-06T00:00:00Z\n\n";
    let columns = "id,category,summary,confidence,seen_count,success_rate,flags,applies_to,context,repo";
    let mut lines = vec![format!("{head}patterns[{}]{{{columns}}}:", rows.len())];
    lines.extend(rows.iter().map(|row| format!("  {row}")));
    lines.join("\n") + "\n"
}

/// A text that shares no word with that of another number.
pub fn summary(number: usize) -> String {
    format!("amber{number:03} birch{number:03} cedar{number:03} dogwood{number:03}")
}

/// A pattern file with so many patterns that nobody has seen, under their numbers.
pub fn untested(count: usize) -> String {
    let row = |number| format!("P-{number:03},pattern,\"{}\",low,0,,[UNTESTED],*,,*", summary(number));
    pattern_file(&(1..=count).map(row).collect::<Vec<_>>())
}

/// `outcomes.log` in the making.
#[derive(Default)]
pub struct Log {
    text: String,
}

impl Log {
    /// A row with everything from the citations on, at a second of its own.
    pub fn row(&mut self, run: &str, iteration: &str, trigger: &str, status_and_tail: &str) -> &mut Self {
        let second = self.text.lines().count();
        let (minute, second) = (second / 60, second % 60);
        writeln!(self.text, "2026-05-06T10:{minute:02}:{second:02}Z|{run}|{iteration}|impl|{trigger}|{status_and_tail}")
            .expect("memory takes it");
        self
    }

    /// Rows of a numbered pattern in the first iteration.
    pub fn rows(&mut self, number: usize, tails: &[&str]) -> &mut Self {
        self.rows_in("1", number, tails)
    }

    pub fn rows_in(&mut self, iteration: &str, number: usize, tails: &[&str]) -> &mut Self {
        for tail in tails {
            self.row("run-1", iteration, &summary(number), tail);
        }
        self
    }

    /// Verified and unverified rows of a numbered pattern.
    pub fn counts(&mut self, iteration: &str, number: usize, verified: usize, unverified: usize) -> &mut Self {
        self.rows_in(iteration, number, &vec!["applied|a.py:1"; verified]);
        self.rows_in(iteration, number, &vec!["applied|a.py:1|unverified"; unverified])
    }

    /// A line as it stands.
    pub fn line(&mut self, line: &str) -> &mut Self {
        self.text.push_str(line);
        self.text.push('\n');
        self
    }

    pub fn text(&self) -> &str {
        &self.text
    }
}
