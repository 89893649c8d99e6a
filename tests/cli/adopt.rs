//! `outerloop adopt closedloop`: a project as ClosedLoop leaves it, taken over in one command, and given back.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

use crate::support::Outcome;

/// A home folder with a project that ClosedLoop has worked in.
struct Home {
    folder: TempDir,
}

impl Home {
    fn new() -> Self {
        let home = Self { folder: TempDir::new().expect("a temporary folder") };
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/closedloop.sh");
        let made = Command::new("sh").arg(script).arg(home.folder.path()).arg(home.shop()).output().expect("sh starts");
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        home
    }

    fn shop(&self) -> PathBuf {
        self.folder.path().join("shop")
    }

    fn work(&self) -> PathBuf {
        self.shop().join(".closedloop-ai/work")
    }

    fn patterns(&self) -> PathBuf {
        self.folder.path().join(".closedloop-ai/learnings/org-patterns.toon")
    }

    /// What a person types in the project's folder.
    fn types(&self, arguments: &[&str]) -> Outcome {
        let mut command = Command::new(env!("CARGO_BIN_EXE_outerloop"));
        command.args(arguments).current_dir(self.shop()).env("HOME", self.folder.path()).env("NO_COLOR", "1");
        command.env_remove("OUTERLOOP_ROOT").env_remove("OUTERLOOP_PROJECT");
        Outcome::of(&command.output().expect("the program starts"))
    }

    #[track_caller]
    fn done(&self, arguments: &[&str]) -> Outcome {
        let outcome = self.types(arguments);
        assert_eq!(outcome.code, 0, "{arguments:?}: {}", outcome.error);
        outcome
    }

    fn iteration(&self, number: usize) {
        let git = |arguments: &[&str]| {
            let settings = ["-c", "user.name=Ann", "-c", "user.email=ann@localhost", "-c", "commit.gpgsign=false"];
            let output = Command::new("git").args(settings).args(arguments).current_dir(self.shop()).output().expect("git starts");
            String::from_utf8_lossy(&output.stdout).trim().to_owned()
        };
        let since = git(&["rev-parse", "HEAD"]);
        let source = self.shop().join("src/api/client.ts");
        let line = number * 7;
        let text = fs::read_to_string(&source).expect("a file");
        fs::write(&source, text.replace(&format!("step({line});"), &format!("await step({line});"))).expect("a file");
        git(&["commit", "--quiet", "--all", "--message", "work"]);
        // ClosedLoop's hooks go on writing their log.
        let log = self.work().join(".learnings/outcomes.log");
        let row = format!(
            "2026-05-0{}T10:00:00Z|run-2|{number}|implementation-subagent|Retry API calls with backoff|applied|src/api/client.ts:{line}\n",
            6 + number
        );
        let before = fs::read_to_string(&log).expect("the log");
        fs::write(&log, before + &row).expect("the log");
        let work = self.work();
        let number = number.to_string();
        let arguments =
            ["iteration", "--since", &since, "--run", "run-2", "--iteration", &number, "--workdir", work.to_str().expect("a path")];
        self.done(&arguments);
        self.done(&["run", "hourly"]);
    }
}

