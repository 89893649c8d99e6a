//! The commands and the step of a job, as people and pipelines use them.

use std::fs;
use std::path::PathBuf;

use learn::observation::ObservationScore;
use render::render_table;
use serde_json::Value;
use store::publish::{File, Manifest, stage, swap};

use super::{example, in_project, row};
use crate::support::Scene;
use crate::support::published::set;

/// Publishes observations as the cycle does.
pub fn publish(scene: &Scene, rows: &[ObservationScore], second: i64) {
    let file = File::new(setting::OBSERVATION_FILE, render_table(rows).expect("a table"));
    let manifest = Manifest {
        generation: format!("20260510T1200{second:02}Z-test"),
        as_of: format!("2026-05-10T12:00:{second:02}Z"),
        as_of_micros: 1_778_414_400_000_000 + second * 1_000_000,
        through: None,
        settings_hash: String::new(),
        program: batch::program().clone(),
        tables: 1,
        queries: std::collections::BTreeMap::new(),
        files: vec![file.listed(text::digest::sha256(&file.content))],
    };
    let staged = stage(&scene.workspace, manifest, &[file]).expect("it is staged");
    assert!(swap(&scene.workspace, staged).expect("it is published").is_current);
}

fn rows() -> Vec<ObservationScore> {
    in_project(example(), "default")
}

