use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;

use learn::change::{Lines, Reach, Status};
use text::diagnostic::Exit;

use super::sandbox::{Sandbox, numbered};

#[test]
fn a_base_that_is_an_option_or_no_commit_is_refused_by_name() {
    let sandbox = Sandbox::new();
    sandbox.write("file", "x\n");
    sandbox.commit();
    let long = "a".repeat(5000);
    for base in [
        "--output=x",
        "-h",
        "--help",
        "",
        "HEAD..HEAD",
        "^HEAD",
        "HEAD:file",
        "no-such",
        "HEAD\n",
        "a\0b",
        "HEAD --output=x",
        &long,
    ] {
        for reach in [Reach::Worktree, Reach::Committed] {
            let error = sandbox.repository().changes_since(base, reach).expect_err(base);
            assert_eq!(error.exit, Exit::Edit, "{base}");
            assert!(error.what.contains("is not a commit"), "{base}: {error}");
        }
    }
    assert_eq!(fs::read_dir(sandbox.top()).expect("a folder").count(), 2);
}

#[test]
fn names_may_hold_anything() {
    let names = [
        "ü.py",
        "with space",
        "quo\"te",
        "back\\slash",
        "new\nline",
        "tab\there",
        "-rf",
        ":(top)x",
        "a => b",
        "{a => b}",
        "\u{202e}x",
    ];
    for is_committed in [true, false] {
        let sandbox = Sandbox::new();
        sandbox.write("new\nline", "x\n");
        let base = sandbox.commit();
        for name in names {
            sandbox.write(name, "x\ny\n");
        }
        let raw = sandbox.top().join(OsStr::from_bytes(b"raw\xff.py"));
        fs::write(raw, "y\n").expect("a file");
        if is_committed {
            sandbox.commit();
        }
        let changes = sandbox.changes(&base, if is_committed { Reach::Committed } else { Reach::Worktree });
        let mut wanted: Vec<&str> = names.into_iter().chain(["raw\u{fffd}.py"]).collect();
        wanted.sort_unstable();
        let found: Vec<&str> = changes.files.iter().map(|file| &*file.path).collect();
        assert_eq!(found, wanted);
        let modified = changes.files.iter().find(|file| file.status == Status::Modified).expect("a modified file");
        assert_eq!((&*modified.path, &*modified.added), ("new\nline", &[Lines { first: 2, count: 1 }][..]));
    }
}

#[test]
fn renamed_files_keep_both_names_whatever_they_hold() {
    let sandbox = Sandbox::new();
    sandbox.write("ol\td\n\"name", "a\nb\nc\n");
    sandbox.write("zebra", "x\n");
    let base = sandbox.commit();
    sandbox.git(&["mv", "ol\td\n\"name", "ne w\u{fc}\nname"]);
    sandbox.write("zebra", "y\n");
    let files = sandbox.changes(&base, Reach::Worktree).files;
    assert_eq!((&*files[0].path, files[0].from.as_deref()), ("ne w\u{fc}\nname", Some("ol\td\n\"name")));
    assert_eq!(files[1].added, [Lines { first: 1, count: 1 }]);
}

#[test]
fn what_a_repository_configures_neither_runs_nor_changes_the_answer() {
    let sandbox = Sandbox::new();
    let body = numbered(30).concat();
    sandbox.write("sub/a.py", &body);
    sandbox.write("b.py", &body);
    sandbox.write(".gitattributes", "*.py diff=evil\n");
    let base = sandbox.commit();
    sandbox.write("sub/a.py", body.replace("10\n", "ten\n").replace("14\n", "fourteen\n"));
    sandbox.write("b.py", body.replace("line 20\n", ""));
    sandbox.write("c.py", "c\n");
    let plain = sandbox.changes(&base, Reach::Worktree);
    let (script, mark) = (sandbox.outside().join("evil.sh"), sandbox.outside().join("mark"));
    fs::write(&script, format!("#!/bin/sh\necho ran >> '{}'\nexit 1\n", mark.display())).expect("a script");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).expect("a mode");
    let hooks = sandbox.top().join(".git/hooks");
    fs::create_dir_all(&hooks).expect("a folder");
    fs::copy(&script, hooks.join("post-index-change")).expect("a hook");
    let script = script.to_str().expect("text");
    for (key, value) in [
        ("core.fsmonitor", script),
        ("core.pager", script),
        ("core.quotePath", "true"),
        ("diff.external", script),
        ("diff.evil.command", script),
        ("diff.evil.textconv", script),
        ("diff.evil.binary", "false"),
        ("diff.noprefix", "true"),
        ("diff.mnemonicPrefix", "true"),
        ("diff.relative", "true"),
        ("diff.interHunkContext", "10"),
        ("diff.context", "10"),
        ("diff.renames", "false"),
        ("diff.orderFile", nowhere!()),
        ("diff.submodule", "log"),
        ("diff.algorithm", "patience"),
        ("color.ui", "always"),
        ("color.diff", "always"),
    ] {
        sandbox.git(&["config", key, value]);
    }
    let _ = fs::remove_file(&mark);
    let inside = super::sandbox::found(&sandbox.top().join("sub"));
    assert_eq!(inside.changes_since(&base, Reach::Worktree), Ok(plain.clone()));
    assert!(!mark.exists(), "a program of the repository ran");
    assert_eq!(plain.files.len(), 3);
}

#[test]
fn asking_leaves_the_repository_as_it_is() {
    let sandbox = Sandbox::new();
    sandbox.write("a.py", "x\n");
    let base = sandbox.commit();
    // The same content with another time makes the index stale, which invites a refresh.
    sandbox.write("a.py", "x\n");
    sandbox.write("b.py", "x\n");
    let index = || fs::read(sandbox.top().join(".git/index")).expect("an index");
    let before = index();
    assert_eq!(sandbox.changes(&base, Reach::Worktree).files.len(), 1);
    assert_eq!(index(), before);
}
