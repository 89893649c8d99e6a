//! The built-in rules: what they take, and what they leave.

use proptest::prelude::*;

use super::seen;

const AGENT: &str = "I updated the importer and ran everything.";

#[track_caller]
fn patterns(kind: &str, prior: Option<&str>, user: &str) -> Vec<String> {
    let found = seen(&[(prior, user)]).into_iter().filter(|sighting| sighting.kind.get() == kind);
    found.map(|sighting| sighting.pattern).collect()
}

#[track_caller]
fn assert_seen(kind: &str, prior: Option<&str>, cases: &[(&str, &str)]) {
    for (user, wanted) in cases {
        assert_eq!(patterns(kind, prior, user), [*wanted], "{user}");
    }
}

#[track_caller]
fn assert_unseen(kind: &str, prior: Option<&str>, cases: &[&str]) {
    for user in cases {
        assert_eq!(patterns(kind, prior, user), [""; 0], "{user}");
    }
}

#[test]
fn steps_that_a_person_asks_for_in_order_are_a_workflow() {
    assert_seen(
        "workflow",
        None,
        &[
            ("implement the plan, then run tests", "Implement the plan, then run tests"),
            ("Run the linter, fix what it finds, commit and push.", "Run the linter, fix what it finds, commit, then push"),
            (
                "First run `cargo fmt`. Then run clippy. Finally push the branch.",
                "Run `cargo fmt`, run clippy, then push the branch",
            ),
            ("Please bump the version and then tag the release", "Bump the version, then tag the release"),
            (
                "Here is how we release:\n1. Bump the version\n2. Update CHANGELOG.md\n3. Tag it and push",
                "Bump the version, update CHANGELOG.md, then tag it and push",
            ),
            ("lint -> test -> build -> deploy", "Lint, test, build, then deploy"),
            (
                "Implement the webhook: first run cargo clippy, then cargo test, then git push to the branch.",
                "Run cargo clippy, cargo test, then git push to the branch",
            ),
            (
                "For every fix: write a failing test, make it pass, then open a pull request",
                "Write a failing test, make it pass, then open a pull request",
            ),
            (
                "Build it; after that, run the benchmarks; finally, write down the numbers",
                "Build it, run the benchmarks, then write down the numbers",
            ),
        ],
    );
}

#[test]
fn what_is_no_sequence_is_no_workflow() {
    assert_unseen(
        "workflow",
        Some("I will run the linter, then run the tests, then push the branch."),
        &[
            "run the tests",
            "run the linter, then run the tests, then push the branch",
            "fix the lint and type errors",
            "use npm, git and docker, git is fine",
            "the tests failed and then the build broke",
            "looks good, thanks",
            "rename `run, then stop` to something better",
            "1. the first reason is speed\n2. the second reason is cost",
            "> run the linter, then commit, then push",
            "```\nrun the linter, then commit, then push\n```\nwhat does this do?",
        ],
    );
}

#[test]
fn a_workflow_is_good_once_two_statements_tell_it() {
    let once = seen(&[(None, "run the linter, then commit")]);
    assert!(!once[0].is_supported() && once[0].details == "1. Run the linter\n2. Commit", "{once:?}");
    let same = seen(&[(None, "run the linter, then commit"), (None, "Run the linter, then commit.")]);
    assert_eq!((same.len(), same[0].is_supported(), same[0].evidence.len()), (1, false, 1), "the same words are one quotation");
    let twice = seen(&[(None, "run the linter, then commit"), (Some(AGENT), "please run the linter and then commit")]);
    assert_eq!((twice.len(), twice[0].is_supported(), twice[0].evidence.len()), (1, true, 2), "{twice:?}");
}

