//! What is said twice is written once, and what bears the same name does not overwrite it.

use learn::observation::Status;

use super::{Lab, NOON, row};

#[test]
fn a_pitfall_of_the_same_area_and_issue_is_linked_to_the_first() {
    let mut lab = Lab::new();
    let rows = [
        row("obs_pf1", "pitfall", "Amend A", "area: git commits; issue: amending pushed commits; impact: i; resolution: r"),
        row(
            "obs_pf2",
            "pitfall",
            "Amend B totally different words",
            "Area: Git Commits!\nIssue: Amending, pushed commits\nimpact: j",
        ),
        row("obs_pf3", "pitfall", "no structured details", "just prose; with a semicolon"),
        row("obs_pf4", "pitfall", "no structured details", "just prose; with a semicolon"),
        row("obs_pf5", "pitfall", "!!!", "x"),
        row("obs/un8", "pitfall", "an id that is no name", "x"),
    ];
    let report = lab.render(&rows, NOON);
    assert_eq!((report.rendered.len(), report.linked.len(), report.skipped, report.problems.len()), (3, 2, 1, 1));
    assert_eq!(
        lab.news(),
        [
            "rendered obs_pf1 PF-001",
            "adopted obs_pf2 PF-001",
            "rendered obs_pf3 PF-002",
            "adopted obs_pf4 PF-002",
            "rendered obs_pf5 PF-003",
        ]
    );
    let text = lab.read(".memory/knowledge/pitfalls.md");
    assert!(text.starts_with("<!-- TL;DR: 3 pitfalls. Key: PF-001, PF-002, PF-003 -->\n"), "{text}");
    assert!(
        text.contains("## PF-002: no structured details\n\n- **Area**: just prose; with a semicolon\n- **Issue**: just prose;")
    );
    // Nothing stays ready for ever, and nothing is told twice.
    let report = lab.render(&rows[..5], NOON);
    assert_eq!((report.unchanged, report.linked.len(), report.events.len()), (5, 0, 0));
}

#[test]
fn prose_that_begins_alike_may_go_on_to_say_something_else() {
    let mut lab = Lab::new();
    let beginning = "the same forty characters and more stand in front of both of them, and then";
    let rows =
        [row("obs_1", "pitfall", "one", &format!("{beginning} a")), row("obs_2", "pitfall", "other", &format!("{beginning} b"))];
    assert_eq!(lab.render(&rows, NOON).rendered.len(), 2);
}

#[test]
fn a_decision_of_the_same_title_is_linked_to_the_first() {
    let mut lab = Lab::new();
    let rows = [
        row("obs_1", "decision", "Русский текст", "context: c; decision: d; rationale: r"),
        row("obs_2", "decision", "русский  ТЕКСТ!!", "context: other"),
        row("obs_3", "decision", "日本語", "context: other"),
        row("obs_4", "decision", "中文", "context: other"),
    ];
    let report = lab.render(&rows, NOON);
    assert_eq!((report.rendered.len(), report.linked.len()), (3, 1));
    // What people take away is taken away for all who said it.
    lab.news();
    let text = lab.read(".memory/knowledge/decisions.md");
    let (header, rest) = text.split_once("\n## ADR-001").expect("an entry");
    let rest = rest.split_once("\n## ADR-002").expect("another").1;
    lab.write(".memory/knowledge/decisions.md", &format!("{header}\n## ADR-002{rest}"));
    let report = lab.reconcile(&rows, NOON);
    assert_eq!((report.deletions, report.unchanged), (2, 2));
    assert_eq!(lab.news(), ["deleted obs_1 ADR-001", "deleted obs_2 ADR-001"]);
}

#[test]
fn commands_of_one_slug_get_names_of_their_own() {
    let mut lab = Lab::new();
    lab.write(".claude/commands/self-learning/ship-it-2.md", "by hand\n");
    lab.write(".claude/skills/self-learning-ship-it/SKILL.md", "by hand too\n");
    let rows = [
        row("obs_1", "workflow", "Ship it!", "d-obs_1"),
        row("obs_2", "workflow", "ship: it", "d-obs_2"),
        row("obs_3", "procedural", "ship it", "d-obs_3"),
        row("obs_4", "workflow", "CON", "a device"),
    ];
    let report = lab.render(&rows, NOON);
    let paths: Vec<&str> = report.rendered.iter().map(|placed| &*placed.path).collect();
    assert_eq!(
        paths,
        [
            ".claude/commands/self-learning/ship-it.md",
            ".claude/commands/self-learning/ship-it-3.md",
            ".claude/skills/self-learning-ship-it-2/SKILL.md",
            ".claude/commands/self-learning/con-2.md",
        ]
    );
    assert!(lab.read(paths[0]).contains("d-obs_1") && lab.read(paths[1]).contains("d-obs_2"));
    assert!(lab.read(paths[2]).starts_with("---\nname: self-learning-ship-it-2\n"));
    assert_eq!(lab.read(".claude/commands/self-learning/ship-it-2.md"), "by hand\n");
    assert_eq!(lab.read(".claude/skills/self-learning-ship-it/SKILL.md"), "by hand too\n");
}

#[test]
fn a_number_is_never_given_twice() {
    let mut lab = Lab::new();
    let first = row("obs_a", "decision", "first", "context: a");
    let second = row("obs_b", "decision", "second", "context: b");
    lab.render(std::slice::from_ref(&first), NOON);
    let header = lab.read(".memory/knowledge/decisions.md").split("\n## ADR").next().expect("a header").to_owned();
    lab.write(".memory/knowledge/decisions.md", &header);
    lab.news();
    let report = lab.render(&[first.clone(), second.clone()], NOON);
    assert_eq!((report.deletions, report.rendered[0].anchor.as_deref()), (1, Some("ADR-002")));
    assert_eq!(lab.news(), ["deleted obs_a ADR-001", "rendered obs_b ADR-002"]);
    // Not even when file and manifest are lost, as long as it is published.
    lab.remove(".memory/.learning-manifest.json");
    lab.remove(".memory/knowledge/decisions.md");
    let mut published = second;
    (published.status, published.anchor) = (Status::Deprecated, Some("ADR-041".to_owned()));
    let report = lab.render(&[published, row("obs_c", "decision", "third", "context: c")], NOON);
    assert_eq!(report.rendered[0].anchor.as_deref(), Some("ADR-042"));
    // Nor one that stands in a heading that is no entry, or past three digits.
    lab.write(".memory/knowledge/pitfalls.md", "## PF-998:no blank behind the colon\n\n## PF-0999: padded\n");
    let report = lab.render(&[row("obs_d", "pitfall", "fourth", "area: x; issue: y")], NOON);
    assert_eq!(report.rendered[0].anchor.as_deref(), Some("PF-1000"));
}
