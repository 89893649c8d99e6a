//! One of each: what is written, byte for byte, and what is noticed of it afterwards.

use learn::observation::Status;

use super::{Lab, NOON, example, folded};

#[test]
fn each_type_becomes_its_artifact() {
    let mut lab = Lab::new();
    let report = lab.render(&example(), NOON);
    let places: Vec<String> = report.rendered.iter().map(agent::artifact::Placed::place).collect();
    assert_eq!(
        places,
        [
            ".claude/commands/self-learning/run-lint-then-tests-push.md",
            ".claude/skills/self-learning-debugging-hook-failures/SKILL.md",
            ".memory/knowledge/decisions.md#ADR-001",
            ".memory/knowledge/pitfalls.md#PF-001",
        ]
    );
    assert_eq!((report.skipped, report.problems.len()), (1, 0));
    assert_eq!(
        lab.files(),
        [
            ".claude/commands/self-learning/run-lint-then-tests-push.md",
            ".claude/skills/self-learning-debugging-hook-failures/SKILL.md",
            ".memory/.knowledge-usage.json",
            ".memory/.learning-manifest.json",
            ".memory/knowledge/decisions.md",
            ".memory/knowledge/pitfalls.md",
        ]
    );
    let golden = [
        (".claude/commands/self-learning/run-lint-then-tests-push.md", include_str!("golden/command.md")),
        (".claude/skills/self-learning-debugging-hook-failures/SKILL.md", include_str!("golden/skill.md")),
        (".memory/knowledge/decisions.md", include_str!("golden/decisions.md")),
        (".memory/knowledge/pitfalls.md", include_str!("golden/pitfalls.md")),
        (".memory/.learning-manifest.json", include_str!("golden/manifest.json")),
        (".memory/.knowledge-usage.json", include_str!("golden/usage.json")),
    ];
    for (path, wanted) in golden {
        assert_eq!(lab.read(path), wanted, "{path}");
    }
    assert_eq!(
        lab.news(),
        [
            "rendered obs_wf0001 .claude/commands/self-learning/run-lint-then-tests-push.md",
            "rendered obs_pr0001 .claude/skills/self-learning-debugging-hook-failures/SKILL.md",
            "rendered obs_de0001 ADR-001",
            "rendered obs_pf0001 PF-001",
        ]
    );
}

#[test]
fn what_nobody_touched_is_unchanged_from_the_first_look_on() {
    let mut lab = Lab::new();
    lab.render(&example(), NOON);
    let before: Vec<String> = lab.files().iter().map(|file| lab.read(file)).collect();
    for rows in [example(), folded(&example(), &lab.landed)] {
        lab.landed.clear();
        for report in [lab.reconcile(&rows, "2026-05-11T00:00:00Z"), lab.render(&rows, "2026-05-11T00:00:00Z")] {
            assert_eq!((report.deletions, report.edits, report.unchanged, report.healed), (0, 0, 4, 0));
            assert!(report.rendered.is_empty() && report.events.is_empty());
        }
    }
    assert_eq!(before, lab.files().iter().map(|file| lab.read(file)).collect::<Vec<_>>());
}

#[test]
fn line_ends_and_blanks_at_the_ends_of_lines_are_no_edits() {
    let mut lab = Lab::new();
    lab.render(&example(), NOON);
    for path in [".memory/knowledge/decisions.md", ".claude/commands/self-learning/run-lint-then-tests-push.md"] {
        lab.write(path, &(lab.read(path).replace('\n', "  \r\n") + "\r\n\r\n"));
    }
    let report = lab.reconcile(&example(), NOON);
    assert_eq!((report.edits, report.unchanged), (0, 4));
}

#[test]
fn an_edit_is_told_once_and_never_overwritten() {
    let mut lab = Lab::new();
    let rows = example();
    lab.render(&rows, NOON);
    lab.news();
    let command = ".claude/commands/self-learning/run-lint-then-tests-push.md";
    let edited = lab.read(command) + "4. tell the others\n";
    lab.write(command, &edited);
    let decisions = lab.read(".memory/knowledge/decisions.md").replace("fallible ops", "fallible operations");
    lab.write(".memory/knowledge/decisions.md", &decisions);
    let report = lab.render(&rows, "2026-05-11T00:00:00Z");
    assert_eq!((report.deletions, report.edits, report.unchanged, report.healed), (0, 2, 2, 0));
    assert_eq!(lab.news(), [format!("edited obs_wf0001 {command}"), "edited obs_de0001 ADR-001".to_owned()]);
    assert_eq!((lab.read(command), lab.read(".memory/knowledge/decisions.md")), (edited, decisions));
    let report = lab.reconcile(&rows, "2026-05-12T00:00:00Z");
    assert_eq!((report.edits, report.unchanged, report.events.len()), (0, 4, 0));
}