#[test]
fn a_way_of_doing_something_names_when_and_what() {
    assert_seen(
        "procedural",
        None,
        &[
            ("When you change the schema, run `make gen` first", "When you change the schema, run `make gen` first"),
            ("Whenever a migration is added, update docs/schema.md", "Whenever a migration is added, update docs/schema.md"),
            ("To regenerate the bindings, run scripts/bind.sh", "To regenerate the bindings, run scripts/bind.sh"),
            ("Run `pnpm install` every time the lockfile changes", "Run `pnpm install` every time the lockfile changes"),
            ("if the integration tests hang, restart docker", "If the integration tests hang, restart docker"),
            ("In order to debug hooks, set OUTERLOOP_LOG to trace", "In order to debug hooks, set OUTERLOOP_LOG to trace"),
            ("Before opening a pull request, always run cargo clippy", "Before opening a pull request, always run cargo clippy"),
            ("use `just bench` to measure the parser", "Use `just bench` to measure the parser"),
            (
                "when debugging hook failures check the lock file in hooks/ first",
                "When debugging hook failures check the lock file in hooks/ first",
            ),
            (
                "hmm. when you add an env var you also need to update .env.example",
                "When you add an env var you also need to update .env.example",
            ),
            (
                "btw to debug the e2e tests you have to run `pnpm e2e --headed`",
                "To debug the e2e tests you have to run `pnpm e2e --headed`",
            ),
            (
                "The right way to add a table is to write a file below sql/",
                "The right way to add a table is to write a file below sql/",
            ),
        ],
    );
    let found = seen(&[(None, "When you change the schema, run `make gen` first")]);
    assert_eq!(found[0].details, "When you change the schema, run `make gen` first");
}

#[test]
fn orders_and_advice_without_names_are_no_way_of_doing_something() {
    assert_unseen(
        "procedural",
        Some("When you change the schema, I will run `make gen` first."),
        &[
            "run `make gen`",
            "when you're done, run cargo test",
            "if possible, use the existing helper in src/lib.rs",
            "When in doubt, ask",
            "when things get complicated, keep it simple",
            "if this fails, rerun cargo test",
            "When you change the schema, run `make gen` first?",
            "when you change the schema, run `make gen` first",
            "What happens when I run `make gen` after a change?",
            "it works when I run cargo test",
            "if not, use git stash",
            "look at src/server.ts and tell me what you think before changing anything",
            "use the helper in src/time.ts rather than moment, we want to drop moment",
        ],
    );
}

#[test]
fn a_choice_with_its_reason_is_a_decision() {
    assert_seen(
        "decision",
        Some("I could store the sessions in Postgres or in SQLite. Both would work."),
        &[
            ("Let's use SQLite because the tests must run without a server", "Use SQLite"),
            ("I want Result types instead of exceptions since throw breaks composition", "Result types instead of exceptions"),
            ("Since CI has no docker, use the in-memory store", "Use the in-memory store"),
            ("keep the old endpoint so that mobile clients of last year go on working", "Keep the old endpoint"),
            ("We should pin the version to avoid surprises in the nightly build", "Pin the version"),
            ("Don't cache the tokens. The reason is that they are revoked on logout", "Don't cache the tokens"),
            ("no, go with polling. The point is to survive restarts of the broker", "Go with polling"),
            ("Yes, but never retry payments because a retry may charge twice", "Never retry payments"),
            ("Webhooks get lost, that's why we use polling here", "Use polling here"),
            (
                "I think the limiter should be configurable because customers have different quotas",
                "The limiter should be configurable",
            ),
            ("it should throw because silent failures are hard to find", "It should throw"),
            ("The reason we keep the old endpoint is that the first mobile app still calls it", "Keep the old endpoint"),
        ],
    );
}

#[test]
fn a_decision_carries_its_context_and_its_anchor() {
    let found = seen(&[(
        Some("I looked around. I could store the sessions in Postgres; it is there."),
        "Let's keep SQLite because tests; must run without a server",
    )]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].details, "context: Because tests, must run without a server; decision: keep SQLite");
    assert!(found[0].is_supported() && found[0].evidence[0].contains("because"), "{found:?}");
}

#[test]
fn what_led_to_a_decision_is_its_context_and_what_it_is_to_bring_comes_of_it() {
    for (text, title, details) in [
        (
            "Wir nehmen Kafka statt RabbitMQ, weil wir die Nachrichten später nochmal abspielen müssen",
            "Kafka statt RabbitMQ nehmen",
            "context: Weil wir die Nachrichten später nochmal abspielen müssen; decision: Kafka statt RabbitMQ nehmen",
        ),
        (
            "don't use redis for the queue because it always lost our jobs",
            "Don't use redis for the queue",
            "context: Because it always lost our jobs; decision: don't use redis for the queue",
        ),
        (
            "Let's keep the lockfile in git so that every build is the same",
            "Keep the lockfile in git",
            "decision: keep the lockfile in git; rationale: So that every build is the same",
        ),
    ] {
        let found = seen(&[(None, text)]);
        let told = found.first().map(|sighting| (&*sighting.pattern, &*sighting.details));
        assert_eq!(told, Some((title, details)), "{text}");
    }
}

