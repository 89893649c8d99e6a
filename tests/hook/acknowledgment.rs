use agent::hook::{Shown, build_verdict, fold, parse_acknowledgment, says_nothing_learned};
use proptest::prelude::*;

const SHOWN: [Shown<'static>; 10] = [
    Shown { id: "P-001", text: "Pattern high, with comma" },
    Shown { id: "P-002", text: r#"Avoid "any" in types"# },
    Shown { id: "P-003", text: "Use arr[0] to index" },
    Shown { id: "P-004", text: "Pass a|b as one flag" },
    Shown { id: "P-017", text: "Retry API calls with backoff" },
    Shown { id: "P-018", text: "Retry API calls" },
    Shown { id: "P-019", text: "Await every promise before the handler returns, and..." },
    Shown { id: "P-1", text: "Lint" },
    Shown { id: "retry", text: "Like P-017, but see docs/old.md:7 first" },
    Shown { id: "P-021", text: "Escape ‹script› when a＝b" },
];

/// The ids of the patterns that were applied, or the texts that are like none, each with its places.
fn read(said: &str) -> Option<Vec<(String, Vec<String>)>> {
    let uses = parse_acknowledgment(said, &SHOWN)?.uses.into_iter();
    Some(
        uses.map(|found| (found.pattern.map_or(format!("?{}", found.text), |index| SHOWN[index].id.to_owned()), found.citations))
            .collect(),
    )
}

#[track_caller]
fn assert_applied(lines: &str, wanted: &[(&str, &[&str])]) {
    let wanted: Vec<_> =
        wanted.iter().map(|(name, places)| (name.to_string(), places.iter().map(ToString::to_string).collect())).collect();
    assert_eq!(read(&format!("Done.\n\nLEARNINGS_ACKNOWLEDGED\n{lines}\n")), Some(wanted), "{lines}");
}

#[test]
fn texts_that_the_original_tears_apart_stay_whole() {
    assert_applied(
        concat!(
            "- Applied: \"Pattern high, with comma\" at src/a.ts:1\n",
            "- Applied: \"Avoid \"any\" in types\" at src/b.ts:2\n",
            "- Applied: \"Use arr[0] to index\" at src/c.ts:3\n",
            "- Applied: \"Pass a|b as one flag\" at src/d.ts:4",
        ),
        &[("P-001", &["src/a.ts:1"]), ("P-002", &["src/b.ts:2"]), ("P-003", &["src/c.ts:3"]), ("P-004", &["src/d.ts:4"])],
    );
}

#[test]
fn a_claim_may_be_written_in_many_ways() {
    for line in [
        r#"Applied: "Retry API calls with backoff" at src/a.rs:5"#,
        r#"- Applied: "Retry API calls with backoff" (src/a.rs:5)"#,
        r#"* **Applied:** "Retry API calls with backoff" — `src/a.rs:5`"#,
        r"1. **Applied**: “Retry API calls with backoff.” in `src/a.rs`:5",
        r"> Applied: `Retry API calls with backoff` at src/a.rs:5",
        r"_Applied_: 'retry api  calls with backoff' at src/a.rs:5",
        r"APPLIED: Retry API calls with backoff at src/a.rs:5",
        r"Applied: **Retry API calls with backoff** at src/a.rs:5-9",
        r#"Applied: "[high] Retry API calls with backoff [STALE]" at src/a.rs:5"#,
        r#"Applied "Retry API calls with backoff" at src/a.rs:5"#,
        r"Applied: P-017 at src/a.rs:5",
        r"Applied: [P-017] at src/a.rs:5",
        r"Applied [p-017]: src/a.rs:5",
        r"Applied P-017 at src/a.rs:5",
        r#"Applied (P-017): "in my own words" at src/a.rs:5"#,
        r#"Applied: "P-017: backoff for calls" at src/a.rs:5"#,
        r#"Applied: [P-017] "Retry API calls with backoff" at src/a.rs:5"#,
        r#"Applied: "Retry API calls with backoff" (P-017) at src/a.rs:5"#,
        r#"Applied: [P-017] "Lint" at src/a.rs:5"#,
        r#"Applied: "Lint" (P-017) at src/a.rs:5"#,
        r#"Applied: "API calls with backoff" at src/a.rs:5"#,
        r#"Applied: "Always retry API calls with backoff" at src/a.rs:5"#,
        r#"Applied: "Retry the API calls with backoff" at src/a.rs:5"#,
        r"Applied: retry all API calls with backoff, at src/a.rs:5",
        r#"Patterns applied: "Retry API calls with backoff" at src/a.rs:5"#,
        "Applied: \"Retry API calls\n  with backoff\"\n  - src/a.rs:5",
        "**Applied:**\n\n- \"Retry API calls with backoff\": src/a.rs:5",
        "Applied patterns:\n- Retry API calls with backoff at src/a.rs:5\n\nFiles I also read: src/z.rs:1",
        "Applied: \"Retry API calls with backoff\" at src/a.rs:5\n## Files\n- src/z.rs:1",
        "Applied: \"Retry API calls with backoff\" at src/a.rs:5\r\n- Not applicable: \"Lint\" (src/z.rs:1)\r\n",
    ] {
        assert_applied(line, &[("P-017", &["src/a.rs:5"])]);
    }
}

#[test]
fn several_claims_on_one_line_keep_their_places() {
    let first: (&str, &[&str]) = ("P-017", &["a.rs:1"]);
    for line in [
        r#"Applied: "Retry API calls with backoff" at a.rs:1, Applied: "Lint" at b.rs:2"#,
        r#"Applied: "Retry API calls with backoff" at a.rs:1, "Lint" at b.rs:2"#,
        r"Applied: P-017 at a.rs:1; P-1 at b.rs:2",
    ] {
        assert_applied(line, &[first, ("P-1", &["b.rs:2"])]);
    }
    for line in [
        r#"Applied: "Retry API calls with backoff", "Lint" at a.rs:1"#,
        r#"Applied: "Retry API calls with backoff" and P-1 at a.rs:1"#,
        r"Applied: P-017, P-1 at a.rs:1",
        r#"Applied at a.rs:1 (Applied: P-017, "Lint" at a.rs:1)"#,
    ] {
        assert_applied(line, &[first, ("P-1", &["a.rs:1"])]);
    }
    assert_applied(r#"Applied: "Retry API calls with backoff" at a.rs:1, unlike P-018"#, &[first]);
}

#[test]
fn of_two_texts_the_longer_counts_and_both_if_both_are_quoted() {
    assert_applied(r#"Applied: "Retry API calls with backoff" at a.rs:1"#, &[("P-017", &["a.rs:1"])]);
    assert_applied(r#"Applied: "Retry API calls" with backoff at a.rs:1"#, &[("P-018", &["a.rs:1"])]);
    assert_applied(
        r#"Applied: "Retry API calls" at a.rs:1 and "Retry API calls with backoff" at b.rs:2"#,
        &[("P-018", &["a.rs:1"]), ("P-017", &["b.rs:2"])],
    );
}

#[test]
fn what_stands_inside_of_a_shown_text_is_neither_id_nor_place() {
    assert_applied(r#"Applied: "Like P-017, but see docs/old.md:7 first" at src/a.rs:5"#, &[("retry", &["src/a.rs:5"])]);
    assert_applied(r#"Applied: "like P-017 but see docs/old.md:7" at src/a.rs:5"#, &[("retry", &["src/a.rs:5"])]);
}

#[test]
fn an_id_counts_only_where_it_stands_by_itself() {
    assert_applied("Applied: [retry] at src/a.rs:5", &[("retry", &["src/a.rs:5"])]);
    assert_applied("Applied: retry at src/a.rs:5", &[("retry", &["src/a.rs:5"])]);
    assert_applied("Applied: P-0171 at src/a.rs:5", &[("?P-0171", &["src/a.rs:5"])]);
    assert_applied("Applied: \"Lint\" at docs/P-017/a.rs:5", &[("P-1", &["docs/P-017/a.rs:5"])]);
    assert_applied("Applied: always retry slowly at src/a.rs:5", &[("?always retry slowly", &["src/a.rs:5"])]);
}

#[test]
fn a_text_that_was_cut_is_known_by_its_beginning() {
    for text in [
        "Await every promise before the handler returns, and...",
        "Await every promise before the handler returns, and",
        "Await every promise before the handler returns, and…",
        "Await every promise before the handler returns, and log what it threw",
    ] {
        assert_applied(&format!("Applied: \"{text}\" at a.rs:1"), &[("P-019", &["a.rs:1"])]);
    }
}

#[test]
fn look_alikes_are_the_same_as_what_they_stand_for() {
    assert_applied(r#"Applied: "Escape <script> when a=b" at a.rs:1"#, &[("P-021", &["a.rs:1"])]);
    assert_eq!(fold("  A\t“quoted”\n‹b›＝ʼʼʼ c… — d "), r#"a "quoted" <b>=""" c... - d"#);
    assert_eq!(fold("∼∼∼ ⚠\u{fe0f} a\u{34f}\u{2800}\u{1d173}\u{e0fff}b"), "~~~ ⚠ ab");
}

#[test]
fn what_is_like_nothing_shown_is_kept_as_it_was_quoted() {
    let places: &[&str] = &["a.rs:1"];
    for (line, text) in [
        (r#"Applied: "Prefer "const" over let, always" at a.rs:1"#, r#"?Prefer "const" over let, always"#),
        ("Applied: `Something else` at a.rs:1", "?Something else"),
        ("Applied: 'Don't panic' at a.rs:1", "?Don't panic"),
        ("- **Applied:** Something else (`a.rs:1`)", "?Something else"),
        ("Applied:\n- Something else - a.rs:1", "?Something else"),
        ("Applied: \"Something else\"\n  - a.rs:1", "?Something else"),
    ] {
        assert_applied(line, &[(text, places)]);
    }
    assert_applied("Applied: \"One thing\" at a.rs:1\nApplied: \"one  thing\" at b.rs:2", &[("?One thing", &["a.rs:1", "b.rs:2"])]);
}

#[test]
fn a_tiny_text_is_not_found_inside_of_others() {
    assert_applied(r#"Applied: "Lint before commit" at a.rs:1"#, &[("?Lint before commit", &["a.rs:1"])]);
    assert_applied("Applied: \"Linting\" at a.rs:1", &[("?Linting", &["a.rs:1"])]);
    assert_applied("Applied: Lint at a.rs:1", &[("P-1", &["a.rs:1"])]);
}

#[test]
fn what_did_not_apply_is_no_claim() {
    for line in [
        "Applied: none",
        "Applied: None of them (Retry API calls with backoff is about networks)",
        "Applied: \"none\"",
        "Applied: N/A",
        "Applied: no patterns were relevant",
        "Not applied: \"Retry API calls with backoff\" at a.rs:1",
        "- **Not Applied:** \"Retry API calls with backoff\"",
        "I haven't applied \"Retry API calls with backoff\".",
        "None of the patterns applied: they are about Retry API calls with backoff",
        "Skipped: \"Retry API calls with backoff\"",
        "The patch was applied: see a.rs:1",
        "Applied:",
        "Applied: a.rs:1",
        "",
    ] {
        assert_applied(line, &[]);
    }
    assert_applied(
        "Applied: \"Lint\" at a.rs:1; not applied: \"Retry API calls with backoff\" at b.rs:2\nApplied: P-018 c.rs:3",
        &[("P-1", &["a.rs:1"]), ("P-018", &["c.rs:3"])],
    );
}

#[test]
fn the_same_pattern_twice_is_one_use_with_all_its_places() {
    assert_applied(
        "Applied: \"Lint\" at a.rs:1\nApplied: P-018 at b.rs:2\nApplied: P-1 at c.rs:3, a.rs:1",
        &[("P-1", &["a.rs:1", "c.rs:3"]), ("P-018", &["b.rs:2"])],
    );
}

#[test]
fn the_last_marker_that_opens_a_line_begins_the_acknowledgment() {
    let applied = |said: &str| read(said).map(|uses| uses.into_iter().map(|(name, _)| name).collect::<Vec<_>>());
    for marker in
        ["LEARNINGS_ACKNOWLEDGED", "**LEARNINGS_ACKNOWLEDGED**", "## `LEARNINGS_ACKNOWLEDGED`:", "- ✅ LEARNINGS_ACKNOWLEDGED"]
    {
        let said =
            format!("LEARNINGS_ACKNOWLEDGED\nApplied: P-018\n{marker}\nApplied: P-017\nNote: LEARNINGS_ACKNOWLEDGED is above.");
        assert_eq!(applied(&said), Some(vec!["P-017".to_owned()]), "{marker}");
    }
    assert_eq!(applied("I write LEARNINGS_ACKNOWLEDGED. Applied: P-017"), Some(vec!["P-017".to_owned()]));
    assert_eq!(applied("Applied: P-017\nLEARNINGS_ACKNOWLEDGED"), Some(vec![]));
    for said in ["", "Applied: P-017", "MY_LEARNINGS_ACKNOWLEDGED", "LEARNINGS_ACKNOWLEDGED_NOT", "learnings_acknowledged"] {
        assert_eq!(applied(said), None, "{said}");
    }
}

#[test]
fn twenty_lines_are_read_and_blank_ones_do_not_count() {
    let said = |before: usize| format!("LEARNINGS_ACKNOWLEDGED\n{}Applied: P-017", "\n \nwords\n".repeat(before));
    assert_eq!(read(&said(18)).map(|uses| uses.len()), Some(1));
    assert_eq!(read(&said(19)).map(|uses| uses.len()), Some(0));
}

#[test]
fn an_acknowledgment_without_end_fits_into_events() {
    let places: Vec<String> = (0..200).map(|line| format!("src/{}.rs:{line}", "a".repeat(100))).collect();
    let texts: Vec<String> = (0..2000).map(|number| format!("Applied: \"Thing of number {number}\u{7}\"")).collect();
    let said = format!(
        "LEARNINGS_ACKNOWLEDGED\nApplied: \"{}\"\nApplied: P-017 {}\n{}",
        "long word ".repeat(5000),
        places.join(" "),
        texts.join(" ")
    );
    let found = parse_acknowledgment(&said, &SHOWN).expect("an acknowledgment").uses;
    assert_eq!(found.len(), 100);
    assert_eq!(found[0].text.len(), 16 << 10);
    assert_eq!(found[1].citations.len(), 50);
    assert_eq!(found[2].text, "Thing of number 0");
}

#[test]
fn the_later_verdict_on_a_build_counts() {
    for (said, verdict) in [
        ("VALIDATION_PASSED", Some(true)),
        ("**VALIDATION_FAILED**: 3 tests", Some(false)),
        ("VALIDATION_FAILED at first, mended it: VALIDATION_PASSED.", Some(true)),
        ("not VALIDATION_PASSED: VALIDATION_FAILED", Some(false)),
        ("VALIDATION_PASSED_ALL and MY_VALIDATION_FAILED", None),
        ("", None),
    ] {
        assert_eq!(build_verdict(said), verdict, "{said}");
    }
}

#[test]
fn nothing_learned_is_a_word() {
    for (said, wanted) in [
        (r#"{"no_learnings": true}"#, true),
        ("`no_learnings`.", true),
        ("no_learnings_yet", false),
        ("has_no_learnings", false),
        ("no learnings", false),
    ] {
        assert_eq!(says_nothing_learned(said), wanted, "{said}");
    }
}

#[test]
fn a_text_that_looks_like_the_line_of_another_is_told_apart() {
    let texts = ["Lint", "Lint\" at a.rs:1", "lint", "Applied: \"Lint", "none", "\"", "Not applied: \"Lint\""];
    let shown: Vec<Shown> = texts.iter().map(|text| Shown { id: "", text }).collect();
    for (number, text) in texts.iter().enumerate() {
        let said = format!("LEARNINGS_ACKNOWLEDGED\n- Applied: \"{text}\" at a.rs:1\n");
        let found = parse_acknowledgment(&said, &shown).expect("an acknowledgment").uses;
        let found: Vec<_> = found.iter().map(|found| (found.pattern, found.text.as_str(), found.citations.join(" "))).collect();
        assert_eq!(found, [(Some(number), *text, "a.rs:1".to_owned())], "{text}");
    }
}

/// Texts that look like everything that an acknowledgment is made of.
fn hostile_text() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        "[a-zA-Z]{1,8}",
        "[0-9]{1,3}",
        "\\PC",
        prop::sample::select(vec![
            "\"",
            "'",
            "`",
            "“",
            "”",
            ",",
            ", ",
            "] ",
            "[",
            "[x] ",
            "|",
            ":",
            "...",
            "…",
            "- ",
            "**",
            "#",
            "(",
            ")",
            "Applied: ",
            "Applied: \"",
            "Not applied: ",
            "none",
            "a.py:1",
            "`b/c.rs:2`",
            "https://h:1",
            "LEARNINGS_ACKNOWLEDGED",
            "P-000",
            "[P-001]",
            "\" at ",
            " at ",
            "ß",
            "İ",
            "‹",
            "＝",
            "ʼʼʼ",
            "\u{a0}",
            "  ",
        ])
        .prop_map(str::to_owned),
        Just(" ".to_owned()),
    ];
    prop::collection::vec(part, 1..10).prop_map(|parts| parts.concat().trim().to_owned())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn every_text_that_was_shown_is_found_again_with_its_own_place(
        texts in prop::collection::vec(hostile_text(), 1..12),
        bullet in prop::sample::select(vec!["", "- ", "  * ", "1. "]),
        quotes in prop::sample::select(vec![("\"", "\""), ("“", "”"), ("`", "`")]),
    ) {
        let mut texts: Vec<String> = texts.into_iter().filter(|text| !fold(text).is_empty()).collect();
        texts.sort();
        texts.dedup();
        let ids: Vec<String> = (0..texts.len()).map(|number| format!("P-{number:03}")).collect();
        let shown: Vec<Shown> = texts.iter().zip(&ids).map(|(text, id)| Shown { id, text }).collect();
        let lines: Vec<String> = texts.iter().enumerate()
            .map(|(number, text)| format!("{bullet}Applied: {}{text}{} at src/file{number}.rs:{number}", quotes.0, quotes.1)).collect();
        let said = format!("LEARNINGS_ACKNOWLEDGED\n{}", lines.join("\n"));
        let found = parse_acknowledgment(&said, &shown).expect("an acknowledgment").uses;
        let found: Vec<_> = found.into_iter().map(|found| (found.pattern, found.citations)).collect();
        let wanted: Vec<_> = (0..texts.len()).map(|number| (Some(number), vec![format!("src/file{number}.rs:{number}")])).collect();
        prop_assert_eq!(found, wanted, "{}", said);
    }

    #[test]
    fn no_acknowledgment_is_too_odd(
        parts in prop::collection::vec(prop_oneof![hostile_text(), Just("\n".to_owned()), Just("\nApplied:".to_owned())], 0..30),
        texts in prop::collection::vec(hostile_text(), 0..5),
    ) {
        let shown: Vec<Shown> = texts.iter().map(|text| Shown { id: text, text }).collect();
        let found = parse_acknowledgment(&format!("LEARNINGS_ACKNOWLEDGED {}", parts.concat()), &shown);
        for found in found.expect("an acknowledgment").uses {
            prop_assert!(!found.text.contains('\n'));
            prop_assert!(found.pattern.is_none_or(|pattern| pattern < shown.len()));
        }
    }
}
