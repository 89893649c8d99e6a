//! Logs that are shortened while other programs append to them.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions, Permissions};
use std::io::{Read as _, Write as _};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::process::{Command, Stdio};

use batch::retention::{Log, Policy};
use proptest::prelude::*;

use super::{Work, lines, names, numbered, policy};

#[test]
fn of_twenty_five_lines_the_last_ten_stay_and_the_others_go_to_a_file_beside() {
    let mut work = Work::new();
    let log = work.learnings().join("outcomes.log");
    fs::write(&log, numbered(25)).expect("a log");
    let pruned = work.prune(&policy());
    assert_eq!(pruned.rotated.len(), 1);
    assert_eq!((pruned.rotated[0].log, pruned.rotated[0].kept_lines, pruned.rotated[0].dropped_lines), (Log::Outcomes, 10, 15));
    let all: Vec<String> = numbered(25).lines().map(str::to_owned).collect();
    assert_eq!(lines(&log), all[15..]);
    assert_eq!(lines(&work.learnings().join("outcomes.log.1")), all[..15]);
    assert_eq!(work.landed, [(Log::Outcomes, numbered(25).into_bytes())]);
    assert_eq!(names(&work.learnings()), ["outcomes.log", "outcomes.log.1", "sessions"].map(str::to_owned).into());
    assert_eq!(work.prune(&policy()).rotated, [], "ten lines are within the limit");
}

#[test]
fn an_earlier_file_beside_is_handed_over_before_it_is_replaced() {
    let mut work = Work::new();
    let log = work.path().join("perf.jsonl");
    fs::write(&log, numbered(25)).expect("a log");
    fs::write(work.path().join("perf.jsonl.1"), "earlier\nhalf").expect("a log");
    work.prune(&policy());
    assert_eq!(work.landed, [(Log::Perf, b"earlier\nhalf".to_vec()), (Log::Perf, numbered(25).into_bytes())]);
    assert_eq!(lines(&work.path().join("perf.jsonl.1")).len(), 15);
}

#[test]
fn bytes_pass_untouched_and_permissions_stay() {
    let mut work = Work::new();
    let log = work.learnings().join("acknowledgments.log");
    let mut bytes = Vec::new();
    for number in 0..25_u8 {
        bytes.extend([b'a', 0xff, 0, b'\r', 0x80 + number, b'\n']);
    }
    fs::write(&log, &bytes).expect("a log");
    fs::set_permissions(&log, Permissions::from_mode(0o664)).expect("permissions");
    work.prune(&policy());
    assert_eq!(fs::read(&log).expect("the log"), bytes[15 * 6..]);
    let beside = work.learnings().join("acknowledgments.log.1");
    assert_eq!(fs::read(&beside).expect("the lines that went"), bytes[..15 * 6]);
    for path in [log, beside] {
        assert_eq!(fs::metadata(path).expect("metadata").permissions().mode() & 0o777, 0o664);
    }
}

#[test]
fn half_a_line_at_the_end_stays_where_it_was() {
    let mut work = Work::new();
    let log = work.learnings().join("outcomes.log");
    fs::write(&log, numbered(11) + "half").expect("a log");
    work.prune(&policy());
    let text = fs::read_to_string(&log).expect("the log");
    assert!(text.starts_with("line 1\n") && text.ends_with("line 10\nhalf"), "{text}");
}

#[test]
fn what_is_no_plain_file_is_left_alone_with_a_note() {
    let mut work = Work::new();
    let outside = work.path().join("elsewhere");
    fs::write(&outside, numbered(25)).expect("a file");
    symlink(&outside, work.learnings().join("outcomes.log")).expect("a link");
    fs::create_dir(work.learnings().join("acknowledgments.log")).expect("a folder");
    fs::write(work.path().join("runs.log"), numbered(25)).expect("a log");
    fs::create_dir(work.path().join("runs.log.1")).expect("a folder");
    let pipe = Command::new("mkfifo").arg(work.path().join("perf.jsonl")).status().expect("mkfifo");
    assert!(pipe.success());
    let pruned = work.prune(&policy());
    assert_eq!((pruned.rotated.len(), pruned.notes.len()), (0, 4), "{:?}", pruned.notes);
    for log in ["outcomes.log", "acknowledgments.log", "runs.log", "perf.jsonl"] {
        assert!(pruned.notes.iter().any(|note| note.starts_with(&format!("skipped {log}: "))), "{log}: {:?}", pruned.notes);
    }
    assert_eq!(fs::read_to_string(&outside).expect("still there"), numbered(25));
    assert_eq!(lines(&work.path().join("runs.log")).len(), 25);
    assert_eq!(work.landed, []);
}

