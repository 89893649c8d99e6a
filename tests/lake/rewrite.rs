//! Merging small files: the same rows, fewer files, and never both or neither.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use store::lake::list_partitions;

use crate::support::{Material, Scene};

fn file_count(scene: &Scene) -> usize {
    list_partitions(&scene.workspace).expect("partitions").iter().map(|partition| partition.files.len()).sum()
}

fn scene_of_many_files() -> Scene {
    let scene = Scene::with_small_batches();
    let material = Material::made(21, 4000);
    let lines: Vec<&[u8]> = material.lines().collect();
    for part in lines.chunks(400) {
        scene.land("a.jsonl", &part.concat());
        scene.done(&["run", "compact"]);
    }
    scene
}

#[test]
fn a_rewrite_keeps_every_row_in_its_order_in_fewer_files() {
    let scene = scene_of_many_files();
    let (files, question) = (file_count(&scene), "select id, landing_seq, extra, citations from application order by landing_seq");
    let before = scene.done(&["query", question, "--format", "json"]).out;
    let outcome = scene.done(&["run", "rewrite"]);
    assert!(outcome.error.contains("rewrite: "), "{}", outcome.error);
    assert!(file_count(&scene) * 2 < files, "{files} became {}", file_count(&scene));
    assert_eq!(scene.done(&["query", question, "--format", "json"]).out, before);
    scene.assert_all_held("at the end");
    // What was merged is still known: a redelivery of everything changes nothing.
    let again = std::fs::read(scene.workspace.inbox().join("a.jsonl")).expect("the inbox file");
    scene.land("b.jsonl", &again);
    let outcome = scene.done(&["run", "compact"]);
    assert!(outcome.error.contains("= 0 taken + "), "{}", outcome.error);
}

#[test]
fn a_reader_sees_every_row_once_while_partitions_are_swapped() {
    let scene = scene_of_many_files();
    let wanted = i64::try_from(scene.holdings().ids.len()).expect("a small number");
    let tables = "select id from application union all select id from relevance union all select id from goal union all
        select id from build union all select id from citation union all select id from run union all select id from learning
        union all select id from observation union all select id from deliberation union all select id from verdict
        union all select id from curation";
    let finished = AtomicBool::new(false);
    thread::scope(|scope| {
        let readers: Vec<_> = (0..2)
            .map(|_| {
                scope.spawn(|| {
                    let mut looks = 0;
                    while !finished.load(Ordering::Relaxed) {
                        assert_eq!(scene.count(&format!("select count(*) from ({tables})")), wanted);
                        looks += 1;
                    }
                    looks
                })
            })
            .collect();
        for _ in 0..8 {
            scene.done(&["run", "rewrite"]);
        }
        finished.store(true, Ordering::Relaxed);
        let looks: i32 = readers.into_iter().map(|reader| reader.join().expect("the reader is content")).sum();
        assert!(looks > 0);
    });
    scene.done(&["run", "rewrite"]);
    scene.assert_all_held("at the end");
}

#[test]
fn a_stranger_in_a_partition_is_never_removed() {
    let scene = scene_of_many_files();
    let partition =
        list_partitions(&scene.workspace).expect("partitions").into_iter().find(|found| found.files.len() > 4).expect("many files");
    let stranger = partition.files[0].with_file_name("notes.txt");
    std::fs::write(&stranger, "mine").expect("a stranger");
    scene.done(&["run", "rewrite"]);
    assert_eq!(std::fs::read_to_string(&stranger).expect("still there"), "mine");
}
