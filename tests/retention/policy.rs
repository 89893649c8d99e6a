//! Retention files: what they may say, and that what they say wrongly prunes nothing.

use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use batch::retention::{Policy, load_policy, parse_policy};
use proptest::prelude::*;
use setting::RetentionSettings;
use text::diagnostic::{Diagnostic, Exit};

use super::Work;

fn base() -> Policy {
    RetentionSettings::default()
}

fn parsed(text: &str) -> Policy {
    parse_policy(text.as_bytes(), Path::new("retention.yaml"), base()).expect("a policy")
}

#[track_caller]
fn refused(text: &str) -> Diagnostic {
    let diagnostic = parse_policy(text.as_bytes(), Path::new("here/retention.yaml"), base()).expect_err(text);
    assert_eq!(diagnostic.exit, Exit::Edit, "{text}");
    assert_eq!(diagnostic.place.as_deref(), Some(Path::new("here/retention.yaml")), "{text}");
    assert!(diagnostic.remedy.contains("nothing was pruned"), "{text}: {}", diagnostic.remedy);
    diagnostic
}

#[test]
fn keys_that_are_given_take_the_place_of_the_settings() {
    let all = "max_runs: 1\nmax_sessions: 2\nmax_log_lines: 3\nmax_archive_age_days: 4\nlock_stale_hours: 5\nprotected_window_minutes: 6\n";
    let wanted = Policy {
        max_runs: 1,
        max_sessions: 2,
        max_log_lines: 3,
        max_archive_age_days: 4,
        lock_stale_hours: 5,
        protected_window_minutes: 6,
        ..base()
    };
    assert_eq!(parsed(all), wanted);
    assert_eq!(parsed("# ours\nmax_sessions: 7 # enough\n"), Policy { max_sessions: 7, ..base() });
    assert_eq!(parsed("{max_log_lines: 0}"), Policy { max_log_lines: 0, ..base() });
}

#[test]
fn an_empty_document_means_the_settings() {
    for text in ["", "\n\n", "# nothing\n", "---\n", "{}", "~\n", "null\n"] {
        assert_eq!(parsed(text), base(), "{text:?}");
    }
}

#[test]
fn what_is_no_whole_number_is_refused_by_its_key() {
    let values = [
        "",
        "null",
        "~",
        "-1",
        "-9223372036854775809",
        "1.5",
        "1e9",
        ".inf",
        "true",
        "ten",
        "'5'",
        "\"5\"",
        "$(touch x)",
        "`touch x`",
        "[1, 2]",
        "[]",
        "{a: 1}",
        "18446744073709551616",
        "99999999999999999999999999999999999999999999",
        "2026-01-01",
        "!!python/object/apply:os.system ['touch x']",
    ];
    for key in ["max_sessions", "max_runs", "max_log_lines", "max_archive_age_days", "lock_stale_hours", "protected_window_minutes"]
    {
        for value in values {
            let diagnostic = refused(&format!("{key}: {value}\n"));
            let said = format!("{diagnostic}");
            assert!(said.contains(key) || diagnostic.cause.is_some(), "{value}: {said}");
        }
    }
    assert!(refused("max_sessions: null\n").what.contains("`max_sessions` has no value"));
    assert!(refused("max_sessions: -1\n").what.contains("`max_sessions` is negative"));
    assert!(refused("lock_stale_hours: 4294967296\n").what.contains("`lock_stale_hours` is too large"));
}

#[test]
fn unknown_keys_and_other_documents_are_refused() {
    assert!(refused("max_session: 5\n").what.contains("`max_session` is not a key"));
    assert!(refused("max_session: 5\n").remedy.contains("max_sessions"));
    for text in [
        "5",
        "- max_sessions\n",
        "max_sessions",
        "max_sessions: 1\nmax_sessions: 2\n",
        "a: b: c",
        "\u{0}",
        "{",
        "max_runs: 1\n---\nmax_runs: 2\n",
    ] {
        refused(text);
    }
    let bytes = b"max_runs: \xff\n";
    assert_eq!(parse_policy(bytes, Path::new("x"), base()).expect_err("not text").exit, Exit::Edit);
}

