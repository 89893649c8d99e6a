//! What nobody edited follows what later sessions say; what a person changed stays as it is.

use learn::observation::ObservationScore;

use super::{Lab, NOON, example, folded};

const LATER: &str = "2026-05-11T12:00:00Z";
const COMMAND: &str = ".claude/commands/self-learning/run-lint-then-tests-push.md";
const SKILL: &str = ".claude/skills/self-learning-debugging-hook-failures/SKILL.md";
const DECISIONS: &str = ".memory/knowledge/decisions.md";
const PITFALLS: &str = ".memory/knowledge/pitfalls.md";

/// The same observations, after sessions that say more.
fn improved(rows: Vec<ObservationScore>) -> Vec<ObservationScore> {
    let improve = |mut row: ObservationScore| {
        row.observations += 1;
        row.evidence.push("and once more".to_owned());
        match &*row.id {
            "obs_wf0001" => "1. npm run lint -- --fix\n2. npm test\n3. git push --follow-tags".clone_into(&mut row.details),
            "obs_pr0001" => "Check the lock first, tail the log, then run the hook by hand.".clone_into(&mut row.details),
            "obs_de0001" => row.details = row.details.replace("extra tail", "callers forget to catch"),
            "obs_pf0001" => {
                row.details = row.details.replace("impact: force push", "impact: everybody has to force their checkout");
            }
            _ => {}
        }
        row
    };
    rows.into_iter().map(improve).collect()
}

#[test]
fn what_nobody_edited_says_what_later_sessions_say_in_its_own_place() {
    let mut lab = Lab::new();
    lab.render(&example(), NOON);
    let rows = improved(folded(&example(), &lab.landed));
    let files = lab.files();
    lab.news();
    let report = lab.render(&rows, LATER);
    assert_eq!((report.rendered.len(), report.refreshed.len(), report.edits), (0, 4, 0), "{report:?}");
    assert_eq!(lab.files(), files);
    for (path, text) in [
        (COMMAND, "1. npm run lint -- --fix"),
        (SKILL, "then run the hook by hand."),
        (DECISIONS, "- **Date**: 2026-05-10\n"),
        (DECISIONS, "- **Consequences**: throw breaks composition; callers forget to catch\n"),
        (PITFALLS, "- **Impact**: everybody has to force their checkout\n"),
    ] {
        assert!(lab.read(path).contains(text), "{path}: {}", lab.read(path));
    }
    assert_eq!(
        lab.news(),
        [
            &format!("rendered obs_wf0001 {COMMAND}"),
            &format!("rendered obs_pr0001 {SKILL}"),
            "rendered obs_de0001 ADR-001",
            "rendered obs_pf0001 PF-001"
        ]
    );
    // It is ours as before: nothing is edited, and it is written once.
    let again = lab.render(&rows, "2026-05-12T12:00:00Z");
    assert_eq!((again.refreshed.len(), again.edits, again.unchanged), (0, 0, 4), "{again:?}");
}

#[test]
fn another_session_that_says_the_same_touches_no_file() {
    let mut lab = Lab::new();
    lab.render(&example(), NOON);
    let before: Vec<String> = [COMMAND, SKILL, DECISIONS, PITFALLS].iter().map(|path| lab.read(path)).collect();
    let mut rows = folded(&example(), &lab.landed);
    for row in &mut rows {
        row.observations += 1;
        row.confidence = 0.8;
        row.evidence.push("the same once more".to_owned());
    }
    assert_eq!(lab.render(&rows, LATER).refreshed, []);
    let after: Vec<String> = [COMMAND, SKILL, DECISIONS, PITFALLS].iter().map(|path| lab.read(path)).collect();
    assert_eq!(before, after);
}

