//! Files that other programs append to, rotate, truncate and replace.

use std::fs;

use proptest::prelude::*;

use crate::support::{Material, Scene};

fn build(id: &str) -> String {
    format!("{{\"kind\":\"build\",\"ts\":\"2026-10-01T00:00:00Z\",\"id\":\"{id}\",\"run_id\":\"r\",\"passed\":true}}\n")
}

#[test]
fn half_a_line_waits_for_its_other_half() {
    let scene = Scene::new();
    let line = build("one");
    let (front, back) = line.split_at(30);
    scene.land("a.jsonl", front.as_bytes());
    scene.done(&["run", "compact"]);
    assert_eq!(scene.count("select count(*) from build"), 0);
    assert_eq!(scene.count("select count(*) from quarantine"), 0);
    scene.land("a.jsonl", back.as_bytes());
    scene.done(&["run", "compact"]);
    assert_eq!(scene.count("select count(*) from build"), 1);
}

#[test]
fn a_file_that_nothing_was_taken_of_yet_leaves_no_trace_in_the_checkpoint() {
    let scene = Scene::new();
    scene.land("empty.jsonl", b"");
    scene.land("half.jsonl", b"{\"kind\":");
    for run in 0..3 {
        scene.land("a.jsonl", build(&run.to_string()).as_bytes());
        let outcome = scene.done(&["run", "compact"]);
        assert!(!outcome.error.contains("note:"), "{}", outcome.error);
    }
    let checkpoint = store::lake::Checkpoint::load(&scene.workspace).expect("it can be read").expect("it is there");
    let files: Vec<&str> = checkpoint.streams.iter().map(|stream| stream.file.as_str()).collect();
    assert_eq!(files, ["a.jsonl"]);
}

#[test]
fn a_rotated_file_goes_on_under_its_new_name_and_its_tail_is_taken() {
    let scene = Scene::new();
    let inbox = scene.workspace.inbox();
    scene.land("a.jsonl", build("one").as_bytes());
    scene.done(&["run", "compact"]);
    scene.land("a.jsonl", build("tail").as_bytes());
    fs::rename(inbox.join("a.jsonl"), inbox.join("a.jsonl.1")).expect("rotation");
    scene.land("a.jsonl", build("new").as_bytes());
    let outcome = scene.done(&["run", "compact"]);
    assert!(outcome.error.contains("a.jsonl was renamed to a.jsonl.1"), "{}", outcome.error);
    assert!(outcome.error.contains("2 lines"), "only what is new is read: {}", outcome.error);
    scene.assert_all_held("at the end");
}

#[test]
fn a_copied_and_truncated_file_is_noticed_and_both_halves_count_once() {
    let scene = Scene::new();
    let inbox = scene.workspace.inbox();
    scene.land("a.jsonl", build("one").as_bytes());
    scene.done(&["run", "compact"]);
    scene.land("a.jsonl", build("tail").as_bytes());
    fs::copy(inbox.join("a.jsonl"), inbox.join("a.jsonl-20261001")).expect("copy");
    fs::write(inbox.join("a.jsonl"), build("new")).expect("truncation");
    scene.done(&["run", "compact"]);
    scene.assert_all_held("at the end");
}

#[test]
fn a_truncated_file_is_read_from_its_start_even_if_it_begins_alike() {
    let scene = Scene::new();
    let inbox = scene.workspace.inbox();
    scene.land("a.jsonl", (build("one") + &build("two")).as_bytes());
    scene.done(&["run", "compact"]);
    fs::write(inbox.join("a.jsonl"), build("one") + &build("three") + &build("four")).expect("replacement");
    let outcome = scene.done(&["run", "compact"]);
    assert!(outcome.error.contains("a.jsonl was truncated or replaced"), "{}", outcome.error);
    let ids: Vec<String> = scene.holdings().ids.into_keys().collect();
    assert_eq!(ids, ["four", "one", "three", "two"]);
}

