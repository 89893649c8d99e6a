//! Where a lesson was learned: the files that its event names, and those of a pattern's last captures.

use learn::pattern::{Entry, FoldRule, Lesson, fold_lessons, normalise_path, parse_files};
use proptest::prelude::*;

use super::{RULE, lesson, numbered};

fn cited(citations: &[&str]) -> Vec<String> {
    let citations: Vec<String> = citations.iter().map(|&text| text.to_owned()).collect();
    parse_files(None, &citations)
}

/// A capture of the one lesson, at some files.
fn capture(files: &[&str]) -> Entry {
    Entry::Lesson(Lesson { files: files.iter().map(|&file| file.to_owned()).collect(), ..lesson("check the lock first") })
}

fn files(captures: Vec<Entry>) -> Vec<String> {
    fold_lessons(numbered(captures), RULE).find(1).expect("the pattern").files.clone()
}

#[test]
fn files_of_the_context_come_before_those_of_citations_and_each_once() {
    let context = r#"{"file": "./src/main.rs:12", "files": ["src/lib.rs", "src/main.rs", 7, null], "line": 3}"#;
    let citations = ["src/lib.rs:1".to_owned(), "src/new.rs:2".to_owned()];
    assert_eq!(parse_files(Some(context), &citations), ["src/main.rs", "src/lib.rs", "src/new.rs"]);
    assert_eq!(parse_files(Some(r#"{"file": "Makefile"}"#), &[]), ["Makefile"], "a context names files and nothing else");
    for odd in ["", "{", "[]", "7", r#"{"file": {"a": 1}, "files": "src/a.rs"}"#, r#"{"file": ["src/a.rs"]}"#] {
        assert_eq!(parse_files(Some(odd), &[]), [""; 0], "{odd}");
    }
}

#[test]
fn the_path_of_a_cited_place_is_what_stands_before_its_line() {
    assert_eq!(cited(&["src/a.rs:10"]), ["src/a.rs"]);
    assert_eq!(
        cited(&["src/a.rs:10:5", "b.rs:3-9", "app/[id]/(shop)/page.tsx:4"]),
        ["src/a.rs", "b.rs", "app/[id]/(shop)/page.tsx"]
    );
    assert_eq!(cited(&["see `src/a.rs:10`, and (lib/b.rs:2); or \"c.py\":7."]), ["src/a.rs", "lib/b.rs", "c.py"]);
    assert_eq!(
        cited(&["src/a.rs", "at 12:30", "localhost:8080", "http://localhost:80", "src/a.rs:", "src/a.rs:ten", ":3"]),
        [""; 0]
    );
}

#[test]
fn what_is_no_path_inside_of_a_repository_is_left_out() {
    for path in [
        "/etc/passwd",
        "\\\\host\\share",
        "C:\\a.rs",
        "~/a.rs",
        "./~/a.rs",
        ".//C:/a.rs",
        "./ /a.rs",
        "../a.rs",
        "a/../b.rs",
        "a\\..\\b.rs",
        "https://x.org/a.rs",
    ] {
        assert_eq!(normalise_path(path), None, "{path}");
    }
    for path in ["", " ", ".", "./", "a\u{7}.rs", "a\nb.rs", "a\u{202e}b.rs"] {
        assert_eq!(normalise_path(path), None, "{path:?}");
    }
    assert_eq!(normalise_path(&"a".repeat(1024)).map(|path| path.len()), Some(1024));
    assert_eq!(normalise_path(&"a".repeat(1025)), None);
    assert_eq!(normalise_path(" ./src//./a.rs ").as_deref(), Some("src/a.rs"));
    assert_eq!(normalise_path("src\\a.rs").as_deref(), Some("src/a.rs"));
    assert_eq!(normalise_path("..a/b..rs").as_deref(), Some("..a/b..rs"), "dots inside of names lead nowhere");
}

#[test]
fn a_pattern_has_the_files_of_its_last_ten_captures_in_their_order() {
    let named: Vec<String> = (0..12).map(|number| format!("src/{number}.rs")).collect();
    let captures = named.iter().map(|file| capture(&[file, "src/shared.rs"])).collect();
    let mut wanted = named[2..].to_vec();
    wanted.insert(1, "src/shared.rs".to_owned());
    assert_eq!(files(captures), wanted);
    // A capture that names no file is one of the ten.
    let mut captures = vec![capture(&["src/old.rs"])];
    captures.extend((0..9).map(|_| capture(&[])));
    assert_eq!(files(captures.clone()), ["src/old.rs"]);
    captures.push(capture(&[]));
    assert_eq!(files(captures), [""; 0]);
}

#[test]
fn a_pattern_and_a_lesson_have_twenty_files_at_most() {
    let many: Vec<String> = (0..30).map(|number| format!("src/{number}.rs:1")).collect();
    let of_lesson = parse_files(None, &many);
    assert_eq!((of_lesson.len(), &*of_lesson[19]), (20, "src/19.rs"));
    let captures = (0..4).map(|turn| (0..8).map(|number| format!("src/{turn}-{number}.rs")).collect::<Vec<_>>());
    let captures = captures.map(|files| Entry::Lesson(Lesson { files, ..lesson("check the lock first") })).collect();
    let of_pattern = files(captures);
    assert_eq!((of_pattern.len(), &*of_pattern[19]), (20, "src/2-3.rs"));
}

#[test]
fn a_capture_behind_the_horizon_says_nothing_of_files() {
    let entries = numbered([capture(&["src/a.rs"]), capture(&["src/b.rs"])]);
    let book = fold_lessons(entries, FoldRule { as_of_micros: 1, ..RULE });
    assert_eq!(book.find(1).expect("the pattern").files, ["src/a.rs"]);
}

proptest! {
    #[test]
    fn whatever_agents_write_files_stay_inside_of_their_repository(
        context in "[ -~\\PC]{0,40}", file in r"[./\\~:a-c0-9 -]{0,12}", citations in prop::collection::vec(r"[./\\~:a-c0-9 `-]{0,24}", 0..40)
    ) {
        let named = serde_json::json!({"file": file, "files": [context]}).to_string();
        for context in [&*context, &*named] {
            let files = parse_files(Some(context), &citations);
            prop_assert!(files.len() <= 20);
            for file in &files {
                prop_assert_eq!(normalise_path(file), Some(file.clone()), "one spelling");
                prop_assert!(!file.starts_with('/') && file.split('/').all(|part| !matches!(part, "" | "." | "..")), "{}", file);
            }
        }
    }
}