fn project(scene: &Scene) -> PathBuf {
    scene.root().parent().expect("the project").to_path_buf()
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn render_and_reconcile_say_what_they_did() {
    let scene = Scene::new();
    assert_eq!(json(&scene.done(&["render", "--json"]).out)["rendered"], Value::Array(Vec::new()), "nothing is published yet");
    publish(&scene, &rows(), 1);
    let dry = scene.done(&["render", "--dry-run"]);
    assert!(
        dry.out.contains("decisions.md#ADR-001") && dry.error.contains("dry run; these changes would be made"),
        "{}{}",
        dry.out,
        dry.error
    );
    assert!(!project(&scene).join(".memory").exists());
    let done = scene.done(&["render"]);
    assert_eq!(done.out.lines().count(), 4, "{}", done.out);
    assert!(done.error.contains("4 rendered, 1 skipped; 0 deleted"), "{}", done.error);
    assert_eq!(scene.done(&["reconcile"]).out, "0 deleted, 0 edited, 4 unchanged, 0 repaired\n");
    fs::remove_file(project(&scene).join(".memory/knowledge/pitfalls.md")).expect("it goes");
    let report = json(&scene.done(&["reconcile", "--json"]).out);
    assert_eq!(
        (report["deletions"].as_u64(), report["unchanged"].as_u64(), report["events"].as_u64()),
        (Some(1), Some(3), Some(1))
    );
    scene.done(&["run", "compact"]);
    assert_eq!(scene.count("select count(*) from artifact where action = 'rendered'"), 4);
    assert_eq!(scene.count("select count(*) from artifact where action = 'deleted' and anchor = 'PF-001'"), 1);
    assert_eq!(scene.count("select count(*) from quarantine"), 0);
}

#[test]
fn another_folder_and_another_project_can_be_named() {
    let scene = Scene::new();
    publish(&scene, &example(), 1);
    let other = scene.done(&["render"]).error;
    assert!(other.contains("0 rendered") && other.contains("projects with some: shop; choose one with --project"), "{other}");
    let folder = project(&scene).join("elsewhere");
    fs::create_dir(&folder).expect("a folder");
    let folder = folder.to_string_lossy().into_owned();
    scene.done(&["render", "--project-folder", &folder, "--project", "shop"]);
    assert!(scene.done(&["index", "--folder", &folder]).out.contains("ADR-001  Result types"));
    assert_eq!(scene.done(&["index"]).out, "(none)\n");
    set(&scene, "project = \"shop\"\n[artifact]\nroot = \"../elsewhere\"\n");
    assert!(scene.done(&["index"]).out.contains("ADR-001  Result types"));
    assert_eq!(scene.done(&["reconcile"]).out, "0 deleted, 0 edited, 4 unchanged, 0 repaired\n");
    let missing = scene.run(&["reconcile", "--project-folder", nowhere!("/folder")]);
    assert!(missing.code == 2 && missing.error.contains(nowhere!("/folder")), "{}", missing.error);
}

#[test]
fn lists_status_and_hud_are_right_directly_after_rendering_another_project() {
    let scene = Scene::new();
    publish(&scene, &example(), 1);
    scene.done(&["render", "--project", "shop"]);
    let list = json(&scene.done(&["learn", "list", "--json", "--status", "created"]).out);
    assert_eq!(list.as_array().map(Vec::len), Some(4), "{list}");
    let status = json(&scene.done(&["learn", "status", "--project", "shop", "--json"]).out);
    assert_eq!(
        (status["types"]["workflow"]["created"].as_u64(), status["types"]["workflow"]["ready"].as_u64()),
        (Some(1), Some(0))
    );
    let hud = scene.done(&["hud", "--project", "shop"]).out;
    assert!(hud.contains("Learning: 1 workflow, 1 skill, 1 decision, 1 pitfall"), "{hud}");
    assert!(scene.done(&["learn", "show", "ADR-001"]).out.contains("created decision of shop"));
    // What a filter leaves out is there all the same.
    let none = scene.done(&["learn", "list", "--status", "deprecated"]).error;
    assert!(none.contains("6 observations of another type or status") && !none.contains("record events"), "{none}");
    fs::remove_file(project(&scene).join(".memory/knowledge/pitfalls.md")).expect("it goes");
    scene.done(&["reconcile", "--project", "shop"]);
    let list = json(&scene.done(&["learn", "list", "--json", "--type", "pitfall"]).out);
    assert_eq!(list[0]["status"], "deprecated", "{list}");
}

#[test]
fn a_list_knows_what_was_just_rendered_into_another_folder() {
    let scene = Scene::new();
    publish(&scene, &example(), 1);
    let folder = tempfile::TempDir::new().expect("a folder");
    let name = folder.path().to_string_lossy().into_owned();
    scene.done(&["render", "--project-folder", &name, "--project", "shop"]);
    let created = || json(&scene.done(&["learn", "list", "--json", "--status", "created"]).out).as_array().map(Vec::len);
    assert_eq!(created(), Some(4));
    // A folder that is gone says nothing.
    drop(folder);
    assert_eq!(created(), Some(0));
}

#[test]
fn an_entry_is_printed_in_full_and_a_wrong_id_finds_its_neighbour() {
    let scene = Scene::new();
    publish(&scene, &rows(), 1);
    let nothing = scene.run(&["index", "ADR-001"]);
    assert!(nothing.code == 2 && nothing.error.contains("outerloop render"), "{}", nothing.error);
    scene.done(&["render"]);
    let shown = scene.done(&["index", "ADR-001"]).out;
    assert!(
        shown.starts_with("## ADR-001: Result types over exceptions\n\n- **Date**: ")
            && shown.ends_with("self-learning:obs_de0001\n")
    );
    assert_eq!(json(&scene.done(&["index", "PF-001", "--json"]).out)["area"], "git commits");
    for (wrong, near) in [("adr-1", "`ADR-001`"), ("ADR-007", "`ADR-001`"), ("PF1", "`PF-001`"), ("banana", "ADR-001, PF-001")] {
        let unknown = scene.run(&["index", wrong]);
        assert!(unknown.code == 2 && unknown.error.contains(near), "{wrong}: {}", unknown.error);
    }
    let index = json(&scene.done(&["index", "--json"]).out);
    assert_eq!(index["decisions"][0]["status"], "Accepted");
}

#[test]
fn what_an_agent_says_lands_and_never_stands_in_its_way() {
    let scene = Scene::new();
    publish(&scene, &rows(), 1);
    scene.done(&["render"]);
    let said = scene.run_with(
        &["index", "--scan", "--session", "s1", "--json"],
        b"applies ADR-001, avoids PF-001; ran /self-learning/run-lint-then-tests-push",
    );
    assert_eq!((said.code, &json(&said.out)["cited"]), (0, &json("[\"ADR-001\",\"PF-001\"]")), "{}", said.error);
    for _ in 0..2 {
        let again = scene.run_with(&["index", "--scan", "--session", "s1"], b"applies ADR-001");
        assert_eq!((again.code, &*again.out), (0, ""), "{}", again.error);
    }
    scene.done(&["run", "compact"]);
    assert_eq!(scene.count("select count(*) from artifact where action = 'cited' and session = 's1'"), 2);
    assert_eq!(scene.count("select count(*) from artifact where action = 'used' and observation_id = 'obs_wf0001'"), 1);
    fs::write(scene.workspace.settings(), "this is no TOML").expect("settings");
    let broken = scene.run_with(&["index", "--scan"], b"applies ADR-001");
    assert!(broken.code == 0 && broken.error.contains("settings"), "{}", broken.error);
}

#[test]
fn jobs_render_where_somebody_wants_it() {
    let scene = Scene::new();
    publish(&scene, &rows(), 1);
    scene.done(&["run", "render"]);
    assert!(!project(&scene).join(".memory").exists(), "neither a setting nor a folder asks for it");
    fs::create_dir(project(&scene).join(".claude")).expect("a folder");
    set(&scene, "[artifact]\nrender = false\n");
    scene.done(&["run", "render"]);
    assert!(!project(&scene).join(".memory").exists(), "the setting forbids it");
    set(&scene, "");
    let done = scene.done(&["run", "render"]);
    assert!(done.error.contains("render: 4 rendered"), "{}", done.error);
    let again = json(&scene.done(&["run", "render", "--json"]).out);
    assert_eq!((again["steps"][0]["unchanged"].as_i64(), again["steps"][0]["rendered"].as_i64()), (Some(4), Some(0)));
    for job in ["hourly", "daily", "weekly"] {
        let steps = scene.done(&["run", job, "--dry-run"]).out;
        assert!(steps.lines().any(|step| step == "render, at most 5 minutes, the job continues on failure"), "{steps}");
    }
}

#[test]
fn two_at_once_wait_for_each_other() {
    let scene = Scene::new();
    let ready = |number: u32| row(&format!("obs_{number}"), "decision", &format!("title {number}"), "");
    let rows = in_project((0..20).map(ready).collect(), "default");
    publish(&scene, &rows, 1);
    let children: Vec<_> = (0..6).map(|_| scene.spawn(&["render"])).collect();
    for child in children {
        let output = child.wait_with_output().expect("it ends");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    assert!(scene.done(&["index"]).out.starts_with("Decisions (20):\n"));
    scene.done(&["run", "compact"]);
    assert_eq!(scene.count("select count(*) from artifact"), 20);
}