#[test]
fn a_file_that_vanished_is_no_problem_and_one_that_returns_counts_nothing_twice() {
    let scene = Scene::new();
    let path = scene.workspace.inbox().join("a.jsonl");
    scene.land("a.jsonl", (build("one") + "oops\n").as_bytes());
    scene.done(&["run", "compact"]);
    let aside = scene.root().join("aside");
    fs::rename(&path, &aside).expect("away");
    scene.done(&["run", "compact"]);
    fs::rename(&aside, &path).expect("back");
    let outcome = scene.done(&["run", "compact"]);
    assert!(outcome.error.contains("compact: 0 lines"), "{}", outcome.error);
    scene.assert_all_held("after its return");
}

/// Days with more ids than may be held take another way: their files are asked when a batch is sealed.
#[test]
fn an_id_counts_once_even_where_a_day_has_too_many_to_be_held() {
    let scene = Scene::new();
    fs::write(scene.workspace.settings(), "[compact]\nbatch_kib = 32\nheld_ids = 7\n").expect("settings");
    let material = Material::made(31, 1500);
    let lines: Vec<&[u8]> = material.lines().collect();
    for part in lines.chunks(500) {
        scene.land("a.jsonl", &part.concat());
        scene.done(&["run", "compact"]);
    }
    scene.assert_all_held("after three runs");
    // Everything once more, with an event under a used id in the midst.
    let used =
        lines.iter().find(|line| line.starts_with(b"{\"kind\":\"application\"") && line.ends_with(b"}\n")).expect("an application");
    let other = String::from_utf8_lossy(used).replace("\"agent\":\"", "\"agent\":\"another-");
    scene.land("b.jsonl", &[&material.bytes[..], other.as_bytes()].concat());
    let outcome = scene.done(&["run", "compact"]);
    assert!(outcome.error.contains("= 0 taken + "), "{}", outcome.error);
    assert_eq!(scene.count("select count(*) from quarantine where code = 'id_conflict' and text like '%another-agent%'"), 1);
    assert!(scene.holdings().ids.values().all(|times| *times == 1));
}

#[test]
fn many_small_files_make_one_batch() {
    let scene = Scene::new();
    for number in 0..200 {
        scene.land(&format!("{number:03}.jsonl"), build(&number.to_string()).as_bytes());
    }
    scene.done(&["run", "compact"]);
    assert_eq!(scene.count("select count(distinct landing_file) from build"), 200);
    let files: usize =
        store::lake::list_partitions(&scene.workspace).expect("partitions").iter().map(|found| found.files.len()).sum();
    assert_eq!(files, 1);
}

#[test]
fn an_id_counts_once_and_another_event_under_it_is_kept_in_quarantine() {
    let scene = Scene::new();
    let other = build("one").replace("true", "false");
    scene.land("a.jsonl", (build("one") + &build("one") + &other).as_bytes());
    scene.done(&["run", "compact"]);
    scene.land("b.jsonl", (build("one") + &other).as_bytes());
    let outcome = scene.done(&["run", "compact"]);
    assert!(outcome.error.contains("0 taken + 1 duplicates + 1 quarantined"), "{}", outcome.error);
    assert_eq!(scene.count("select count(*) from build where passed"), 1);
    assert_eq!(scene.count("select count(*) from quarantine where code = 'id_conflict' and text like '%false%'"), 2);
}

#[test]
fn lines_beyond_the_limit_are_quarantined_with_their_length_and_the_next_is_taken() {
    let scene = Scene::new();
    let long = format!("{{\"kind\":\"build\",\"details\":\"{}\"}}\n", "x".repeat(3 << 20));
    scene.land("a.jsonl", (build("before") + &long + &build("behind")).as_bytes());
    scene.done(&["run", "compact"]);
    assert_eq!(scene.count("select count(*) from build"), 2);
    assert_eq!(scene.count("select length from quarantine"), i64::try_from(long.len()).expect("a small number"));
    assert_eq!(scene.count("select line from quarantine"), 2);
    assert_eq!(scene.count("select landing_line from build where id = 'behind'"), 3);
}

