//! Which lessons pass the gates, and which do not.

use agent::classify::{GateFault, judge_quality};
use proptest::prelude::*;
use setting::CaptureSettings;

use super::lesson;

const GOOD: &[&str] = &[
    "Set a timeout on every HTTP call",
    "Never log the value of API_KEY",
    "Use ISO-8601 dates in every API response",
    "Read files as UTF-8, whatever the locale of the machine says",
    "Hash uploads with SHA-256 before comparing them",
    "HTTP-2 multiplexing makes domain sharding useless",
    "Write timestamps as RFC-3339 with a time zone",
    "Use ed25519 keys for deploy access instead of RSA",
    "Close database connections in a finally block",
    "Make sure to close database connections after the transaction",
    "Run migrations before the service starts, never while it serves requests",
    "Set NODE_ENV=production before building so that dev dependencies are left out",
    "Run tests with RUST_BACKTRACE=1 to see where a panic comes from",
    "Python 3.12 removed distutils, so import setuptools first",
    "Pin dependencies exactly: a floating minor version broke the build twice",
    "React effects run twice in strict mode, so make them idempotent",
    "Prefer composition over inheritance for UI components",
    "The #1 cause of flaky tests is shared state between them",
    "Use #333333 as the text color only on a light background",
    "Compare floats with a tolerance, never with ==",
    "Quote shell variables, or paths with spaces break the script",
    "`Date.today` depends on the time zone of the process",
    "Never call `today()` inside a SQL filter of a partitioned table",
    "Format dates in exports as 2024-01-31 and never as 31.01.2024",
    "Test leap days such as 2024-02-29 in billing code",
    "Send the header X-GitHub-Api-Version with a fixed version such as 2022-11-28",
    "Retry idempotent requests with exponential backoff and jitter",
    "A timeout of zero means no timeout in most HTTP clients",
    "The client's timeout should be shorter than the timeout of its server",
    "Validate webhook signatures before parsing the body",
    "Use parameterized queries when filters come from users",
    "Check the WCAG-2 contrast of every disabled button",
    "Store money as integers of the smallest unit, never as floats",
    "CVE-2021-44228 style lookups show why log messages must not be evaluated",
    "Follow PEP-8 naming for public Python functions",
    "Arrow functions keep the outer `this`, so avoid them in Vue methods",
    "Mock the clock instead of sleeping in tests",
    "Commit generated lock files together with the manifest change",
    "Reading 1000000 rows at once exhausts memory; stream them in batches",
    "Kubernetes kills pods that exceed their memory limit without a warning",
    "Keep hooks at the top level of React components",
    "Escape `|` in Markdown tables, otherwise columns shift",
    "AES-256 in GCM mode needs a fresh nonce for each message",
    "Turn x => y callbacks into named functions when a stack trace matters",
    "Use TLS 1.2 or higher for connections between services",
    "Double-check that migrations are reversible before merging schema changes",
    "Git bisect needs every commit to compile, so squash broken ones",
    "UTC-8 and PST differ during summer, so store zone names",
    "Never commit files with DATABASE_URL=... values for production",
    "Use `--max-old-space-size=4096` when webpack runs out of memory",
    "Set `strict: true` in tsconfig to catch null errors early",
    "The timeout is 0 by default, which means that requests hang forever",
    "Lambda timeouts are 15 minutes at most, so split longer jobs",
    "Increase the Node heap with NODE_OPTIONS=--max-old-space-size=8192 for large builds",
    "Health checks run on port 8081, so open it in the firewall too",
    "Treat SEV-1 incidents as a reason to stop deployments",
    "Break out of the outer loop with a label instead of a flag",
    "It is best practice to store secrets in a vault",
    "Compare commit hashes in full, since short ones such as the first 7 letters collide",
    "Upgrade Jackson beyond 2.15 before enabling records, or null fields vanish",
    "Bind to 0.0.0.0 inside containers, since localhost is unreachable from outside",
    "Return 404 instead of 403 for resources whose existence is secret",
    "Deleting a Terraform module needs its state to be moved first",
    "数据库连接必须在每次使用之后立即关闭，否则连接池会被耗尽",
];

