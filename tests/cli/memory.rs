//! `outerloop memory` for the notes that agents keep.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use serde_json::Value;

use crate::support::Scene;

const GOOD: &str = "---\nname: locks\ntype: feedback\nupdated: 2026-11-10\n---\n\n\
    Take `src/lock.rs` before you touch the ledger, at most 5 seconds.\n\n**Why:** two writers lost 3 rows in May.\n\n\
    **How to apply:** call `take_lock()` first; see src/lock.rs.\n";
const VAGUE: &str =
    "---\ntype: project\ndate: 2026-01-01\n---\nThings should usually be kept tidy and clean by everybody always.\n";

fn scene() -> Scene {
    let scene = Scene::new();
    write(&scene, "tree/src/lock.rs", "");
    write(&scene, "tree/CLAUDE.md", "# Rules\n\nThings should usually be kept tidy and clean by everybody always.\n");
    write(&scene, "notes/locks.md", GOOD);
    write(&scene, "notes/old/2026-01-01-vague.md", VAGUE);
    write(&scene, "notes/MEMORY.md", "- [locks](locks.md)\n");
    scene
}

fn write(scene: &Scene, name: &str, text: impl AsRef<[u8]>) {
    let path = scene.root().join(name);
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    fs::write(path, text).expect("a file");
}

fn path(scene: &Scene, name: &str) -> String {
    scene.root().join(name).to_str().expect("a path").to_owned()
}

fn ask(scene: &Scene, verb: &[&str]) -> Value {
    let (folder, repo, docs) = (path(scene, "notes"), path(scene, "tree"), path(scene, "tree/CLAUDE.md"));
    let arguments = [verb, &["--folder", &folder, "--repo", &repo, "--docs", &docs, "--json"]].concat();
    let out = scene.done(&[&["memory"], &arguments[..]].concat()).out;
    serde_json::from_str(&out).expect("JSON")
}

#[test]
fn five_figures_speak_for_a_note() {
    let scene = scene();
    let told = ask(&scene, &["promote", &path(&scene, "notes/locks.md")]);
    let figure = |name: &str| told["figures"][name].as_f64().expect("a figure");
    for (name, wanted) in [("undocumented", 1.0), ("borne_out", 0.0), ("specificity", 1.0), ("relevance", 1.0)] {
        assert!((figure(name) - wanted).abs() < 1e-9, "{name} in {told}");
    }
    assert!(figure("uniqueness") > 0.9, "{told}");
    let sum = told["sum"].as_f64().expect("a sum");
    assert!((sum - (0.30 + 0.20 + 0.15 + 0.15 * figure("uniqueness"))).abs() < 1e-9, "{told}");
    assert_eq!((&told["note"], &told["advice"]), (&"locks.md".into(), &"promote".into()));
    let vague = ask(&scene, &["promote", &path(&scene, "notes/old/2026-01-01-vague.md")]);
    assert_eq!((&vague["figures"]["undocumented"], &vague["advice"]), (&0.0.into(), &"archive".into()), "{vague}");
    let text = scene.done(&["memory", "promote", &path(&scene, "notes/locks.md"), "--repo", &path(&scene, "tree")]);
    assert!(text.out.contains("supported by published patterns") && text.out.contains(": promote"), "{}", text.out);
    assert!(text.error.contains("nothing was changed"), "{}", text.error);
    assert_eq!(fs::read_to_string(path(&scene, "notes/locks.md")).expect("the note"), GOOD);
}

#[test]
fn a_published_pattern_bears_a_note_out() {
    let scene = scene();
    let lesson = r#"{"kind":"learning","ts":"2026-11-01T00:00:00Z","summary":"Take the lock before you touch the ledger"}"#;
    assert_eq!(scene.run_with(&["record"], lesson.as_bytes()).code, 0);
    scene.done(&["run", "hourly"]);
    let told = ask(&scene, &["promote", &path(&scene, "notes/locks.md")]);
    assert!(told["figures"]["borne_out"].as_f64().is_some_and(|figure| figure > 0.5), "{told}");
}

