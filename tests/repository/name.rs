//! How a repository is called, read from its files: as `git` itself would say.

use std::fs;
use std::path::Path;
use std::process::Command;

use outerloop::repository::{Repository, name_around, top_around};
use tempfile::TempDir;

fn git(folder: &Path, arguments: &[&str]) {
    let done = Command::new("git").current_dir(folder).args(["-c", "user.name=a", "-c", "user.email=a@b"]).args(arguments).output();
    let done = done.expect("git runs");
    assert!(done.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
}

#[track_caller]
fn assert_as_git_says(folder: &Path) {
    let own = Repository::find(folder).expect("git answers").expect("a repository").name().expect("a name");
    assert_eq!(name_around(folder).as_deref(), Some(&*own));
}

#[test]
fn it_is_called_as_git_says() {
    let folder = TempDir::new().expect("a folder");
    let shop = folder.path().join("the shop");
    fs::create_dir(&shop).expect("a folder");
    git(&shop, &["init", "-q"]);
    assert_as_git_says(&shop);
    assert_eq!(name_around(&shop).as_deref(), Some("the shop"));
    git(&shop, &["commit", "-q", "--allow-empty", "-m", "first"]);
    git(&shop, &["worktree", "add", "-q", "../elsewhere"]);
    assert_as_git_says(&folder.path().join("elsewhere"));
    for url in
        ["git@example.com:acme/web-shop.git", "https://example.com/acme/other.git/", "../local/path.git", "ssh://host:22/a/b"]
    {
        git(&shop, &["config", "remote.origin.url", url]);
        assert_as_git_says(&shop);
        assert_as_git_says(&folder.path().join("elsewhere"));
    }
    let inner = shop.join("a/b");
    fs::create_dir_all(&inner).expect("folders");
    assert_as_git_says(&inner);
    assert_eq!(top_around(&inner), Some(&*shop));
}

#[test]
fn outside_of_a_repository_it_is_called_as_its_folder() {
    let folder = TempDir::new().expect("a folder");
    let plain = folder.path().join("plain");
    fs::create_dir(&plain).expect("a folder");
    assert_eq!(name_around(&plain).as_deref(), Some("plain"));
    fs::write(plain.join(".git"), "gitdir: /nowhere/at/all\n").expect("a file");
    assert_eq!(name_around(&plain).as_deref(), Some("plain"));
    fs::write(plain.join(".git"), [0xff, 0xfe]).expect("a file");
    assert_eq!(name_around(&plain).as_deref(), Some("plain"));
}
