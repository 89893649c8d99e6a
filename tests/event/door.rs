//! The door as the tests see it: a line goes in, an event or a refusal comes out.

use event::{Body, Code, Event, Latest, Parser, Rejection, digest_of, parse_time};
use proptest::prelude::ProptestConfig;
use serde_json::Value;
use setting::RunSettings;
use text::fit::is_unprintable;

/// The time of the events in these tests, unless they say otherwise.
pub const TIME: &str = "2026-03-14T09:26:53Z";

/// The clock of the reader in these tests.
pub const CLOCK: &str = "2026-03-14T12:00:00Z";

/// The microseconds of a time.
pub fn micros(time: &str) -> i64 {
    parse_time(time).unwrap_or_else(|| panic!("{time} is not a time"))
}

/// A parser that has seen nothing.
pub fn fresh() -> Parser {
    Parser::new(Latest::from_clock(micros(CLOCK)))
}

/// The event that a line becomes.
#[track_caller]
pub fn taken(line: &str) -> Event<'_> {
    taken_by(RunSettings::default(), line)
}

/// The event that a line becomes by these rules.
#[track_caller]
pub fn taken_by(rules: RunSettings, line: &str) -> Event<'_> {
    let event = Parser::with_rules(Latest::from_clock(micros(CLOCK)), rules)
        .parse(line)
        .unwrap_or_else(|rejection| panic!("refused: {rejection}\n{line}"));
    // A run that is called after its project and itself is compared without its time.
    let is_timeless = matches!(&event.body, Body::Run(run) if event.id == format!("{}/{}", event.project, run.run_id.get()));
    assert_eq!(event.digest == digest_of(line), !is_timeless, "{line}");
    if let Some(extra) = &event.extra {
        assert!(matches!(serde_json::from_str(extra), Ok(Value::Object(_))), "{extra}");
    }
    event
}

/// Why a line is refused.
#[track_caller]
pub fn refused(line: &str) -> (Code, String) {
    match fresh().parse(line) {
        Ok(event) => panic!("taken: {event:?}\n{line}"),
        Err(rejection) => {
            assert_presentable(&rejection);
            (rejection.code, rejection.message)
        }
    }
}

/// The reason for which a line is refused.
#[track_caller]
pub fn refused_code(line: &str) -> Code {
    refused(line).0
}

/// A rejection goes to logs and terminals: it says what to do, stays short, and nothing of the input can act through it.
#[track_caller]
pub fn assert_presentable(rejection: &Rejection) {
    for text in [&rejection.message, &rejection.remedy, &rejection.to_string()] {
        assert!(!text.trim().is_empty(), "{rejection:?}");
        assert!(!text.chars().any(is_unprintable), "{rejection:?}");
        assert!(text.len() < 1000, "{rejection:?}");
    }
}

/// A line of a kind, with a time and these members.
pub fn line(kind: &str, members: &str) -> String {
    let comma = if members.is_empty() { "" } else { "," };
    format!(r#"{{"kind":"{kind}","ts":"{TIME}"{comma}{members}}}"#)
}

/// A line of a successful run with further members, and an adapter where they name none.
pub fn run(members: &str) -> String {
    let adapters = if members.contains("adapters") { "" } else { r#""adapters":["terminal"],"# };
    line("run", &format!(r#""run_id":"r-1","result":"success",{adapters}{members}"#))
}

/// How property tests run: often, and without leaving files behind. `PROPTEST_CASES` makes it more often.
pub fn cases(least: u32) -> ProptestConfig {
    let usual = ProptestConfig::default();
    ProptestConfig { cases: usual.cases.max(least), failure_persistence: None, ..usual }
}
