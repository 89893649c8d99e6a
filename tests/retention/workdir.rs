//! Sessions, locks, runs and archived files.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;
use std::process::{Command, Stdio};
use std::time::Duration;

use batch::retention::{Log, Policy, PruneOptions, Pruned, prune_workdir};
use text::diagnostic::Diagnostic;

use super::{DAY, HOUR, Work, backdate, lines, names, numbered, options, policy, rows, snapshot};

#[test]
fn a_folder_without_learnings_has_nothing_to_prune() {
    let folder = tempfile::TempDir::new().expect("a folder");
    fs::write(folder.path().join("runs.log"), numbered(100)).expect("a log");
    for path in [folder.path().to_path_buf(), folder.path().join("missing")] {
        let pruned = prune_workdir(&path, &policy(), &options(), &mut |_, _| panic!("nothing to land")).expect("fine");
        assert_eq!(pruned, Pruned::default());
    }
    assert_eq!(lines(&folder.path().join("runs.log")).len(), 100);
}

#[test]
fn of_fifty_three_sessions_the_fifty_last_ones_are_left_at_once() {
    let mut work = Work::new();
    for number in 0..53 {
        work.session(&format!("run-{number:02}"), DAY * (60 - number));
    }
    let limit = Policy { max_sessions: 50, ..policy() };
    let pruned = work.prune(&limit);
    assert_eq!((pruned.sessions_removed, pruned.skipped, pruned.notes), (3, None, vec![]));
    assert_eq!(work.sessions(), (3..53).map(|number| format!("run-{number:02}")).collect::<BTreeSet<_>>());
    assert_eq!(names(&work.learnings()), BTreeSet::from(["sessions".to_owned()]), "neither lock nor trash is left");
    assert_eq!(work.prune(&limit).sessions_removed, 0);
}

#[test]
fn the_run_at_work_and_sessions_that_just_changed_stay() {
    let mut work = Work::new();
    work.session("run-own", DAY * 90);
    let rewritten = work.session("run-rewritten", DAY * 80);
    backdate(&rewritten.join("iter-2.json"), Duration::from_secs(60));
    work.session("run-old", DAY * 70);
    work.session("run-older", DAY * 75);
    work.session("run-fresh", Duration::from_secs(60));
    fs::write(work.learnings().join("sessions/stray.json"), "{}").expect("a file");
    backdate(&work.learnings().join("sessions/stray.json"), DAY * 85);
    let limit = Policy { max_sessions: 1, ..policy() };
    let options = PruneOptions { protect_run: Some("own"), ..options() };
    let pruned = work.try_prune(&limit, &options).expect("pruned");
    assert_eq!(pruned.sessions_removed, 3);
    assert_eq!(work.sessions(), ["run-fresh", "run-own", "run-rewritten"].map(str::to_owned).into());
}

#[test]
fn links_are_removed_and_not_followed() {
    let mut work = Work::new();
    let outside = tempfile::TempDir::new().expect("a folder");
    fs::write(outside.path().join("precious.json"), "{}").expect("a file");
    symlink(outside.path(), work.learnings().join("sessions/run-link")).expect("a link");
    let session = work.session("run-old", DAY * 50);
    symlink(outside.path(), session.join("away")).expect("a link");
    backdate(&session, DAY * 50);
    let limit = Policy { max_sessions: 0, protected_window_minutes: 0, ..policy() };
    assert_eq!(work.prune(&limit).sessions_removed, 2);
    assert!(work.sessions().is_empty());
    assert_eq!(fs::read_to_string(outside.path().join("precious.json")).expect("still there"), "{}");
}

#[test]
fn folders_that_are_links_are_left_alone() {
    let outside = Work::new();
    outside.session("run-theirs", DAY * 50);
    fs::create_dir_all(outside.learnings().join("pending/archived")).expect("a folder");
    fs::write(outside.learnings().join("pending/archived/a.json"), "{}").expect("a file");
    backdate(&outside.learnings().join("pending/archived/a.json"), DAY * 50);
    let limit = Policy { max_sessions: 0, ..policy() };

    let mut work = Work::new();
    fs::remove_dir(work.learnings().join("sessions")).expect("removed");
    symlink(outside.learnings().join("sessions"), work.learnings().join("sessions")).expect("a link");
    symlink(outside.learnings().join("pending"), work.learnings().join("pending")).expect("a link");
    symlink(outside.learnings(), work.learnings().join(".pruned")).expect("a link");
    let before = snapshot(outside.path());
    let pruned = work.prune(&limit);
    assert_eq!((pruned.sessions_removed, pruned.archived_removed, pruned.notes.len()), (0, 0, 2), "{:?}", pruned.notes);

    let whole = tempfile::TempDir::new().expect("a folder");
    symlink(outside.learnings(), whole.path().join(".learnings")).expect("a link");
    assert_eq!(prune_workdir(whole.path(), &limit, &options(), &mut |_, _| Ok(())).expect("fine"), Pruned::default());
    assert_eq!(snapshot(outside.path()), before);
}

