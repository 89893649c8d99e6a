//! What observing many sessions costs the real program.

use std::fs;
use std::process::{Command, Stdio};

use super::row;
use crate::support::Scene;

/// The most that the program may ever have held. All sessions together are several times as large.
const MOST_KIB: u64 = 48 << 10;
const SESSIONS: usize = 160;
const TURNS: usize = 150;

#[test]
fn a_folder_of_many_sessions_is_read_one_after_the_other() {
    let scene = Scene::new();
    let folder = scene.root().join("sessions");
    fs::create_dir(&folder).expect("a folder");
    let mut bytes = 0;
    for session in 0..SESSIONS {
        let turn = |number: usize| {
            let user = format!("turn {number}: {}", "what about the other parts of this? ".repeat(32));
            let agent = format!("I looked at part {number}. {}", "It is as it should be. ".repeat(48));
            let time = "2026-03-01T10:00:00Z";
            format!(
                "{}\n{}\n",
                row(&format!("s{session}"), "assistant", &agent, time),
                row(&format!("s{session}"), "user", &user, time)
            )
        };
        let text: String = (0..TURNS).map(turn).collect();
        bytes += text.len();
        fs::write(folder.join(format!("s{session}.jsonl")), text).expect("a transcript");
    }
    assert!(bytes > 50 << 20, "{bytes} bytes are no test");
    let script = "\"$@\" & child=$!; peak=0; while now=$(grep -s VmHWM /proc/$child/status); do peak=$now; sleep 0.05; done; echo \"$peak\" >&2; wait $child";
    let mut command = Command::new("/bin/sh");
    command.args(["-c", script, "sh"]).arg(env!("CARGO_BIN_EXE_outerloop")).arg("--root").arg(scene.root());
    let output = command.args(["observe", "--json"]).arg(&folder).stdin(Stdio::null()).output().expect("it runs");
    let (told, error) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{error}");
    assert!(told.contains(&format!("\"sessions\":{SESSIONS}")), "{told}");
    let peak = error.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_else(|| panic!("no peak in {error}"));
    let kib: u64 = peak.trim().trim_end_matches(" kB").trim().parse().expect("a number");
    assert!(kib > 1000 && kib < MOST_KIB, "{kib} KiB");
}
