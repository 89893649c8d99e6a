//! Files that appear whole: however many writers meet, and whatever a killed one left.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::sync::Barrier;
use std::thread;

use store::durable::{create_whole, replace};
use tempfile::TempDir;

const WRITERS: usize = 8;
const ROUNDS: usize = 20;

fn text_of(writer: usize) -> String {
    // Lengths differ, so that a file of two writers shows.
    format!("{writer}\n").repeat(20_000 + writer * 1_000)
}

/// Runs writers of one file at the same instant.
fn at_once<T: Send>(write: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let barrier = Barrier::new(WRITERS);
    thread::scope(|scope| {
        let begin = |writer: usize| {
            let (barrier, write) = (&barrier, &write);
            scope.spawn(move || {
                barrier.wait();
                write(writer)
            })
        };
        let writers: Vec<_> = (0..WRITERS).map(begin).collect();
        writers.into_iter().map(|writer| writer.join().expect("it ends")).collect()
    })
}

#[track_caller]
fn assert_whole(path: &Path) {
    let found = fs::read_to_string(path).expect("a file");
    assert!((0..WRITERS).any(|writer| found == text_of(writer)), "the file is no writer's: {} bytes", found.len());
}

fn names(folder: &TempDir) -> Vec<String> {
    fs::read_dir(folder.path())
        .expect("files")
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("text"))
        .collect()
}

#[test]
fn of_many_that_create_a_file_one_does_and_all_of_it_is_one_writers() {
    for _ in 0..ROUNDS {
        let folder = TempDir::new().expect("a folder");
        let path = folder.path().join("whole");
        let made = at_once(|writer| create_whole(&path, text_of(writer).as_bytes(), None).expect("no writer fails"));
        assert_eq!(made.iter().filter(|is_created| **is_created).count(), 1);
        assert_whole(&path);
        assert_eq!(names(&folder), ["whole"], "nothing staged is left");
    }
}

#[test]
fn many_that_replace_a_file_never_mix_and_none_fails() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("replaced");
    replace(&path, text_of(0).as_bytes()).expect("written");
    for _ in 0..ROUNDS {
        at_once(|writer| {
            replace(&path, text_of(writer).as_bytes()).expect("no writer fails");
            assert_whole(&path);
        });
        assert_eq!(names(&folder), ["replaced"], "nothing staged is left");
    }
}

#[test]
fn what_a_killed_writer_staged_is_neither_published_nor_left() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("file");
    let stale = folder.path().join("file.tmp");
    for write in [|path: &Path| create_whole(path, b"short", None).map(drop), |path: &Path| replace(path, b"short")] {
        fs::write(&stale, "a longer text of a writer that was killed").expect("written");
        fs::set_permissions(&stale, fs::Permissions::from_mode(0o644)).expect("open to all");
        write(&path).expect("written");
        assert_eq!(fs::read(&path).expect("a file"), b"short");
        assert_eq!(fs::metadata(&path).expect("a file").permissions().mode() & 0o777, 0o600);
        assert_eq!(names(&folder), ["file"]);
        fs::remove_file(&path).expect("removed");
    }
}

#[test]
fn a_link_or_a_pipe_in_the_place_of_the_staged_file_is_refused_at_once() {
    let folder = TempDir::new().expect("a folder");
    let (path, staged) = (folder.path().join("file"), folder.path().join("file.tmp"));
    let victim = folder.path().join("victim");
    fs::write(&victim, "kept").expect("written");
    symlink(&victim, &staged).expect("a link");
    assert!(create_whole(&path, b"text", None).is_err() && replace(&path, b"text").is_err());
    assert_eq!(fs::read(&victim).expect("a file"), b"kept");
    fs::remove_file(&staged).expect("removed");
    rustix::fs::mknodat(rustix::fs::CWD, &staged, rustix::fs::FileType::Fifo, 0o600.into(), 0).expect("a pipe");
    assert!(create_whole(&path, b"text", None).is_err() && replace(&path, b"text").is_err());
    assert!(!path.exists());
}
