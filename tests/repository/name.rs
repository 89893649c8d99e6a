//! How a repository is called, read from its files: as `git` itself would say.

use std::fs;
use std::path::Path;
use std::process::Command;

use agent::repository::{Repository, name_around, top_around};
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
fn the_configuration_is_read_as_git_reads_it() {
    let folder = TempDir::new().expect("a folder");
    git(folder.path(), &["init", "-q"]);
    for (config, wanted) in [
        ("[remote \"origin\"]\n\turl = https://example.com/acme/shop.git ; the old one\n", "shop"),
        ("[remote \"origin\"]\n\turl = https://example.com/acme/shop # mine\n", "shop"),
        ("[remote \"origin\"] url = https://example.com/acme/shop\n", "shop"),
        ("[remote \"origin\"]url=a/shop\n[remote \"other\"] url = a/other\n", "shop"),
        ("[remote \"origin\"]\n\turl = \"a/shop#1;2\" # mine\n", "shop#1;2"),
        ("[remote \"origin\"]\n\turl = a/\\\"sh\"op; \"x # mine\n", "\"shop; x"),
        ("[remote \"origin\"]\n\turl = a/long\\\n-name\n", "long-name"),
        ("[REMOTE \"origin\"] ; here\r\n\tURL = a/shop\r\n\tfetch = b\r\n", "shop"),
        ("[remote \"origin\"]\n\turl = a/shop\n[remote \"Origin\"]\n\turl = a/other\n", "shop"),
        ("[remote.origin]\n\turl = a/shop\n[remote \"a\\\"]b\"] url = a/other\n", "shop"),
        ("[remote \"origin\"]\n\tmirror\n\turl = a/first\n\t; url = a/none\n\turl = a/shop", "shop"),
    ] {
        fs::write(folder.path().join(".git/config"), format!("[core]\n\trepositoryformatversion = 0\n{config}")).expect("a file");
        assert_as_git_says(folder.path());
        assert_eq!(name_around(folder.path()).as_deref(), Some(wanted), "{config}");
    }
}

#[test]
fn outside_of_a_repository_it_is_called_as_its_folder() {
    let folder = TempDir::new().expect("a folder");
    let plain = folder.path().join("plain");
    fs::create_dir(&plain).expect("a folder");
    assert_eq!(name_around(&plain).as_deref(), Some("plain"));
    fs::write(plain.join(".git"), concat!("gitdir: ", nowhere!("/at/all"), "\n")).expect("a file");
    assert_eq!(name_around(&plain).as_deref(), Some("plain"));
    fs::write(plain.join(".git"), [0xff, 0xfe]).expect("a file");
    assert_eq!(name_around(&plain).as_deref(), Some("plain"));
}
