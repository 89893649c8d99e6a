//! How well a text is founded: output, quotations, and what only claims to be either.

use std::cell::RefCell;

use proptest::prelude::{prop_assert, prop_assert_eq, proptest};
use text::review::{Level, Quotation, evidence_level, evidence_level_where};

use crate::review::text::{cases, endless, hostile};

const NO_FILES: [&str; 0] = [];

#[track_caller]
fn assert_level(level: Level, text: &str) {
    assert_eq!(evidence_level(text, &NO_FILES), level, "{text}");
}

#[test]
fn levels_have_their_numbers_and_the_best_is_the_least() {
    assert_eq!([Level::Execution, Level::Quotation, Level::Reasoning].map(Level::number), [1, 2, 3]);
    assert!(Level::Execution < Level::Quotation && Level::Quotation < Level::Reasoning);
}

#[test]
fn every_signature_of_output_in_a_fence_is_execution() {
    for output in [
        "===== 3 passed, 1 failed in 0.2s =====",
        "test result: ok. 12 passed; 0 failed",
        "ok 1 - it works",
        "  not ok 2 - it does not",
        "PASS src/auth.test.ts",
        "FAIL tests/test_auth.py",
        "FAIL\tgithub.com/a/b\t0.01s",
        "process ended with exit code 1",
        "Exit code: 101",
        "error[E0308]: mismatched types",
        "src/a.c:3:5: error: expected ';'",
        "error: expected one of these\n --> src/main.rs:3:4",
        "Traceback (most recent call last):",
        "AssertionError: 1 != 2",
    ] {
        assert_level(Level::Execution, &format!("I ran it.\n\n```console\n{output}\n```\n"));
        assert_level(Level::Execution, &format!("```text\r\n{}\r\n```\r\n", output.replace('\n', "\r\n")));
        // In plain words the same is only a claim.
        assert_level(Level::Reasoning, output);
    }
}

#[test]
fn a_fence_is_of_output_by_its_name_or_by_a_command() {
    for (text, is_output) in [
        ("```bash\n3 passed\n```", true),
        ("```sh\n3 passed\n```", true),
        ("~~~~Shell title=x\n3 passed\n~~~~", true),
        ("```output\n3 passed", true),
        ("```\n3 passed\n```", false),
        ("```log\n3 passed\n```", false),
        ("```\n$ pytest\n3 passed\n```", true),
        ("```log\n> npm test\n3 passed\n```", true),
        ("$ pytest\n\n\n```\n3 passed\n```", true),
        ("Ran:\n- `$ pytest`\n```\n3 passed\n```", true),
        ("```\n$ pytest\n```\ngave\n```\n3 passed\n```", true),
        ("$ pytest\n\n\n\n```\n3 passed\n```", false),
        ("  1. Run\n\n     ```bash\n     3 passed\n     ```", true),
        ("- ```bash\n  3 passed\n  ```", true),
    ] {
        assert_level(if is_output { Level::Execution } else { Level::Reasoning }, text);
    }
}

#[test]
fn a_claim_without_output_and_source_code_are_no_execution() {
    for text in [
        "",
        "I ran the tests and all 12 passed.",
        "All `12 passed`.",
        "```bash\n$ cargo test\n```",
        "```bash\n$ grep '3 passed' log\n```",
        "```bash\ncargo test\n# 3 passed\n```",
        "```console\nerror: something went wrong\n```",
        "```console\nan AssertionErrors\n13 passedness\nokay 1\n```",
        "```rust\nassert!(true); // 3 passed\n```",
        "$ pytest\n```python\nraise AssertionError\n```",
        "$ cat x\n```{.js}\n// test result: ok\n```",
        "![screenshot](shots/login.png)",
    ] {
        assert_level(Level::Reasoning, text);
    }
}