#[test]
fn a_review_has_six_sections() {
    let scene = scene();
    write(&scene, "notes/locks-again.md", GOOD.replace("5 seconds", "6 seconds"));
    let told = ask(&scene, &["review", "--stale-days", "40"])["review"].clone();
    assert_eq!(
        (&told["stale"][0]["name"], &told["stale"][0]["source"]),
        (&"old/2026-01-01-vague.md".into(), &"`date` in the note".into())
    );
    assert_eq!(told["stale"].as_array().map(Vec::len), Some(1));
    assert_eq!(
        (&told["overlapping"][0]["first"], &told["overlapping"][0]["second"]),
        (&"locks-again.md".into(), &"locks.md".into())
    );
    let classes: Vec<&str> =
        told["redundancy"].as_array().expect("a list").iter().map(|note| note["class"].as_str().expect("a class")).collect();
    assert_eq!(classes, ["new_rule", "new_rule", "already_covered"]);
    assert_eq!(told["needs_rewrite"], serde_json::json!([{"name": "old/2026-01-01-vague.md", "lacks": ["why", "how to apply"]}]));
    assert!(told["promotion"].as_array().is_some_and(|best| best.iter().all(|note| note["sum"].as_f64() >= Some(0.7 - 1e-9))));
    assert_eq!((&told["stats"]["notes"], &told["stats"]["by_type"]["feedback"]), (&3.into(), &2.into()));
    let text = scene.done(&["memory", "review", "--folder", &path(&scene, "notes")]).out;
    for wanted in ["1. Stale", "2. Overlapping", "3. Redundancy", "4. Needs rewrite", "5. Promotion", "6. Stats", "health: "] {
        assert!(text.contains(wanted), "{wanted} in {text}");
    }
}

#[test]
fn the_folder_may_stand_in_the_settings() {
    let scene = scene();
    let outcome = scene.run(&["memory", "status"]);
    assert!(outcome.code == 2 && outcome.error.contains("memory.folder"), "{}", outcome.error);
    fs::write(scene.workspace.settings(), "[memory]\nfolder = \"notes\"\ndocuments = [\"tree/CLAUDE.md\"]\n").expect("settings");
    let status: Value = serde_json::from_str(&scene.done(&["memory", "status", "--json"]).out).expect("JSON");
    assert_eq!((&status["health"], &status["notes"], &status["stale"]), (&"needs_review".into(), &2.into(), &1.into()), "{status}");
    fs::write(scene.workspace.settings(), "[memory]\nfolder = \"notes\"\narchive = 0.9\n").expect("settings");
    assert_eq!(scene.run(&["memory", "status"]).code, 2);
}

#[test]
fn links_and_huge_files_are_passed_over() {
    let scene = scene();
    write(&scene, "secret.md", "A secret that is nobody's business here.\n");
    symlink(path(&scene, "secret.md"), path(&scene, "notes/link.md")).expect("a link");
    symlink(scene.root(), path(&scene, "notes/up")).expect("a link");
    write(&scene, "notes/huge.md", vec![b'x'; (256 << 10) + 1]);
    write(&scene, "notes/odd.md", b"Not \xff\xfe text, \x1b[31mstill\x1b[0m a note of some words\n");
    let told = ask(&scene, &["status"]);
    assert_eq!(told["notes"], 3, "{told}");
    let passed: Vec<&str> =
        told["passed_over"].as_array().expect("a list").iter().map(|file| file["file"].as_str().expect("a file")).collect();
    let names: Vec<&str> = passed.iter().filter_map(|file| Path::new(file).file_name()?.to_str()).collect();
    assert_eq!(names, ["huge.md", "link.md"]);
    for name in ["notes/link.md", "notes/huge.md", "notes/none.md"] {
        let outcome = scene.run(&["memory", "promote", &path(&scene, name)]);
        assert!(outcome.code != 0 && outcome.error.contains("remedy: "), "{name}: {}", outcome.error);
    }
    let review = scene.done(&["memory", "review", "--folder", &path(&scene, "notes")]);
    assert!(!review.out.contains('\u{1b}') && review.error.contains("skipped "), "{}", review.error);
}

#[test]
fn a_role_pattern_is_no_note() {
    let scene = scene();
    let outcome = scene.run(&["memory", "promote", "D-007"]);
    assert!(outcome.code == 2 && outcome.error.contains("outerloop patterns promote D-007"), "{}", outcome.error);
    let outcome = scene.run(&["memory", "review", "--folder", &path(&scene, "nowhere")]);
    assert_eq!(outcome.code, 2, "{}", outcome.error);
    let outcome = scene.run(&["memory", "review", "--folder", &path(&scene, "notes"), "--docs", "nothing.md"]);
    assert_eq!(outcome.code, 2, "{}", outcome.error);
}