#[test]
fn names_from_agents_lead_nowhere() {
    let mut work = Work::new();
    fs::write(work.path().join("precious"), "x").expect("a file");
    fs::write(work.path().join("runs.log"), "../../precious|t|g|1|ok\n".repeat(30)).expect("a log");
    let limit = Policy { max_sessions: 0, ..policy() };
    let options = PruneOptions { protect_run: Some("../../precious"), ..options() };
    work.session("run-$(touch x); rm -rf ..", DAY * 50);
    assert_eq!(work.try_prune(&limit, &options).expect("pruned").sessions_removed, 1);
    assert_eq!(fs::read_to_string(work.path().join("precious")).expect("still there"), "x");
}

#[test]
fn archived_files_go_at_their_age_and_only_json_files_do() {
    let mut work = Work::new();
    let archived = work.learnings().join("pending/archived");
    fs::create_dir_all(archived.join("folder.json")).expect("a folder");
    for (name, age) in [
        ("old.json", DAY * 30 + HOUR),
        ("young.json", DAY * 29 + HOUR * 23),
        ("old.txt", DAY * 90),
        ("folder.json/in.json", DAY * 90),
    ] {
        fs::write(archived.join(name), "{}").expect("a file");
        backdate(&archived.join(name), age);
    }
    backdate(&archived.join("folder.json"), DAY * 90);
    symlink("old.txt", archived.join("link.json")).expect("a link");
    assert_eq!(work.prune(&Policy { max_archive_age_days: 0, ..policy() }).archived_removed, 0, "0 days keep for ever");
    assert_eq!(work.prune(&policy()).archived_removed, 1);
    assert_eq!(names(&archived), ["folder.json", "link.json", "old.txt", "young.json"].map(str::to_owned).into());
    assert!(archived.join("folder.json/in.json").exists());
}

#[test]
fn rows_of_the_last_runs_stay_and_those_of_sessions_that_are_there() {
    let mut work = Work::new();
    work.session("run-b", DAY);
    let rows: Vec<String> =
        "abcdefc".chars().flat_map(|run| (1..3).map(move |turn| format!("{run}|t|goal|{turn}|in_progress"))).collect();
    let text = rows.join("\n") + "\n\n|no run\n";
    fs::write(work.path().join("runs.log"), &text).expect("a log");
    let limit = Policy { max_runs: 2, max_log_lines: 1000, ..policy() };
    let pruned = work.prune(&limit);
    // Last written about were `c` and `f`; `b` has a session; two rows belong to nobody.
    let wanted: Vec<&str> = text.lines().filter(|row| matches!(row.chars().next(), None | Some('b' | 'c' | 'f' | '|'))).collect();
    assert_eq!(lines(&work.path().join("runs.log")), wanted);
    assert_eq!(pruned.runs_rows_dropped, 6);
    assert_eq!((pruned.rotated.len(), pruned.rotated[0].log, pruned.rotated[0].dropped_lines), (1, Log::Runs, 6));
    assert_eq!(work.landed, [(Log::Runs, text.clone().into_bytes())]);
    assert_eq!(lines(&work.path().join("runs.log.1")).len(), 6);
    assert_eq!(work.prune(&limit).rotated, []);
}

#[test]
fn runs_log_is_not_emptied_when_no_sessions_remain() {
    let mut work = Work::new();
    fs::write(work.path().join("runs.log"), "a|t|g|1|ok\nb|t|g|1|ok\n").expect("a log");
    work.session("run-a", DAY * 3);
    let pruned = work.prune(&Policy { max_sessions: 0, ..policy() });
    assert_eq!((pruned.sessions_removed, pruned.rotated.len()), (1, 0));
    assert_eq!(lines(&work.path().join("runs.log")).len(), 2);
}

#[test]
fn a_folder_whose_owner_is_at_work_is_left_alone_however_old_its_lock_is() {
    let mut work = Work::new();
    work.session("run-a", DAY * 3);
    let lock = work.learnings().join(".lock");
    let mut owner = Command::new("sleep").arg("1000").stdin(Stdio::null()).spawn().expect("a process");
    fs::write(&lock, format!("run_id=r|pid={}|started=2026-01-01T00:00:00Z\n", owner.id())).expect("a lock");
    let limit = Policy { max_sessions: 0, ..policy() };
    for is_dry in [true, false] {
        let before = snapshot(work.path());
        let pruned = work.try_prune(&limit, &PruneOptions { is_dry, ..options() }).expect("fine");
        assert!(pruned.skipped.as_ref().is_some_and(|why| why.contains(&owner.id().to_string())), "{pruned:?}");
        assert_eq!(pruned, Pruned { skipped: pruned.skipped.clone(), ..Pruned::default() });
        assert_eq!(snapshot(work.path()), before);
    }
    backdate(&lock, DAY * 5);
    for lock_stale_hours in [0, 4] {
        let skipped = work.prune(&Policy { lock_stale_hours, ..limit.clone() }).skipped;
        assert!(skipped.is_some_and(|why| why.contains("is using this folder")), "{lock_stale_hours} hours");
    }
    owner.kill().expect("killed");
    owner.wait().expect("ended");
    assert_eq!(work.prune(&limit).sessions_removed, 1);
    assert!(!lock.exists());
}