#[test]
fn what_the_role_was_shown_and_what_it_says_for_programs_is_no_evidence() {
    let output = "```bash\n3 passed\n```";
    for (before, after) in [
        ("=== HISTORICAL PATTERNS (judge) ===", "=== END HISTORICAL PATTERNS ==="),
        ("=== HISTORICAL PATTERNS ===", "=== END HISTORICAL PATTERNS ==="),
        ("> === HISTORICAL PATTERNS (judge) ===", "> === END HISTORICAL PATTERNS ==="),
        ("<organization-learnings>", "</organization-learnings>"),
        ("<tool-learnings tool=\"Bash\">", "</tool-learnings>"),
        ("---\nrole: judge", "---"),
    ] {
        assert_level(Level::Reasoning, &format!("{before}\n{output}\n{after}\n"));
        assert_level(Level::Execution, &format!("{before}\n{after}\n{output}\n"));
        // What is never closed is no block, and hides nothing.
        assert_level(Level::Execution, &format!("{before}\n\n{output}\n"));
    }
    assert_level(Level::Reasoning, "```text\n<tool-learnings>\n3 passed\n</tool-learnings>\n```");
    for verdict in [r#"{"verdict":"PASS","note":"-->"}"#, "{broken"] {
        let text = format!("<!-- jkz:verdict-json {verdict}\n`let x` at src/a.rs:3\n-->");
        assert_level(Level::Reasoning, &text.replace("-->\"}\n`let x` at src/a.rs:3", "--> `let x` at src/a.rs:3\"}"));
    }
    assert_level(Level::Execution, &format!("---\n\n# A rule, no front matter\n\n{output}\n\n---\n"));
}

#[test]
fn a_place_is_a_path_with_an_extension_and_a_line() {
    for (place, is_place) in [
        ("src/auth.ts:42", true),
        ("a/b.rs:10-14", true),
        ("./a.py:1", true),
        ("größe/ä.rs:7", true),
        ("src/auth.ts:42:7", true),
        ("(src/auth.ts:42)", true),
        ("src/auth.ts:42.", true),
        ("`app/[id]/page.tsx:10`", true),
        ("`src/auth.ts`:42", true),
        ("file.ts", false),
        ("localhost:3000", false),
        ("10:30", false),
        ("v1.2:3", false),
        ("http://example.com:8080/x", false),
        ("`http://example.com:8080`", false),
        ("src/auth.ts:0", false),
        ("src/auth.ts:14-10", false),
        ("src/auth.ts:12345678901", false),
        ("src/auth.ts:4x", false),
        ("src/auth.ts: 42", false),
        ("Makefile:3", false),
    ] {
        let level = if is_place { Level::Quotation } else { Level::Reasoning };
        assert_level(level, &format!("See {place}, which says `let user = null`."));
    }
}

#[test]
fn a_place_needs_a_quotation_beside_it() {
    for (text, is_quoted) in [
        ("src/a.rs:3 has `let x = 1`", true),
        ("`let x = 1` in src/a.rs:3", true),
        ("``let `x` = 1`` in src/a.rs:3", true),
        ("src/a.rs:3\n\n\n`let x = 1`", true),
        ("src/a.rs:3\n\n\n\n`let x = 1`", false),
        ("`let x = 1`\nsrc/a.rs:3", false),
        ("src/a.rs:3\n```rust\nlet x = 1;\n```", true),
        ("src/a.rs:3\n\n\n```rust\nlet x = 1;\n```", true),
        ("src/a.rs:3\n\n\n\n```rust\nlet x = 1;\n```", false),
        ("src/a.rs:3\n```rust\n\n```", false),
        ("```rust src/a.rs:3\nlet x = 1;\n```", true),
        ("```rust\n// src/a.rs:3\nlet x = 1;\n```", true),
        ("```\nsrc/a.rs:3: let x = 1;\n```", true),
        ("```\nlook at src/a.rs:3, it is wrong\n```", false),
        ("```\nsrc/a.rs:3\n```", false),
        ("src/a.rs:3 is wrong", false),
        ("`src/a.rs:3` is wrong", false),
        ("`src/a.rs:3` and `src/b.rs:4-9` are wrong", false),
        ("In `src/a.rs`, see src/a.rs:3 or `a.rs`", false),
        ("src/a.rs:3 has `` and ` ` and `--`", false),
        ("src/a.rs:3 has \"let x = 1\"", false),
        ("src/a.rs:3 has an open ` tick", false),
        ("`src/a.rs` has `let x = 1`", false),
    ] {
        assert_level(if is_quoted { Level::Quotation } else { Level::Reasoning }, text);
    }
}

#[test]
fn places_outside_of_the_changed_files_are_no_evidence() {
    let text = "See ./src/a.rs:3 for `let x = 1`.";
    for (files, level) in [
        (&["src/a.rs"][..], Level::Quotation),
        (&["src/b.rs", "./src/a.rs"], Level::Quotation),
        (&["src/b.rs"], Level::Reasoning),
        (&["a.rs", "src"], Level::Reasoning),
        (&[], Level::Quotation),
    ] {
        assert_eq!(evidence_level(text, files), level, "{files:?}");
    }
    let both = "src/z.rs:1 and src/a.rs:3 hold `let x = 1`";
    assert_eq!(evidence_level(both, &["src/a.rs"]), Level::Quotation);
    // Output is evidence wherever it comes from.
    assert_eq!(evidence_level("```bash\n3 passed\n```", &["src/a.rs"]), Level::Execution);
}