const BAD: &[(&str, &str, &str)] = &[
    ("", "length", "``"),
    ("Be careful", "length", "Be careful"),
    ("Always test your code", "vague", "test"),
    ("Make sure everything works properly", "vague", "no specific words"),
    ("Be careful with the database code", "vague", "be careful"),
    ("Always pay attention to errors", "vague", "errors"),
    ("It is good practice to write tests", "vague", "good practice"),
    ("Double check the imports if necessary", "vague", "double check"),
    ("Keep in mind that it works better this way", "vague", "no specific words"),
    ("DATABASE_URL=postgres://localhost/shop_development", "configuration", "DATABASE_URL=postgres"),
    ("Set REQUEST_TIMEOUT=30 in the environment file", "configuration", "REQUEST_TIMEOUT=30"),
    ("The port of the development server is 8080", "configuration", "8080"),
    ("The request timeout is set to 30 seconds", "configuration", "timeout is set to 30"),
    ("The timeout is set to 30 in config.yaml", "configuration", "timeout is set to 30"),
    ("The default port for the Postgres container is 5433.", "configuration", "5433"),
    ("The payment service in staging listens on port 9000", "configuration", "port 9000"),
    ("The base url of the API is https://staging.example.com/v2", "configuration", "https://staging.example.com"),
    ("The project uses React 18.2.0 with TypeScript 5.1.6", "configuration", "18.2.0"),
    ("Pinned package lodash@4.17.21 in the repository", "configuration", "lodash@4.17.21"),
    ("Upgraded the webpack dependency to version 5", "configuration", "version 5"),
    ("For this ticket the cart component needs a wrapper element", "one_off", "this ticket"),
    ("Skip the integration tests of billing for now", "one_off", "for now"),
    ("The staging database is down today, use the replica", "one_off", "today"),
    ("Temporarily disable the lint rule about unused imports", "one_off", "temporarily"),
    ("ABC-123 needs the cart total rounded to cents", "one_off", "ABC-123"),
    ("The rounding error of the cart comes from SHOP2-4711", "one_off", "SHOP2-4711"),
    ("Rounding of the cart total was mended in #4711", "one_off", "#4711"),
    ("See pull request 88 for how the cart total is rounded", "one_off", "pull request 88"),
    ("The cart was broken since commit 3f9a2bc1 of the main branch", "one_off", "3f9a2bc1"),
    ("The certificate of the payment gateway expires on 2026-03-31", "one_off", "2026-03-31"),
    ("The freeze of the main branch begins on March 14th", "one_off", "March 14th"),
    ("Follow https://github.com/acme/shop/pull/77 when rounding totals", "one_off", "/pull/77"),
    ("Rounding of totals is explained in acme/shop#415 at length", "one_off", "acme/shop#415"),
];

fn judged(summary: &str) -> Vec<GateFault> {
    judge_quality(&lesson("l1", summary), &CaptureSettings::default())
}

#[test]
fn good_lessons_pass_every_gate() {
    let refused: Vec<_> = GOOD.iter().map(|summary| (summary, judged(summary))).filter(|(_, faults)| !faults.is_empty()).collect();
    assert!(refused.is_empty(), "{refused:#?}");
}

#[test]
fn bad_lessons_fail_at_their_gate_and_hear_which_words_are_at_fault() {
    let is_told = |(summary, gate, words): &&(&str, &str, &str)| {
        judged(summary).iter().any(|fault| fault.gate == *gate && fault.reason.contains(words) && !fault.remedy.is_empty())
    };
    let missed: Vec<_> = BAD.iter().filter(|case| !is_told(case)).map(|case| (case, judged(case.0))).collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn the_tables_are_as_long_as_they_should_be() {
    assert!(GOOD.len() >= 40 && BAD.len() >= 25);
}

#[test]
fn lengths_count_characters_and_include_both_limits() {
    let settings =
        CaptureSettings { least_characters: 10, most_characters: 30, least_telling_words: 1, ..CaptureSettings::default() };
    let passes = |count: usize| judge_quality(&lesson("l1", &"ü".repeat(count)), &settings).is_empty();
    assert_eq!([9, 10, 30, 31].map(passes), [false, true, true, false]);
}

#[test]
fn a_workspace_has_its_own_phrases() {
    let summary = "Rounding of totals belongs into the money module, says the boss";
    assert_eq!(judged(summary), []);
    let settings = CaptureSettings { one_off: vec![" Says the Boss ".to_owned(), String::new()], ..CaptureSettings::default() };
    assert_eq!(judge_quality(&lesson("l1", summary), &settings)[0].gate, "one_off");
}

#[test]
fn every_fault_of_a_lesson_is_told() {
    let gates: Vec<&str> = judged("Use node 18.17.0 for now").iter().map(|fault| fault.gate).collect();
    assert_eq!(gates, ["vague", "configuration", "one_off"]);
}

proptest! {
    #[test]
    fn no_text_breaks_the_gates(summary in any::<String>(), words in r"[A-Za-z0-9 =:#@./`'-]{0,120}") {
        for text in [summary, words] {
            for fault in judged(&text) {
                prop_assert!(!fault.reason.chars().any(char::is_control));
                prop_assert!(fault.reason.chars().count() < 600);
            }
        }
    }
}
