//! `outerloop learn`: lists, reviews, decisions, settings, and what goes when everything is forgotten.

use std::fs;
use std::io::{Read as _, Write as _};
use std::os::fd::{FromRawFd as _, OwnedFd};
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::process::Stdio;

use learn::observation::{ObservationScore, Status};
use render::artifact::canonical_hash;
use serde_json::{Value, json};

use crate::support::Scene;
use crate::support::observed::{created, observation, publish};

fn json(scene: &Scene, arguments: &[&str]) -> Value {
    serde_json::from_str(&scene.done(arguments).out).expect("JSON")
}

fn ids(list: &Value) -> Vec<&str> {
    list.as_array().expect("a list").iter().map(|one| one["id"].as_str().expect("an id")).collect()
}

fn folder(scene: &Scene) -> PathBuf {
    scene.root().parent().expect("a folder").to_path_buf()
}

fn put(scene: &Scene, path: &str, text: &str) {
    let path = folder(scene).join(path);
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    fs::write(path, text).expect("a file");
}

/// The decisions that landed.
fn landed(scene: &Scene) -> Vec<Value> {
    let mut lines = Vec::new();
    for entry in fs::read_dir(scene.workspace.inbox()).expect("the inbox") {
        let text = fs::read_to_string(entry.expect("an entry").path()).expect("text");
        lines.extend(text.lines().map(|line| serde_json::from_str(line).expect("JSON")));
    }
    lines
}

fn decided(event: &Value) -> (&str, &str, &str) {
    let text = |name: &str| event[name].as_str().unwrap_or_default();
    assert_eq!(text("kind"), "curation");
    (text("action"), text("pattern_id"), text("reason"))
}

/// A workflow, a flagged decision, a faded pitfall, a blocked procedure.
fn some() -> Vec<ObservationScore> {
    let mut decision = created("obs_000002", "decision", "Results over exceptions");
    decision.stale_reason = Some("src/gone.rs".to_owned());
    decision.evidence = vec!["we said so".to_owned()];
    "context: errors\ndecision: results".clone_into(&mut decision.details);
    decision.note = Some("ann: good".to_owned());
    let mut pitfall = observation("obs_000003", "pitfall", "Never amend");
    (pitfall.is_faded, pitfall.confidence) = (true, 0.09);
    let mut procedure = observation("obs_000004", "procedural", "Debug hooks");
    (procedure.is_blocked, procedure.needs_review, procedure.quality_ok) = (true, true, false);
    vec![observation("obs_000001", "workflow", "Ship it"), decision, pitfall, procedure]
}

#[test]
fn observations_are_listed_the_surest_first_and_faded_ones_on_demand() {
    let scene = Scene::new();
    publish(&scene, &some());
    assert_eq!(ids(&json(&scene, &["learn", "list", "--json"])), ["obs_000002", "obs_000001", "obs_000004"]);
    assert_eq!(ids(&json(&scene, &["learn", "list", "--json", "--all"])).len(), 4);
    assert_eq!(ids(&json(&scene, &["learn", "list", "--json", "--type", "procedural"])), ["obs_000004"]);
    assert_eq!(ids(&json(&scene, &["learn", "list", "--json", "--status", "created"])), ["obs_000002"]);
    assert_eq!(ids(&json(&scene, &["learn", "list", "--json", "--project", "x"])), [""; 0]);
    let shown = scene.done(&["learn", "list"]);
    let words: Vec<&str> = shown.out.lines().nth(2).expect("a row").split_whitespace().collect();
    assert_eq!(words, ["[D]", "Results", "over", "exceptions", "95%", "3x", "created", "⚠", "review,", "ADR-000002", "obs_000002"]);
    assert!(shown.error.contains("3 observations; 1 more have decayed"), "{}", shown.error);
    assert_eq!(scene.run(&["learn", "list", "--type", "habit"]).code, 2);
    let outcome = Scene::new().run(&["learn", "list"]);
    assert!(outcome.code == 2 && outcome.error.contains("outerloop run hourly"), "{}", outcome.error);
}

