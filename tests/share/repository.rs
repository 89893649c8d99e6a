//! Sharing through a git repository.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use agent::share::{Place, pull, push};
use text::diagnostic::Exit;

use super::{Project, bare, git, local, pattern, recipient, summaries};

const DOCUMENT: &str = ".closedloop-ai/learnings/org-patterns.json";

/// Puts a program in the place of one of a repository's hooks.
fn hook(repository: &Path, name: &str, script: &str) {
    let path = repository.join("hooks").join(name);
    fs::create_dir_all(repository.join("hooks")).expect("a folder");
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).expect("written");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("mode");
}

/// A working clone with something in it, pushed.
fn started(folder: &Path, repository: &Path) {
    git(folder, &["clone", "--quiet", repository.to_str().expect("text"), "work"]);
    fs::write(folder.join("work/README.md"), "hello\n").expect("written");
    git(&folder.join("work"), &["add", "."]);
    git(&folder.join("work"), &["commit", "--quiet", "-m", "start"]);
    git(&folder.join("work"), &["push", "--quiet", "origin", "HEAD:main"]);
}

#[test]
fn an_empty_repository_is_begun_and_a_second_push_makes_no_commit() {
    let (_folder, path, place) = bare();
    let (web, api) = (Project::new("web"), Project::new("api"));
    assert_eq!(web.pull(&place).lines.len(), 0);
    assert_eq!(web.push(&place, 1, &[pattern("P-001", "One")]).added, 1);
    let tip = git(&path, &["rev-parse", "main"]);
    assert_eq!(web.push(&place, 2, &[pattern("P-001", "One")]).unchanged, 1);
    assert_eq!(git(&path, &["rev-parse", "main"]), tip);
    assert_eq!(git(&path, &["log", "--format=%s", "main"]), "patterns of web: 1 added, 0 updated");
    assert_eq!(summaries(&api.pull(&place)), ["One"]);
    assert_eq!(web.pull(&place).echoes, 1);
}

#[test]
fn other_files_and_the_branch_of_the_repository_stay() {
    let folder = tempfile::TempDir::new().expect("a folder");
    git(folder.path(), &["init", "--quiet", "--bare", "--initial-branch=trunk", "shared.git"]);
    let path = folder.path().join("shared.git");
    let place = Place::parse(path.to_str().expect("text")).expect("a place");
    Project::new("web").push(&place, 1, &[pattern("P-001", "One")]);
    git(folder.path(), &["clone", "--quiet", "shared.git", "work"]);
    fs::write(folder.path().join("work/README.md"), "hello\n").expect("written");
    git(&folder.path().join("work"), &["add", "."]);
    git(&folder.path().join("work"), &["commit", "--quiet", "-m", "more"]);
    git(&folder.path().join("work"), &["push", "--quiet", "origin", "HEAD"]);
    Project::new("api").push(&place, 2, &[pattern("P-001", "Two")]);
    assert_eq!(git(&path, &["show", "trunk:README.md"]), "hello");
    assert_eq!(git(&path, &["rev-list", "--count", "trunk"]), "3");
    assert!(git(&path, &["show", &format!("trunk:{DOCUMENT}")]).contains("\"Two\""));
}

#[test]
fn two_that_push_at_the_same_time_lose_nothing_and_the_history_is_a_line() {
    const ROUNDS: i64 = 10;
    let (_folder, path, place) = bare();
    let attempts: u32 = std::thread::scope(|scope| {
        let pushers = ["web", "api"].map(|name| {
            let place = &place;
            scope.spawn(move || {
                let project = Project::new(name);
                let mut patterns = Vec::new();
                (1..=ROUNDS)
                    .map(|round| {
                        patterns.push(pattern(&format!("P-{round:03}"), &format!("{name} {round}")));
                        project.push(place, round, &patterns).attempts
                    })
                    .sum::<u32>()
            })
        });
        pushers.into_iter().map(|pusher| pusher.join().expect("it ends")).sum()
    });
    assert!(attempts >= 20);
    let mut found = summaries(&Project::new("reader").pull(&place));
    found.sort();
    let mut expected: Vec<String> = (1..=ROUNDS).flat_map(|round| [format!("api {round}"), format!("web {round}")]).collect();
    expected.sort();
    assert_eq!(found, expected);
    assert_eq!(git(&path, &["rev-list", "--merges", "--count", "main"]), "0");
    assert_eq!(git(&path, &["rev-list", "--count", "main"]), "20");
    git(&path, &["fsck", "--strict"]);
}