#[test]
fn bombs_and_long_files_are_refused_at_once() {
    let mut bomb = String::from("a: &a [x,x,x,x,x,x,x,x,x]\n");
    for (name, before) in ('b'..='z').zip('a'..) {
        let aliases = format!("*{before},").repeat(9);
        writeln!(bomb, "{name}: &{name} [{aliases}]").expect("a string takes it");
    }
    refused(&bomb);
    refused("max_runs: &n 5\nmax_sessions: *n\n");
    refused(&"[".repeat(60_000));
    refused(&format!("max_runs: {}1{}\n", "[".repeat(1000), "]".repeat(1000)));
    refused(&format!("max_runs: 5 # {}\n", "x".repeat(70_000)));
    refused(&(0..20_000).map(|_| "a:\n").collect::<String>());
}

#[test]
fn the_file_of_the_folder_counts_unless_the_settings_name_another() {
    let work = Work::new();
    let mut settings = RetentionSettings::default();
    let load = |settings: &RetentionSettings, folder: &Path| load_policy(settings, Path::new(nowhere!()), folder);
    assert_eq!(load(&settings, work.path()).expect("no file"), base());
    fs::write(work.learnings().join("retention.yaml"), "max_sessions: 7\n").expect("a file");
    assert_eq!(load(&settings, work.path()).expect("its file").max_sessions, 7);
    assert_eq!(load(&settings, &work.learnings()).expect("its file").max_sessions, 7);
    let named = work.path().join("ours.yaml");
    settings.file = Some(named.clone());
    assert_eq!(load(&settings, work.path()).expect_err("it is missing").place, Some(named.clone()));
    fs::write(&named, "max_sessions: 8\n").expect("a file");
    assert_eq!(load(&settings, work.path()).expect("the named file").max_sessions, 8);
}

#[test]
fn a_link_is_no_retention_file() {
    let work = Work::new();
    symlink("/etc/hostname", work.learnings().join("retention.yaml")).expect("a link");
    load_policy(&RetentionSettings::default(), work.path(), work.path()).expect_err("a link");
}

#[test]
fn a_named_file_starts_at_the_workspace_and_a_missing_one_is_a_matter_of_the_setting() {
    let (work, root) = (Work::new(), tempfile::TempDir::new().expect("a folder"));
    let settings = RetentionSettings { file: Some("rules/ours.yaml".into()), ..RetentionSettings::default() };
    let missing = load_policy(&settings, root.path(), work.path()).expect_err("it is missing");
    assert_eq!((missing.exit, missing.place), (Exit::Edit, Some(root.path().join("rules/ours.yaml"))));
    assert!(missing.remedy.contains("correct the setting retention.file"), "{}", missing.remedy);
    assert!(missing.remedy.contains("nothing was pruned"), "{}", missing.remedy);
    fs::create_dir(root.path().join("rules")).expect("a folder");
    fs::write(root.path().join("rules/ours.yaml"), "max_sessions: 9\n").expect("a file");
    assert_eq!(load_policy(&settings, root.path(), work.path()).expect("the named file").max_sessions, 9);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// Whatever stands in the file, it is refused or it only changes what it names.
    #[test]
    fn no_text_makes_a_limit_smaller_unseen(text in "(max_runs|max_sessions|max_log_lines|x)?[:\\- ]{0,3}[0-9a-z~$(){}\\[\\]'\"&*!|>.\n-]{0,12}\n?") {
        if let Ok(policy) = parse_policy(text.as_bytes(), Path::new("x"), base()) {
            for (name, is, was) in [
                ("max_runs", policy.max_runs, base().max_runs),
                ("max_sessions", policy.max_sessions, base().max_sessions),
                ("max_log_lines", policy.max_log_lines, base().max_log_lines),
            ] {
                prop_assert!(is == was || text.contains(name) && text.chars().any(|letter| letter.is_ascii_digit()), "{text:?}");
            }
        }
    }
}