#[test]
fn one_observation_is_shown_with_everything_by_id_or_entry() {
    let scene = Scene::new();
    publish(&scene, &some());
    let card = scene.done(&["learn", "show", "adr-000002"]).out;
    for wanted in [
        "obs_000002",
        "confidence 95%",
        "src/gone.rs",
        "we said so",
        "decision: results",
        "decided by ann: good",
        "decisions.md, entry ADR-000002",
    ] {
        assert!(card.contains(wanted), "{wanted} in {card}");
    }
    assert_eq!(json(&scene, &["learn", "show", "OBS_000002", "--json"])["anchor"], "ADR-000002");
    let outcome = scene.run(&["learn", "show", "obs_9"]);
    assert!(outcome.code == 2 && outcome.error.contains("learn list --all"), "{}", outcome.error);
    let elsewhere = ObservationScore { project: "another".to_owned(), ..observation("obs_000001", "workflow", "Other") };
    publish(&scene, &[some(), vec![elsewhere]].concat());
    assert!(scene.run(&["learn", "show", "obs_000001"]).error.contains("--project"));
    assert!(scene.done(&["learn", "show", "obs_000001", "--project", "another"]).out.contains("Other"));
}

#[test]
fn the_status_counts_what_there_is_and_says_what_is_missing() {
    let scene = Scene::new();
    let empty = scene.done(&["learn", "status"]);
    assert!(empty.out.contains("none") && empty.error.contains("nothing is published yet"), "{}", empty.out);
    publish(&scene, &some());
    put(
        &scene,
        ".memory/knowledge/decisions.md",
        "## ADR-001: a\n- **Status**: Accepted\n## ADR-002: b\n- **Status**: Superseded\n",
    );
    let bad = "{\"kind\":\"observation\",\"ts\":\"2026-10-01T00:00:00Z\",\"type\":\"habit\",\"pattern\":\"x\"}\n";
    scene.land("a.jsonl", format!("{bad}{{\"kind\": \"observation\", oops\n{{\"kind\":\"build\"}}\n").as_bytes());
    scene.done(&["run", "compact"]);
    scene.done(&["init", "--claude"]);
    let status = json(&scene, &["learn", "status", "--json"]);
    assert_eq!(status["types"]["decision"]["created"], 1);
    assert_eq!((&status["need_review"], &status["faded"], &status["observations"]), (&2.into(), &1.into(), &4.into()));
    assert_eq!(
        (&status["knowledge"]["decisions"]["active"], &status["knowledge"]["pitfalls"]["active"]),
        (&1.into(), &Value::Null)
    );
    assert_eq!(status["hooks"].as_array().map(Vec::len), Some(agent::hook::Event::ALL.len()));
    assert!(["off", "built-in"].contains(&status["extraction"].as_str().expect("a word")), "{status}");
    assert_eq!(status["quarantined"], 2);
    let shown = scene.done(&["learn", "status"]).out;
    for wanted in [
        "workflow (commands)",
        "2 observations need a review",
        "1 of them have decayed",
        "decisions: 1 of 100",
        "session-end",
        "2 observations are in quarantine",
    ] {
        assert!(shown.contains(wanted), "{wanted} in {shown}");
    }
}

#[test]
fn a_review_names_reasons_and_remedies() {
    let scene = Scene::new();
    publish(&scene, &some());
    let found = json(&scene, &["learn", "review", "--json"]);
    assert_eq!(ids(&found), ["obs_000002", "obs_000004"]);
    assert_eq!(found[1]["concerns"].as_array().map(Vec::len), Some(3));
    let shown = scene.done(&["learn", "review"]);
    for wanted in [
        "src/gone.rs, which does not exist",
        "its sightings contradict each other",
        "its knowledge file is full",
        "learn review --capacity",
    ] {
        assert!(shown.out.contains(wanted), "{wanted} in {}", shown.out);
    }
    assert!(shown.error.contains("learn keep ID"), "{}", shown.error);
    assert!(landed(&scene).is_empty());
    publish(&scene, &some()[..1]);
    assert!(scene.done(&["learn", "review"]).error.contains("nothing to review"));
}

