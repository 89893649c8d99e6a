use learn::citation::{Place, parse_citations, parse_evidence};
use proptest::prelude::*;

fn cited(text: &str) -> Vec<(String, u32)> {
    parse_citations(text).into_iter().map(|Place { path, line }| (path, line)).collect()
}

/// Each pattern with its places.
fn claimed(evidence: &str, summaries: &str) -> Vec<(String, Vec<String>)> {
    let claims = parse_evidence(evidence, summaries).into_iter();
    claims
        .map(|claim| (claim.pattern, claim.places.iter().map(|place| format!("{}:{}", place.path, place.line)).collect()))
        .collect()
}

#[track_caller]
fn assert_claimed(evidence: &str, summaries: &str, wanted: &[(&str, &[&str])]) {
    let wanted: Vec<_> =
        wanted.iter().map(|(pattern, places)| (pattern.to_string(), places.iter().map(ToString::to_string).collect())).collect();
    assert_eq!(claimed(evidence, summaries), wanted, "{evidence}");
}

#[test]
fn places_are_found_in_every_form() {
    for (text, path, line) in [
        ("src/main.rs:10", "src/main.rs", 10),
        ("(src/main.rs:10)", "src/main.rs", 10),
        ("[src/main.rs:10](x)", "src/main.rs", 10),
        ("src/main.rs:10:5", "src/main.rs", 10),
        ("src/main.rs:10-20", "src/main.rs", 10),
        ("`src/main.rs:10`", "src/main.rs", 10),
        ("`src/main.rs:10:5`", "src/main.rs", 10),
        ("`src/main.rs`:10", "src/main.rs", 10),
        ("'src/main.rs:10-12'", "src/main.rs", 10),
        ("“src/main.rs:10”", "src/main.rs", 10),
        ("\"app/[slug]/page.tsx:7\"", "app/[slug]/page.tsx", 7),
        ("`grep x src/main.rs:10`", "src/main.rs", 10),
        ("@scope/pkg/+page.svelte:3", "@scope/pkg/+page.svelte", 3),
        ("müller/größe.py:3", "müller/größe.py", 3),
        ("./a.py:3,", "./a.py", 3),
        (".env:3", ".env", 3),
        ("Makefile:3", "Makefile", 3),
        ("a.py:99999999999999999999", "a.py", u32::MAX),
    ] {
        assert_eq!(cited(text), [(path.to_owned(), line)], "{text}");
    }
}

#[test]
fn times_addresses_and_proportions_are_no_places() {
    for text in [
        "12:30",
        "at 09:15:30",
        "`12:30`",
        "http://localhost:8080/x",
        "`http://localhost:8080`",
        "ssh://h:22/a/b.rs:10",
        "1.5:2",
        "3/4:1",
        "a.py: 10",
        "a.py",
    ] {
        assert_eq!(cited(text), [], "{text}");
    }
    assert_eq!(cited("see https://h:1/a.py:2, a.py:3 at 12:30"), [("a.py".to_owned(), 3)]);
}

#[test]
fn a_text_without_end_has_a_bounded_number_of_places() {
    assert_eq!(cited(&"a.py:1 ".repeat(5000)).len(), 1000);
    assert_eq!(cited(&format!("{}.py:1", "a".repeat(5000))), []);
}

#[test]
fn the_places_of_a_claim_are_its_own() {
    assert_claimed(
        r#"LEARNINGS_ACKNOWLEDGED x.py:9 - Applied: "Use tabs" in src/a.py:10, src/a.py:10 and b.py:2 - Applied: "Check errors" → `c.py:3`"#,
        "Use tabs,Check errors",
        &[("Use tabs", &["src/a.py:10", "b.py:2"]), ("Check errors", &["c.py:3"])],
    );
    assert_claimed(r#"Applied: "One" Applied: "Two" a.py:1"#, "One,Two", &[("One", &[]), ("Two", &["a.py:1"])]);
}

#[test]
fn a_claim_may_quote_within_its_text() {
    for (evidence, pattern) in [
        (r#"Applied: "Avoid "any" in code" src/a.py:1"#, r#"Avoid "any" in code"#),
        (r#"Applied: "Avoid "any"" src/a.py:1"#, r#"Avoid "any""#),
        (r#"Applied: ""any" is bad" src/a.py:1"#, r#""any" is bad"#),
        (r#"Applied: "Plain" as in "quoted words", src/a.py:1"#, "Plain"),
        (r#"Applied: "Plain" "src/a.py:1""#, "Plain"),
        (r#"Applied: "Like old.py:7 does" src/a.py:1"#, "Like old.py:7 does"),
        (r"Applied: “Curly “inner” text” src/a.py:1", "Curly “inner” text"),
        (r#"Applied: "Half "open text" src/a.py:1"#, r#"Half "open text"#),
        (r#"Applied: "Never closed src/a.py:1"#, "Never closed"),
        (r#"Applied:"No space" src/a.py:1"#, "No space"),
    ] {
        assert_claimed(evidence, "", &[(pattern, &["src/a.py:1"])]);
    }
    assert_claimed(r#"Applied: "" src/a.py:1"#, "", &[]);
    assert_claimed(r#"Applied: "cut in the mid"#, "", &[("cut in the mid", &[])]);
}

#[test]
fn the_places_behind_a_summary_are_its_own() {
    assert_claimed(
        "LEARNINGS_ACKNOWLEDGED Use tabs: src/a.py:10 and Check errors: c.py:3, d.py:4",
        "Check errors,Use tabs",
        &[("Check errors", &["c.py:3", "d.py:4"]), ("Use tabs", &["src/a.py:10"])],
    );
    assert_claimed("Use tabs src/a.py:10", "Use tabs,Check errors", &[("Use tabs", &["src/a.py:10"]), ("Check errors", &[])]);
    let shared = |summaries: &str| parse_evidence("a.py:1 b.py:2", summaries)[0].is_shared;
    assert!(shared("One,Two") && !shared("One"));
}

#[test]
fn without_claims_all_places_are_given_for_all_summaries() {
    let both: &[&str] = &["a.py:1", "b.py:2"];
    for (summaries, wanted) in [
        ("One", vec!["One"]),
        ("One,Two", vec!["One", "Two"]),
        ("Pattern high, with comma,Other", vec!["Pattern high, with comma", "Other"]),
        ("At most 1,000 rows,Other", vec!["At most 1,000 rows", "Other"]),
        ("Call f(a,b) once,Other", vec!["Call f(a,b) once,Other"]),
        ("", vec![]),
        (" , ,", vec![", ,"]),
    ] {
        let wanted: Vec<_> = wanted.into_iter().map(|pattern| (pattern, both)).collect();
        assert_claimed("did it at a.py:1 and b.py:2", summaries, &wanted);
    }
}

proptest! {
    #[test]
    fn a_plain_text_in_quotes_is_read_back(text in "[A-Za-z][A-Za-z,.()' -]{0,40}[a-z]", line in 1_u32..1000) {
        let claims = parse_evidence(&format!("Applied: \"{text}\" see src/a.py:{line} x"), "");
        prop_assert_eq!(claims.len(), 1);
        prop_assert_eq!(&claims[0].pattern, &text);
        prop_assert_eq!(&claims[0].places, &[Place { path: "src/a.py".to_owned(), line }]);
    }

    #[test]
    fn no_text_is_too_odd(evidence in "(Applied: |\"|“|”|,|a.py:1| |ü|[(]|https://){0,30}", summaries in "(,|a|\"| |[(]|1){0,20}") {
        for claim in parse_evidence(&evidence, &summaries) {
            prop_assert!(!claim.pattern.is_empty());
        }
    }
}
