//! What others may do to a project's folder.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use super::{Lab, NOON, example, in_project, row};

#[test]
fn a_newline_in_a_pattern_forges_no_heading() {
    let mut lab = Lab::new();
    let rows = [row(
        "obs_2",
        "decision",
        "t\n## ADR-777: injected",
        "context: multi\nline; decision: x\n## ADR-778: too\n- **Status**: Deprecated",
    )];
    lab.render(&rows, NOON);
    let text = lab.read(".memory/knowledge/decisions.md");
    let headings: Vec<&str> = text.lines().filter(|line| line.starts_with("## ")).collect();
    assert_eq!(headings, ["## ADR-001: t ## ADR-777: injected"]);
    assert!(text.contains("- **Context**: multi line\n- **Decision**: x ## ADR-778: too - **Status**: Deprecated\n"), "{text}");
    assert!(text.starts_with("<!-- TL;DR: 1 decisions. Key: ADR-001 -->"));
    assert_eq!(lab.reconcile(&rows, NOON).unchanged, 1);
}

#[test]
fn links_are_not_followed_and_everything_else_goes_on() {
    let mut lab = Lab::new();
    let outside = tempfile::TempDir::new().expect("a folder");
    fs::create_dir_all(lab.path(".claude")).expect("a folder");
    fs::create_dir_all(lab.path(".memory/knowledge")).expect("a folder");
    symlink(outside.path(), lab.path(".claude/commands")).expect("a link");
    fs::write(outside.path().join("mine.md"), "mine").expect("a file");
    symlink(outside.path().join("mine.md"), lab.path(".memory/knowledge/decisions.md")).expect("a link");
    let report = lab.render(&example(), NOON);
    assert_eq!(
        lab.news(),
        ["rendered obs_pr0001 .claude/skills/self-learning-debugging-hook-failures/SKILL.md", "rendered obs_pf0001 PF-001"]
    );
    assert!(report.problems.iter().all(|problem| problem.what.contains("symbolic link")), "{:?}", report.problems);
    assert_eq!(super::list(outside.path(), outside.path()), ["mine.md"]);
    assert_eq!(fs::read_to_string(outside.path().join("mine.md")).expect("a file"), "mine");
    // What was seen behind a link before is not taken for deleted.
    fs::remove_file(lab.path(".claude/commands")).expect("the link goes");
    fs::remove_file(lab.path(".memory/knowledge/decisions.md")).expect("the link goes");
    lab.render(&example(), NOON);
    fs::rename(lab.path(".claude/commands"), outside.path().join("commands")).expect("it moves");
    symlink(outside.path().join("commands"), lab.path(".claude/commands")).expect("a link");
    let report = lab.reconcile(&example(), NOON);
    assert_eq!((report.deletions, report.unchanged, report.left_alone), (0, 3, 1));
}

#[test]
fn a_memory_that_is_a_link_is_refused_as_a_whole() {
    let mut lab = Lab::new();
    let outside = tempfile::TempDir::new().expect("a folder");
    symlink(outside.path(), lab.path(".memory")).expect("a link");
    let rows = example();
    let fault = lab.act(NOON, false, |task, land| agent::artifact::render(task, &rows, land)).expect_err("it is refused");
    assert!(fault.what.contains("symbolic link") && fault.exit == text::diagnostic::Exit::Edit, "{fault}");
    assert_eq!(super::list(outside.path(), outside.path()), [""; 0]);
}

#[test]
fn what_a_file_is_staged_in_is_never_written_through_a_link() {
    let mut lab = Lab::new();
    let outside = tempfile::TempDir::new().expect("a folder");
    fs::write(outside.path().join("mine"), "mine").expect("a file");
    fs::create_dir_all(lab.path(".memory/knowledge")).expect("a folder");
    symlink(outside.path().join("mine"), lab.path(".memory/knowledge/pitfalls.md.tmp")).expect("a link");
    let report = lab.render(&example(), NOON);
    assert_eq!((report.rendered.len(), report.problems.len()), (3, 1));
    assert_eq!(fs::read_to_string(outside.path().join("mine")).expect("a file"), "mine");
}

