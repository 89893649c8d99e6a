//! Captured lessons under the built-in classifier, and what people decide about them.

use super::{Shop, json_of, lessons, record, summaries};
use crate::support::Scene;
use crate::support::published::read;

fn pending(id: &str, summary: &str) -> serde_json::Value {
    serde_json::json!({"kind": "learning", "id": id, "ts": super::now(), "project": "shop", "summary": summary, "pending": true})
}

const GOOD: &str = "Close every file that a test opens";
const VAGUE: &str = "Make sure to be careful with things";

#[test]
fn a_good_lesson_is_a_pattern_within_one_run_and_a_vague_one_is_refused_with_its_reason() {
    let scene = Scene::new();
    record(&scene, &[pending("good", GOOD), pending("vague", VAGUE)]);
    let outcome = scene.done(&["run", "hourly"]);
    assert!(outcome.error.contains("1 rejected, 0 pending"), "{}", outcome.error);
    assert_eq!(summaries(&scene), [GOOD]);
    assert_eq!(lessons(&scene), (vec![], vec![VAGUE.to_owned()]));
    let report: serde_json::Value = serde_json::from_str(&read(&scene, "report.json")).expect("JSON");
    let merging = &report["merging"];
    assert_eq!((&merging["added"], &merging["rejected"], &merging["waiting"]), (&1.into(), &1.into(), &0.into()));
    let reason = merging["rejections"][0]["reason"].as_str().expect("a reason");
    assert!(reason.contains("vague: ") && reason.contains("be careful"), "{reason}");
    let listed = scene.done(&["lessons"]);
    assert!(listed.out.contains("refused") && listed.out.contains("vague: "), "{}", listed.out);
    let page = read(&scene, "report.md");
    assert!(page.contains(VAGUE), "{page}");
}

#[test]
fn a_person_lets_a_refused_lesson_in_in_better_words() {
    let scene = Scene::new();
    record(&scene, &[pending("vague-1", VAGUE), pending("vague-2", "Do it right and pay attention")]);
    scene.done(&["run", "hourly"]);
    let decide = |arguments: &[&str]| scene.run(&[&["lessons"], arguments, &["--actor", "ann", "--reason", "it matters"]].concat());
    let ambiguous = decide(&["accept", "vague"]);
    assert!(ambiguous.code == 2 && ambiguous.error.contains("2 lessons"), "{}", ambiguous.error);
    assert_eq!(decide(&["accept", "vague-1", "--summary", "Lock the till before counting the money"]).code, 0);
    scene.done(&["run", "hourly"]);
    assert_eq!(summaries(&scene), ["Lock the till before counting the money"]);
    assert_eq!(lessons(&scene).1, ["Do it right and pay attention"]);
    assert_eq!(decide(&["accept", "vague-2"]).code, 0);
    scene.done(&["run", "hourly"]);
    assert_eq!(summaries(&scene).len(), 2);
    assert_eq!(lessons(&scene), (vec![], vec![]));
    let unknown = decide(&["refuse", "nobody"]);
    assert_eq!(unknown.code, 2, "{}", unknown.error);
}

#[test]
fn a_person_refuses_a_lesson_that_waits_and_no_classifier_looks_at_it() {
    let scene = Scene::new();
    record(&scene, &[pending("waits", GOOD)]);
    scene.done(&["run", "compact"]);
    assert_eq!(lessons(&scene).0, [GOOD]);
    scene.done(&["lessons", "refuse", "waits", "--actor", "ann", "--reason", "known for years"]);
    scene.done(&["run", "hourly"]);
    assert_eq!(summaries(&scene), [""; 0]);
    let told = json_of(&scene, &["lessons", "--json"]);
    assert_eq!(
        (&told["refused"][0]["reason"], &told["refused"][0]["classifier"]),
        (&"known for years".into(), &"person: ann".into())
    );
}

#[test]
fn a_lesson_that_says_the_same_again_is_one_pattern_captured_twice() {
    let (scene, shop) = Shop::known();
    record(&scene, &[pending("one", GOOD), pending("two", "Close every file that a test opens.")]);
    shop.leave("builder-1.json", &serde_json::json!({"pattern_to_remember": GOOD}).to_string());
    scene.done(&["capture", "--workdir", shop.work().to_str().expect("a path")]);
    scene.done(&["run", "hourly"]);
    assert_eq!(summaries(&scene), [GOOD]);
    assert_eq!(json_of(&scene, &["patterns", "show", "P-001", "--json"])["captures"], 3);
}

#[test]
fn a_pattern_says_in_which_files_it_was_learned() {
    let scene = Scene::new();
    let mut agents = pending("agents", GOOD);
    agents["citations"] = serde_json::json!(["tests/till.rs:12", "/etc/passwd:1"]);
    let mut persons = pending("persons", GOOD);
    persons["pending"] = false.into();
    persons["context"] = serde_json::json!({"file": "./src/till.rs", "line": 3, "files": ["../secret.rs"]});
    record(&scene, &[agents, persons]);
    scene.done(&["run", "hourly"]);
    // The lesson that waited entered with its answer, after the other one.
    assert_eq!(
        json_of(&scene, &["patterns", "show", "P-001", "--json"])["files"],
        serde_json::json!(["src/till.rs", "tests/till.rs"])
    );
    let card = scene.done(&["patterns", "show", "P-001"]).out;
    assert!(card.contains("learned in: src/till.rs, tests/till.rs"), "{card}");
    assert_eq!(scene.count("select count(*) from pattern where list_contains(files, 'src/till.rs')"), 1);
}