#[test]
fn the_least_cited_entries_could_go_and_young_ones_stay() {
    let scene = Scene::new();
    let entry = |id: &str, cites: i64, last: Option<&str>, first: &str| {
        let mut one = created(id, if id.ends_with('4') { "pitfall" } else { "decision" }, id);
        (one.cites, one.last_cited, one.first_seen) = (cites, last.map(str::to_owned), first.to_owned());
        one
    };
    let mut young = entry("obs_000007", 0, None, "2026-01-01T00:00:00Z");
    young.ready_at = Some(jiff::Timestamp::now().to_string());
    let mut all = vec![
        entry("obs_000001", 2, Some("2026-06-01T00:00:00Z"), "2026-01-01T00:00:00Z"),
        entry("obs_000002", 0, Some("2026-06-01T00:00:00Z"), "2026-01-01T00:00:00Z"),
        entry("obs_000003", 0, None, "2026-02-01T00:00:00Z"),
        entry("obs_000004", 0, None, "2026-01-01T00:00:00.500Z"),
        created("obs_000005", "workflow", "no entry"),
        ObservationScore { status: Status::Deprecated, ..entry("obs_000006", 0, None, "2026-01-01T00:00:00Z") },
        young,
    ];
    publish(&scene, &all);
    let found = json(&scene, &["learn", "review", "--capacity", "--json"]);
    assert_eq!(ids(&found), ["obs_000004", "obs_000003", "obs_000002", "obs_000001"]);
    all.extend((10..40).map(|number| entry(&format!("obs_0000{number}"), 5, None, "2026-01-01T00:00:00Z")));
    publish(&scene, &all);
    assert_eq!(ids(&json(&scene, &["learn", "review", "--capacity", "--json"])).len(), 20);
    let shown = scene.done(&["learn", "review", "--capacity"]);
    assert!(shown.out.contains("PF-000004") && shown.out.contains("never") && shown.error.contains("removes one"), "{}", shown.out);
}

#[test]
fn decisions_are_events_of_the_observation_and_its_project() {
    let scene = Scene::new();
    let elsewhere = ObservationScore { project: "another".to_owned(), ..observation("obs_000009", "workflow", "Other") };
    publish(&scene, &[some(), vec![elsewhere]].concat());
    scene.done(&["learn", "deprecate", "obs_000001", "ADR-000002", "obs_000001", "--reason", " no longer ", "--actor", "ann"]);
    scene.done(&["learn", "keep", "obs_000002"]);
    scene.done(&["learn", "restore", "obs_000009"]);
    scene.done(&["learn", "promote", "obs_000004"]);
    scene.done(&["learn", "promote", "obs_000004", "--force", "--reason", "it is fine"]);
    let printed = json(&scene, &["learn", "reject", "obs_000001", "--json"]);
    let events = landed(&scene);
    let told: Vec<_> = events.iter().map(decided).collect();
    assert_eq!(
        told,
        [
            ("retire", "obs_000001", "no longer"),
            ("retire", "obs_000002", "no longer"),
            ("clear", "obs_000002", ""),
            ("restore", "obs_000009", ""),
            ("promote", "obs_000004", ""),
            ("promote", "obs_000004", "it is fine"),
            ("reject", "obs_000001", ""),
        ]
    );
    assert_eq!(
        (&events[0]["actor"], &events[0]["project"], &events[3]["project"]),
        (&"ann".into(), &"default".into(), &"another".into())
    );
    assert_eq!((&events[4]["value"], &events[5]["value"]), (&Value::Null, &json!({"force": true})));
    assert_eq!(printed[0], events[6]);
    scene.done(&["run", "compact"]);
    assert_eq!(scene.count("select count(*) from curation"), 7);
}

#[test]
fn a_decision_about_something_unknown_lands_nothing() {
    let scene = Scene::new();
    publish(&scene, &some());
    let outcome = scene.run(&["learn", "deprecate", "obs_000001", "obs_x", "--reason", "r"]);
    assert!(outcome.code == 2 && outcome.error.contains("obs_x"), "{}", outcome.error);
    assert_eq!(scene.run(&["learn", "deprecate", "obs_000001"]).code, 2);
    assert_eq!(scene.run(&["learn", "deprecate", "obs_000001", "--reason", " "]).code, 2);
    assert!(landed(&scene).is_empty());
}

