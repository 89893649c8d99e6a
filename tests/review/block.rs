//! The verdict in a comment: what is one, which one counts, and what it says.

use proptest::prelude::proptest;
use text::review::{Issue, VerdictBlock, find_verdict};

use crate::review::text::{cases, endless, hostile};

fn comment(json: &str) -> String {
    format!("Some report.\n\n<!-- jkz:verdict-json\n{json}\n-->\n")
}

#[track_caller]
fn found(json: &str) -> VerdictBlock {
    find_verdict(&comment(json)).unwrap_or_else(|| panic!("no verdict in {json}"))
}

#[track_caller]
fn assert_none(text: &str) {
    assert_eq!(find_verdict(text), None, "{text}");
}

#[test]
fn a_block_is_read_field_by_field() {
    let block = found(
        r#"{"verdict":"FAIL","issues":[{"id":"J1","severity":"HIGH","summary":"No null check","location":"src/a.ts:3","root_cause":"haste","fix_hint":"check it","pattern":"D-007","more":[1]},{"id":2,"summary":"Slow","location":null}],"must_fix":["J1",2],"false_positives":["A3","the whole text"],"unknown":{"verdict":"PASS"}}"#,
    );
    let first = Issue {
        id: "J1".to_owned(),
        severity: "HIGH".to_owned(),
        summary: "No null check".to_owned(),
        location: Some("src/a.ts:3".to_owned()),
        root_cause: Some("haste".to_owned()),
        fix_hint: Some("check it".to_owned()),
        pattern: Some("D-007".to_owned()),
    };
    let second = Issue { id: "2".to_owned(), summary: "Slow".to_owned(), ..Issue::default() };
    let texts = |texts: [&str; 2]| texts.map(str::to_owned).to_vec();
    let expected = VerdictBlock {
        is_fail: true,
        issues: vec![first, second],
        must_fix: texts(["J1", "2"]),
        false_positives: texts(["A3", "the whole text"]),
    };
    assert_eq!(block, expected);
    assert!(!block.passes());
}

