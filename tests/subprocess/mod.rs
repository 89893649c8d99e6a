//! Other programs: what is read of them, and that nothing of them stays.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use store::subprocess::{Allowance, Ending, Finished, run};
use tempfile::TempDir;

use crate::support::Scene;

const PATIENT: Allowance = Allowance { time: Duration::from_secs(300), output_bytes: 1 << 20 };

#[track_caller]
fn shell(script: &str, allowance: Allowance) -> Finished {
    run(Command::new("sh").arg("-c").arg(script), &[], allowance).expect("the shell runs")
}

/// Whether a process runs. One that is dead but not yet buried does not.
fn is_running(id: &str) -> bool {
    let Ok(state) = fs::read_to_string(Path::new("/proc").join(id).join("stat")) else { return false };
    !state.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with(['Z', 'X']))
}

#[track_caller]
fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < Duration::from_secs(60), "{what}");
        thread::sleep(Duration::from_millis(5));
    }
}

/// The id of a process that a script wrote as a line.
fn id_in(path: &Path) -> Option<String> {
    fs::read_to_string(path).ok().filter(|id| id.ends_with('\n')).map(|id| id.trim().to_owned())
}

#[test]
fn a_program_that_has_ended_counts_though_its_child_keeps_the_outputs_open() {
    let finished = shell("sleep 600 & echo $!; echo oops >&2; exit 7", PATIENT);
    assert!(matches!(finished.ending, Ending::Exited(status) if status.code() == Some(7)), "{finished:?}");
    assert_eq!(finished.stderr, b"oops\n");
    let child = String::from_utf8(finished.stdout).expect("a number").trim().to_owned();
    assert!(child.parse::<u32>().is_ok(), "{child}");
    wait_until("the child lives on", || !is_running(&child));
}

#[test]
fn what_left_the_group_keeps_nobody_waiting() {
    let finished = shell("setsid sleep 20 & echo said", PATIENT);
    assert!(finished.is_success(), "{finished:?}");
    assert_eq!(finished.stdout, b"said\n");
}

#[test]
fn what_a_stopped_program_had_written_is_kept() {
    let finished = shell("echo begun; exec sleep 600", Allowance { time: Duration::from_secs(3), ..PATIENT });
    assert_eq!((finished.ending, &*finished.stdout), (Ending::TimedOut, &b"begun\n"[..]));
}

#[test]
fn a_time_beyond_all_clocks_is_no_limit() {
    assert!(shell("true", Allowance { time: Duration::MAX, ..PATIENT }).is_success());
}

#[test]
fn outputs_are_kept_up_to_their_limit_and_a_program_that_closes_them_is_waited_for() {
    let few = Allowance { output_bytes: 5, ..PATIENT };
    let finished = shell("echo 12345; exec >&- 2>&-; sleep 0.2; exit 3", few);
    assert_eq!((&*finished.stdout, finished.is_cut), (&b"12345"[..], true));
    assert!(matches!(finished.ending, Ending::Exited(status) if status.code() == Some(3)));
    assert!(!shell("printf 12345", few).is_cut);
    assert_eq!(shell("head -c 3000000 /dev/zero", Allowance { output_bytes: 4 << 20, ..PATIENT }).stdout.len(), 3_000_000);
}

#[test]
fn when_the_program_is_interrupted_everything_that_it_started_is_gone() {
    for signal in [Signal::TERM, Signal::INT, Signal::HUP] {
        let (leader, grandchild, ended) = interrupted(signal);
        assert_eq!(ended, Some(signal.as_raw()), "it ends by the signal");
        wait_until("the test command lives on", || !is_running(&leader));
        wait_until("its child lives on", || !is_running(&grandchild));
    }
}

/// The earliest instant at which something could be left behind: the command has just begun, and the program, which waits for that,
/// may not have run since.
#[test]
fn an_interruption_as_soon_as_a_command_has_a_child_leaves_nothing_behind() {
    for _ in 0..20 {
        let (scene, work) = (Scene::new(), TempDir::new().expect("a folder"));
        let script = "sleep 600 & echo $! > grandchild; kill -TERM $PPID; wait";
        let status = judge_by(script, &scene, &work).status().expect("it starts");
        assert!(!status.success(), "it was interrupted: {status}");
        let grandchild = id_in(&work.path().join("grandchild")).expect("an id");
        wait_until("its child lives on", || !is_running(&grandchild));
    }
}

#[test]
#[cfg(target_os = "linux")]
fn when_the_program_is_killed_the_system_kills_what_it_started() {
    let (leader, grandchild, _) = interrupted(Signal::KILL);
    wait_until("the test command lives on", || !is_running(&leader));
    // Nobody is left who knows of the grandchild.
    kill_process(pid(&grandchild), Signal::KILL).expect("it was there");
}

fn pid(id: &str) -> Pid {
    Pid::from_raw(id.parse().expect("a number")).expect("a process")
}

/// Lets a command be interrupted, although whoever started these tests may have had them ignore it, as `nohup` and background jobs do.
fn listening(command: &mut std::process::Command) {
    use std::os::unix::process::CommandExt as _;
    let reset = || {
        for signal in [libc::SIGTERM, libc::SIGINT, libc::SIGHUP] {
            // SAFETY: setting a signal to its default is allowed between fork and exec.
            unsafe { libc::signal(signal, libc::SIG_DFL) };
        }
        Ok(())
    };
    // SAFETY: the closure calls nothing but `signal`.
    unsafe { command.pre_exec(reset) };
}

/// The real program, about to judge a goal by a test command.
fn judge_by(script: &str, scene: &Scene, work: &TempDir) -> std::process::Command {
    let goals = format!("goals:\n  swe-bench:\n    success_criteria: {{test_command: \"{script}\"}}\n");
    fs::write(scene.root().join("goal.yaml"), goals).expect("goals");
    let folder = work.path().to_str().expect("a path");
    let mut command = scene.command(&["goal", "--run", "r", "--workdir", folder, "--goal", "swe-bench"]);
    listening(&mut command);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// Sends a signal to the real program while a test command runs in it. Gives the command's process, its child, and the signal that
/// the program ended by.
fn interrupted(signal: Signal) -> (String, String, Option<i32>) {
    use std::os::unix::process::ExitStatusExt as _;
    let (scene, work) = (Scene::new(), TempDir::new().expect("a folder"));
    let script = "echo $$ > leader; sh -c 'echo $$ > grandchild; exec sleep 600' & wait";
    let mut program = judge_by(script, &scene, &work).spawn().expect("it starts");
    let (leader, grandchild) = (work.path().join("leader"), work.path().join("grandchild"));
    wait_until("the test command does not start", || id_in(&leader).is_some() && id_in(&grandchild).is_some());
    kill_process(pid(&program.id().to_string()), signal).expect("it runs");
    let status = program.wait().expect("it ends");
    (id_in(&leader).expect("an id"), id_in(&grandchild).expect("an id"), status.signal())
}
