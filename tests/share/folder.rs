//! Sharing through a plain folder.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::Path;

use agent::share::{Local, Place, push};
use text::diagnostic::Exit;

use super::{Project, files, folder, local, pattern, summaries};

#[test]
fn a_second_push_touches_neither_file() {
    let (shared, place) = folder();
    let web = Project::new("web");
    assert_eq!(web.push(&place, 1, &[pattern("P-001", "One")]).added, 1);
    let before = files(shared.path());
    let inodes = || ["org-patterns.json", "sources.json"].map(|name| fs::metadata(shared.path().join(name)).expect("a file").ino());
    let (first, pushed) = (inodes(), web.push(&place, 2, &[pattern("P-001", "One")]));
    assert_eq!((pushed.unchanged, pushed.attempts), (1, 1));
    assert_eq!((files(shared.path()), inodes()), (before, first));
}

#[test]
fn two_projects_learn_from_each_other_and_not_from_themselves() {
    let (_shared, place) = folder();
    let (web, api) = (Project::new("web"), Project::new("api"));
    web.push(&place, 1, &[pattern("P-001", "Of web")]);
    let pushed = api.push(&place, 2, &[pattern("P-001", "Of api")]);
    assert_eq!(pushed.renumbered, [("P-001".to_owned(), "P-002".to_owned())]);
    for (project, expected) in [(&web, "Of api"), (&api, "Of web")] {
        let pulled = project.pull(&place);
        assert_eq!((pulled.echoes, summaries(&pulled)), (1, vec![expected.to_owned()]));
        assert_eq!(project.pull(&place).lines, pulled.lines);
    }
}

#[test]
fn a_writer_that_dies_between_the_files_leaves_readers_what_was_there() {
    let (shared, place) = folder();
    let (web, api, other) = (Project::new("web"), Project::new("api"), Project::new("other"));
    web.push(&place, 1, &[pattern("P-001", "One")]);
    let document = shared.path().join("org-patterns.json");
    let earlier = fs::read(&document).expect("the document");
    let expected = other.pull(&place).lines;

    // One entry was changed and one added; the document did not make it.
    let later = [pattern("P-001", "One, reworded"), pattern("P-002", "Two")];
    web.push(&place, 2, &later);
    fs::write(&document, &earlier).expect("written");
    fs::write(shared.path().join("org-patterns.json.tmp"), "{\"half").expect("written");
    let pulled = other.pull(&place);
    assert_eq!((pulled.refused.len(), &pulled.lines), (0, &expected));

    // Somebody else may come before the writer does, and must not get the number that was about to appear.
    assert_eq!(api.push(&place, 3, &[pattern("P-002", "Third")]).renumbered, [("P-002".to_owned(), "P-003".to_owned())]);
    let pushed = web.push(&place, 4, &later);
    assert_eq!((pushed.updated, pushed.added, pushed.renumbered.len()), (1, 1, 0));
    let pulled = other.pull(&place);
    assert_eq!((pulled.refused.len(), summaries(&pulled)), (0, ["One, reworded", "Third", "Two"].map(str::to_owned).to_vec()));
}

#[test]
fn an_unsigned_entry_survives_a_writer_that_dies_as_well() {
    let (shared, place) = folder();
    let document = shared.path().join("org-patterns.json");
    let original = r#"{"patterns":[{"id":"P-001","category":"pattern","summary":"Old","seen_count":3}]}"#;
    fs::write(&document, original).expect("written");
    let (web, other) = (Project::new("web"), Project::new("other"));
    let expected = other.pull_unsigned(&place).lines;
    assert_eq!(expected.len(), 1);
    web.push(&place, 1, &[pattern("P-009", "old")]);
    fs::write(&document, original).expect("written");
    assert_eq!(other.pull_unsigned(&place).lines, expected);
    assert_eq!(web.push(&place, 2, &[pattern("P-009", "old")]).updated, 1);
}

#[test]
fn many_writers_at_once_lose_nothing() {
    const WRITERS: [&str; 4] = ["a", "b", "c", "d"];
    let (_shared, place) = folder();
    std::thread::scope(|scope| {
        for name in WRITERS {
            let place = &place;
            scope.spawn(move || {
                let project = Project::new(name);
                let mut patterns = Vec::new();
                for round in 1..=8 {
                    patterns.push(pattern(&format!("P-{round:03}"), &format!("{name} {round}")));
                    project.push(place, round, &patterns);
                }
            });
        }
    });
    let pulled = Project::new("reader").pull(&place);
    assert_eq!((pulled.lines.len(), pulled.refused.len()), (WRITERS.len() * 8, 0));
}