#[test]
fn a_pitfall_is_told_without_the_agents_first_person_in_other_languages_too() {
    let prior = "Ich habe die Datei src/gen/api.ts angepasst.";
    let found = seen(&[(Some(prior), "Halt, src/gen/api.ts ist generiert! Ändere die Vorlage")]);
    assert!(found[0].details.contains("issue: Ein Agent hat die Datei src/gen/api.ts angepasst"), "{found:?}");
    assert!(found[0].details.contains("resolution: Ändere die Vorlage"), "{found:?}");
    let prior = "J'ai modifié package-lock.json à la main.";
    let found = seen(&[(Some(prior), "Arrête de toucher à package-lock.json, utilise npm install")]);
    assert_eq!(found[0].pattern, "Arrête de toucher à package-lock.json", "{found:?}");
}

#[test]
fn names_keep_their_letters_and_single_tasks_and_complaints_are_nothing() {
    let found = seen(&[(Some("npm install を実行しました。"), "違う、npmじゃなくてpnpmを使って")]);
    assert!(found[0].pattern.starts_with("npm"), "{found:?}");
    for text in ["nunca funciona el push", "rename foo to bar because the name is bad"] {
        assert_eq!(seen(&[(None, text)]), [], "{text}");
    }
}

#[test]
fn what_has_no_choice_or_no_reason_is_no_decision() {
    let prior = "Let's use SQLite because the tests must run without a server.";
    assert_unseen(
        "decision",
        Some(prior),
        &[
            "yes",
            "I prefer tabs",
            "use SQLite",
            "use SQLite because I said so",
            "The build failed because the disk was full",
            "it has been broken since yesterday",
            "we should look at what changed since the last release",
            "let's use SQLite because the tests must run without a server",
            "should we use Redis because it is faster?",
            "why do you use Redis, because of speed?",
            "thanks, that's good because it works",
            "it should work because I tried it yesterday",
            "that should be fine since nobody calls it",
        ],
    );
    // Whoever speaks first may decide too.
    assert_seen("decision", None, &[("Let's use SQLite because the tests must run without a server", "Use SQLite")]);
}

#[test]
fn a_correction_right_after_a_deed_is_a_pitfall() {
    let prior = "I changed config/app.yaml and will amend the last commit. Then I ran npm install in the web folder.";
    assert_seen(
        "pitfall",
        Some(prior),
        &[
            ("no, do not amend pushed commits", "Do not amend pushed commits"),
            ("No. Never edit config/app.yaml by hand. It is generated", "Never edit config/app.yaml by hand"),
            ("don't use npm here, use pnpm instead", "Don't use npm here"),
            ("wait, the web folder is published from another branch", "Remember: the web folder is published from another branch"),
            ("That's wrong: config/app.yaml belongs to the operators", "Remember: config/app.yaml belongs to the operators"),
            ("please revert config/app.yaml, it breaks staging", "Revert config/app.yaml, it breaks staging"),
            (
                "You forgot the lockfile: pnpm-lock.yaml has to change too",
                "Do not forget the lockfile: pnpm-lock.yaml has to change too",
            ),
            ("wait, why did you change the web folder? you should always ask first", "Always ask first"),
            ("stop. I told you, no force pushes and no amended commits", "No force pushes and no amended commits"),
        ],
    );
}

#[test]
fn a_pitfall_quotes_both_sides_and_lays_its_fields_out() {
    let found = seen(&[(
        Some("Looking around. I will amend the commit; then push."),
        "no, do not amend pushed commits. It breaks everybody's checkout. Make a new commit instead",
    )]);
    let pitfall = found.iter().find(|sighting| sighting.kind.get() == "pitfall").expect("a pitfall");
    assert_eq!(
        pitfall.evidence,
        [
            "prior: I will amend the commit; then push.",
            "user: no, do not amend pushed commits. It breaks everybody's checkout. Make a new commit instead",
        ]
    );
    assert_eq!(
        pitfall.details,
        "area: amend pushed commits; issue: An agent was about to amend the commit, then push; impact: It breaks everybody's checkout; resolution: Make a new commit instead"
    );
    assert!(pitfall.is_supported());
}

