//! Commands of all tempers.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use store::command::{Failure, ask};
use store::subprocess::Allowance;

use super::Room;

const PATIENT: Allowance = Allowance { time: Duration::from_secs(60), output_bytes: 1 << 20 };

#[track_caller]
fn failure(room: &Room, body: &str) -> Failure {
    ask(&room.script(body), "{}", PATIENT).expect_err("a failure")
}

#[test]
fn a_command_gets_the_request_and_its_words_come_back() {
    let answer = ask(&Room::new().script("tr a-z A-Z"), "close it", PATIENT).expect("an answer");
    assert_eq!(answer, "CLOSE IT");
}

#[test]
fn a_command_that_hangs_is_stopped_with_everything_that_it_started() {
    let room = Room::new();
    let command = room.script("sleep 1000 & echo $! > grandchild; echo waiting >&2; wait");
    // Long enough for the slowest machine to start the grandchild, else there is nothing to see.
    let mut time = Duration::from_millis(500);
    let grandchild = loop {
        let failure = ask(&command, "{}", Allowance { time, ..PATIENT }).expect_err("a failure");
        assert!(matches!(failure, Failure::TimedOut { .. }), "{failure}");
        match fs::read_to_string(room.path("grandchild")) {
            Ok(id) if id.ends_with('\n') => break id.trim().to_owned(),
            _ => time *= 2,
        }
    };
    let started = Instant::now();
    while is_running(&grandchild) {
        assert!(started.elapsed() < Duration::from_secs(60), "the grandchild lives on");
        std::thread::yield_now();
    }
}

/// Whether a process runs. One that is dead but not yet buried does not.
fn is_running(id: &str) -> bool {
    let Ok(state) = fs::read_to_string(Path::new("/proc").join(id).join("stat")) else { return false };
    !state.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with(['Z', 'X']))
}

#[test]
fn a_failing_command_is_quoted_briefly_and_harmlessly() {
    let failure = failure(&Room::new(), "cat > /dev/null; printf 'no \\033[31mcredit\\nsecond\\n\\nthird\\nfourth\\n' >&2; exit 3");
    assert!(matches!(&failure, Failure::Failed { status, .. } if status.code() == Some(3)));
    let text = failure.to_string();
    assert!(text.contains("/bin/sh") && text.contains("exit status: 3"), "{text}");
    assert!(text.contains("it said: no [31mcredit / second / third") && !text.contains("fourth"), "{text}");
}

#[test]
fn an_endless_complaint_is_cut() {
    let text = failure(&Room::new(), "head -c 3000000 /dev/zero | tr '\\0' x >&2; exit 1").to_string();
    assert!(text.chars().count() < 500, "{text}");
}

#[test]
fn an_answer_of_ten_megabytes_is_refused_and_one_that_just_fits_is_not() {
    let room = Room::new();
    let failure = failure(&room, "head -c 10000000 /dev/zero | tr '\\0' x");
    assert!(matches!(failure, Failure::TooLong { most_bytes: 1_048_576, .. }), "{failure}");
    let fits = ask(&room.script("head -c 1048576 /dev/zero | tr '\\0' x"), "{}", PATIENT).expect("an answer");
    assert_eq!(fits.len(), 1 << 20);
}

#[test]
fn a_command_that_does_not_read_five_megabytes_may_answer_all_the_same() {
    let request = "x".repeat(5_000_000);
    let answer = ask(&Room::new().script("exec <&-; echo done"), &request, PATIENT).expect("an answer");
    assert_eq!(answer, "done\n");
}

#[test]
fn an_answer_that_is_no_text_is_refused() {
    let failure = failure(&Room::new(), "printf '\\377\\376'");
    assert!(matches!(failure, Failure::NotText { .. }), "{failure}");
}

#[test]
fn a_program_that_is_not_there_is_named() {
    let failure = ask(&[nowhere!("/to/be/found").to_owned()], "{}", PATIENT).expect_err("a failure");
    assert!(failure.to_string().contains(concat!("`", nowhere!("/to/be/found"), "` could not be run")), "{failure}");
    assert!(matches!(ask(&[], "{}", PATIENT), Err(Failure::NoProgram)));
}