#[test]
fn a_project_is_taken_over_worked_in_for_two_iterations_and_reported() {
    let home = Home::new();
    let told = home.done(&["adopt", "closedloop"]);
    for wanted in [
        "org-patterns.toon: 3 patterns",
        "found the run folder",
        "self-learning 1.2.2",
        "2 outcomes, 1 run, 1 acknowledgment, 1 timing; ",
        "; 1 pending lesson waits for the hourly job",
        "learnings: 1 pattern imported, 1 of this project's own, 0 refused",
        "publish.targets",
        "  outerloop run hourly ",
        "  outerloop report ",
        "`outerloop init --claude` adds Outerloop's hooks",
        "/.closedloop-ai/work/.closedloop-ai/config.env",
        "CLOSEDLOOP_SELF_LEARNING=false",
        "OUTERLOOP_LEARNING",
        "--undo` undoes this",
    ] {
        assert!(told.error.contains(wanted), "{wanted} in {}", told.error);
    }
    home.done(&["run", "hourly"]);
    home.iteration(1);
    home.iteration(2);
    let report = home.done(&["report"]).out;
    for wanted in [
        "Retry API calls with backoff",
        "Release the lock before waiting for others",
        "Decide about P-002: it helped in 10% of 30 sightings elsewhere, and was not tried here.",
        "reduce-failures",
    ] {
        assert!(report.contains(wanted), "{wanted} in {report}");
    }
    // Nothing of other tools that Outerloop can work with.
    let known = [
        "## What to do now",
        "## Changed since last week",
        "## Weeks",
        "## Lessons in numbers",
        "## Strongest",
        "## Weakest",
        "## Flags",
        "## Goals",
        "### Top contributing patterns",
        "### Patterns to review",
        "### Trends",
        "### Recommendations",
        "## Time per phase",
        "## Runs",
        "## Lessons",
        "## Quarantine",
        "## Events",
        "## Sources",
    ];
    let headings = report.lines().filter(|line| line.starts_with("##") && !line.starts_with("## Changes"));
    let others: Vec<&str> = headings.filter(|heading| !known.contains(heading)).collect();
    assert!(others.is_empty(), "{others:?} in {report}");
    let page = fs::read_to_string(home.shop().join(".outerloop/published/current/report.html")).expect("the page");
    for (section, is_shown) in [("lessons", true), ("adapters", false), ("roles", false), ("observations", false)] {
        assert_eq!(page.contains(&format!("id=\"{section}\"")), is_shown, "{section}");
        assert_eq!(page.contains(&format!("href=\"#{section}\"")), is_shown, "{section}");
    }
    let list: Value = serde_json::from_str(&home.done(&["patterns", "list", "--all", "--json"]).out).expect("JSON");
    let find = |text: &str| list.as_array().expect("a list").iter().find(|one| one["summary"].as_str() == Some(text)).cloned();
    let seen = |text: &str| find(text).map(|one| one["seen"].clone());
    assert_eq!(seen("Retry API calls with backoff"), Some(4.into()), "{list}");
    assert_eq!(seen("Quote \"every\" variable, always"), Some(0.into()), "{list}");
    assert_eq!(seen("Release the lock before waiting for others"), Some(0.into()), "{list}");
    let shared = find("Store every time in UTC and convert it when it is shown").expect("the organisation's pattern");
    let shared: Value =
        serde_json::from_str(&home.done(&["patterns", "show", shared["id"].as_str().expect("an id"), "--json"]).out).expect("JSON");
    assert_eq!((&shared["prior_seen"], &shared["prior_source"]), (&14.into(), &"bank".into()), "{shared}");
    // ClosedLoop's hooks read what was published, with its quotes and its rates as ClosedLoop writes them.
    let file = fs::read_to_string(home.patterns()).expect("patterns");
    assert!(file.contains("P-001,mistake,\"Retry API calls with backoff\",high,4,1.00,,*,api,*"), "{file}");
    assert!(file.contains("\"Quote \"\"every\"\" variable, always\",low,30,0.10,[PRUNE]"), "{file}");
}

#[test]
fn adopting_again_imports_what_is_new_and_undoing_restores_every_byte() {
    let home = Home::new();
    let before = fs::read(home.patterns()).expect("patterns");
    home.done(&["init"]);
    let settings = home.shop().join(".outerloop/outerloop.toml");
    let settings_before = fs::read(&settings).expect("settings");
    let planned = home.done(&["adopt", "closedloop", "--dry-run"]);
    assert!(planned.error.contains("it would import"), "{}", planned.error);
    assert_eq!(fs::read(&settings).expect("settings"), settings_before);
    home.done(&["adopt", "closedloop"]);
    let again = home.done(&["adopt", "closedloop"]);
    assert!(again.error.contains("; 0 new events, 0 records skipped"), "{}", again.error);
    home.done(&["run", "hourly"]);
    assert_ne!(fs::read(home.patterns()).expect("patterns"), before);
    let told = home.done(&["adopt", "closedloop", "--undo"]);
    for wanted in [
        "org-patterns.toon restored",
        "settings restored",
        "imported from ClosedLoop, in ",
        "patterns retire ID",
        "stays: 1 lesson taken in",
    ] {
        assert!(told.error.contains(wanted), "{wanted} in {}", told.error);
    }
    assert_eq!(fs::read(home.patterns()).expect("patterns"), before);
    assert_eq!(fs::read(&settings).expect("settings"), settings_before);
    assert_eq!(fs::read_dir(home.patterns().parent().expect("a folder")).expect("a folder").count(), 1, "nothing is left behind");
    assert_eq!(home.types(&["adopt", "closedloop", "--undo"]).code, 2);
}

#[test]
fn what_a_person_changed_since_is_not_undone() {
    let home = Home::new();
    home.done(&["adopt", "closedloop"]);
    home.done(&["run", "hourly"]);
    fs::write(home.patterns(), "# mine\n").expect("patterns");
    let settings = home.shop().join(".outerloop/outerloop.toml");
    let text = fs::read_to_string(&settings).expect("settings");
    fs::write(&settings, format!("{text}# mine\n").replace("follow = true", "follow = false")).expect("settings");
    home.done(&["settings", "truth.on=never"]);
    let told = home.done(&["adopt", "closedloop", "--undo"]);
    assert!(told.error.contains("by another program since, and stays"), "{}", told.error);
    assert_eq!(fs::read_to_string(home.patterns()).expect("patterns"), "# mine\n");
    let left = fs::read_to_string(&settings).expect("settings");
    assert!(left.contains("# mine") && left.contains("on = \"never\"") && left.contains("targets = []"), "{left}");
    assert!(left.contains("workdirs = []") && !left.contains("dialect = \"closedloop\""), "{left}");
}

