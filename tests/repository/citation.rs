//! The worked example of the original, and what is judged otherwise.

use std::path::Path;

use agent::iteration::{Claim, Summary, citation_lines};
use agent::repository::Repository;
use event::{Body, Latest, Parser};
use learn::change::{ChangedFile, Changes, Lines, Reach, Status};
use learn::citation::{ChangeIndex, Facts, Judgement, Place, judge, parse_citations};
use proptest::prelude::*;

use super::sandbox::{Sandbox, found, numbered, turn};

/// `src/a.py` changed in lines 10, 11 and 30, `src/del.py` without its lines 20 to 22, and `src/b.py` changed but not committed.
fn worked() -> (Sandbox, String) {
    let sandbox = Sandbox::new();
    for name in ["src/a.py", "src/b.py", "src/del.py", "src/same.py", "sub/keep"] {
        sandbox.write(name, numbered(40).concat());
    }
    let base = sandbox.commit();
    let mut changed = numbered(40);
    for line in [10, 11, 30] {
        changed[line - 1] = format!("changed {line}\n");
    }
    sandbox.write("src/a.py", changed.concat());
    let mut shorter = numbered(40);
    shorter.drain(19..22);
    sandbox.write("src/del.py", shorter.concat());
    sandbox.commit();
    sandbox.write("src/b.py", format!("changed\n{}", numbered(40)[1..].concat()));
    (sandbox, base)
}

/// What becomes of all that a text cites.
fn judged(repository: &Repository, base: &str, reach: Reach, text: &str) -> Vec<Option<Judgement>> {
    let changes = repository.changes_since(base, reach).expect("changes");
    let locate = |path: &str| repository.locate(path);
    let facts = Facts { roots: repository.roots(), prefix: repository.prefix().to_owned(), locate: &locate };
    let index = ChangeIndex::new(&changes);
    parse_citations(text).iter().map(|place| judge(place, &index, 5, &facts)).collect()
}

#[track_caller]
fn assert_judged(repository: &Repository, base: &str, reach: Reach, cases: &[(&str, bool, &str)]) {
    for (text, verified, reason) in cases {
        let wanted = Judgement { verified: *verified, reason: (*reason).to_owned() };
        assert_eq!(judged(repository, base, reach, text), [Some(wanted)], "{text}");
    }
}

const AS_THE_ORIGINAL: &[(&str, bool, &str)] = &[
    ("src/a.py:10", true, "line 10 was changed"),
    ("src/a.py:16", true, "line 16 is 5 lines from the nearest change; 5 are allowed"),
    ("src/a.py:17", false, "line 17 is 6 lines from the nearest change; 5 are allowed"),
    ("src/a.py:5", true, "line 5 is 5 lines from the nearest change; 5 are allowed"),
    ("src/a.py:4", false, "line 4 is 6 lines from the nearest change; 5 are allowed"),
    ("src/a.py:24", false, "line 24 is 6 lines from the nearest change; 5 are allowed"),
    ("src/a.py:0", false, "line 0 is 10 lines from the nearest change; 5 are allowed"),
    ("src/zzz.py:1", false, "the file does not exist"),
    ("src/same.py:10", false, "the file was not changed"),
];

#[test]
fn what_was_committed_is_judged_as_the_original_does() {
    let (sandbox, base) = worked();
    let repository = sandbox.repository();
    assert_judged(&repository, &base, Reach::Committed, AS_THE_ORIGINAL);
    assert_judged(&repository, &base, Reach::Committed, &[("src/b.py:1", false, "the file was not changed")]);
    let absolute = format!("{}/src/a.py:10", sandbox.top().display());
    assert_judged(&repository, &base, Reach::Committed, &[(&absolute, true, "line 10 was changed")]);
}