/// Runs the program on a terminal at which somebody types, and gives what is told there.
fn on_terminal(scene: &Scene, arguments: &[&str], typed: &str) -> String {
    let (mut master, mut slave) = (-1, -1);
    // SAFETY: the two places are ours, and nothing else is asked for.
    let opened =
        unsafe { libc::openpty(&raw mut master, &raw mut slave, std::ptr::null_mut(), std::ptr::null(), std::ptr::null()) };
    assert_eq!(opened, 0, "a terminal");
    // SAFETY: both were opened just now, and nobody else has them.
    let (master, slave) = unsafe { (OwnedFd::from_raw_fd(master), OwnedFd::from_raw_fd(slave)) };
    let mut screen = fs::File::from(master);
    let mut command = scene.command(arguments);
    command.stdin(Stdio::from(slave.try_clone().expect("a copy"))).stderr(Stdio::from(slave)).stdout(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    // The command holds the other end of the terminal too.
    drop(command);
    screen.write_all(typed.as_bytes()).expect("it is typed");
    let mut told = Vec::new();
    let mut block = [0; 4096];
    // A terminal whose other end is closed answers with an error.
    while let Ok(read @ 1..) = screen.read(&mut block) {
        told.extend_from_slice(&block[..read]);
    }
    assert!(child.wait().expect("it ends").success());
    String::from_utf8_lossy(&told).into_owned()
}

#[test]
fn on_a_terminal_a_person_is_asked_about_each() {
    let scene = Scene::new();
    publish(&scene, &some());
    let told = on_terminal(&scene, &["learn", "review"], "what\nk\nd\nToo vague\n");
    assert!(told.contains("2 of 2") && told.contains("recorded 2 decisions"), "{told}");
    let events = landed(&scene);
    let decisions: Vec<_> = events.iter().map(decided).collect();
    assert_eq!(decisions, [("clear", "obs_000002", ""), ("retire", "obs_000004", "Too vague")]);
    let told = on_terminal(&scene, &["learn", "review"], "s\nq\n");
    assert!(told.contains("recorded 0 decisions"), "{told}");
    on_terminal(&scene, &["learn", "review", "--capacity"], "d\n\n");
    assert_eq!(decided(&landed(&scene)[2]), ("retire", "obs_000002", "removed to free space"));
    let told = on_terminal(&scene, &["learn", "clear"], "no\n");
    assert!(told.contains("nothing was done") && landed(&scene).len() == 3, "{told}");
    on_terminal(&scene, &["learn", "clear"], "y\n");
    assert_eq!(landed(&scene).len(), 4);
}

const NOTICES: &str = r#"{
  "knowledge-capacity-decisions": {
    "active": true,
    "threshold": 70,
    "count": 73,
    "ceiling": 100,
    "dismissed_at_threshold": null,
    "severity": "warning",
    "created_at": "2026-05-10T12:00:00.000Z",
    "mine": [1, 2]
  },
  "knowledge-capacity-pitfalls": {"active": false, "threshold": 50},
  "another": {"x": 1}
}
"#;

#[test]
fn notices_are_dismissed_and_everything_else_in_the_file_stays() {
    let scene = Scene::new();
    assert!(scene.done(&["learn", "dismiss"]).error.contains("no notices"));
    put(&scene, ".memory/.notifications.json", NOTICES);
    assert_eq!(json(&scene, &["learn", "dismiss", "--json"]), json!({"dismissed": [{"file": "decisions", "threshold": 70}]}));
    let read = || fs::read_to_string(folder(&scene).join(".memory/.notifications.json")).expect("a file");
    let mut wanted: Value = serde_json::from_str(NOTICES).expect("JSON");
    wanted["knowledge-capacity-decisions"]["dismissed_at_threshold"] = 70.into();
    assert_eq!(read(), format!("{wanted:#}\n"));
    assert_eq!(json(&scene, &["learn", "dismiss", "--json"]), json!({"dismissed": []}));
    for odd in ["[]", "{\"a\": 1}", "{\"a\": []}", "no"] {
        put(&scene, ".memory/.notifications.json", odd);
        let outcome = scene.run(&["learn", "dismiss"]);
        assert!(outcome.code == 2 && outcome.error.contains("remedy: ") && read() == odd, "{}", outcome.error);
    }
}

#[test]
fn settings_are_changed_and_every_other_byte_stays() {
    let scene = Scene::new();
    let before = fs::read_to_string(scene.workspace.settings()).expect("settings");
    scene.done(&[
        "learn",
        "configure",
        "hook.session=false",
        "publish.keep = 7",
        "project=shop",
        "classify.command=[\"claude\", \"-p\"]",
    ]);
    let after = fs::read_to_string(scene.workspace.settings()).expect("settings");
    let wanted = before
        .replace("session = true", "session = false")
        .replace("keep = 48", "keep = 7")
        .replace("# project = \"default\"\n", "# project = \"default\"\nproject = \"shop\"\n")
        .replacen(
            "# command = [\"claude\", \"-p\", \"--output-format\", \"text\"]\n",
            "# command = [\"claude\", \"-p\", \"--output-format\", \"text\"]\ncommand = [\"claude\", \"-p\"]\n",
            1,
        );
    assert_eq!(after, wanted);
    let shown = json(&scene, &["learn", "configure", "hook.session", "publish", "--json"]);
    let settings = shown["settings"].as_array().expect("a list");
    let told = |key: &str| {
        let one = settings.iter().find(|one| one["key"] == key).expect("a setting");
        (one["value"].clone(), one["default"].clone(), one["is_default"].clone(), one["from"].clone())
    };
    assert_eq!(told("hook.session"), (json!(false), json!(true), json!(false), json!("outerloop.toml")));
    assert_eq!(told("publish.cap"), (json!(50), json!(50), json!(true), json!("outerloop.toml")));
    assert!(scene.done(&["learn", "configure", "classify"]).out.contains("outerloop.toml"));
    scene.done(&["learn", "configure"]);
}

