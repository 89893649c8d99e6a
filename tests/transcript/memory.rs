//! What reading a large transcript costs the real program.

use std::fs::{self, File};
use std::io::{BufWriter, Write as _};
use std::process::Stdio;

use serde_json::json;

use super::said;
use crate::support::Scene;

/// The most that the program may ever have held.
const MOST_KIB: u64 = 64 << 10;

/// More than a hundred megabytes: turns, results of tools with images of a few megabytes and of many, lists of small blocks.
fn write_large(path: &std::path::Path) {
    let mut file = BufWriter::new(File::create(path).expect("a file"));
    let image = |megabytes: usize| "iVBORw0K".repeat(megabytes << 17);
    for number in 0..8 {
        let result = json!([{"type": "tool_result", "tool_use_id": "t", "content": [{"type": "image", "source": {"type": "base64", "data": image(4)}}]}]);
        let turn = said("user", format!("turn {number}: run the linter, then run the tests, then push"));
        write!(file, "{}\n{turn}\n{}\n", said("assistant", format!("I did the {number}. thing.")), said("user", result))
            .expect("room");
    }
    for megabytes in [40, 30] {
        writeln!(file, "{}", said("user", image(megabytes))).expect("room");
    }
    let blocks: Vec<_> = (0..200_000).map(|_| json!({"type": "text", "text": "x"})).collect();
    writeln!(file, "{}", said("user", blocks)).expect("room");
    writeln!(file, "{}", said("user", "the \"escaped\" tail\n".repeat(300_000))).expect("room");
    file.flush().expect("room");
}

#[test]
fn a_transcript_of_a_hundred_megabytes_takes_little_memory() {
    let scene = Scene::new();
    let path = scene.root().join("large.jsonl");
    write_large(&path);
    assert!(fs::metadata(&path).expect("a file").len() > 100 << 20);
    // The peak only ever grows, and a process that has ended has none any more: the last one that can be read counts.
    let script = "\"$@\" & child=$!; peak=0; while now=$(grep -s VmHWM /proc/$child/status); do peak=$now; done; echo \"$peak\" >&2; wait $child";
    let mut command = std::process::Command::new("/bin/sh");
    command.args(["-c", script, "sh"]).arg(env!("CARGO_BIN_EXE_outerloop")).arg("--root").arg(scene.root());
    let output = command.args(["observe", "--dry-run", "--json"]).arg(&path).stdin(Stdio::null()).output().expect("it runs");
    let (told, error) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{error}");
    let told: serde_json::Value = serde_json::from_str(&told).expect("JSON");
    assert_eq!(told["observations"][0]["type"], "workflow", "{told}");
    assert!(error.contains("skipped 2 lines that are too long"), "{error}");
    let peak = error.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_else(|| panic!("no peak in {error}"));
    let kib: u64 = peak.trim().trim_end_matches(" kB").trim().parse().expect("a number");
    assert!(kib > 1000 && kib < MOST_KIB, "{kib} KiB");
}