#[test]
fn whoever_learns_beside_it_first_and_takes_over_later_can_undo_both() {
    let home = Home::new();
    let patterns = fs::read(home.patterns()).expect("patterns");
    home.done(&["init"]);
    let settings = home.shop().join(".outerloop/outerloop.toml");
    let before = fs::read(&settings).expect("settings");
    home.done(&["adopt", "closedloop", "--beside"]);
    home.done(&["adopt", "closedloop"]);
    home.done(&["run", "hourly"]);
    assert_ne!(fs::read(home.patterns()).expect("patterns"), patterns);
    home.done(&["adopt", "closedloop", "--undo"]);
    assert_eq!((fs::read(home.patterns()).expect("patterns"), fs::read(&settings).expect("settings")), (patterns, before));
}

#[test]
fn what_was_published_is_not_read_back_as_history_of_another_store() {
    let home = Home::new();
    let patterns = fs::read_to_string(home.patterns()).expect("patterns");
    fs::write(home.patterns(), patterns.replace("backoff\",high,2,1.00", "backoff\",high,40,0.95")).expect("patterns");
    home.done(&["adopt", "closedloop"]);
    home.done(&["run", "hourly"]);
    let row = || -> String {
        let file = fs::read_to_string(home.patterns()).expect("patterns");
        file.lines().find(|line| line.contains("Retry API")).expect("a row").to_owned()
    };
    let first = row();
    for _ in 0..2 {
        home.done(&["run", "hourly"]);
        assert_eq!(row(), first);
    }
    let counted = home.done(&["query", "select max(seen_count) from learning where pattern_id = 'P-001'"]).out;
    assert!(counted.contains("40"), "{counted}");
}

#[test]
fn where_adopting_made_the_workspace_undoing_says_that_it_can_be_deleted() {
    let home = Home::new();
    home.done(&["adopt", "closedloop"]);
    let told = home.done(&["adopt", "closedloop", "--undo"]);
    assert!(told.error.contains("13 events imported from ClosedLoop") && told.error.contains("delete "), "{}", told.error);
    let files = |folder: &Path| -> Vec<Vec<u8>> {
        let mut paths: Vec<PathBuf> =
            fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
        paths.sort_unstable();
        paths.iter().filter(|path| path.is_file()).map(|path| fs::read(path).expect("a file")).collect()
    };
    let (before, work) = (files(&home.work().join(".learnings")), home.work());
    fs::remove_dir_all(home.shop().join(".outerloop")).expect("deleted");
    assert_eq!(files(&work.join(".learnings")), before, "ClosedLoop's files do not depend on it");
}

#[test]
fn beside_closedloop_its_lessons_wait_for_it_and_its_logs_are_not_pruned() {
    let home = Home::new();
    home.done(&["adopt", "closedloop", "--beside"]);
    let learnings = home.work().join(".learnings");
    fs::write(learnings.join("retention.yaml"), "max_log_lines: 1\n").expect("a policy");
    let log = fs::read(learnings.join("outcomes.log")).expect("a log");
    home.done(&["run", "hourly"]);
    home.done(&["run", "daily"]);
    assert_eq!(fs::read(learnings.join("outcomes.log")).expect("a log"), log);
    assert!(learnings.join("pending/implementation-subagent-7f3a.json").is_file(), "ClosedLoop has not read it yet");
    assert!(!learnings.join(".gitignore").exists());
    let report = home.done(&["report"]).out;
    assert!(report.contains("Release the lock before waiting for others"), "{report}");
    home.iteration(1);
    assert!(learnings.join("pending/implementation-subagent-7f3a.json").is_file());
    // ClosedLoop rests from here on: the lesson is taken in once more, and is the same lesson.
    home.done(&["adopt", "closedloop"]);
    home.done(&["run", "hourly"]);
    assert!(learnings.join("pending/archived/implementation-subagent-7f3a.json").is_file());
    let list = home.done(&["patterns", "list", "--all", "--json"]).out;
    assert_eq!(list.matches("Release the lock").count(), 1, "{list}");
}

#[test]
fn beside_closedloop_its_pattern_file_stays_its_own_and_where_nothing_is_it_says_so() {
    let home = Home::new();
    let before = fs::read(home.patterns()).expect("patterns");
    home.done(&["adopt", "closedloop", "--beside"]);
    home.done(&["run", "hourly"]);
    assert_eq!(fs::read(home.patterns()).expect("patterns"), before);
    fs::remove_file(home.patterns()).expect("patterns");
    fs::create_dir(home.shop().join("empty")).expect("a folder");
    let refused = home.types(&["adopt", "closedloop", "empty"]);
    assert!(refused.code == 2 && refused.error.contains("nothing of ClosedLoop is here"), "{}", refused.error);
}