#[test]
fn a_change_that_does_not_hold_changes_nothing() {
    let scene = Scene::new();
    let read = || fs::read_to_string(scene.workspace.settings()).expect("settings");
    let before = read();
    for (change, wanted) in [
        ("hook.sesion=true", "did you mean `hook.session`"),
        ("publish.session=true", "did you mean `hook.session`"),
        ("publish.keep=0", "publish.keep"),
        ("hook.session=maybe", "the value is invalid for `hook.session`"),
        ("publish.keep=[1", "is not a valid value"),
        ("nothing=1", "there is no setting"),
        ("a b=1", "there is no setting"),
    ] {
        let outcome = scene.run(&["learn", "configure", "hook.retries=1", change]);
        assert!(
            outcome.code == 2 && outcome.error.contains(wanted) && outcome.error.contains("remedy: "),
            "{change}: {}",
            outcome.error
        );
        assert_eq!(read(), before, "{change}");
    }
    assert_eq!(scene.run(&["learn", "configure", "hook.retries", "publish.keep=1"]).code, 2);
    assert_eq!(scene.run(&["learn", "configure", "hoook"]).code, 2);
}

#[test]
fn clearing_is_an_event_for_the_whole_project_and_must_be_meant() {
    let scene = Scene::new();
    let outcome = scene.run(&["learn", "clear"]);
    assert!(outcome.code == 2 && outcome.error.contains("--yes") && landed(&scene).is_empty(), "{}", outcome.error);
    scene.done(&["learn", "clear", "--yes", "--actor", "ann"]);
    scene.done(&["learn", "clear", "--yes", "--project", "shop"]);
    let events = landed(&scene);
    assert_eq!((decided(&events[0]).0, decided(&events[0]).1), ("clear", "obs:all"));
    assert_eq!((&events[0]["project"], &events[1]["project"]), (&"default".into(), &"shop".into()));
}

#[test]
fn what_has_faded_is_taken_out_of_use_with_its_reason() {
    let scene = Scene::new();
    publish(&scene, &some());
    scene.land("a.jsonl", b"{\"kind\":\"observation\",\"ts\":\"2026-10-01T00:00:00Z\",\"type\":\"habit\",\"pattern\":\"x\"}\n");
    scene.done(&["run", "compact"]);
    fs::remove_file(scene.workspace.inbox().join("a.jsonl")).expect("it goes");
    let planned = json(&scene, &["learn", "purge", "--dry-run", "--json"]);
    assert_eq!((ids(&planned["retired"]), &planned["quarantine"][0]["lines"]), (vec!["obs_000003"], &1.into()));
    assert!(landed(&scene).is_empty());
    let shown = scene.done(&["learn", "purge"]);
    assert!(shown.out.contains("a.jsonl:1") && shown.error.contains("1 observation deprecated"), "{}", shown.out);
    assert_eq!(decided(&landed(&scene)[0]), ("retire", "obs_000003", "decayed: confidence 9%, last seen 2026-05-09T00:00:00Z"));
}