#[test]
fn a_program_that_keeps_the_log_open_loses_no_line() {
    let mut work = Work::new();
    let log = work.learnings().join("outcomes.log");
    fs::write(&log, numbered(25)).expect("a log");
    let mut open = OpenOptions::new().append(true).open(&log).expect("it opens");
    let pruned = work.prune(&policy());
    assert_eq!((pruned.rotated.len(), pruned.notes.len()), (1, 1), "{:?}", pruned.notes);
    open.write_all(b"late one\nlate ha").expect("written");
    fs::write(&log, fs::read_to_string(&log).expect("the log") + &numbered(20)).expect("more lines");
    let pruned = work.prune(&policy());
    assert_eq!(pruned.rotated, [], "not again while the earlier file is in use");
    assert!(lines(&log).ends_with(&["late one".to_owned()]), "half a line waits for its other half");
    open.write_all(b"lf\n").expect("written");
    drop(open);
    let pruned = work.prune(&policy());
    assert_eq!((pruned.rotated.len(), pruned.notes), (1, vec![]));
    let found = lines(&log);
    assert_eq!(found[found.len() - 2..], ["late one", "late half"], "{found:?}");
    assert_eq!(names(&work.learnings()), ["outcomes.log", "outcomes.log.1", "sessions"].map(str::to_owned).into());
}

/// Three shells append numbered lines, each opening the log anew for each line, while it is rotated again and again.
#[test]
fn no_line_is_lost_while_shells_append_to_a_log_that_is_rotated() {
    let mut work = Work::new();
    let log = work.learnings().join("outcomes.log");
    let script = r#"number=0; while [ ! -e "$2" ]; do echo "$3 $number" >> "$1"; number=$((number + 1)); done; echo $number"#;
    let stop = work.path().join("stop");
    let start = |name: &str| {
        let mut command = Command::new("sh");
        command.args(["-c", script, "sh"]).arg(&log).arg(&stop).arg(name);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().expect("a shell")
    };
    let writers: Vec<_> = ["a", "b", "c"].into_iter().map(|name| (name, start(name))).collect();
    let limit = Policy { max_log_lines: 20, ..policy() };
    let mut rotations = 0;
    let mut problems = Vec::new();
    while rotations < 12 {
        if work.prune(&limit).rotated.is_empty() {
            continue;
        }
        rotations += 1;
        let beside = fs::read_to_string(work.learnings().join("outcomes.log.1")).expect("the lines that went");
        let live = fs::read_to_string(&log).expect("the log");
        let complete = &live[..live.rfind('\n').map_or(0, |at| at + 1)];
        problems.extend(repeated(&[&beside, complete]));
    }
    fs::write(&stop, "").expect("the sign to stop");
    let written: Vec<(&str, u64)> = writers
        .into_iter()
        .map(|(name, mut writer)| {
            let mut said = String::new();
            writer.stdout.take().expect("stdout").read_to_string(&mut said).expect("its count");
            assert!(writer.wait().expect("it ends").success());
            (name, said.trim().parse().expect("a number"))
        })
        .collect();
    assert_eq!(problems, [""; 0]);
    // On a slow machine a shell may have held the log for longer than the last rotation waited.
    assert_eq!(work.prune(&limit).notes, [""; 0]);
    let mut found: std::collections::BTreeSet<String> = lines(&log).into_iter().collect();
    found.extend(lines(&work.learnings().join("outcomes.log.1")));
    for (_, bytes) in &work.landed {
        found.extend(String::from_utf8_lossy(bytes).lines().map(str::to_owned));
    }
    for (name, count) in &written {
        let lost: Vec<u64> = (0..*count).filter(|number| !found.contains(&format!("{name} {number}"))).collect();
        assert_eq!(lost, [0; 0], "lines of {name}");
    }
    assert_eq!(found.len() as u64, written.iter().map(|(_, count)| count).sum::<u64>(), "no line was mangled");
    assert!(repeated(&[&fs::read_to_string(&log).expect("the log")]).is_empty());
}

fn repeated(texts: &[&str]) -> Vec<String> {
    let mut times: BTreeMap<&str, u32> = BTreeMap::new();
    for line in texts.iter().flat_map(|text| text.lines()) {
        *times.entry(line).or_default() += 1;
    }
    times.into_iter().filter(|(_, times)| *times > 1).map(|(line, times)| format!("`{line}` stands there {times} times")).collect()
}

fn split(bytes: &[u8]) -> Vec<&[u8]> {
    bytes.split_inclusive(|byte| *byte == b'\n').collect()
}

fn read(path: &Path) -> Vec<u8> {
    fs::read(path).unwrap_or_default()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// What went and what stays make up the log, in its order, and nothing else.
    #[test]
    fn a_log_is_cut_in_two_at_a_line(parts in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..6), 0..30), limit in 0_usize..12) {
        let mut work = Work::new();
        let log = work.learnings().join("outcomes.log");
        let bytes = parts.join(&b'\n');
        fs::write(&log, &bytes).expect("a log");
        let pruned = work.prune(&Policy { max_log_lines: limit, ..policy() });
        let beside = read(&work.learnings().join("outcomes.log.1"));
        let live = read(&log);
        prop_assert_eq!([&beside[..], &live[..]].concat(), bytes.clone());
        let ended = split(&bytes).into_iter().filter(|line| line.ends_with(b"\n")).count();
        prop_assert_eq!(split(&live).into_iter().filter(|line| line.ends_with(b"\n")).count(), ended.min(limit));
        prop_assert_eq!(pruned.rotated.len(), usize::from(ended > limit));
    }
}
