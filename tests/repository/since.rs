use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use learn::change::{ChangedFile, Lines, Reach, Status};

use super::sandbox::{Sandbox, found, numbered};

fn lines(first: u32, count: u32) -> Lines {
    Lines { first, count }
}

fn summary(files: &[ChangedFile]) -> Vec<(&str, Status)> {
    files.iter().map(|file| (&*file.path, file.status)).collect()
}

#[test]
fn changed_added_and_removed_lines_are_told_apart() {
    let sandbox = Sandbox::new();
    sandbox.write("a.py", numbered(40).concat());
    let base = sandbox.commit();
    let mut after = numbered(40);
    after[9] = "ten\n".to_owned();
    after[29] = "thirty\nand more\n".to_owned();
    after.drain(34..37);
    after.remove(0);
    sandbox.write("a.py", after.concat());
    let head = sandbox.commit();
    let file = sandbox.only(&base, Reach::Committed);
    assert_eq!(file.added, [lines(9, 1), lines(29, 2)]);
    assert_eq!(file.deleted_after, [0, 34]);
    assert_eq!((file.added_lines, file.removed_lines, file.is_binary), (3, 6, false));
    let changes = sandbox.changes("HEAD~1", Reach::Committed);
    assert_eq!((changes.base, changes.head), (base, Some(head)));
}

#[test]
fn text_that_looks_like_a_patch_is_only_text() {
    let sandbox = Sandbox::new();
    let body = "++ b/x\n-- a/x\n@@ -1 +900,50 @@\ndiff --git a/x b/x\nBinary files a and b differ\n\\ No newline at end of file\n";
    sandbox.write("a", format!("first\n{body}last"));
    sandbox.write("b", "keep\n");
    let base = sandbox.commit();
    sandbox.write("a", format!("{body}{body}last\n"));
    sandbox.write("b", "keep\nmore\n");
    sandbox.commit();
    let files = sandbox.changes(&base, Reach::Committed).files;
    assert_eq!(summary(&files), [("a", Status::Modified), ("b", Status::Modified)]);
    assert!(files[0].added.iter().all(|lines| lines.first + lines.count <= 14), "{files:?}");
    assert!(!files[0].is_binary && files[0].added_lines >= 6, "{files:?}");
    assert_eq!(files[1].added, [lines(2, 1)]);
}

#[test]
fn every_fate_of_a_file_has_its_status() {
    let sandbox = Sandbox::new();
    for name in ["deleted", "modified", "mode", "type", "renamed", "moved"] {
        sandbox.write(name, format!("{name}\n{}", numbered(10).concat()));
    }
    sandbox.write("binary", b"a\0b");
    let base = sandbox.commit();
    fs::remove_file(sandbox.top().join("deleted")).expect("removed");
    sandbox.write("modified", "else\n");
    fs::set_permissions(sandbox.top().join("mode"), fs::Permissions::from_mode(0o755)).expect("a mode");
    fs::remove_file(sandbox.top().join("type")).expect("removed");
    symlink("mode", sandbox.top().join("type")).expect("a link");
    sandbox.git(&["mv", "renamed", "other name"]);
    sandbox.git(&["mv", "moved", "shifted"]);
    sandbox.write("shifted", format!("moved\n{}extra\n", numbered(10).concat()));
    sandbox.write("binary", b"a\0c");
    sandbox.write("added", "one\ntwo");
    sandbox.write("empty", "");
    sandbox.commit();
    let files = sandbox.changes(&base, Reach::Committed).files;
    let wanted = [
        ("added", Status::Added),
        ("binary", Status::Modified),
        ("deleted", Status::Deleted),
        ("empty", Status::Added),
        ("mode", Status::Modified),
        ("modified", Status::Modified),
        ("other name", Status::Renamed),
        ("shifted", Status::Renamed),
        ("type", Status::TypeChanged),
    ];
    assert_eq!(summary(&files), wanted);
    let of = |path: &str| files.iter().find(|file| file.path == path).expect("the file");
    assert_eq!(of("added").added, [lines(1, 2)]);
    assert!(of("binary").is_binary && of("binary").added.is_empty());
    assert_eq!((of("deleted").removed_lines, of("deleted").added_lines), (11, 0));
    assert_eq!((of("mode").added_lines, of("mode").removed_lines), (0, 0));
    assert_eq!((of("other name").from.as_deref(), of("other name").added.len()), (Some("renamed"), 0));
    assert_eq!((of("shifted").from.as_deref(), &*of("shifted").added), (Some("moved"), &[lines(12, 1)][..]));
    assert_eq!((of("type").removed_lines, of("type").added_lines), (11, 1));
}

