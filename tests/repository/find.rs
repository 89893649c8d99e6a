use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use agent::repository::{Repository, name_in_url};
use learn::change::Reach;
use tempfile::TempDir;
use text::diagnostic::Exit;

use super::sandbox::{Sandbox, found, git, is_alone};

#[test]
fn a_folder_inside_belongs_to_the_repository() {
    let sandbox = Sandbox::new();
    sandbox.write("deep/er/file", "x\n");
    let inside = found(&sandbox.top().join("deep/er"));
    assert_eq!((inside.top(), inside.prefix()), (&*sandbox.top(), "deep/er/"));
    assert_eq!((sandbox.repository().top(), sandbox.repository().prefix()), (&*sandbox.top(), ""));
}

#[test]
fn a_folder_without_a_repository_has_none() {
    let folder = TempDir::new().expect("a temporary folder");
    assert_eq!(Repository::find(folder.path()), Ok(None));
    assert!(Repository::find(&folder.path().join("absent")).is_err());
}

#[test]
fn a_repository_without_a_work_tree_is_refused_with_a_reason() {
    let folder = TempDir::new().expect("a temporary folder");
    git(folder.path(), &["init", "-q", "--bare", "bare.git"]);
    let error = Repository::find(&folder.path().join("bare.git")).expect_err("a refusal");
    assert!(error.what.contains("bare"), "{error}");
    let sandbox = Sandbox::new();
    let error = Repository::find(&sandbox.top().join(".git")).expect_err("a refusal");
    assert!(error.what.contains("inside a .git folder"), "{error}");
}

#[test]
fn a_damaged_repository_is_an_error_and_not_an_absent_one() {
    let sandbox = Sandbox::new();
    sandbox.write(".git/config", "[core\n");
    let error = Repository::find(&sandbox.top()).expect_err("an error");
    assert!(error.cause.expect("a cause").contains("config"));
    let folder = TempDir::new().expect("a temporary folder");
    fs::write(folder.path().join(".git"), concat!("gitdir: ", nowhere!(), "\n")).expect("a file");
    let error = Repository::find(folder.path()).expect_err("an error");
    assert!(error.cause.expect("a cause").contains(nowhere!()));
}

#[test]
fn the_head_is_the_commit_that_is_checked_out() {
    let sandbox = Sandbox::new();
    assert_eq!(sandbox.repository().head(), Ok(None));
    let first = sandbox.commit();
    assert_eq!(sandbox.repository().head(), Ok(Some(first.clone())));
    let error = Sandbox::new().repository().changes_since(&first, Reach::Worktree).expect_err("unknown there");
    assert!(error.what.contains("is not a commit"), "{error}");
}

#[test]
fn a_repository_is_called_as_its_origin_or_as_its_main_work_tree() {
    let sandbox = Sandbox::new();
    sandbox.commit();
    let linked = sandbox.outside().join("linked");
    sandbox.git(&["worktree", "add", "-q", linked.to_str().expect("text"), "-b", "other"]);
    assert_eq!(sandbox.repository().name().as_deref(), Ok("project"));
    assert_eq!(found(&linked).name().as_deref(), Ok("project"));
    assert_eq!(found(&linked).top(), linked);
    sandbox.git(&["remote", "add", "origin", "git@example.org:team/tool.git"]);
    assert_eq!(sandbox.repository().name().as_deref(), Ok("tool"));
    assert_eq!(found(&linked).name().as_deref(), Ok("tool"));
}

#[test]
fn an_address_ends_with_the_name() {
    for (url, name) in [
        ("https://example.org/team/tool.git", Some("tool")),
        ("https://example.org/team/tool", Some("tool")),
        ("https://example.org:8443/team/tool.git/", Some("tool")),
        ("ssh://git@example.org:22/team/tool.git", Some("tool")),
        ("git@example.org:team/tool.git", Some("tool")),
        ("example.org:tool.git", Some("tool")),
        ("/srv/mirrors/tool.git", Some("tool")),
        ("/srv/work/tool/.git", Some("tool")),
        ("../tool", Some("tool")),
        ("file:///srv/tool.git", Some("tool")),
        ("/srv/odd:name.git", Some("odd:name")),
        ("https://example.org", None),
        ("..", None),
        ("", None),
    ] {
        assert_eq!(name_in_url(url), name, "{url}");
    }
}

#[test]
fn a_link_to_the_work_tree_is_one_of_its_names() {
    let sandbox = Sandbox::new();
    sandbox.write("sub/a.py", "x\n");
    let link = sandbox.outside().join("link");
    symlink(sandbox.top(), &link).expect("a link");
    let roots = found(&link.join("sub")).roots();
    let has = |folder: &Path, prefix: &str| roots.iter().any(|root| Path::new(&root.folder) == folder && root.prefix == prefix);
    assert!(has(&sandbox.top(), "") && has(&link, "") && has(&link.join("sub"), "sub/"), "{roots:?}");
}

#[test]
fn a_file_is_located_through_links_and_never_outside() {
    let sandbox = Sandbox::new();
    sandbox.write("src/a.py", "x\n");
    symlink("src", sandbox.top().join("alias")).expect("a link");
    symlink("/etc", sandbox.top().join("out")).expect("a link");
    symlink("nowhere", sandbox.top().join("broken")).expect("a link");
    let repository = sandbox.repository();
    assert_eq!(repository.locate("alias/a.py").as_deref(), Some("src/a.py"));
    assert_eq!(repository.locate("out").as_deref(), Some("out"));
    assert_eq!(repository.locate("broken").as_deref(), Some("broken"));
    for path in ["src/b.py", "/etc/passwd", "../project/src/a.py", "src/../../project/src/a.py"] {
        assert_eq!(repository.locate(path), None, "{path}");
    }
}

#[test]
fn without_git_the_remedy_says_to_install_it() {
    let empty = TempDir::new().expect("a temporary folder");
    if is_alone("repository::find::without_git_the_remedy_says_to_install_it", &[("PATH", empty.path())]) {
        let error = Repository::find(empty.path()).expect_err("no git");
        assert_eq!((error.exit, &*error.what), (Exit::Edit, "the program `git` is not installed"));
        assert!(error.remedy.contains("install"), "{error}");
    }
}

#[test]
fn variables_of_another_repository_do_not_count() {
    let nowhere = Path::new(nowhere!());
    let variables =
        [("GIT_DIR", nowhere), ("GIT_WORK_TREE", nowhere), ("GIT_INDEX_FILE", nowhere), ("GIT_CONFIG_PARAMETERS", nowhere)];
    if is_alone("repository::find::variables_of_another_repository_do_not_count", &variables) {
        // The harness itself uses git, which would follow the variables: the repository is made by hand.
        let folder = TempDir::new().expect("a temporary folder");
        let inner = folder.path().join(".git");
        for part in ["objects", "refs/heads"] {
            fs::create_dir_all(inner.join(part)).expect("folders");
        }
        fs::write(inner.join("HEAD"), "ref: refs/heads/main\n").expect("a file");
        let top = folder.path().canonicalize().expect("a folder");
        assert_eq!(found(&top).top(), top);
    }
}
