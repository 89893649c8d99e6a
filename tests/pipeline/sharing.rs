//! `outerloop push` and `outerloop pull`: two workspaces and one git repository between them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use super::{application, git, json_of, known, record, rows};
use crate::support::{Outcome, Scene, command};

const DOCUMENT: &str = ".closedloop-ai/learnings/org-patterns.json";

/// A bare repository that patterns are shared through.
fn bare() -> (TempDir, PathBuf) {
    let folder = TempDir::new().expect("a temporary folder");
    git(folder.path(), &["init", "--quiet", "--bare", "--initial-branch=main", "shared.git"]);
    let path = folder.path().join("shared.git");
    (folder, path)
}

fn share(scene: &Scene, word: &str, at: &Path, project: &str) -> Outcome {
    let mut command = command(scene.root(), &[word, "--json", "--project", project, "--at"]);
    outcome_of(command.arg(at).env("CLAUDE_ORG_ID", "acme"))
}

fn outcome_of(command: &mut Command) -> Outcome {
    let output = command.output().expect("the program starts");
    Outcome {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        error: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

#[track_caller]
fn shared(scene: &Scene, word: &str, at: &Path, project: &str) -> serde_json::Value {
    let outcome = share(scene, word, at, project);
    assert_eq!(outcome.code, 0, "{}", outcome.error);
    serde_json::from_str(&outcome.out).expect("JSON")
}

/// A workspace with one pattern that was seen four times and worked three times.
fn proven() -> Scene {
    let scene = Scene::new();
    record(&scene, &[known("P-001", "Retry API calls with backoff", "api")]);
    record(
        &scene,
        &["applied", "applied", "applied", "injected"].map(|status| application((status, 1), "builder", "P-001", status, &[])),
    );
    record(&scene, &[application(("more", 2), "builder", "P-001", "applied", &[])]);
    scene.done(&["run", "hourly"]);
    scene
}

#[test]
fn without_an_organisation_nothing_is_shared() {
    let (_folder, at) = bare();
    let scene = proven();
    for word in ["push", "pull"] {
        let mut command = command(scene.root(), &[word, "--at", at.to_str().expect("a path")]);
        let output = command.env_remove("CLAUDE_ORG_ID").output().expect("the program starts");
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert!(error.contains("remedy") && error.contains("CLAUDE_ORG_ID"), "{error}");
    }
    assert_eq!(git(&at, &["branch", "--list"]), "");
}

#[test]
fn a_pattern_that_one_project_proved_arrives_at_another_with_what_is_known_of_it() {
    let (_folder, at) = bare();
    let (web, api) = (proven(), Scene::new());
    assert_eq!(shared(&web, "push", &at, "web")["added"], 1);
    assert_eq!(shared(&web, "push", &at, "web")["unchanged"], 1);
    assert_eq!(git(&at, &["rev-list", "--count", "main"]), "1");
    assert_eq!(shared(&api, "pull", &at, "api")["taken"], 1);
    api.done(&["run", "hourly"]);
    let own = json_of(&web, &["patterns", "show", "P-001", "--json"]);
    let pattern = json_of(&api, &["patterns", "show", "P-001", "--json"]);
    assert_eq!((&pattern["summary"], &pattern["seen"]), (&"Retry API calls with backoff".into(), &0.into()));
    assert_eq!((&pattern["prior_seen"], &pattern["prior_rate"]), (&own["seen"], &own["rate"]));
    let file = crate::support::published::read(&api, "org-patterns.toon");
    assert!(file.contains(&format!("\"Retry API calls with backoff\",high,{},{}", own["seen"], own["rate"])), "{file}");
    assert_eq!(rows(&api, "select source_project, source_id from learning"), ["web,P-001"]);
}

#[test]
fn pulling_twice_lands_once_and_nobody_gets_back_what_it_shared() {
    let (_folder, at) = bare();
    let (web, api) = (proven(), Scene::new());
    shared(&web, "push", &at, "web");
    for _ in 0..2 {
        shared(&api, "pull", &at, "api");
        api.done(&["run", "hourly"]);
    }
    assert_eq!(api.count("select count(*) from learning"), 1);
    assert_eq!(json_of(&api, &["patterns", "show", "P-001", "--json"])["captures"], 1);
    let echo = shared(&web, "pull", &at, "web");
    assert_eq!((&echo["taken"], &echo["echoes"]), (&0.into(), &1.into()));
    // What was received and never tried stays what its source says.
    let back = shared(&api, "push", &at, "api");
    assert_eq!((&back["added"], &back["updated"]), (&0.into(), &0.into()));
    assert_eq!(shared(&web, "pull", &at, "web")["taken"], 0);
}

#[test]
fn an_entry_that_somebody_changed_is_refused_and_the_others_are_taken() {
    let (folder, at) = bare();
    let (web, api) = (proven(), Scene::new());
    record(&web, &[known("P-002", "Await every promise", "javascript")]);
    web.done(&["run", "hourly"]);
    shared(&web, "push", &at, "web");
    git(folder.path(), &["clone", "--quiet", "shared.git", "clone"]);
    let clone = folder.path().join("clone");
    let text = fs::read_to_string(clone.join(DOCUMENT)).expect("the document");
    fs::write(clone.join(DOCUMENT), text.replace("with backoff", "without end")).expect("the document");
    git(&clone, &["commit", "--quiet", "--all", "--message", "better"]);
    git(&clone, &["push", "--quiet"]);
    let outcome = share(&api, "pull", &at, "api");
    assert_eq!(outcome.code, 1, "{}", outcome.error);
    let told: serde_json::Value = serde_json::from_str(&outcome.out).expect("JSON");
    assert_eq!((&told["taken"], &told["refused"][0]["id"]), (&1.into(), &"P-001".into()));
    api.done(&["run", "hourly"]);
    assert_eq!(super::summaries(&api), ["Await every promise"]);
}

#[test]
fn another_organisation_is_refused() {
    let (_folder, at) = bare();
    let (web, api) = (proven(), Scene::new());
    shared(&web, "push", &at, "web");
    let outcome = api.run(&["pull", "--org", "other", "--at", at.to_str().expect("a path")]);
    assert!(outcome.code == 2 && outcome.error.contains("acme"), "{}", outcome.error);
    assert_eq!(super::names(&api.workspace.inbox()), [""; 0]);
}

#[test]
fn what_was_only_received_is_passed_on_with_its_source() {
    let ((_one, from), (_other, to)) = (bare(), bare());
    let (web, api) = (proven(), Scene::new());
    shared(&web, "push", &from, "web");
    shared(&api, "pull", &from, "api");
    api.done(&["run", "hourly"]);
    let outcome = share(&api, "push", &to, "api");
    let told: serde_json::Value = serde_json::from_str(&outcome.out).expect("JSON");
    assert_eq!((outcome.code, &told["added"], &told["untried"]), (0, &1.into(), &1.into()), "{}", outcome.error);
    assert!(outcome.error.contains("1 passed on untried with their source"), "{}", outcome.error);
    let sources = git(&to, &["show", "main:.closedloop-ai/learnings/sources.json"]);
    assert!(sources.contains(r#""source": "web""#), "{sources}");
    // Doing it again says nothing new.
    assert_eq!(shared(&api, "push", &to, "api")["unchanged"], 1);

    record(&api, &[application(("tried", 1), "builder", "P-001", "applied", &[])]);
    api.done(&["run", "hourly"]);
    let told = shared(&api, "push", &to, "api");
    assert_eq!((&told["updated"], &told["untried"]), (&1.into(), &0.into()));
    let sources = git(&to, &["show", "main:.closedloop-ai/learnings/sources.json"]);
    let sources: serde_json::Value = serde_json::from_str(&sources).expect("JSON");
    assert_eq!(sources["patterns"]["P-001"].get("source"), None, "{sources}");
}

#[test]
fn the_place_of_the_settings_starts_at_the_workspace_and_that_of_the_command_where_it_is_run() {
    let scene = proven();
    let folder = TempDir::new().expect("a temporary folder");
    let elsewhere = folder.path().join("elsewhere");
    fs::create_dir(&elsewhere).expect("a folder");
    fs::write(scene.workspace.settings(), "[share]\nat = \"../team\"\n").expect("settings");
    let push = |at: &[&str]| {
        let mut command = command(scene.root(), &["push", "--org", "acme", "--project", "web"]);
        outcome_of(command.args(at).current_dir(&elsewhere))
    };
    let outcome = push(&[]);
    assert_eq!(outcome.code, 0, "{}", outcome.error);
    assert!(scene.root().with_file_name("team").join("org-patterns.json").is_file());
    assert!(!elsewhere.with_file_name("team").exists());
    let outcome = push(&["--at", "here"]);
    assert_eq!(outcome.code, 0, "{}", outcome.error);
    assert!(elsewhere.join("here/org-patterns.json").is_file());
}

#[test]
fn settings_decide_whether_unsigned_entries_and_how_long_ones_are_taken() {
    let folder = TempDir::new().expect("a temporary folder");
    let entry = r#"[{"id":"P-001","category":"insight","confidence":"low","summary":"Await every promise","seen_count":3}]"#;
    fs::write(folder.path().join("org-patterns.json"), entry).expect("written");
    let api = Scene::new();
    for (settings, code, reason) in [
        ("", 1, "`share.take_unsigned`"),
        ("[share]\ntake_unsigned = true\n[capture]\nleast_characters = 5\nmost_characters = 18\n", 1, "more than 18 characters"),
        ("[share]\ntake_unsigned = true\n", 0, ""),
    ] {
        fs::write(api.workspace.settings(), settings).expect("settings");
        let outcome = share(&api, "pull", folder.path(), "api");
        assert!(outcome.code == code && outcome.error.contains(reason), "{settings}: {}", outcome.error);
    }
}

#[test]
fn an_address_with_a_password_is_refused_with_a_remedy() {
    let outcome = share(&proven(), "push", Path::new("https://ann:hunter2@example.invalid/a.git"), "web");
    assert_eq!(outcome.code, 2, "{}", outcome.error);
    assert!(outcome.error.contains("credential helper") && !outcome.error.contains("hunter2"), "{}", outcome.error);
}