#[test]
fn who_fails_a_work_must_say_what_to_mend() {
    for (json, passes) in [
        (r#"{"verdict":"FAIL","must_fix":[]}"#, true),
        (r#"{"verdict":"FAIL"}"#, true),
        (r#"{"verdict":"FAIL","must_fix":["J1"]}"#, false),
        (r#"{"verdict":"PASS","must_fix":["J1"]}"#, true),
        (r#"{"verdict":" PASS\n"}"#, true),
    ] {
        assert_eq!(found(json).passes(), passes, "{json}");
    }
}

#[test]
fn what_must_be_mended_and_is_no_issue_is_kept_and_named() {
    let block = found(r#"{"verdict":"FAIL","issues":[{"id":"J1","summary":"s"}],"must_fix":["J1","J9",7,"J9"]}"#);
    assert_eq!(block.must_fix, ["J1", "J9", "7", "J9"]);
    assert_eq!(block.unknown_ids(), ["J9", "7"]);
}

#[test]
fn the_last_well_formed_block_counts() {
    let (pass, fail) = (comment(r#"{"verdict":"PASS"}"#), comment(r#"{"verdict":"FAIL","must_fix":["J1"]}"#));
    assert!(!find_verdict(&format!("{pass}{fail}")).expect("a verdict").passes());
    assert!(find_verdict(&format!("{fail}{pass}")).expect("a verdict").passes());
    assert!(!find_verdict(&format!("{fail}{}", comment("{broken}"))).expect("a verdict").passes());
}

#[test]
fn both_markers_open_a_block_in_every_layout() {
    for text in [
        r#"<!-- jkz:verdict-json {"verdict":"PASS"} -->"#,
        r#"<!--jkz:verdict-json{"verdict":"PASS"}-->"#,
        r#"<!-- outerloop:verdict-json {"verdict":"PASS"} -->"#,
        "<!--\r\n  jkz:verdict-json\r\n{\r\n\"verdict\": \"PASS\"\r\n}\r\n-->\r\n",
        r#"The end. <!-- jkz:verdict-json {"verdict":"PASS"} --> Really."#,
        r#"<!-- outer <!-- jkz:verdict-json {"verdict":"PASS"} --> -->"#,
        r#"Speak of <!-- first. <!-- jkz:verdict-json {"verdict":"PASS"} -->"#,
        "```\ncode\n```\n<!-- jkz:verdict-json {\"verdict\":\"PASS\"} -->",
        r#"<!-- jkz:verdict-json {"verdict":"PASS","note":"ends with --> here, <!-- jkz:verdict-json {} --> é"} -->"#,
    ] {
        assert!(find_verdict(text).is_some_and(|block| !block.is_fail), "{text}");
    }
}

#[test]
fn what_is_malformed_is_no_verdict() {
    for json in [
        "{broken}",
        "",
        "{}",
        r#"{"issues":[]}"#,
        r#"{"verdict":"pass"}"#,
        r#"{"verdict":"PASSED"}"#,
        r#"{"verdict":true}"#,
        r#"{"verdict":null}"#,
        r"{'verdict':'PASS'}",
        r#"{"verdict":"PASS",}"#,
        r#"{"verdict":"PASS"} and more"#,
        r#"{"verdict":"PASS"}{"verdict":"PASS"}"#,
        r#"{"verdict":"PASS","verdict":"PASS"}"#,
        r#"{"verdict":"PASS","must_fix":[],"must_fix":[]}"#,
        r#"{"verdict":"PASS","must_fix":"J1"}"#,
        r#"{"verdict":"PASS","must_fix":null}"#,
        r#"{"verdict":"PASS","must_fix":[["J1"]]}"#,
        r#"{"verdict":"PASS","false_positives":[{"reason":"no id"}]}"#,
        r#"{"verdict":"PASS","issues":{}}"#,
        r#"{"verdict":"PASS","issues":["J1"]}"#,
        r#"{"verdict":"PASS","issues":[["J1","HIGH","s"]]}"#,
        r#"{"verdict":"PASS","issues":[{"summary":"s"}]}"#,
        r#"{"verdict":"PASS","issues":[{"id":true,"summary":"s"}]}"#,
        r#"["PASS"]"#,
        "// a remark\n{\"verdict\":\"PASS\"}",
        "```json\n{\"verdict\":\"PASS\"}\n```",
    ] {
        assert_none(&comment(json));
    }
}

#[test]
fn only_a_comment_of_its_own_holds_a_verdict() {
    for text in [
        r#"{"verdict":"PASS"}"#,
        r#"jkz:verdict-json {"verdict":"PASS"}"#,
        r#"<!-- jkz:verdict-json {"verdict":"PASS"}"#,
        r#"<!-- jkz:verdict-json {"verdict":"PASS"} --"#,
        r#"<!-- JKZ:verdict-json {"verdict":"PASS"} -->"#,
        r#"<!-- the jkz:verdict-json {"verdict":"PASS"} -->"#,
        r#"<!-- jkz:verdict-json: {"verdict":"PASS"} -->"#,
        r#"<!-- jkz:verdict-json --> {"verdict":"PASS"} -->"#,
        r#"<! -- jkz:verdict-json {"verdict":"PASS"} -->"#,
        "",
    ] {
        assert_none(text);
    }
}

#[test]
fn a_block_that_is_quoted_is_somebody_elses() {
    let block = r#"<!-- jkz:verdict-json {"verdict":"PASS"} -->"#;
    for text in [
        format!("```\n{block}\n```"),
        format!("~~~html\n{block}"),
        format!("End with `{block}`."),
        format!("> {block}"),
        format!("=== HISTORICAL PATTERNS ===\n{block}\n=== END HISTORICAL PATTERNS ==="),
        format!("---\nrole: judge\n{block}\n---\n"),
    ] {
        assert_none(&text);
    }
}

#[test]
fn a_block_may_be_as_long_as_64_kib() {
    let json = |length: usize| {
        let frame = r#"{"verdict":"PASS","note":""}"#;
        format!(r#"{{"verdict":"PASS","note":"{}"}}"#, "x".repeat(length - frame.len()))
    };
    assert!(find_verdict(&comment(&json(64 << 10))).is_some());
    assert_none(&comment(&json((64 << 10) + 1)));
    assert_none(&comment(&format!(r#"{{"verdict":"PASS","note":"{}"}}"#, "é".repeat(40 << 10))));
    let nested = format!("{}1{}", "[".repeat(1000), "]".repeat(1000));
    assert_none(&comment(&format!(r#"{{"verdict":"PASS","issues":{nested}}}"#)));
    assert!(find_verdict(&comment(&format!(r#"{{"verdict":"PASS","note":{nested}}}"#))).is_some(), "unknown names are passed over");
}

#[test]
fn endless_texts_are_read_in_one_go() {
    for part in ["<!--", "<!-- jkz:verdict-json", "<!--jkz:verdict-json{\",\":0,\":", "<!--jkz:verdict-json{\"a\":[", "{", "-->"] {
        assert_none(&endless(part));
    }
    let last = comment(r#"{"verdict":"PASS"}"#);
    assert!(find_verdict(&(endless("<!-- jkz:verdict-json {") + &last)).is_some());
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn a_block_at_the_end_of_any_text_without_an_open_quotation_counts(text in hostile()) {
        let closed = text.replace(['`', '~', '<', '-', '>', '='], " ");
        let block = find_verdict(&format!("{closed}\n{}", comment(r#"{"verdict":"FAIL","must_fix":[1]}"#)));
        assert!(block.is_some_and(|block| !block.passes()));
        let _ = find_verdict(&text);
    }
}

#[test]
fn ids_may_come_with_a_reason_and_issues_without_a_summary() {
    let block = found(
        r#"{"verdict":"PASS","issues":[{"id":"I1"}],"must_fix":[{"id":2}],"false_positives":[{"id":" J1 ","reason":"redacted"}]}"#,
    );
    assert_eq!((&*block.issues[0].id, &*block.issues[0].summary), ("I1", ""));
    assert_eq!((block.must_fix, block.false_positives), (vec!["2".to_owned()], vec!["J1".to_owned()]));
}
