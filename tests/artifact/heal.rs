//! What killed runs, lost files and moved folders leave behind, and what becomes of it.

use std::fs;

use learn::observation::ObservationScore;

use super::{Lab, NOON, example, folded, row};

/// A folder in which the decision was written and nothing else.
fn killed() -> (Lab, Vec<ObservationScore>) {
    let mut lab = Lab::new();
    let rows = vec![example()[2].clone()];
    lab.render(&rows, NOON);
    lab.remove(".memory/.learning-manifest.json");
    lab.remove(".memory/.knowledge-usage.json");
    lab.landed.clear();
    (lab, rows)
}

#[test]
fn an_entry_that_was_written_before_the_manifest_is_found_by_its_source() {
    let (mut lab, rows) = killed();
    let report = lab.reconcile(&rows, NOON);
    assert_eq!((report.deletions, report.edits, report.unchanged, report.healed), (0, 0, 0, 1));
    assert_eq!(lab.news(), ["adopted obs_de0001 ADR-001"]);
    assert_eq!(lab.manifest()["entries"][0]["anchorId"], "ADR-001");
    assert!(lab.read(".memory/.knowledge-usage.json").contains("\"ADR-001\""));
    let report = lab.render(&rows, NOON);
    assert_eq!((report.rendered.len(), report.unchanged), (0, 1));
    assert_eq!(lab.read(".memory/knowledge/decisions.md").matches("\n## ADR-").count(), 1);
}

#[test]
fn rendering_before_any_look_doubles_nothing() {
    let (mut lab, rows) = killed();
    let report = lab.render(&rows, NOON);
    assert_eq!((report.rendered.len(), report.healed), (0, 1));
    assert_eq!(lab.read(".memory/knowledge/decisions.md").matches("\n## ADR-").count(), 1);
}

#[test]
fn an_entry_of_people_is_left_alone_and_what_says_the_same_is_linked_to_it() {
    let (mut lab, rows) = killed();
    let text = lab.read(".memory/knowledge/decisions.md").replace("self-learning:obs_de0001", "/code-review");
    lab.write(".memory/knowledge/decisions.md", &text);
    let report = lab.reconcile(&rows, NOON);
    assert_eq!((report.healed, report.events.len()), (0, 0));
    let report = lab.render(&rows, NOON);
    assert_eq!((report.rendered.len(), report.linked.len()), (0, 1));
    assert_eq!(lab.news(), ["adopted obs_de0001 ADR-001"]);
    assert_eq!(lab.read(".memory/knowledge/decisions.md"), text);
}

#[test]
fn of_two_that_bear_one_title_the_source_tells_which_is_meant() {
    let (mut lab, mut rows) = killed();
    rows.insert(0, row("obs_de0009", "decision", "RESULT types over exceptions!", ""));
    let report = lab.reconcile(&rows, NOON);
    assert_eq!(report.healed, 1);
    assert_eq!(lab.news(), ["adopted obs_de0001 ADR-001"]);
    let report = lab.render(&rows, NOON);
    assert_eq!((report.rendered.len(), report.linked.len()), (0, 1));
    assert_eq!(lab.news(), ["adopted obs_de0009 ADR-001"]);
    let report = lab.render(&rows, NOON);
    assert_eq!((report.linked.len(), report.unchanged, report.events.len()), (0, 2, 0));
}

#[test]
fn a_source_that_nobody_knows_is_found_by_its_title() {
    let (mut lab, mut rows) = killed();
    rows[0].id = "obs_another".to_owned();
    let report = lab.reconcile(&rows, NOON);
    assert_eq!(report.healed, 1);
    assert_eq!(lab.news(), ["adopted obs_another ADR-001"]);
}

#[test]
fn a_lost_manifest_is_made_anew_and_a_later_deletion_is_noticed() {
    let (mut lab, rows) = killed();
    let mut published = rows;
    published[0].status = "created".to_owned();
    published[0].artifact_path = Some(".memory/knowledge/decisions.md".to_owned());
    published[0].anchor = Some("ADR-001".to_owned());
    let report = lab.reconcile(&published, NOON);
    assert_eq!((report.healed, report.deletions), (1, 0));
    let header = lab.read(".memory/knowledge/decisions.md").split("\n## ADR").next().expect("a header").to_owned();
    lab.write(".memory/knowledge/decisions.md", &header);
    let report = lab.reconcile(&published, NOON);
    assert_eq!((report.deletions, report.healed), (1, 0));
    assert_eq!(lab.news(), ["deleted obs_de0001 ADR-001"]);
}

#[test]
fn a_deletion_is_noticed_although_the_manifest_is_lost_as_long_as_the_file_is_there() {
    let (mut lab, mut published) = killed();
    published[0].status = "created".to_owned();
    published[0].artifact_path = Some(".memory/knowledge/decisions.md".to_owned());
    published[0].anchor = Some("ADR-001".to_owned());
    let header = lab.read(".memory/knowledge/decisions.md").split("\n## ADR").next().expect("a header").to_owned();
    lab.write(".memory/knowledge/decisions.md", &header);
    assert_eq!(lab.reconcile(&published, NOON).deletions, 1);
    assert_eq!(lab.reconcile(&published, NOON).deletions, 0);
    assert_eq!(lab.news(), ["deleted obs_de0001 ADR-001"]);
}

#[test]
fn a_folder_that_was_moved_changes_nothing() {
    let mut lab = Lab::new();
    lab.render(&example(), NOON);
    let published = folded(&example(), &lab.landed);
    let other = Lab::new();
    fs::remove_dir(other.root()).expect("an empty folder");
    fs::rename(lab.root(), other.root()).expect("it moves");
    let mut lab = other;
    let report = lab.reconcile(&published, NOON);
    assert_eq!((report.deletions, report.unchanged, report.events.len()), (0, 4, 0));
}