#[test]
fn a_check_that_was_made_before_is_execution_if_it_names_its_rule_and_its_place() {
    for (line, is_check) in [
        ("- Pre-validated: [no-eval] src/a.ts:42", true),
        ("prevalidated check, rule: no-eval, src/a.ts:42", true),
        ("| pre-validated | `python.lang.eval` | src/a.ts:42 |", true),
        ("PRE-VALIDATED rule S1234 at src/a.ts:42", true),
        ("Pre-validated: [no-eval] src/a.ts", false),
        ("Pre-validated: [no-eval] src/b.ts:42", false),
        ("Pre-validated at src/a.ts:42", false),
        ("(pre-validated) the rule is broken at `src/a.ts:42`", false),
        ("[no-eval] src/a.ts:42", false),
    ] {
        let level = if is_check { Level::Execution } else { Level::Reasoning };
        assert_eq!(evidence_level(line, &["src/a.ts"]), level, "{line}");
    }
}

#[test]
fn a_quotation_counts_where_it_holds() {
    let text = "src/a.rs:3-5 and ./src/b.rs:9 say `let x = 1`\n```\nfoo();\nbar();\n```\n";
    let seen = RefCell::new(Vec::new());
    let level = evidence_level_where(text, &NO_FILES, &|quotation| {
        seen.borrow_mut().push(quotation.clone());
        false
    });
    assert_eq!(level, Level::Reasoning);
    let fragments = ["let x = 1".to_owned(), "foo();\nbar();".to_owned()];
    let quotation = |path: &str, first_line, last_line| {
        let fragments = fragments.iter().cloned().chain(["foo();", "bar();"].map(str::to_owned)).collect();
        Quotation { path: path.to_owned(), first_line, last_line, fragments }
    };
    assert_eq!(seen.into_inner(), [quotation("src/a.rs", 3, 5), quotation("src/b.rs", 9, 9)]);
    assert_eq!(evidence_level_where(text, &NO_FILES, &|quotation| quotation.path == "src/b.rs"), Level::Quotation);
}

#[test]
fn a_quotation_stands_in_a_file_at_most_two_lines_off() {
    let file = "one\ntwo\nthree\n    four {\n  five\n}\nseven\neight\n";
    for (first_line, last_line, fragment, stands) in [
        (5, 5, "five", true),
        (5, 5, "three", true),
        (5, 5, "two", false),
        (5, 5, "seven", true),
        (5, 5, "eight", false),
        (1, 1, "one", true),
        (4, 4, "four {\nfive\n}", true),
        (4, 6, "eight", true),
        (2, 2, "four {\n  five\n}", true),
        (1, 1, "four {\n  five\n}", false),
        (5, 5, "Five", false),
        (900, 999_999_999, "one", false),
        (5, 5, " ", false),
    ] {
        let fragments = vec![fragment.to_owned()];
        let quotation = Quotation { path: "a".to_owned(), first_line, last_line, fragments };
        assert_eq!(quotation.stands_in(file), stands, "{quotation:?}");
    }
}

#[test]
fn endless_texts_are_read_in_one_go() {
    for part in [
        "a.b:1",
        "a.b:1 ",
        "a.b:1\n",
        "`a.b:1` `x` ",
        "```bash\n",
        "```\nerror: \n",
        "error: ",
        "$ ",
        "`",
        "`` ` ",
        "a",
        "./",
        "pre-validated [a",
        "---\na:\n",
    ] {
        let _ = evidence_level_where(&endless(part), &["z.rs"], &|_| false);
        let _ = evidence_level_where(&endless(part), &NO_FILES, &|_| false);
        let fenced = format!("```text\n{}", endless(part));
        let _ = evidence_level_where(&fenced, &NO_FILES, &|_| false);
    }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn what_does_not_hold_never_makes_a_text_better(text in hostile()) {
        let level = evidence_level(&text, &NO_FILES);
        let strict = evidence_level_where(&text, &NO_FILES, &|_| false);
        prop_assert!(strict >= level && strict != Level::Quotation);
        prop_assert!(evidence_level(&text, &["src/auth.ts"]) >= level);
        prop_assert_eq!(evidence_level(&text, &NO_FILES), level);
    }
}
