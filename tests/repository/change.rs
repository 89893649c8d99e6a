use std::borrow::Cow;
use std::collections::BTreeSet;

use agent::iteration::change_lines;
use event::{Body, Event, Latest, Parser};
use learn::change::{ChangedFile, Changes, Lines, Reach, Status};
use serde_json::{Value, json};
use text::limit;

use super::sandbox::{Sandbox, turn};

fn parsed(line: &str) -> Event<'_> {
    Parser::new(Latest::from_clock(i64::MAX)).parse(line).unwrap_or_else(|fault| panic!("{fault}: {line}"))
}

fn value(line: &str) -> Value {
    serde_json::from_str(line).expect("JSON")
}

#[test]
fn a_change_event_says_which_files_and_lines() {
    let sandbox = Sandbox::new();
    sandbox.write("a.py", "1\n2\n3\n4\n");
    sandbox.write("old.py", "1\n2\n3\n");
    let base = sandbox.commit();
    sandbox.write("a.py", "1\nzwei\n4\nfive\n");
    sandbox.git(&["mv", "old.py", "new.py"]);
    let head = sandbox.commit();
    let changes = sandbox.changes(&base, Reach::Worktree);
    let lines = change_lines(&turn("r", 3), "project", &changes).expect("events");
    let [line] = &*lines else { panic!("{lines:?}") };
    let Body::Change(change) = parsed(line).body else { panic!("{line}") };
    assert_eq!((change.run_id.get(), change.iteration.expect("a number").get()), ("r", 3));
    assert_eq!((change.base.expect("a base").get(), change.head.expect("a head").get()), (&*base, &*head));
    assert_eq!(change.files.expect("files").iter().collect::<Vec<_>>(), ["a.py", "new.py"]);
    assert_eq!((change.added_lines.expect("a count").get(), change.removed_lines.expect("a count").get()), (2, 2));
    let details = json!([
        {"path": "a.py", "status": "modified", "added": [[2, 1], [4, 1]], "deleted_after": []},
        {"path": "new.py", "status": "renamed", "from": "old.py", "added": [], "deleted_after": []},
    ]);
    assert_eq!(value(line)["details"], details);
    assert_eq!(change_lines(&turn("r", 3), "project", &changes), Ok(lines.clone()));
}

#[test]
fn no_changes_are_one_event_without_files() {
    let sandbox = Sandbox::new();
    let base = sandbox.commit();
    let lines = change_lines(&turn("r", 1), "project", &sandbox.changes(&base, Reach::Worktree)).expect("events");
    let [line] = &*lines else { panic!("{lines:?}") };
    let Body::Change(change) = parsed(line).body else { panic!("{line}") };
    assert!(change.files.is_none());
    assert_eq!(change.added_lines.expect("a count").get(), 0);
}

#[test]
fn many_files_are_several_events_that_each_may_land() {
    let file = |number: u32| {
        let mut file = ChangedFile::new(format!("{}/{number}", "\"".repeat(900)), Status::Modified);
        file.added = (0..2000).map(|line| Lines { first: line * 2 + 1, count: 1 }).collect();
        file.added_lines = 2000;
        file
    };
    let small = (0..2500).map(|number| ChangedFile::new(format!("z{number:05}"), Status::Added));
    let files: Vec<_> = (0..200).map(file).chain(small).collect();
    let changes = Changes { base: "b".repeat(40), head: None, files };
    let lines = change_lines(&turn("r", 1), "project", &changes).expect("events");
    assert!(lines.len() > 3, "{}", lines.len());
    let (mut ids, mut paths, mut added_lines) = (BTreeSet::new(), Vec::new(), 0);
    for line in &lines {
        assert!(line.len() <= limit::LINE_BYTES);
        let event = parsed(line);
        ids.insert(event.id.to_string());
        let Body::Change(change) = event.body else { panic!("another kind") };
        let before = paths.len();
        paths.extend(change.files.expect("files").iter().map(Cow::into_owned));
        assert!(paths.len() - before <= limit::LIST_ITEMS);
        added_lines += change.added_lines.expect("a count").get();
    }
    assert_eq!(ids.len(), lines.len());
    assert_eq!(paths, changes.files.iter().map(|file| file.path.clone()).collect::<Vec<_>>());
    assert_eq!(added_lines, 200 * 2000);
    let first = &value(&lines[0])["details"][0];
    assert_eq!((first["added"].as_array().map(Vec::len), &first["cut"]), (Some(1000), &json!(true)));
}

#[test]
fn names_that_no_label_may_hold_are_neutralised() {
    let names = ["new\nline", "\u{202e}reversed", "\u{1b}[31mred", " ", "\n", &"long/".repeat(600)];
    let files = names.iter().map(|name| ChangedFile { from: Some((*name).to_owned()), ..ChangedFile::new(*name, Status::Renamed) });
    let changes = Changes { base: "b\n".to_owned(), head: None, files: files.collect() };
    let lines = change_lines(&turn("r", 1), "na\tme", &changes).expect("events");
    let Body::Change(change) = parsed(&lines[0]).body else { panic!("another kind") };
    let paths: Vec<String> = change.files.expect("files").iter().map(Cow::into_owned).collect();
    assert_eq!(paths[..4], ["new line", "reversed", "[31mred", "\u{fffd}"]);
    assert_eq!(change.repo.expect("a name").get(), "na me");
    assert!(!lines[0].contains("\\n") && !lines[0].contains('\u{202e}') && !lines[0].contains("\\u001b"));
}
