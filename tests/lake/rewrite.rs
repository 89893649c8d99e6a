//! Merging small files: the same rows, fewer files, and never both or neither.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use event::Kind;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
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

/// Files of an earlier version have no keys. They are readable as they are, and a rewrite adds the keys even to a single file.
#[test]
fn a_rewrite_adds_the_keys_that_an_earlier_version_did_not_store() {
    let scene = Scene::new();
    let failed = r#"{"kind":"run","ts":"2026-05-01T10:00:00Z","run_id":"r1","result":"failure","adapters":["github"],"failure_type":"ΟΔΟΣ "}"#;
    let plain = r#"{"kind":"run","ts":"2026-05-01T10:00:01Z","run_id":"r2","result":"failure","adapters":["github"],"failure_type":"Auth"}"#;
    scene.land("a.jsonl", format!("{failed}\n{plain}\n").as_bytes());
    scene.done(&["run", "compact"]);
    let partitions = list_partitions(&scene.workspace).expect("partitions");
    let run = partitions.iter().find(|found| found.partition.kind == Kind::Run).expect("runs");
    drop_column(&run.files[0], "failure_key");
    let keys = || scene.done(&["query", "select failure_key from run order by landing_seq", "--format", "csv"]).out;
    assert!(keys().ends_with("auth\n"), "plain names are folded by the prelude: {}", keys());
    scene.done(&["run", "rewrite"]);
    assert_eq!(keys(), "failure_key\nοδοσ\nauth\n");
    let files = file_count(&scene);
    assert!(scene.done(&["run", "rewrite"]).error.contains("0 partitions"), "nothing is left to add");
    assert_eq!(file_count(&scene), files);
}

fn drop_column(path: &std::path::Path, name: &str) {
    let reader = ParquetRecordBatchReaderBuilder::try_new(std::fs::File::open(path).expect("a file")).expect("Parquet");
    let mut rows = Vec::new();
    for batch in reader.build().expect("rows") {
        let mut batch = batch.expect("rows");
        batch.remove_column(batch.schema().index_of(name).expect("the column"));
        rows.push(batch);
    }
    let mut writer = ArrowWriter::try_new(std::fs::File::create(path).expect("a file"), rows[0].schema(), None).expect("a writer");
    rows.iter().for_each(|batch| writer.write(batch).expect("rows"));
    writer.close().expect("a file");
}