/// A project with artifacts: untouched ones, an edited one, and paths that are none of ours.
fn rendered(scene: &Scene) {
    let entry = |path: &str, text: &str| json!({"observationId": "obs_1", "type": "workflow", "path": path, "contentHash": canonical_hash(text), "renderedHash": canonical_hash(text), "renderedAt": "2026-05-10T12:00:00.000Z"});
    let skill = ".claude/skills/self-learning-debug/SKILL.md";
    let mut decision = entry(".memory/knowledge/decisions.md", "k");
    decision["anchorId"] = "ADR-001".into();
    let outside = folder(scene).join("outside");
    fs::create_dir_all(&outside).expect("a folder");
    fs::write(outside.join("x.md"), "mine").expect("a file");
    fs::create_dir_all(folder(scene).join(".claude/skills")).expect("a folder");
    symlink(&outside, folder(scene).join(".claude/skills/self-learning-link")).expect("a link");
    fs::write(outside.join("SKILL.md"), "s").expect("a file");
    let entries = [
        entry(".claude/commands/self-learning/ship-it.md", "as rendered"),
        entry(".claude/commands/self-learning/edited.md", "as rendered"),
        entry(".claude/commands/self-learning/gone.md", "as rendered"),
        entry(skill, "s"),
        entry("src/main.rs", "fn main() {}"),
        entry("../outside/x.md", "mine"),
        entry(".claude/commands/self-learning/../../../src/main.rs", "fn main() {}"),
        entry(outside.join("x.md").to_str().expect("a path"), "mine"),
        entry(".claude/skills/self-learning-link/SKILL.md", "s"),
        decision,
    ];
    put(scene, ".memory/.learning-manifest.json", &json!({"schemaVersion": 1, "entries": entries}).to_string());
    put(scene, ".claude/commands/self-learning/ship-it.md", "as rendered");
    put(scene, ".claude/commands/self-learning/edited.md", "as a person wants it");
    put(scene, skill, "s");
    put(scene, "src/main.rs", "fn main() {}");
    put(scene, ".memory/knowledge/decisions.md", "k");
    put(scene, ".memory/.knowledge-usage.json", "{}");
    put(scene, ".memory/.notifications.json", "{}");
}

#[test]
fn a_reset_removes_what_was_rendered_and_nobody_touched() {
    let scene = Scene::new();
    rendered(&scene);
    assert_eq!(scene.run(&["learn", "reset"]).code, 2);
    assert!(folder(&scene).join(".claude/commands/self-learning/ship-it.md").exists() && landed(&scene).is_empty());
    let done = json(&scene, &["learn", "reset", "--yes", "--json"]);
    let kept: Vec<&str> =
        done["kept"].as_array().expect("a list").iter().map(|kept| kept["path"].as_str().expect("a path")).collect();
    assert_eq!(kept.len(), 6, "{done}");
    let is_there = |path: &str| folder(&scene).join(path).exists();
    for gone in [
        ".claude/commands/self-learning/ship-it.md",
        ".claude/skills/self-learning-debug",
        ".memory/.learning-manifest.json",
        ".memory/.knowledge-usage.json",
        ".memory/.notifications.json",
    ] {
        assert!(!is_there(gone), "{gone}");
    }
    for stays in [
        ".claude/commands/self-learning/edited.md",
        "src/main.rs",
        "outside/x.md",
        "outside/SKILL.md",
        ".claude/skills/self-learning-link",
        ".memory/knowledge/decisions.md",
    ] {
        assert!(is_there(stays), "{stays}");
    }
    assert!(done["kept"][0]["reason"] == "a person changed it", "{done}");
    let events = landed(&scene);
    assert_eq!((decided(&events[0]).0, decided(&events[0]).1), ("clear", "obs:all"));
    let deleted: Vec<(&str, &str)> = events[1..]
        .iter()
        .map(|event| (event["action"].as_str().expect("a word"), event["path"].as_str().expect("a path")))
        .collect();
    let paths = [".claude/commands/self-learning/ship-it.md", ".claude/skills/self-learning-debug/SKILL.md"];
    assert_eq!(deleted, paths.map(|path| ("deleted", path)));
    assert!(scene.done(&["learn", "reset", "--yes"]).error.contains("removing 0 artifacts, keeping"));
}

#[test]
fn a_memory_that_is_a_link_is_not_emptied() {
    let scene = Scene::new();
    rendered(&scene);
    fs::rename(folder(&scene).join(".memory"), folder(&scene).join("elsewhere")).expect("it moves");
    symlink(folder(&scene).join("elsewhere"), folder(&scene).join(".memory")).expect("a link");
    let done = json(&scene, &["learn", "reset", "--yes", "--json"]);
    assert!(folder(&scene).join("elsewhere/.learning-manifest.json").exists(), "{done}");
}

#[test]
fn every_verb_says_what_it_does() {
    let scene = Scene::new();
    let help = scene.done(&["learn", "--help"]).out;
    for verb in [
        "status",
        "list",
        "show",
        "review",
        "deprecate",
        "keep",
        "restore",
        "promote",
        "reject",
        "dismiss",
        "configure",
        "clear",
        "purge",
        "purge-legacy",
        "reset",
    ] {
        assert!(help.contains(&format!("  {verb} ")), "{verb}");
        assert!(scene.done(&["learn", verb, "--help"]).out.contains("--json"), "{verb}");
    }
    assert!(scene.done(&["hud", "--help"]).out.contains("status line"));
}
