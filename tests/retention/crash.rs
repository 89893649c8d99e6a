//! A pruning process that is killed at each of its calls that change the disk.

use std::collections::BTreeSet;
use std::env;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use batch::retention::{Policy, prune_workdir};
use text::diagnostic::Diagnostic;

use super::{DAY, Work, backdate, lines, names, numbered, options, policy, rows};
use crate::support::shim::{self, Strike};

const FOLDER: &str = "OUTERLOOP_TEST_PRUNED_FOLDER";
const CALLS: &str = "sync,rename,write,mkdir,unlink,remove";

fn limit() -> Policy {
    Policy { max_sessions: 2, max_runs: 5, ..policy() }
}

/// Prunes if another test started this one as a process of its own, and does nothing otherwise.
#[test]
fn a_process_prunes() {
    let Some(folder) = env::var_os(FOLDER) else { return };
    let folder = Path::new(&folder);
    let landed = folder.join("landed");
    let mut land = |_, bytes: &[u8]| {
        let file = OpenOptions::new().create(true).append(true).open(&landed);
        file.and_then(|mut file| file.write_all(bytes)).map_err(|error| Diagnostic::io("cannot land", &landed, &error))
    };
    prune_workdir(folder, &limit(), &options(), &mut land).expect("pruned");
}

fn process(work: &Work) -> Command {
    let mut command = Command::new(env::current_exe().expect("this program"));
    command.args(["--exact", "retention::crash::a_process_prunes", "--test-threads=1"]).env(FOLDER, work.path());
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

fn scene() -> Work {
    let work = Work::new();
    for number in 0..4 {
        work.session(&format!("run-{number}"), DAY * (20 - number));
    }
    fs::write(work.learnings().join("outcomes.log"), numbered(25)).expect("a log");
    fs::write(work.learnings().join("outcomes.log.1"), "earlier\n").expect("a log");
    fs::write(work.path().join("runs.log"), rows(12)).expect("a log");
    let archived = work.learnings().join("pending/archived");
    fs::create_dir_all(&archived).expect("a folder");
    fs::write(archived.join("a.json"), "{}").expect("a file");
    backdate(&archived.join("a.json"), DAY * 40);
    work
}

/// All lines of all logs, wherever they are.
fn found(work: &mut Work) -> BTreeSet<String> {
    let mut found: BTreeSet<String> = lines(&work.path().join("landed")).into_iter().collect();
    for folder in [work.path().to_path_buf(), work.learnings()] {
        for name in names(&folder).into_iter().filter(|name| name.contains(".log")) {
            found.extend(lines(&folder.join(name)));
        }
    }
    for (_, bytes) in work.landed.drain(..) {
        found.extend(String::from_utf8_lossy(&bytes).lines().map(str::to_owned));
    }
    found
}

fn assert_sessions_are_whole(work: &Work, when: &str) {
    for session in work.sessions() {
        let files = names(&work.learnings().join("sessions").join(&session));
        assert_eq!(files.len(), 3, "{session} {when}");
    }
}

#[test]
fn a_pruning_process_that_is_killed_anywhere_leaves_what_the_next_one_finishes() {
    let calls = shim::count(&mut process(&scene()), CALLS);
    assert!(calls > 20, "only {calls} calls");
    let wanted = found(&mut scene());
    for call in 1..=calls {
        let when = format!("after the kill at call {call} of {calls}");
        let mut work = scene();
        // In some rounds another program has the log open all the time.
        let log = work.learnings().join("outcomes.log");
        let writer = (call % 8 == 0).then(|| OpenOptions::new().append(true).open(&log).expect("the log opens"));
        let mut command = process(&work);
        shim::load(&mut command, Strike::Kill(call), CALLS);
        command.status().expect("it starts");
        assert_sessions_are_whole(&work, &when);
        assert_eq!(found(&mut work).symmetric_difference(&wanted).collect::<Vec<_>>(), [""; 0], "lines {when}");

        let mut all = wanted.clone();
        if let Some(mut writer) = writer {
            writer.write_all(b"late\n").expect("written");
            all.insert("late".to_owned());
        }
        let pruned = work.prune(&limit());
        assert_eq!((pruned.skipped, pruned.notes), (None, vec![]), "{when}");
        assert_sessions_are_whole(&work, &when);
        assert_eq!(work.sessions(), ["run-2", "run-3"].map(str::to_owned).into(), "{when}");
        assert_eq!(found(&mut work).symmetric_difference(&all).collect::<Vec<_>>(), [""; 0], "lines in the end {when}");
        assert!(lines(&log).len() <= 11, "{when}");
        assert_eq!(lines(&log).iter().filter(|line| *line == "late").count(), all.len() - wanted.len(), "{when}");
        assert_eq!(lines(&work.path().join("runs.log")).len(), 7, "{when}");
        let strange: Vec<String> = names(&work.learnings()).into_iter().filter(|name| name.starts_with('.')).collect();
        assert_eq!(strange, [""; 0], "{when}");
    }
}