#[test]
fn a_push_that_comes_second_is_done_again_on_top_of_the_first() {
    let (_folder, path, place) = bare();
    let (web, api) = (Project::new("web"), Project::new("api"));
    // What `api` pushes waits on another branch until `web` is in the middle of its own push.
    web.push(&place, 1, &[pattern("P-001", "One")]);
    let tip = git(&path, &["rev-parse", "main"]);
    api.push(&place, 2, &[pattern("P-001", "Two")]);
    let faster = git(&path, &["rev-parse", "main"]);
    git(&path, &["update-ref", "refs/heads/main", &tip]);
    git(&path, &["update-ref", "refs/heads/waiting", &faster]);
    let script = format!("env -i PATH=\"$PATH\" git --git-dir='{}' update-ref refs/heads/main {faster}", path.display());
    hook(&path, "pre-receive", &format!("cat >/dev/null\n{script}\nrm \"$0\""));
    let pushed = web.push(&place, 3, &[pattern("P-001", "One"), pattern("P-002", "Three")]);
    assert_eq!((pushed.attempts, pushed.added), (2, 1));
    let mut found = summaries(&Project::new("reader").pull(&place));
    found.sort();
    assert_eq!(found, ["One", "Three", "Two"]);
    assert_eq!(git(&path, &["rev-list", "--count", "main"]), "3");
}

#[test]
fn a_push_that_the_repository_refuses_is_not_tried_for_ever() {
    let (folder, path, place) = bare();
    let count = folder.path().join("count");
    hook(&path, "pre-receive", &format!("echo >> '{}'\necho 'not today' >&2\nexit 1", count.display()));
    let error = Project::new("web").try_push(&place, 1, &[pattern("P-001", "One")]).expect_err("refused");
    assert!(error.to_string().contains("not today"), "{error}");
    assert_eq!(fs::read_to_string(count).expect("a count").lines().count(), 1);
}

#[test]
fn a_link_in_the_place_of_a_shared_file_is_refused() {
    let (folder, path, place) = bare();
    started(folder.path(), &path);
    let work = folder.path().join("work");
    fs::create_dir_all(work.join(".closedloop-ai/learnings")).expect("folders");
    symlink("/etc/passwd", work.join(DOCUMENT)).expect("a link");
    git(&work, &["add", "."]);
    git(&work, &["commit", "--quiet", "-m", "link"]);
    git(&work, &["push", "--quiet", "origin", "HEAD"]);
    let web = Project::new("web");
    assert_eq!(web.try_push(&place, 1, &[pattern("P-001", "One")]).expect_err("refused").exit, Exit::Edit);
    assert!(pull(&web.workspace, &place, None, &recipient("web")).is_err());

    // A link in the place of the folder leads nowhere either.
    git(&work, &["rm", "--quiet", "-r", "."]);
    let outside = folder.path().join("outside");
    fs::create_dir_all(&outside).expect("a folder");
    symlink(&outside, work.join(".closedloop-ai")).expect("a link");
    git(&work, &["add", "."]);
    git(&work, &["commit", "--quiet", "-m", "link"]);
    git(&work, &["push", "--quiet", "origin", "HEAD"]);
    let _ = web.try_push(&place, 2, &[pattern("P-001", "One")]);
    assert_eq!(fs::read_dir(&outside).expect("the folder").count(), 0);
}

#[test]
fn a_clone_that_a_killed_git_left_behind_is_made_again() {
    let (_folder, _path, place) = bare();
    let web = Project::new("web");
    web.push(&place, 1, &[pattern("P-001", "One")]);
    let clones = web.workspace.root().join("share/clones");
    let clone = fs::read_dir(&clones).expect("clones").map(|entry| entry.expect("an entry").path()).find(|path| path.is_dir());
    let clone = clone.expect("a clone");
    fs::write(clone.with_extension("busy"), "").expect("written");
    fs::write(clone.join("shallow.lock"), "").expect("written");
    fs::write(clone.join("HEAD"), "nonsense").expect("written");
    assert_eq!(web.push(&place, 2, &[pattern("P-001", "One"), pattern("P-002", "Two")]).added, 1);
    assert!(!clone.with_extension("busy").exists());
}

