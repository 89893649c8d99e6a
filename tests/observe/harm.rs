//! What must not become knowledge, and what must: each of these went wrong once.

use agent::observe::Sighting;
use learn::observation::{ObservationScore, Status};

use super::corpus::{published, sightings};
use super::seen;

const PRIOR: &str = "I looked around in the code and can begin now.";

/// What is published of something that is said in three sessions on different days.
fn thrice(text: &str) -> Vec<ObservationScore> {
    let session = |number: i64| (3 * number, format!("s{number}"), sightings(PRIOR, text));
    published(&(0..3).map(session).collect::<Vec<_>>())
}

#[test]
fn a_choice_without_content_is_not_good_however_often_it_is_made() {
    for text in [
        "go with option B",
        "go with option B because it is the simpler one",
        "let's do the second one since it is less work",
        "take approach 2 because you said it is better",
        "do it that way because I said so",
        "nimm Variante B, weil sie einfacher ist",
        "B案でお願いします",
    ] {
        let good: Vec<ObservationScore> = thrice(text).into_iter().filter(|score| score.quality_ok).collect();
        assert_eq!(good, [], "{text}");
    }
}

#[test]
fn bug_reports_are_not_kept_however_often_they_are_told() {
    for text in [
        "when running `mise run test:ci` I get these errors",
        "when I run `npm run build` it crashes with a stack trace",
        "if i run entire enable --no-telemetry, it displays options to select strategy",
        "when I'm in a fork branch, and I do `git push` then refs are put to the forked repo",
        "after the update `make deploy` does not work any more, it says permission denied",
        "cuando ejecuto `npm test` me sale un error",
        "wenn ich `make test` starte, kommt dieser Fehler",
    ] {
        assert_eq!(thrice(text), [], "{text}");
    }
}

#[test]
fn code_is_never_split_nor_spelled_otherwise() {
    let steps = "run `cargo fmt && cargo clippy -- -D warnings, then x`, then `git commit -m 'a, then b'`, then push";
    let found = seen(&[(Some(PRIOR), steps)]);
    let workflow = found.iter().find(|sighting| sighting.kind.get() == "workflow").expect("a workflow");
    for code in ["`cargo fmt && cargo clippy -- -D warnings, then x`", "`git commit -m 'a, then b'`"] {
        assert!(workflow.pattern.contains(code) && workflow.details.contains(code), "{workflow:?}");
    }
    assert_eq!(workflow.details.lines().count(), 3, "{}", workflow.details);
    for (said, kept) in [
        ("always run `npm run lint` before you commit", "`npm run lint`"),
        ("npm run lint always comes before the commit in this project", "npm run lint"),
        ("src/lib.rs must never import src/main.rs in this repo", "src/lib.rs"),
        ("eslint always runs before prettier in this repo", "eslint"),
        ("never call `fooBar()` from `mod_a::b`, always use `Baz.qux`", "`mod_a::b`"),
    ] {
        let found = seen(&[(Some(PRIOR), said)]);
        assert!(!found.is_empty(), "{said}");
        for sighting in &found {
            assert!(sighting.pattern.contains(kept) && sighting.details.contains(kept), "{said}: {sighting:?}");
        }
    }
}

#[test]
fn a_reason_never_becomes_a_rule_of_the_opposite_meaning() {
    let patterns = |text: &str| seen(&[(Some(PRIOR), text)]).into_iter().map(|sighting| sighting.pattern).collect::<Vec<_>>();
    for (text, forbidden) in [
        ("never edit schema.sql by hand because the generator always overwrites schema.sql", "overwrites"),
        ("don't use npm here because people always run `npm install` and break the lockfile", "always run"),
        ("use pnpm instead of npm, otherwise you never use the lockfile", "never use the lockfile"),
        ("keep the tests offline because they never work with the network", "never work"),
        ("pin the toolchain in rust-toolchain.toml so that nobody always builds with nightly", "nightly"),
    ] {
        for pattern in patterns(text) {
            let title = pattern.to_lowercase();
            let opens = title.starts_with("always") || title.starts_with("the generator") || title.starts_with("people");
            assert!(
                !opens && (!title.contains(forbidden) || title.len() > forbidden.len() + 20 && !title.ends_with(forbidden)),
                "{text}: {pattern}"
            );
            assert!(!title.starts_with(forbidden), "{text}: {pattern}");
        }
    }
}