#[test]
fn what_a_person_edited_is_never_written_anew_whether_or_not_that_was_noticed() {
    for is_noticed in [false, true] {
        let mut lab = Lab::new();
        lab.render(&example(), NOON);
        for path in [COMMAND, SKILL, DECISIONS, PITFALLS] {
            let text = lab.read(path).replace("npm test", "npm test -- --ci").replace("tail the log", "read the log");
            lab.write(path, &text.replace("return Result", "return `Result`").replace("make a new commit", "commit anew"));
        }
        let edited: Vec<String> = [COMMAND, SKILL, DECISIONS, PITFALLS].iter().map(|path| lab.read(path)).collect();
        if is_noticed {
            lab.reconcile(&folded(&example(), &lab.landed), LATER);
        }
        let rows = improved(folded(&example(), &lab.landed));
        assert_eq!(lab.render(&rows, "2026-05-12T12:00:00Z").refreshed, []);
        let after: Vec<String> = [COMMAND, SKILL, DECISIONS, PITFALLS].iter().map(|path| lab.read(path)).collect();
        assert_eq!(edited, after);
    }
}

#[test]
fn an_edit_of_the_quotations_alone_is_an_edit() {
    let mut lab = Lab::new();
    lab.render(&example(), NOON);
    lab.write(COMMAND, &lab.read(COMMAND).replace("- same again: lint, test, push\n", ""));
    let rows = improved(folded(&example(), &lab.landed));
    let report = lab.render(&rows, LATER);
    assert_eq!((report.edits, report.refreshed.len()), (1, 3));
    assert!(!lab.read(COMMAND).contains("--fix"));
}

#[test]
fn a_run_that_was_killed_between_the_file_and_its_manifest_is_no_edit() {
    let mut lab = Lab::new();
    lab.render(&example(), NOON);
    let rows = improved(folded(&example(), &lab.landed));
    let manifest = lab.read(".memory/.learning-manifest.json");
    lab.render(&rows, LATER);
    lab.write(".memory/.learning-manifest.json", &manifest);
    lab.news();
    let report = lab.reconcile(&rows, "2026-05-12T12:00:00Z");
    assert_eq!((report.edits, report.refreshed.len(), report.unchanged), (0, 4, 4), "{report:?}");
}

#[test]
fn an_entry_that_several_observations_speak_through_is_no_edit_of_the_others() {
    let mut lab = Lab::new();
    let mut rows = example();
    let twin = ObservationScore { id: "obs_pf0002".to_owned(), pattern: "Amended again".to_owned(), ..rows[3].clone() };
    rows.push(twin);
    lab.render(&rows, NOON);
    let mut rows = improved(folded(&rows, &lab.landed));
    rows.iter_mut().for_each(|row| row.observations += 1);
    assert_eq!(lab.render(&rows, LATER).edits, 0);
    assert_eq!(lab.reconcile(&rows, "2026-05-12T12:00:00Z").edits, 0);
}

#[test]
fn a_dry_run_shows_what_would_change_line_by_line() {
    let mut lab = Lab::new();
    let first = lab.act(NOON, true, |task, land| agent::artifact::render(task, &example(), land)).expect("it looks");
    let shown: Vec<&str> = first.differences.iter().map(|(place, _)| &**place).collect();
    assert_eq!(shown, [COMMAND, SKILL, DECISIONS, PITFALLS]);
    assert!(first.differences[0].1.contains("+1. npm run lint\n"), "{:?}", first.differences[0]);
    lab.render(&example(), NOON);
    let rows = improved(folded(&example(), &lab.landed));
    let before = lab.read(COMMAND);
    let report = lab.act(LATER, true, |task, land| agent::artifact::render(task, &rows, land)).expect("it looks");
    let lines = &report.differences.iter().find(|(place, _)| place == COMMAND).expect("the command").1;
    assert!(lines.contains("-1. npm run lint\n") && lines.contains("+1. npm run lint -- --fix\n"), "{lines}");
    assert_eq!(lab.read(COMMAND), before);
}

#[test]
fn what_nobody_said_has_no_line() {
    let mut lab = Lab::new();
    let mut rows = example();
    rows[3].details = "area: git commits; issue: amending pushed commits".to_owned();
    rows[2].details = "decision: return Result".to_owned();
    lab.render(&rows, NOON);
    let (decisions, pitfalls) = (lab.read(DECISIONS), lab.read(PITFALLS));
    assert!(!pitfalls.contains("Impact") && !pitfalls.contains("Resolution"), "{pitfalls}");
    assert!(!decisions.contains("Context") && !decisions.contains("Consequences"), "{decisions}");
}