#[test]
fn what_the_original_misjudges_is_mended() {
    let (sandbox, base) = worked();
    let repository = sandbox.repository();
    assert_judged(&repository, &base, Reach::Worktree, AS_THE_ORIGINAL);
    let cases: &[(&str, bool, &str)] = &[
        ("src/b.py:1", true, "line 1 was changed"),
        ("src/del.py:20", true, "line 20 was changed"),
        ("src/del.py:25", true, "line 25 is 5 lines from the nearest change; 5 are allowed"),
        ("src/del.py:26", false, "line 26 is 6 lines from the nearest change; 5 are allowed"),
        ("src/del.py:14", true, "line 14 is 5 lines from the nearest change; 5 are allowed"),
        ("src/del.py:13", false, "line 13 is 6 lines from the nearest change; 5 are allowed"),
        ("./src/a.py:10", true, "line 10 was changed"),
        ("src//a.py:10", true, "line 10 was changed"),
        ("src/x/../a.py:10", true, "line 10 was changed"),
        ("../src/a.py:10", false, "the path is outside the repository"),
        ("/etc/passwd:1", false, "the path is outside the repository"),
        ("`src/a.py`:10", true, "line 10 was changed"),
    ];
    assert_judged(&repository, &base, Reach::Worktree, cases);
    for text in ["at 12:30", "12:30:45", "see http://localhost:8080/x", "https://example.org/src/a.py:10", "3/4:1"] {
        assert_eq!(judged(&repository, &base, Reach::Worktree, text), [], "{text}");
    }
    for text in ["localhost:8080", "2026-03-01T12:30", "note:5"] {
        assert_eq!(judged(&repository, &base, Reach::Worktree, text), [None], "{text}");
    }
}

#[test]
fn a_work_folder_inside_may_be_cited_from_or_from_the_top() {
    let (sandbox, base) = worked();
    let inside = found(&sandbox.top().join("sub"));
    assert_judged(&inside, &base, Reach::Committed, AS_THE_ORIGINAL);
    let inside = found(&sandbox.top().join("src"));
    let cases: &[(&str, bool, &str)] = &[
        ("a.py:10", true, "line 10 was changed"),
        ("./a.py:17", false, "line 17 is 6 lines from the nearest change; 5 are allowed"),
        ("../src/a.py:10", true, "line 10 was changed"),
        ("src/a.py:10", true, "line 10 was changed"),
        ("zzz.py:10", false, "the file does not exist"),
    ];
    assert_judged(&inside, &base, Reach::Committed, cases);
}

#[test]
fn a_linked_work_tree_is_judged_by_itself() {
    let (sandbox, base) = worked();
    let linked = sandbox.outside().join("linked");
    sandbox.git(&["worktree", "add", "-q", linked.to_str().expect("text"), "-b", "other"]);
    let repository = found(&linked.join("sub"));
    assert_judged(&repository, &base, Reach::Worktree, AS_THE_ORIGINAL);
    let absolute = |top: &Path| format!("{}/src/a.py:10", top.display());
    let cases: &[(&str, bool, &str)] = &[
        (&absolute(&linked), true, "line 10 was changed"),
        (&absolute(&sandbox.top()), false, "the path is outside the repository"),
        ("src/b.py:1", false, "the file was not changed"),
    ];
    assert_judged(&repository, &base, Reach::Worktree, cases);
}

#[test]
fn deleted_renamed_linked_and_single_word_files_are_known() {
    let (sandbox, _) = worked();
    sandbox.write("Makefile", "all:\n");
    sandbox.write("image", b"a\0b");
    sandbox.write("src/[id]/page.ts", "x\n");
    let base = sandbox.commit();
    sandbox.git(&["rm", "-q", "src/del.py"]);
    sandbox.git(&["mv", "src/same.py", "src/moved.py"]);
    sandbox.write("src/moved.py", format!("{}more\n", numbered(40).concat()));
    sandbox.git(&["mv", "src/a.py", "src/same_content.py"]);
    sandbox.write("Makefile", "all: x\n");
    sandbox.write("image", b"a\0c");
    sandbox.write("src/[id]/page.ts", "y\n");
    std::os::unix::fs::symlink("src", sandbox.top().join("alias")).expect("a link");
    let cases: &[(&str, bool, &str)] = &[
        ("src/del.py:3000", true, "the file was deleted"),
        ("src/same.py:40", true, "line 40 is 1 line from the nearest change; 5 are allowed"),
        ("src/moved.py:41", true, "line 41 was changed"),
        ("alias/moved.py:41", true, "line 41 was changed"),
        ("src/moved.py:1", false, "line 1 is 40 lines from the nearest change; 5 are allowed"),
        ("src/a.py:10", false, "the file was renamed, but no line of it was changed"),
        ("Makefile:1", true, "line 1 was changed"),
        ("image.:1 image:1", false, "the file is binary"),
        ("\"src/[id]/page.ts:1\"", true, "line 1 was changed"),
    ];
    for (text, verified, reason) in cases {
        let last = judged(&sandbox.repository(), &base, Reach::Worktree, text).pop().flatten();
        assert_eq!(last, Some(Judgement { verified: *verified, reason: (*reason).to_owned() }), "{text}");
    }
}

fn claim(trigger: &str, text: &str) -> Claim {
    Claim { trigger: Some(trigger.to_owned()), agent: Some("writer".to_owned()), places: parse_citations(text), ..Claim::default() }
}