#[test]
fn the_same_words_in_other_sessions_count_each_time() {
    for text in ["run the linter, then the tests, then push", "always use `mise run lint` before you commit"] {
        let scores = thrice(text);
        let seen: Vec<(i64, Status)> = scores.iter().map(|score| (score.observations, score.status)).collect();
        assert_eq!(seen, [(3, Status::Ready)], "{text}");
    }
}

/// What a model reported in a session, with one quotation.
fn reported(pattern: &str, quote: &str, quality_ok: bool) -> Sighting {
    let told = format!(
        r#"{{"observations": [{{"id": "obs_m1", "type": "workflow", "pattern": "{pattern}", "evidence": ["{quote}"],
            "details": "1. lint\n2. test\n3. push", "quality_ok": {quality_ok}, "session": 1}}]}}"#
    )
    .replace("\n            ", " ");
    let told = told.replace("1. lint\n2. test\n3. push", "1. lint\\n2. test\\n3. push");
    let session = super::source("s", &[(Some(PRIOR), quote)]);
    let mut answer = agent::observe::parse_answer(&told, &[&session], &[]).expect("an answer");
    assert_eq!(answer.faults, [""; 0]);
    answer.sightings.remove(0).remove(0)
}

#[test]
fn a_models_word_makes_a_workflow_ready_with_one_quotation_a_session() {
    let quotes = ["lint, test, then push", "the usual: lint test push", "lint and test, push it"];
    let sessions = |quality_ok: bool| {
        let session = |(number, quote): (i64, &&str)| {
            (3 * number, format!("s{number}"), vec![reported("Lint, test, push", quote, quality_ok)])
        };
        (0..).zip(&quotes).map(session).collect::<Vec<_>>()
    };
    let judged = published(&sessions(true));
    assert_eq!(judged.iter().map(|score| (score.observations, score.status)).collect::<Vec<_>>(), [(3, Status::Ready)]);
    // Without its word nothing is good, however often it reports it.
    let unjudged = published(&sessions(false));
    assert!(unjudged.iter().all(|score| !score.quality_ok && score.status == Status::Observing), "{unjudged:?}");
}

#[test]
fn opposite_and_different_intents_stay_apart() {
    for (one, other) in [
        ("always squash commits before merging", "never squash commits before merging, we want the history"),
        (
            "we use Postgres instead of SQLite because we need concurrency",
            "we use SQLite instead of Postgres because it is simpler",
        ),
        (
            "use tabs instead of spaces in tests because the linter wants it",
            "use spaces instead of tabs in tests because the linter wants it",
        ),
        ("always commit before running the tests", "always run the tests before committing"),
        ("Vor dem Commit immer die Tests laufen lassen", "Nach dem Commit immer die Tests laufen lassen"),
        ("提交前一定要跑测试", "提交后一定要跑测试"),
        ("コミット前に必ずテストを実行して", "コミット後に必ずテストを実行して"),
        ("lint and test, then deploy to staging", "lint and test, then deploy to production"),
        ("bump the version, tag it, then publish to npm", "bump the version, tag it, then publish to crates.io"),
        ("run the unit tests, then commit", "run the e2e tests, then commit"),
    ] {
        let said = [one, other, one, other];
        let session = |(number, text): (i64, &&str)| (3 * number, format!("s{number}"), sightings(PRIOR, text));
        let found = published(&(0..).zip(&said).map(session).collect::<Vec<_>>());
        assert!(found.iter().all(|score| score.observations == 2), "{one} / {other}: {found:?}");
        assert!(found.len() >= 2, "{one} / {other}: {found:?}");
    }
}