#[test]
fn secrets_reach_neither_the_lake_nor_the_quarantine() {
    let scene = Scene::new();
    let secret = format!("gh{}{}", "p_", "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8");
    let good = build("one").replace("\"passed\"", &format!("\"details\":\"push with {secret} please\",\"passed\""));
    let bad = format!("{{\"kind\":\"build\",\"details\":\"{secret}\"}}\n");
    scene.land("a.jsonl", (good + &bad).as_bytes());
    let outcome = scene.done(&["run", "compact"]);
    assert!(outcome.error.contains("secrets redacted") && !outcome.error.contains("0 secrets redacted"), "{}", outcome.error);
    let held = scene.done(&["query", "select details from build union all select text from quarantine", "--format", "csv"]).out;
    assert!(held.contains("[REDACTED:") && !held.contains(&secret), "{held}");
}

#[test]
fn a_byte_order_mark_and_windows_line_ends_do_no_harm() {
    let scene = Scene::new();
    scene.land("a.jsonl", format!("\u{feff}{}\r\n\r\n{}", build("one").trim_end(), build("two")).as_bytes());
    let outcome = scene.done(&["run", "compact"]);
    assert!(outcome.error.contains("2 taken + 0 duplicates + 0 quarantined + 1 blank"), "{}", outcome.error);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// Any bytes, cut into files anywhere: every line is taken, a duplicate, quarantined or blank, and the program ends well.
    #[test]
    fn every_line_of_any_input_is_accounted_for(parts in prop::collection::vec(part(), 0..40), cut in 0_usize..4000) {
        let bytes: Vec<u8> = parts.concat();
        let cut = cut.min(bytes.len());
        let scene = Scene::with_small_batches();
        scene.land("a.jsonl", &bytes[..cut]);
        scene.land("b.jsonl", &bytes[cut..]);
        let text = scene.done(&["run", "compact", "--json"]).out;
        let step = &serde_json::from_str::<serde_json::Value>(&text).expect("JSON")["steps"][0];
        let number = |name: &str| step[name].as_u64().expect("a number");
        let lines = [&bytes[..cut], &bytes[cut..]].iter().map(|file| memchr::memchr_iter(b'\n', file).count()).sum::<usize>();
        prop_assert_eq!(number("lines"), lines as u64);
        prop_assert_eq!(number("taken") + number("duplicates") + number("quarantined") + number("blank"), lines as u64);
        let holdings = scene.holdings();
        prop_assert_eq!(holdings.ids.values().sum::<u64>(), number("taken"));
        prop_assert_eq!(holdings.quarantined.values().sum::<u64>(), number("quarantined"));
    }

    /// However the same lines arrive, in one run or in many, cut anywhere: the same events are held.
    #[test]
    fn the_cadence_of_runs_changes_nothing(seed in 0_u64..1000, cuts in prop::collection::vec(0_usize..30_000, 0..6)) {
        let material = Material::made(seed, 100);
        let scene = Scene::with_small_batches();
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(material.bytes.len())).collect();
        cuts.sort_unstable();
        let mut from = 0;
        for cut in cuts.into_iter().chain([material.bytes.len()]) {
            scene.land("a.jsonl", &material.bytes[from..cut]);
            scene.done(&["run", "compact"]);
            from = cut;
        }
        scene.assert_all_held("at the end");
    }
}

fn part() -> impl Strategy<Value = Vec<u8>> {
    let made = (0_u64..50).prop_map(|seed| Material::made(seed, 3).bytes);
    prop_oneof![3 => made, 1 => prop::collection::vec(any::<u8>(), 0..200), 1 => Just(b"\n".to_vec()), 1 => ".*".prop_map(String::into_bytes)]
}