#[test]
fn taste_thanks_answers_and_generalities_are_no_pitfalls() {
    let prior = "I changed config/app.yaml and wrote the summary in README.md.";
    assert_unseen(
        "pitfall",
        Some(prior),
        &[
            "no, make the summary shorter",
            "no, there is a typo in README.md",
            "no problem, thanks for README.md",
            "no, that's fine",
            "wait, what did you change in config/app.yaml?",
            "no, be careful",
            "never mind the README.md",
            "great, now update the docs in README.md",
            "wait for the tests to finish",
            "don't forget to update README.md",
            "no",
        ],
    );
    assert_unseen("pitfall", Some("I changed config/app.yaml. Shall I change README.md too?"), &["no, do not touch README.md"]);
    assert_unseen("pitfall", Some("The file README.md has 40 lines."), &["no, do not touch README.md"]);
    assert_unseen("pitfall", None, &["no, do not touch README.md"]);
}

#[test]
fn patterns_are_one_line_without_what_speaks_to_a_terminal() {
    let found = seen(&[(Some(AGENT), "run the \u{1b}[31mlinter\u{202e}, then\ncommit the importer\u{200b}, then push # Heading")]);
    for sighting in &found {
        assert!(!sighting.pattern.chars().any(|letter| letter.is_control() || letter == '\u{202e}'), "{sighting:?}");
        assert!(sighting.evidence.iter().all(|quote| !quote.contains('\u{1b}')), "{sighting:?}");
    }
}

#[test]
fn at_most_forty_things_are_seen_in_a_session() {
    let turns: Vec<String> = (0..60).map(|number| format!("run script{number}.sh, then push branch{number}")).collect();
    let turns: Vec<(Option<&str>, &str)> = turns.iter().map(|turn| (None, &**turn)).collect();
    assert_eq!(seen(&turns).len(), 40);
}

proptest! {
    #[test]
    fn whatever_is_said_is_read_twice_alike_and_bounded(prior in any::<Option<String>>(), user in any::<String>()) {
        let found = seen(&[(prior.as_deref(), &user)]);
        prop_assert_eq!(&found, &seen(&[(prior.as_deref(), &user)]));
    }

    #[test]
    fn words_of_the_tables_in_any_order_are_read(words in proptest::collection::vec(prop_oneof![
        Just("no,"), Just("don't"), Just("because"), Just("since"), Just("then"), Just("when"), Just("to"), Just("run"), Just("use"),
        Just("`make gen`"), Just("src/a.rs"), Just("the"), Just("commit."), Just("?"), Just("…"), Just("é’s"), Just("\n1. run x\n2. push"),
        Just("instead of"), Just("to avoid"), Just("that's why"), Just("`"), Just(","), Just("the reason is"), Just("İ"),
    ], 0..40)) {
        let user = words.join(" ");
        for sighting in seen(&[(Some("I will run src/a.rs and commit."), &user)]) {
            prop_assert!(!sighting.pattern.is_empty() && sighting.pattern.chars().count() <= 200, "{:?}", sighting);
            prop_assert!(!sighting.evidence.is_empty(), "{:?}", sighting);
        }
    }
}

#[test]
fn titles_are_orders_in_other_languages_too() {
    for (text, title) in [
        (
            "bitte einmal formatieren, Tests laufen lassen, committen und dann den MR aufmachen",
            "Einmal formatieren, Tests laufen lassen, committen, den MR aufmachen",
        ),
        ("Tests, dann committen, dann pushen", "Tests ausführen, committen, pushen"),
        ("du sollst niemals src/generated von Hand ändern", "Niemals src/generated von Hand ändern"),
        ("denk daran, dass Notebooks immer ohne Ausgaben committet werden", "Notebooks immer ohne Ausgaben committet werden"),
        ("tienes que ejecutar siempre `make check` antes de hacer push", "Ejecutar siempre `make check` antes de hacer push"),
        ("pasa el linter, corre los tests y haz push", "Pasa el linter, corre los tests, haz push"),
        ("il faut toujours lancer `make check` avant de pousser", "Toujours lancer `make check` avant de pousser"),
        ("lance le linter, corrige, puis commit et push", "Lance le linter, corrige, commit, push"),
        ("テストを実行してからコミットしてプッシュしてください", "テストを実行してから、コミットして、プッシュしてください"),
        (
            "新しい環境変数を追加したら必ず .env.example にも書いてください",
            "新しい環境変数を追加したら必ず .env.example にも書いてください",
        ),
        ("先跑测试,再提交,然后推送", "跑测试、提交、推送"),
        ("每次改了 schema.sql 都必须重新生成客户端", "每次改了 schema.sql 都必须重新生成客户端"),
    ] {
        let found = seen(&[(None, text)]);
        assert_eq!(found.first().map(|sighting| &*sighting.pattern), Some(title), "{text}");
    }
}
