//! Steps are checked against the repository: what it does not have is marked, and the reason is told.

use agent::artifact::find_doubts;

use super::{Lab, NOON, row};
use crate::support::Scene;

/// A repository with targets of several programs.
fn lab() -> Lab {
    let lab = Lab::new();
    lab.write("Makefile", "CC := gcc\nall: lint\n\ncc -x\n\nlint test: all\n\techo deploy: no\n.PHONY: lint\n");
    lab.write("web/package.json", r#"{"scripts": {"build": "vite build", "test": "vitest"}}"#);
    lab.write("justfile", "alias b := build\nversion := '1'\n@check arg='x': b\n  cargo check\nbuild:\n  cargo build\n");
    lab.write("mise.toml", "[tasks.lint]\nrun = 'x'\nalias = 'l'\n[tasks]\n'test:ci' = 'y'\n");
    lab.write("mise-tasks/deploy.sh", "#!/bin/sh\n");
    lab.write("scripts/release.sh", "#!/bin/sh\n");
    lab
}

fn reasons(lab: &Lab, details: &str) -> Vec<String> {
    let row = row("obs_1", "workflow", "Do it", details);
    find_doubts(&lab.root(), &row).into_iter().map(|doubt| format!("{}: {}", doubt.line, doubt.reason)).collect()
}

#[test]
fn targets_scripts_and_files_that_exist_are_not_doubted() {
    let lab = lab();
    for step in [
        "Run `make lint` and `make -C web all`",
        "make test",
        "`npm run build && npm test`",
        "`pnpm run build`, `pnpm install`, `yarn add zod`, `bun test`",
        "`just check`, then `just b`",
        "`mise run lint`, `mise run l`, `mise run test:ci`, `mise run deploy`, `mise install`",
        "`./scripts/release.sh` with web/package.json",
        "cargo test, git push, gh pr create --draft",
        "make it pass, just do it, task by task",
    ] {
        assert_eq!(reasons(&lab, step), [""; 0], "{step}");
    }
}

#[test]
fn what_the_repository_does_not_have_is_told_with_its_line() {
    let lab = lab();
    assert_eq!(
        reasons(
            &lab,
            "1. Run `make deploy`\n2. `npm run lint`\n3. `just ship`\n4. `mise run fmt`\n5. `./scripts/ship.sh`\n6. Read docs/ship.md\n7. git push"
        ),
        [
            "0: Makefile defines no `deploy`",
            "1: web/package.json defines no `lint`",
            "2: justfile defines no `ship`",
            "3: mise.toml defines no `fmt`",
            "4: there is no script `./scripts/ship.sh`",
            "4: there is no file `scripts/ship.sh`",
            "5: there is no file `docs/ship.md`",
        ]
    );
    // Where nobody can say, nothing is doubted: files that take in others, patterns, an empty folder.
    lab.write("Makefile", "include more.mk\nall:\n");
    assert_eq!(reasons(&lab, "`make deploy`"), [""; 0]);
    assert_eq!(reasons(&Lab::new(), "`make deploy` in docs/ship.md"), [""; 0]);
}

#[test]
fn a_marked_step_is_written_anew_once_its_target_exists() {
    let mut lab = lab();
    let rows = [row("obs_1", "workflow", "Lint and deploy", "1. Lint: `make lint`\n2. Deploy: `make deploy`")];
    lab.render(&rows, NOON);
    let path = ".claude/commands/self-learning/lint-and-deploy.md";
    assert!(
        lab.read(path).contains("1. Lint: `make lint`\n2. Deploy: `make deploy` (check first: Makefile defines no `deploy`)\n")
    );
    lab.write("Makefile", "lint deploy:\n");
    assert_eq!(lab.render(&rows, "2026-05-11T12:00:00Z").refreshed.len(), 1);
    assert!(lab.read(path).contains("2. Deploy: `make deploy`\n"), "{}", lab.read(path));
}

#[test]
fn the_card_of_an_observation_tells_why_a_step_is_marked() {
    let scene = Scene::new();
    let project = scene.root().parent().expect("the project").to_path_buf();
    std::fs::write(project.join("Makefile"), "lint:\n").expect("a file");
    let mut rows = vec![row("obs_abc123", "workflow", "Deploy", "1. `make deploy`")];
    rows[0].project = "default".to_owned();
    super::command::publish(&scene, &rows, 1);
    let card = scene.done(&["learn", "show", "obs_abc123"]).out;
    assert!(card.contains("⚠ Makefile defines no `deploy`: 1. `make deploy`; its step is marked until that exists"), "{card}");
}
