//! Which generations are kept, how they are named, and which of them readers read.

use std::collections::BTreeSet;

use crate::support::Material;
use crate::support::published::{current, generations, learned, set};

#[test]
fn so_many_generations_are_kept_and_the_published_one_is_among_them() {
    let scene = learned(60);
    set(&scene, "[publish]\nkeep = 2\n");
    for _ in 0..2 {
        scene.done(&["run", "learn"]);
        let kept = generations(&scene);
        assert!(kept.len() == 2 && kept.contains(&current(&scene)), "{kept:?}");
    }
    set(&scene, "[publish]\nkeep = 1\n");
    scene.done(&["run", "learn"]);
    assert_eq!(generations(&scene), [current(&scene)]);
    set(&scene, "[publish]\nkeep = 0\n");
    let outcome = scene.run(&["run", "learn"]);
    assert!(outcome.code == 2 && outcome.error.contains("publish.keep"), "{}", outcome.error);
}

#[test]
fn the_same_state_published_twice_has_the_same_name_and_stays_untouched() {
    let scene = learned(60);
    let publish = || {
        let outcome = scene.done(&["run", "learn", "--as-of", "2026-10-20", "--json"]);
        let report: serde_json::Value = serde_json::from_str(&outcome.out).expect("JSON");
        let name = report["generation"].as_str().expect("a generation").to_owned();
        let folder = scene.workspace.published().join(&name);
        (name, folder.metadata().and_then(|metadata| metadata.modified()).expect("a time"))
    };
    let first = publish();
    assert_eq!(publish(), first);
    assert!(first.0.starts_with("20261020T235959Z-"), "{}", first.0);
    assert_eq!(generations(&scene).len(), 2);
}

#[test]
fn the_past_is_published_beside_the_present_even_where_little_is_kept() {
    let scene = learned(60);
    set(&scene, "[publish]\nkeep = 2\n[[publish.targets]]\nto = \"copy.toon\"\n");
    scene.done(&["run", "learn"]);
    let present = current(&scene);
    let copied = scene.root().join("copy.toon").metadata().and_then(|metadata| metadata.modified()).expect("a copy");
    let outcome = scene.done(&["run", "learn", "--as-of", "2026-09-21T00:30:00Z", "--json"]);
    let report: serde_json::Value = serde_json::from_str(&outcome.out).expect("JSON");
    assert_eq!(report["steps"][0]["is_current"], false);
    assert_eq!(current(&scene), present);
    assert_eq!(scene.root().join("copy.toon").metadata().and_then(|metadata| metadata.modified()).expect("a copy"), copied);
    let past = report["generation"].as_str().expect("a generation");
    assert!(outcome.error.contains(&format!("report --generation {past}")), "{}", outcome.error);
    let shown = scene.done(&["report", "--generation", past]).out;
    assert!(shown.contains("as of 2026-09-21T00:30:00Z"), "{shown}");
    assert!(generations(&scene).contains(&past.to_owned()));
    let outcome = scene.run(&["report", "--generation", "20200101T000000Z-000000000000"]);
    assert!(outcome.code == 2 && outcome.error.contains("the latest is 20"), "{}", outcome.error);
}

#[test]
fn generations_of_one_log_differ_and_so_do_their_names() {
    let scene = learned(60);
    let mut names = BTreeSet::from([current(&scene)]);
    for round in 0..3 {
        scene.land("a.jsonl", &Material::made(30 + round, 60).bytes);
        scene.done(&["run", "hourly"]);
        names.insert(current(&scene));
    }
    assert_eq!(names.len(), 4);
    assert_eq!(names.into_iter().collect::<Vec<_>>(), generations(&scene));
}