#[test]
fn what_people_take_away_is_told_once_and_does_not_come_back_by_itself() {
    let mut lab = Lab::new();
    let rows = example();
    lab.render(&rows, NOON);
    let published = folded(&rows, &lab.landed);
    lab.news();
    lab.remove(".claude/commands/self-learning/run-lint-then-tests-push.md");
    let decisions = lab.read(".memory/knowledge/decisions.md");
    lab.write(".memory/knowledge/decisions.md", decisions.split("\n## ADR-001").next().expect("a header"));
    lab.remove(".memory/knowledge/pitfalls.md");
    let report = lab.reconcile(&published, "2026-05-11T09:00:00.5Z");
    assert_eq!((report.deletions, report.edits, report.unchanged, report.healed), (3, 0, 1, 0));
    assert_eq!(
        lab.news(),
        [
            "deleted obs_wf0001 .claude/commands/self-learning/run-lint-then-tests-push.md",
            "deleted obs_de0001 ADR-001",
            "deleted obs_pf0001 PF-001",
        ]
    );
    assert!(lab.read(".memory/knowledge/decisions.md").starts_with("<!-- TL;DR: 0 decisions. Key: -->\n"));
    // Whether or not the cycle has heard of it: nothing is rendered again, and nothing is told again.
    for rows in [&rows, &published] {
        let report = lab.render(rows, "2026-05-12T00:00:00Z");
        assert_eq!((report.deletions, report.unchanged, report.rendered.len(), report.events.len()), (0, 1, 0, 0));
    }
}

#[test]
fn what_became_ready_again_after_its_deletion_is_rendered_under_a_number_of_its_own() {
    let mut lab = Lab::new();
    let mut rows = example();
    lab.render(&rows, NOON);
    let header = lab.read(".memory/knowledge/decisions.md").split("\n## ADR").next().expect("a header").to_owned();
    lab.write(".memory/knowledge/decisions.md", &header);
    lab.reconcile(&rows, "2026-05-11T00:00:00Z");
    rows[2].ready_at = Some("2026-06-01T00:00:00Z".to_owned());
    let report = lab.render(&rows, "2026-06-02T00:00:00Z");
    assert_eq!(report.rendered.iter().map(|placed| placed.anchor.as_deref()).collect::<Vec<_>>(), [Some("ADR-002")]);
    assert!(lab.read(".memory/knowledge/decisions.md").starts_with("<!-- TL;DR: 1 decisions. Key: ADR-002 -->\n"));
}

#[test]
fn what_people_take_out_of_use_says_so_in_its_entry_until_they_bring_it_back() {
    let mut lab = Lab::new();
    lab.render(&example(), NOON);
    let created = folded(&example(), &lab.landed);
    let mut retired = created.clone();
    for row in &mut retired[2..4] {
        (row.status, row.deprecated_at) = (Status::Deprecated, Some("2026-05-11T00:00:00Z".to_owned()));
    }
    lab.news();
    let rendered = lab.read(".memory/knowledge/decisions.md");
    let report = lab.render(&retired, "2026-05-12T00:00:00Z");
    assert_eq!((report.restated, report.unchanged, report.events.len()), (2, 4, 0));
    let wanted = rendered.replace("Accepted", "Deprecated").replace("1 decisions. Key: ADR-001", "0 decisions. Key:");
    assert_eq!(lab.read(".memory/knowledge/decisions.md"), wanted);
    assert!(lab.read(".memory/knowledge/pitfalls.md").contains("- **Status**: Deprecated\n"));
    assert_eq!(lab.render(&retired, "2026-05-13T00:00:00Z").restated, 0);
    // A run that was killed before the manifest leaves no edit behind.
    let manifest = lab.read(".memory/.learning-manifest.json");
    assert_eq!(lab.render(&created, "2026-05-14T00:00:00Z").restated, 2);
    assert_eq!(lab.read(".memory/knowledge/decisions.md"), rendered);
    lab.write(".memory/.learning-manifest.json", &manifest);
    let report = lab.reconcile(&created, "2026-05-15T00:00:00Z");
    assert_eq!((report.edits, report.unchanged), (0, 4));
    // What a person writes there themselves is theirs.
    lab.write(".memory/knowledge/decisions.md", &rendered.replace("Accepted", "Superseded by ADR-002"));
    assert_eq!(lab.render(&created, "2026-05-16T00:00:00Z").edits, 1);
    assert!(lab.read(".memory/knowledge/decisions.md").contains("Superseded by ADR-002"));
}

#[test]
fn what_people_brought_back_is_not_marked_before_the_cycle_has_heard_of_it() {
    let mut lab = Lab::new();
    let rows = example();
    lab.render(&rows, NOON);
    let text = lab.read(".memory/knowledge/pitfalls.md");
    lab.remove(".memory/knowledge/pitfalls.md");
    lab.reconcile(&rows, "2026-05-11T00:00:00Z");
    let published = folded(&rows, &lab.landed);
    lab.write(".memory/knowledge/pitfalls.md", &text);
    let report = lab.render(&published, "2026-05-12T00:00:00Z");
    assert_eq!((report.healed, report.restated), (1, 0));
    assert_eq!(lab.read(".memory/knowledge/pitfalls.md"), text);
}