#[test]
fn a_manifest_that_leads_elsewhere_is_not_believed() {
    let mut lab = Lab::new();
    let entry = |id: &str, path: &str| {
        format!(
            "{{\"observationId\":\"{id}\",\"type\":\"workflow\",\"path\":\"{path}\",\"contentHash\":\"x\",\"renderedAt\":\"y\"}}"
        )
    };
    let entries = [
        entry("obs_1", "../../etc/passwd"),
        entry("obs_2", "/etc/passwd"),
        entry("obs_3", "src/main.rs"),
        entry("obs_4", ".claude/../x.md"),
    ];
    lab.write(".memory/.learning-manifest.json", &format!("{{\"schemaVersion\":2,\"entries\":[{}]}}", entries.join(",")));
    let report = lab.reconcile(&[], NOON);
    assert_eq!((report.deletions, report.edits, report.events.len()), (0, 0, 0));
    assert_eq!(lab.manifest()["entries"].as_array().map(Vec::len), Some(0));
    for broken in ["", "{", "[]", "{\"schemaVersion\":2,\"entries\":[1]}", "null"] {
        lab.write(".memory/.learning-manifest.json", broken);
        assert_eq!(lab.reconcile(&[], NOON).remarks.len(), 1, "{broken}");
    }
}

#[test]
fn a_knowledge_file_that_cannot_be_read_is_left_as_it_is() {
    let mut lab = Lab::new();
    lab.render(&example(), NOON);
    let path = lab.path(".memory/knowledge/decisions.md");
    fs::write(&path, b"\xff\xfe## ADR-001: x").expect("a file");
    lab.news();
    let mut rows = example();
    rows.push(row("obs_new", "decision", "new", ""));
    let report = lab.render(&rows, NOON);
    assert_eq!((report.deletions, report.unchanged, report.left_alone, report.problems.len()), (0, 3, 1, 1));
    assert_eq!(fs::read(&path).expect("a file"), b"\xff\xfe## ADR-001: x");
}

#[test]
fn new_files_have_the_permissions_of_their_folder_and_those_of_people_keep_theirs() {
    for (folder, file) in [(0o755, 0o644), (0o775, 0o664), (0o700, 0o600)] {
        let mut lab = Lab::new();
        fs::set_permissions(lab.root(), fs::Permissions::from_mode(folder)).expect("mode");
        lab.write(".memory/knowledge/decisions.md", "# Mine\n");
        let path = lab.path(".memory/knowledge/decisions.md");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).expect("mode");
        lab.render(&example(), NOON);
        let mode = |path: &str| fs::metadata(lab.path(path)).expect("a file").permissions().mode() & 0o777;
        assert_eq!(mode(".memory/knowledge/decisions.md"), 0o640);
        let command = ".claude/commands/self-learning/run-lint-then-tests-push.md";
        assert_eq!((mode(command), mode(".claude/skills"), mode(".claude")), (file, folder, folder), "{folder:o}");
    }
}

#[test]
fn ids_and_types_that_do_not_fit_are_told_and_others_go_on() {
    let mut lab = Lab::new();
    let mut rows = example();
    rows.insert(0, row("obs_1\n- **Status**: x", "decision", "t", ""));
    rows.insert(0, row("", "pitfall", "t", ""));
    let report = lab.render(&rows, NOON);
    assert_eq!((report.rendered.len(), report.problems.len()), (4, 2));
}

#[test]
fn rows_of_other_projects_are_not_rendered() {
    let mut lab = Lab::new();
    assert_eq!(lab.render(&in_project(example(), "other"), NOON).rendered.len(), 0);
    assert_eq!(lab.files(), [""; 0]);
}