#[test]
fn a_citation_event_says_who_cited_what_and_why_it_holds() {
    let (sandbox, base) = worked();
    let repository = sandbox.repository();
    let changes = sandbox.changes(&base, Reach::Worktree);
    let known = Claim {
        application_id: Some("a-1".to_owned()),
        pattern_id: Some("P-1".to_owned()),
        agent: Some("team/writer".to_owned()),
        ..claim("unused", "src/zzz.py:7 and src/a.py:10, src/a.py:10; localhost:80")
    };
    let claims = [known, claim("Use tabs", "src/a.py:10"), claim("Use tabs", "src/a.py:10")];
    let told = citation_lines(&turn("r", 2), &claims, &changes, 5, &repository).expect("events");
    assert_eq!(told.1, Summary { verified: 2, refuted: 1, passed_over: 1, undecided: 0, is_unchanged: false });
    let mut parser = Parser::new(Latest::from_clock(i64::MAX));
    let mut rows = Vec::new();
    for line in &told.0 {
        let event = parser.parse(line).expect("an event that may land");
        let Body::Citation(citation) = event.body else { panic!("{line}") };
        assert_eq!((citation.run_id.expect("a run").get(), citation.iteration.expect("a number").get()), ("r", 2));
        let agent = citation.agent.expect("an agent").get().to_owned();
        rows.push((
            agent,
            citation.path.expect("a path").get().to_owned(),
            citation.cited_line.expect("a line").get(),
            citation.verified.get(),
        ));
    }
    let row = |agent: &str, path: &str, line, verified| (agent.to_owned(), path.to_owned(), line, verified);
    assert_eq!(
        rows,
        [row("team_writer", "src/zzz.py", 7, false), row("team_writer", "src/a.py", 10, true), row("writer", "src/a.py", 10, true)]
    );
    assert_eq!(
        citation_lines(&turn("r", 2), &claims, &changes, 5, &repository).as_ref(),
        Ok(&told),
        "checking again says the same"
    );
    let ids = |lines: &[String]| {
        lines.iter().map(|line| line.split("\"id\":").nth(1).expect("an id")[..42].to_owned()).collect::<Vec<_>>()
    };
    let other = citation_lines(&turn("r", 3), &claims, &changes, 5, &repository).expect("events");
    assert!(ids(&told.0).iter().all(|id| !ids(&other.0).contains(id)), "another iteration has events of its own");
}

#[test]
fn without_changes_nothing_is_judged() {
    let (sandbox, _) = worked();
    let changes = sandbox.changes("HEAD", Reach::Committed);
    let told = citation_lines(&turn("r", 1), &[claim("p", "src/zzz.py:1")], &changes, 5, &sandbox.repository()).expect("events");
    assert_eq!(told, (Vec::new(), Summary { is_unchanged: true, ..Summary::default() }));
}

proptest! {
    #[test]
    fn a_line_holds_exactly_if_a_changed_one_is_near(
        added in proptest::collection::vec((1_u32..60, 1_u32..5), 0..5),
        deleted in proptest::collection::vec(0_u32..60, 0..4),
        line in 0_u32..80,
        tolerance in 0_u32..10,
    ) {
        let mut file = ChangedFile::new("a.py", Status::Modified);
        file.added = added.iter().map(|&(first, count)| Lines { first, count }).collect();
        file.deleted_after.clone_from(&deleted);
        let changed = added.iter().flat_map(|&(first, count)| first..first + count).chain(deleted.iter().flat_map(|&gap| [gap, gap + 1]));
        let is_near = changed.into_iter().any(|changed| changed.abs_diff(line) <= tolerance);
        let changes = Changes { files: vec![file], ..Changes::default() };
        let locate = |path: &str| Some(path.to_owned());
        let facts = Facts { roots: Vec::new(), prefix: String::new(), locate: &locate };
        let judgement = judge(&Place { path: "a.py".to_owned(), line }, &ChangeIndex::new(&changes), tolerance, &facts);
        prop_assert_eq!(judgement.map(|judgement| judgement.verified), Some(is_near));
    }

    #[test]
    fn every_place_stands_in_its_text(text in "[a-z/.:0-9 `\"'ü@h-]{0,60}") {
        for place in parse_citations(&text) {
            prop_assert!(text.contains(&place.path));
            prop_assert!(place.line == u32::MAX || text.contains(&place.line.to_string()));
            prop_assert!(!place.path.contains("://"));
        }
    }
}
