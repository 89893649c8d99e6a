//! Commands and skills whose observation was taken out of use.

use std::os::unix::fs::symlink;

use learn::observation::{ObservationScore, Status};

use super::{Lab, NOON, example, folded};

const COMMAND: &str = ".claude/commands/self-learning/run-lint-then-tests-push.md";
const SKILL: &str = ".claude/skills/self-learning-debugging-hook-failures/SKILL.md";
const LATER: &str = "2026-05-12T12:00:00Z";

/// The observations as they are published after all of them were taken out of use.
fn retired(lab: &Lab, at: &str) -> Vec<ObservationScore> {
    let mut rows = folded(&example(), &lab.landed);
    for row in rows.iter_mut().filter(|row| row.status == Status::Created) {
        row.status = Status::Deprecated;
        row.deprecated_at = Some(at.to_owned());
    }
    rows
}

#[test]
fn what_nobody_edited_goes_with_its_observation_and_what_a_person_changed_is_named() {
    let mut lab = Lab::new();
    lab.render(&example(), NOON);
    let rows = retired(&lab, "2026-05-11T00:00:00Z");
    lab.news();
    let edited = lab.read(SKILL) + "\nOur own line.\n";
    lab.write(SKILL, &edited);
    let dry = lab.act(LATER, true, |task, land| agent::artifact::render(task, &rows, land)).expect("it looks");
    assert_eq!(dry.retired.len(), 1, "{dry:?}");
    assert!(lab.path(COMMAND).exists(), "a dry run removes nothing");
    let report = lab.render(&rows, LATER);
    assert_eq!(report.retired.iter().map(|placed| &*placed.path).collect::<Vec<_>>(), [COMMAND]);
    assert!(!lab.path(COMMAND).exists());
    assert_eq!(lab.read(SKILL), edited);
    let named = report.remarks.join("\n");
    assert!(named.contains(SKILL) && named.contains("rm ") && named.contains("learn restore obs_pr0001"), "{named}");
    let news = lab.news();
    assert!(news.contains(&format!("deleted obs_wf0001 {COMMAND}")), "{news:?}");
    // Nothing is left to be done or noticed.
    let again = lab.render(&rows, LATER);
    assert_eq!((again.retired.len(), again.deletions), (0, 0), "{again:?}");
    assert_eq!(lab.news(), [""; 0]);
}

#[test]
fn what_is_ready_again_is_written_again() {
    let mut lab = Lab::new();
    lab.render(&example(), NOON);
    let rows = retired(&lab, "2026-05-11T00:00:00Z");
    lab.render(&rows, LATER);
    assert!(!lab.path(COMMAND).exists() && !lab.path(SKILL).exists());
    assert!(!lab.path(SKILL).parent().expect("a folder").exists(), "its folder goes with it");
    let mut rows = example();
    rows.iter_mut().for_each(|row| row.ready_at = Some("2026-05-13T00:00:00Z".to_owned()));
    lab.render(&rows, "2026-05-14T12:00:00Z");
    assert!(lab.path(COMMAND).exists() && lab.path(SKILL).exists());
}

#[test]
fn what_was_out_of_use_before_it_stood_there_and_what_a_manifest_only_claims_stay() {
    let mut lab = Lab::new();
    lab.render(&example(), NOON);
    let rows = retired(&lab, "2026-05-09T00:00:00Z");
    assert_eq!(lab.render(&rows, LATER).retired, []);
    assert!(lab.path(COMMAND).exists());
    // Somebody's own file, whatever hash a manifest gives it.
    let own = "# Our own\n";
    lab.write(".claude/settings.md", own);
    let manifest = lab.read(".memory/.learning-manifest.json").replace(COMMAND, ".claude/settings.md");
    let hash = render::artifact::canonical_hash(own);
    let known = lab.manifest()["entries"][0]["renderedHash"].as_str().expect("a hash").to_owned();
    lab.write(".memory/.learning-manifest.json", &manifest.replace(&known, &hash));
    lab.remove(COMMAND);
    let rows = retired(&lab, "2026-05-11T00:00:00Z");
    let report = lab.render(&rows, LATER);
    assert!(report.retired.iter().all(|placed| placed.path == SKILL), "{report:?}");
    assert_eq!(lab.read(".claude/settings.md"), own);
}

#[test]
fn a_link_in_the_place_of_a_command_is_told_once_and_not_followed() {
    let mut lab = Lab::new();
    lab.render(&example(), NOON);
    lab.write("own.md", "mine\n");
    lab.remove(COMMAND);
    symlink(lab.path("own.md"), lab.path(COMMAND)).expect("a link");
    let rows = folded(&example(), &lab.landed);
    let report = lab.render(&rows, LATER);
    assert_eq!(report.problems.len(), 1, "{:?}", report.problems);
    let rows = retired(&lab, "2026-05-11T00:00:00Z");
    let report = lab.render(&rows, LATER);
    assert_eq!(report.problems.len(), 1, "{:?}", report.problems);
    assert_eq!(lab.read("own.md"), "mine\n");
}