#[test]
fn the_lock_of_a_process_that_is_not_known_here_is_stale_at_its_age_and_process_one_is_alive() {
    let mut work = Work::new();
    work.session("run-a", DAY * 3);
    let lock = work.learnings().join(".lock");
    let limit = Policy { max_sessions: 0, ..policy() };
    fs::write(&lock, "run_id=r|pid=1|started=x\n").expect("a lock");
    assert!(work.prune(&limit).skipped.is_some(), "a process of another user is alive");
    let mut owner = Command::new("true").spawn().expect("a process");
    owner.wait().expect("ended");
    let content = format!("run_id=r|pid={}|started=x\n", owner.id());
    fs::write(&lock, &content).expect("a lock");
    backdate(&lock, HOUR * 3);
    let skipped = work.prune(&limit).skipped;
    assert!(skipped.as_ref().is_some_and(|why| why.contains("may run on another machine")), "{skipped:?}");
    assert_eq!(fs::read_to_string(&lock).expect("the lock"), content);
    backdate(&lock, HOUR * 5);
    assert_eq!(work.prune(&limit).sessions_removed, 1);
    assert!(!lock.exists());
    fs::write(&lock, &content).expect("a lock");
    assert_eq!(work.prune(&Policy { lock_stale_hours: 0, ..limit }).skipped, None, "with 0 hours only the owner counts");
}

#[test]
fn a_lock_that_names_no_process_is_judged_by_its_age() {
    for content in ["", "garbage", "run_id=a|pid=|started=b\n", "run_id=a|pid=-1|x\n", "pid=99999999999999\n", "pid=0"] {
        let mut work = Work::new();
        let lock = work.learnings().join(".lock");
        fs::write(&lock, content).expect("a lock");
        assert!(work.prune(&policy()).skipped.is_some(), "{content}");
        backdate(&lock, HOUR * 5);
        assert_eq!(work.prune(&policy()).skipped, None, "{content}");
        assert!(!lock.exists());
    }
}

#[test]
fn the_lock_is_held_while_pruning_and_given_back_also_after_an_error() {
    let work = Work::new();
    fs::write(work.learnings().join("outcomes.log"), numbered(25)).expect("a log");
    let lock = work.learnings().join(".lock");
    let failed = prune_workdir(work.path(), &policy(), &options(), &mut |_, _| {
        let held = fs::read_to_string(&lock).expect("the lock");
        assert!(held.starts_with(&format!("run_id=prune|pid={}|started=20", std::process::id())), "{held}");
        let second = prune_workdir(work.path(), &policy(), &options(), &mut |_, _| Ok(())).expect("fine");
        assert!(second.skipped.is_some());
        Err(Diagnostic::edit("the lake is full", "empty it"))
    });
    assert_eq!(failed.expect_err("landing failed").what, "the lake is full");
    assert!(!lock.exists());
    assert_eq!(fs::read_to_string(work.learnings().join("outcomes.log")).expect("the log"), numbered(25));
    assert!(!work.learnings().join("outcomes.log.1").exists());
}

#[test]
fn a_dry_run_says_the_same_and_changes_nothing() {
    let mut work = Work::new();
    for number in 0..6 {
        work.session(&format!("run-{number}"), DAY * (20 - number));
    }
    fs::write(work.learnings().join("outcomes.log"), numbered(25)).expect("a log");
    fs::write(work.learnings().join("acknowledgments.log"), numbered(5)).expect("a log");
    fs::write(work.path().join("perf.jsonl"), numbered(11)).expect("a log");
    fs::write(work.path().join("runs.log"), rows(30)).expect("a log");
    fs::create_dir_all(work.learnings().join("pending/archived")).expect("a folder");
    fs::write(work.learnings().join("pending/archived/a.json"), "{}").expect("a file");
    backdate(&work.learnings().join("pending/archived/a.json"), DAY * 40);
    let limit = Policy { max_runs: 20, ..policy() };
    let before = snapshot(work.path());
    let dry = work.try_prune(&limit, &PruneOptions { is_dry: true, ..options() }).expect("fine");
    assert_eq!(snapshot(work.path()), before);
    assert_eq!(work.landed, []);
    let wet = work.try_prune(&limit, &options()).expect("fine");
    assert_eq!(dry, wet);
    assert_eq!(
        (wet.sessions_removed, wet.runs_rows_dropped, wet.rotated.len(), wet.archived_removed),
        (3, 7, 3, 1),
        "three of the runs have sessions that stay"
    );
}

#[test]
fn the_learnings_folder_itself_may_be_named() {
    let work = Work::new();
    fs::write(work.path().join("perf.jsonl"), numbered(25)).expect("a log");
    let pruned = prune_workdir(&work.learnings(), &policy(), &options(), &mut |_, _| Ok(())).expect("fine");
    assert_eq!(pruned.rotated.len(), 1);
    assert_eq!(lines(&work.path().join("perf.jsonl")).len(), 10);
}