#[test]
fn a_branch_can_be_named_and_must_be_there_to_pull_from() {
    let (folder, path, place) = bare();
    started(folder.path(), &path);
    let web = Project::new("web");
    let missing = pull(&web.workspace, &place, Some("lessons"), &recipient("api")).expect_err("missing");
    assert_eq!(missing.exit, Exit::Edit);
    push(&web.workspace, &place, Some("lessons"), &local("web", 1, &[pattern("P-001", "One")])).expect("pushed");
    assert_eq!(git(&path, &["ls-tree", "-r", "--name-only", "main"]), "README.md");
    let pulled = pull(&web.workspace, &place, Some("lessons"), &recipient("api")).expect("pulled");
    assert_eq!(summaries(&pulled), ["One"]);
    for odd in ["-x", "a..b", "a b", "", "../x", "a\nb"] {
        let error = push(&web.workspace, &place, Some(odd), &local("web", 1, &[])).expect_err("refused");
        assert_eq!(error.exit, Exit::Edit, "{odd}");
    }
}

#[test]
fn an_address_is_a_repository_and_a_path_is_what_it_is() {
    let (folder, path, place) = bare();
    started(folder.path(), &path);
    let work = folder.path().join("work");
    fs::create_dir(work.join("inside")).expect("a folder");
    let parse = |text: &str| Place::parse(text).expect("a place");
    let text = |path: &Path| path.canonicalize().expect("a path").to_str().expect("text").to_owned();
    assert_eq!(place, Place::Repository(text(&path)));
    assert_eq!(parse(&text(&work)), Place::Repository(text(&work)));
    assert_eq!(parse(&text(&work.join("inside"))), Place::Folder(text(&work.join("inside")).into()));
    for address in ["https://example.org/a.git", "git@example.org:a/b.git", "host:path", "ssh://example.org/x", "ext::sh -c x"] {
        assert_eq!(parse(address), Place::Repository(address.to_owned()));
    }
    assert!(matches!(parse(nowhere!("/at:all")), Place::Folder(_)));
    for odd in ["", " ", "-x", "--upload-pack=x", "a\nb"] {
        assert_eq!(Place::parse(odd).expect_err("refused").exit, Exit::Edit);
    }
    assert_eq!(parse("https://ann@example.org:8080/a:b@c.git").describe(), "https://example.org:8080/a:b@c.git");
}

#[test]
fn an_address_cannot_run_programs() {
    let web = Project::new("web");
    let mark = web.workspace.root().with_file_name("mark");
    let place = Place::parse(&format!("ext::sh -c touch% {}", mark.display())).expect("a place");
    web.try_push(&place, 1, &[pattern("P-001", "One")]).expect_err("refused");
    assert!(!mark.exists());
}

#[test]
fn an_address_with_a_password_is_refused_and_not_shown() {
    let token = format!("ghp_{}", "a1B2".repeat(9));
    for user in ["ann:hunter2", "ann:hunter2@home", ":hunter2", &token] {
        for scheme in ["https", "file", "ssh"] {
            let error = Place::parse(&format!("{scheme}://{user}@localhost/nowhere/at-all.git")).expect_err("refused");
            assert_eq!(error.exit, Exit::Edit);
            assert!(error.remedy.contains("credential helper") && error.remedy.contains("ssh"), "{error}");
            assert!(!error.to_string().contains("hunter2") && !error.to_string().contains(&token), "{error}");
        }
    }
}

#[test]
fn a_checked_out_branch_is_refused_with_a_way_out() {
    let (folder, path, _) = bare();
    started(folder.path(), &path);
    let place = Place::parse(folder.path().join("work").to_str().expect("text")).expect("a place");
    let error = Project::new("web").try_push(&place, 1, &[pattern("P-001", "One")]).expect_err("refused");
    assert!(error.exit == Exit::Edit && error.remedy.contains("bare repository"), "{error}");
}