#[test]
fn the_work_tree_counts_only_if_it_is_asked_for() {
    let sandbox = Sandbox::new();
    sandbox.write("staged", "x\n");
    sandbox.write("unstaged", "x\n");
    sandbox.write(".gitignore", "ignored\n");
    let base = sandbox.commit();
    sandbox.write("staged", "y\n");
    sandbox.write("new", "y\n");
    sandbox.git(&["add", "staged", "new"]);
    sandbox.write("unstaged", "y\n");
    sandbox.write("ignored", "y\n");
    sandbox.write("deep/untracked", "one\ntwo\nthree");
    for own in [".learnings/runs.log", "deep/.closedloop-ai/env", ".outerloop/inbox/a.jsonl"] {
        sandbox.write(own, "own\n");
    }
    assert_eq!(sandbox.changes(&base, Reach::Committed).files, []);
    let changes = found(&sandbox.top().join("deep")).changes_since("HEAD", Reach::default()).expect("changes");
    let wanted = [
        ("deep/untracked", Status::Untracked),
        ("new", Status::Added),
        ("staged", Status::Modified),
        ("unstaged", Status::Modified),
    ];
    assert_eq!(summary(&changes.files), wanted);
    assert_eq!(changes.files[0].added, [lines(1, 3)]);
}

#[test]
fn untracked_files_are_read_within_limits() {
    let sandbox = Sandbox::new();
    let base = sandbox.commit();
    sandbox.write("binary", b"a\0b\n");
    sandbox.write("empty", "");
    sandbox.write("large", vec![b'\n'; (16 << 20) + 1]);
    symlink("/etc/passwd", sandbox.top().join("link")).expect("a link");
    let files = sandbox.changes(&base, Reach::Worktree).files;
    let told: Vec<_> = files.iter().map(|file| (&*file.path, file.added_lines, file.is_binary)).collect();
    assert_eq!(told, [("binary", 0, true), ("empty", 0, false), ("large", 0, true), ("link", 1, false)]);
}

#[test]
fn a_file_that_is_no_longer_tracked_but_still_there_is_modified() {
    let sandbox = Sandbox::new();
    sandbox.write("kept", "x\ny\n");
    let base = sandbox.commit();
    sandbox.git(&["rm", "-q", "--cached", "kept"]);
    let file = sandbox.only(&base, Reach::Worktree);
    assert_eq!((file.status, file.added, file.deleted_after), (Status::Modified, vec![lines(1, 2)], vec![]));
}

#[test]
fn other_repositories_inside_are_passed_over() {
    let sandbox = Sandbox::new();
    let other = Sandbox::new();
    other.write("x", "x\n");
    other.commit();
    sandbox.write("file", "x\n");
    let base = sandbox.commit();
    sandbox.git(&["submodule", "--quiet", "add", other.top().to_str().expect("text"), "module"]);
    sandbox.write("file", "y\n");
    let added = sandbox.commit();
    sandbox.write("module/x", "changed\n");
    fs::create_dir(sandbox.top().join("nested")).expect("a folder");
    super::sandbox::git(&sandbox.top().join("nested"), &["init", "-q"]);
    sandbox.write("nested/file", "x\n");
    let files = sandbox.changes(&base, Reach::Worktree).files;
    assert_eq!(summary(&files), [(".gitmodules", Status::Added), ("file", Status::Modified)]);
    assert_eq!(files[1].added, [lines(1, 1)]);
    // The other repository gives way to a plain file.
    sandbox.git(&["rm", "-qf", "module"]);
    sandbox.write("module", "plain\n");
    sandbox.write("zebra", "x\n");
    sandbox.git(&["add", "module", "zebra"]);
    sandbox.git(&["commit", "-qm", "work"]);
    let files = sandbox.changes(&added, Reach::Committed).files;
    assert_eq!(files.last().map(|file| (&*file.path, &*file.added)), Some(("zebra", &[lines(1, 1)][..])));
}

#[test]
fn an_unfinished_merge_is_what_the_work_tree_holds() {
    let sandbox = Sandbox::new();
    sandbox.write("both", "x\n");
    sandbox.write("gone", "x\n");
    let base = sandbox.commit();
    sandbox.git(&["checkout", "-q", "-b", "side"]);
    sandbox.write("both", "side\n");
    sandbox.write("gone", "side\n");
    sandbox.commit();
    sandbox.git(&["checkout", "-q", "main"]);
    sandbox.write("both", "main\n");
    fs::remove_file(sandbox.top().join("gone")).expect("removed");
    sandbox.commit();
    // The merge fails, as it should.
    let merged = std::process::Command::new("git").current_dir(sandbox.top()).args(["merge", "-q", "side"]).output();
    assert!(!merged.expect("git runs").status.success());
    fs::remove_file(sandbox.top().join("gone")).expect("removed");
    let files = sandbox.changes(&base, Reach::Worktree).files;
    assert_eq!(summary(&files).first(), Some(&("both", Status::Modified)));
    assert_eq!(files[0].added, [lines(1, 5)]);
}

#[test]
fn three_thousand_files_are_one_comparison() {
    let sandbox = Sandbox::new();
    for number in 0..3000 {
        sandbox.write(&format!("folder{}/file{number}", number % 30), "one\ntwo\n");
    }
    let base = sandbox.commit();
    for number in 0..3000 {
        sandbox.write(&format!("folder{}/file{number}", number % 30), "one\nzwei\n");
    }
    for reach in [Reach::Worktree, Reach::Committed] {
        if reach == Reach::Committed {
            sandbox.commit();
        }
        let files = sandbox.changes(&base, reach).files;
        assert_eq!(files.len(), 3000);
        assert!(files.iter().all(|file| file.added == [lines(2, 1)]));
        assert!(files.is_sorted_by(|one, other| one.path < other.path));
    }
}