#[test]
fn what_is_not_checked_out_is_not_held_against_anything() {
    let mut lab = Lab::new();
    lab.render(&example(), NOON);
    let published = folded(&example(), &lab.landed);
    let mut fresh = Lab::new();
    let report = fresh.reconcile(&published, NOON);
    assert_eq!((report.deletions, report.left_alone, report.events.len()), (0, 4, 0));
    assert!(report.remarks[0].contains("not checked out"), "{:?}", report.remarks);
    assert_eq!(fresh.files(), [""; 0], "a folder that holds nothing of ours gets nothing");
    // Nor is it once something new is rendered there, and never under a number that was given away.
    let mut rows = published;
    rows.push(row("obs_de0002", "decision", "Another one", "context: c; decision: d; rationale: r"));
    let report = fresh.render(&rows, NOON);
    assert_eq!(report.rendered.iter().map(|placed| placed.anchor.as_deref()).collect::<Vec<_>>(), [Some("ADR-002")]);
    let report = fresh.reconcile(&rows, NOON);
    assert_eq!((report.deletions, report.left_alone, report.unchanged), (0, 4, 1));
}

#[test]
fn a_missing_claude_folder_says_nothing_about_entries() {
    let mut lab = Lab::new();
    lab.render(&example(), NOON);
    let published = folded(&example(), &lab.landed);
    lab.news();
    fs::remove_dir_all(lab.path(".claude")).expect("it goes");
    let report = lab.reconcile(&published, NOON);
    assert_eq!((report.deletions, report.unchanged, report.left_alone), (0, 2, 2));
}

#[test]
fn what_people_rename_or_renumber_is_found_again() {
    let mut lab = Lab::new();
    lab.render(&example(), NOON);
    lab.news();
    let command = lab.read(".claude/commands/self-learning/run-lint-then-tests-push.md");
    lab.remove(".claude/commands/self-learning/run-lint-then-tests-push.md");
    lab.write(".claude/commands/ship.md", &command);
    let decisions = lab.read(".memory/knowledge/decisions.md").replace("## ADR-001", "## ADR-017");
    lab.write(".memory/knowledge/decisions.md", &decisions);
    let report = lab.reconcile(&example(), NOON);
    assert_eq!((report.deletions, report.edits, report.unchanged, report.healed), (0, 0, 2, 2));
    assert_eq!(lab.news(), ["adopted obs_wf0001 .claude/commands/ship.md", "adopted obs_de0001 ADR-017"]);
    assert!(lab.read(".memory/knowledge/decisions.md").starts_with("<!-- TL;DR: 1 decisions. Key: ADR-017 -->"));
    let report = lab.reconcile(&example(), NOON);
    assert_eq!((report.unchanged, report.events.len()), (4, 0));
}

#[test]
fn what_people_bring_back_is_adopted_again() {
    let mut lab = Lab::new();
    lab.render(&example(), NOON);
    let command = ".claude/commands/self-learning/run-lint-then-tests-push.md";
    let text = lab.read(command);
    lab.remove(command);
    lab.reconcile(&example(), NOON);
    lab.news();
    lab.write(command, &text);
    let report = lab.reconcile(&example(), "2026-05-12T00:00:00Z");
    assert_eq!((report.healed, report.unchanged), (1, 3));
    assert_eq!(lab.news(), [format!("adopted obs_wf0001 {command}")]);
}

#[test]
fn a_dry_run_tells_and_changes_nothing() {
    let mut lab = Lab::new();
    let rows = example();
    let report = lab.act(NOON, true, |task, land| agent::artifact::render(task, &rows, land)).expect("it tells");
    assert_eq!((report.rendered.len(), report.events.len()), (4, 4));
    assert_eq!((lab.files(), lab.landed.len()), (Vec::new(), 0));
    lab.render(&rows, NOON);
    lab.remove(".memory/knowledge/pitfalls.md");
    let before = lab.files();
    let report = lab.act(NOON, true, |task, land| agent::artifact::reconcile(task, &rows, land)).expect("it tells");
    assert_eq!((report.deletions, lab.files()), (1, before));
}

#[test]
fn another_programs_manifest_is_made_anew_from_what_stands_there() {
    let (mut lab, rows) = killed();
    lab.write(
        ".memory/.learning-manifest.json",
        "{\"schemaVersion\":1,\"entries\":[{\"observationId\":\"obs_de0001\",\"type\":\"decision\",\"path\":\"/gone/decisions.md\",\
         \"contentHash\":\"9320286f\",\"renderedAt\":\"2026-05-10T12:00:00.000Z\",\"anchorId\":\"ADR-001\"}]}",
    );
    let report = lab.reconcile(&rows, NOON);
    assert_eq!((report.deletions, report.healed, report.remarks.len()), (0, 1, 1));
}

#[test]
fn what_could_not_land_lands_with_the_next_look_in_the_same_bytes() {
    let mut lab = Lab::new();
    let rows = example();
    let mut refused = Vec::new();
    let fault = lab.act(NOON, false, |task, _| {
        agent::artifact::render(task, &rows, &mut |lines| {
            refused.extend_from_slice(lines);
            Err(text::diagnostic::Diagnostic::edit("the disk is full", "free some space"))
        })
    });
    assert_eq!((fault.expect_err("it fails").what, refused.len()), ("the disk is full".to_owned(), 4));
    let report = lab.reconcile(&rows, "2026-05-11T00:00:00Z");
    assert_eq!((report.unchanged, report.healed, report.events.len()), (4, 0, 0));
    let landed: Vec<String> = lab.landed.iter().map(ToString::to_string).collect();
    assert_eq!(landed, refused);
}