#[test]
fn another_organisation_is_refused_and_nothing_is_written() {
    let (shared, place) = folder();
    let web = Project::new("web");
    web.push(&place, 1, &[pattern("P-001", "One")]);
    let before = files(shared.path());
    let patterns = [pattern("P-002", "Two")];
    let error = push(&web.workspace, &place, None, &Local { org_id: "evil", ..local("web", 2, &patterns) }).expect_err("refused");
    assert_eq!(error.exit, Exit::Edit);
    assert!(error.what.contains("`acme`"), "{error}");
    assert_eq!(files(shared.path()), before);
    let recipient = agent::share::Recipient { org_id: "evil", ..super::recipient("api") };
    assert_eq!(agent::share::pull(&web.workspace, &place, None, &recipient).expect_err("refused").exit, Exit::Edit);
    fs::write(shared.path().join("org-patterns.json"), r#"{"org_id":5,"patterns":[]}"#).expect("written");
    assert!(web.try_push(&place, 3, &[]).is_err());
    for org_id in ["", " ", "two\nlines"] {
        assert_eq!(
            push(&web.workspace, &place, None, &Local { org_id, ..local("web", 2, &[]) }).expect_err("refused").exit,
            Exit::Edit
        );
    }
}

#[test]
fn links_in_the_place_of_shared_files_are_refused() {
    for name in ["org-patterns.json", "sources.json", ".lock", "org-patterns.json.tmp"] {
        let (shared, place) = folder();
        let outside = shared.path().join("outside");
        fs::write(&outside, "{}").expect("written");
        symlink(&outside, shared.path().join(name)).expect("a link");
        let web = Project::new("web");
        assert!(web.try_push(&place, 1, &[pattern("P-001", "One")]).is_err(), "{name}");
        assert_eq!(fs::read_to_string(&outside).expect("outside"), "{}", "{name}");
    }
}

#[test]
fn the_files_are_for_everybody_whom_the_folder_is_for() {
    let (shared, place) = folder();
    for (folder_mode, file_mode) in [(0o770, 0o660), (0o700, 0o600), (0o775, 0o664)] {
        fs::set_permissions(shared.path(), fs::Permissions::from_mode(folder_mode)).expect("mode");
        let _ = fs::remove_file(shared.path().join(".lock"));
        Project::new("web").push(&place, i64::from(folder_mode), &[pattern("P-001", &format!("At {folder_mode}"))]);
        for name in ["org-patterns.json", "sources.json", ".lock"] {
            let mode = fs::metadata(shared.path().join(name)).expect("a file").permissions().mode() & 0o777;
            assert_eq!(mode, file_mode, "{name}");
        }
    }
}

#[test]
fn a_folder_that_is_not_there_is_made_by_a_push_and_missed_by_a_pull() {
    let (shared, _) = folder();
    let place = Place::parse(shared.path().join("deep/er").to_str().expect("text")).expect("a place");
    let web = Project::new("web");
    assert_eq!(agent::share::pull(&web.workspace, &place, None, &super::recipient("web")).expect_err("missing").exit, Exit::Edit);
    assert_eq!(web.push(&place, 1, &[pattern("P-001", "One")]).added, 1);
}

#[test]
fn a_folder_that_a_push_makes_is_as_open_as_the_mask_lets_it_be() {
    let (shared, _) = folder();
    let mode = |path: &Path| fs::metadata(path).expect("it is there").permissions().mode() & 0o777;
    let (plain, deep) = (shared.path().join("plain"), shared.path().join("deep"));
    fs::create_dir(&plain).expect("a folder");
    let place = Place::parse(deep.join("er").to_str().expect("text")).expect("a place");
    Project::new("web").push(&place, 1, &[pattern("P-001", "One")]);
    assert_eq!((mode(&deep), mode(&deep.join("er"))), (mode(&plain), mode(&plain)));
    for name in ["org-patterns.json", "sources.json", ".lock"] {
        assert_eq!(mode(&deep.join("er").join(name)), mode(&plain) & 0o666, "{name}");
    }
}

#[test]
fn a_relative_path_starts_at_the_folder_that_is_named_and_an_address_does_not() {
    let (shared, _) = folder();
    let whole = shared.path().canonicalize().expect("a path");
    fs::create_dir(whole.join("there")).expect("a folder");
    for name in ["there", "to-come"] {
        assert_eq!(Place::parse_from(name, &whole).expect("a place"), Place::Folder(whole.join(name)));
    }
    assert_eq!(Place::parse_from(nowhere!("/at-all"), &whole).expect("a place"), Place::Folder(nowhere!("/at-all").into()));
    for address in ["https://example.org/a.git", "host:path"] {
        assert_eq!(Place::parse_from(address, &whole).expect("a place"), Place::Repository(address.to_owned()));
    }
}
