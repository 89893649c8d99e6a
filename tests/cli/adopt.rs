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
        "found the pattern file",
        "found the run folder",
        "self-learning 1.2.2",
        "CLOSEDLOOP_SELF_LEARNING=false",
        "OUTERLOOP_LEARNING",
        "publish.targets",
        "Next: `outerloop run hourly`",
    ] {
        assert!(told.error.contains(wanted), "{wanted} in {}", told.error);
    }
    home.done(&["run", "hourly"]);
    home.iteration(1);
    home.iteration(2);
    let report = home.done(&["report"]).out;
    assert!(report.contains("Retry API calls with backoff"), "{report}");
    let list: Value = serde_json::from_str(&home.done(&["patterns", "list", "--all", "--json"]).out).expect("JSON");
    let seen = |id: &str| list.as_array().expect("a list").iter().find(|one| one["id"] == id).map(|one| one["seen"].clone());
    assert_eq!((seen("P-001"), seen("P-002"), seen("P-004")), (Some(4.into()), Some(0.into()), Some(0.into())), "{list}");
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
    assert!(again.error.contains(": 0 events imported"), "{}", again.error);
    home.done(&["run", "hourly"]);
    assert_ne!(fs::read(home.patterns()).expect("patterns"), before);
    let told = home.done(&["adopt", "closedloop", "--undo"]);
    assert!(told.error.contains("restored"), "{}", told.error);
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
    fs::write(&settings, format!("{text}# mine\n")).expect("settings");
    let refused = home.types(&["adopt", "closedloop", "--undo"]);
    assert!(refused.code == 2 && refused.error.contains("changed since"), "{}", refused.error);
    fs::write(&settings, text).expect("settings");
    let told = home.done(&["adopt", "closedloop", "--undo"]);
    assert!(told.error.contains("by another program since, and stays"), "{}", told.error);
    assert_eq!(fs::read_to_string(home.patterns()).expect("patterns"), "# mine\n");
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
