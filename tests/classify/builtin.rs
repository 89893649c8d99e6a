//! What the built-in classifier makes of lessons.

use agent::classify::{Classification, PendingLesson, Scope, classify};
use event::field::ClassificationStatus;
use learn::pattern::Category;
use setting::CaptureSettings;

use super::lesson;

fn classified(summary: &str) -> Classification {
    classify(&lesson("l1", summary), &CaptureSettings::default())
}

#[test]
fn a_good_lesson_is_approved_in_its_own_words() {
    let found = classified("Close database connections after every request");
    assert_eq!(found.status, ClassificationStatus::Approved);
    assert_eq!(found.summary.as_deref(), Some("Close database connections after every request"));
    assert_eq!((found.original_summary, found.reason, found.trigger), (None, None, None));
}

#[test]
fn a_lesson_that_is_tidied_keeps_its_original_words() {
    let found = classified("In this project, close  database connections after every request.");
    assert_eq!(found.status, ClassificationStatus::Reworded);
    assert_eq!(found.summary.as_deref(), Some("close database connections after every request"));
    assert_eq!(found.original_summary.as_deref(), Some("In this project, close  database connections after every request."));
    // Without its opening the lesson claims to hold everywhere.
    assert_eq!(found.repo.as_deref(), Some("shop"));
}

#[test]
fn a_lesson_that_is_too_long_for_its_code_passes_without_it() {
    let found = classified(&format!("Close database connections after every request\n```\n{}\n```", "conn.close();\n".repeat(50)));
    assert_eq!(found.summary.as_deref(), Some("Close database connections after every request"));
}

#[test]
fn a_bad_lesson_is_rejected_with_all_reasons() {
    let found = classified("Use node 18.17.0 for now");
    assert_eq!(found.status, ClassificationStatus::Rejected);
    let reason = found.reason.expect("a reason");
    for part in ["vague", "configuration", "18.17.0", "one_off", "for now", "; "] {
        assert!(reason.contains(part), "{reason}");
    }
    assert_eq!((found.summary, found.scope, found.category, found.repo), (None, None, None, None));
}

#[test]
fn a_simple_lesson_is_not_rejected_for_being_simple() {
    assert_eq!(classified("Write tests before fixing bugs").status, ClassificationStatus::Approved);
}

#[test]
fn lessons_about_the_framework_are_for_those_who_build_it() {
    for summary in [
        "The orchestrator must wait until every worker has written its file",
        "Let the plan-writer agent read the plan before the draft is deleted",
        "Sub-agents lose their working folder after a restart",
        "Files in .closedloop-ai/runs grow without limit",
        "Agents in `.claude/agents/reviewer.md` need a description line",
        "The PreToolUse hook must print one JSON object",
        "`code:code-reviewer` repeats findings of earlier iterations",
    ] {
        assert_eq!(classified(summary).scope, Some(Scope::ClosedLoop), "{summary}");
    }
    for summary in [
        "React hooks must not be called inside of conditions",
        "A Git hook that fails silently lets broken commits through",
        "Kubernetes as container orchestrator restarts pods without a warning",
        "GitHub workflow files need explicit permissions for tokens",
        "Break out of the outer loop with a label instead of a flag",
        "Ask a code reviewer before changing public interfaces",
    ] {
        assert_eq!(classified(summary).scope, Some(Scope::Organization), "{summary}");
    }
    let own = PendingLesson { scope: Some("closedloop".to_owned()), ..lesson("l1", "Write plans with one task per changed file") };
    assert_eq!(classify(&own, &CaptureSettings::default()).scope, Some(Scope::ClosedLoop));
}

#[test]
fn the_category_is_the_lessons_own_or_follows_from_its_words() {
    for (summary, category) in [
        ("Never close database connections inside of a loop", Category::Mistake),
        ("Reading the whole table failed with large tenants", Category::Mistake),
        ("Always close database connections after requests", Category::Convention),
        ("Prefer composition over inheritance for components", Category::Convention),
        ("Use a connection pool when requests come in bursts", Category::Pattern),
        ("A connection pool works with short transactions", Category::Pattern),
        ("Postgres keeps dead rows until vacuum removes them", Category::Insight),
    ] {
        assert_eq!(classified(summary).category, Some(category), "{summary}");
    }
    for (own, category) in [("insight", Category::Insight), ("pitfall", Category::Mistake), ("nonsense", Category::Convention)] {
        let lesson =
            PendingLesson { category: Some(own.to_owned()), ..lesson("l1", "Always close database connections after requests") };
        assert_eq!(classify(&lesson, &CaptureSettings::default()).category, Some(category), "{own}");
    }
}

fn repo_of(summary: &str) -> (String, Option<String>) {
    let lesson = PendingLesson {
        repo_name: Some("till-service".to_owned()),
        context_file: Some("src/cart/cart_total.rs".to_owned()),
        citations: vec!["src/lib.rs:12".to_owned(), "src/PriceList.tsx:7".to_owned()],
        ..lesson("l1", summary)
    };
    let found = classify(&lesson, &CaptureSettings::default());
    (found.repo.unwrap_or_else(|| panic!("{summary}: {:?}", found.reason)), found.reason)
}

#[test]
fn lessons_that_name_what_one_project_has_hold_there_only() {
    for (summary, words) in [
        ("Totals are rounded in src/cart/round.rs and nowhere else", "src/cart/round.rs"),
        ("Totals are rounded by `packages/money`, never by callers", "packages/money"),
        ("Totals are rounded in ./money/round.py before taxes", "./money/round.py"),
        ("Totals live at /srv/checkouts/money/totals for the importer", "/srv/checkouts/money/totals"),
        ("Totals are documented at https://wiki.acme.internal/totals for everybody", "https://wiki.acme.internal/totals"),
        (
            "Totals come from https://git.example.com/acme/till-service/raw/totals",
            "https://git.example.com/acme/till-service/raw/totals",
        ),
        ("Rounding in cart_total.rs happens before taxes are added", "cart_total.rs"),
        ("PriceList renders twice when its key changes", "PriceList.tsx"),
        ("The till-service caches totals for anonymous users", "till-service"),
        ("Totals in this codebase are integers of cents", "this codebase"),
    ] {
        let (repo, reason) = repo_of(summary);
        assert_eq!(repo, "till-service", "{summary}");
        let reason = reason.expect("a reason");
        assert!(reason.contains(words), "{summary}: {reason}");
    }
}

#[test]
fn lessons_that_name_what_many_projects_have_hold_everywhere() {
    for summary in [
        "Temporary files belong below /tmp/app-cache and are removed at exit",
        "Resolver settings in /etc/resolv.conf are ignored by musl",
        "Send application/json with every POST and/or PUT request",
        "Validate client/server versions and frontend/backend types together",
        "Check src/dst order of copy commands and test/production parity",
        "Client/server clocks differ, so compare with tolerance over TCP/IP",
        "Integration tests belong into tests/ and unit tests beside the code",
        "Install @types/node when Buffer is an unknown name",
        "Pin actions/checkout@v4 by its hash in GitHub workflows",
        "Keep src/main.rs short and move logic into the library",
        "Read https://docs.rs/serde/latest/serde before writing a deserializer",
        "Exclude node_modules/react/index.js from source maps",
        "Glob patterns such as src/**/*.test.ts miss files with other endings",
        "Values in package.json override those of the lock file",
    ] {
        assert_eq!(repo_of(summary), ("*".to_owned(), None), "{summary}");
    }
}

#[test]
fn a_repository_that_the_writer_names_stays() {
    let own = PendingLesson { repo: Some("ledger".to_owned()), ..lesson("l1", "Totals are rounded in src/cart/round.rs only") };
    assert_eq!(classify(&own, &CaptureSettings::default()).repo.as_deref(), Some("ledger"));
}

#[test]
fn trigger_agents_and_tags_are_the_lessons_own() {
    let own = PendingLesson {
        trigger: Some(" closing\n connections ".to_owned()),
        applies_to: vec!["plan-writer".to_owned()],
        tags: vec!["database".to_owned()],
        ..lesson("l1", "Close database connections after every request")
    };
    let found = classify(&own, &CaptureSettings::default());
    assert_eq!(found.trigger.as_deref(), Some("closing connections"));
    assert_eq!((found.applies_to, found.tags), (own.applies_to, own.tags));
}
