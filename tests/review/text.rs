//! Texts that nobody would write, and that somebody will.

use proptest::prelude::{ProptestConfig, Strategy, any, prop};
use proptest::prop_oneof;

/// Texts made of what the room looks for, in any order, and of anything else.
pub fn hostile() -> impl Strategy<Value = String> {
    let marks = prop::sample::select(vec![
        "## Accumulated Patterns\n",
        "**Accumulated Patterns:**\n",
        "# Other\n",
        "- ",
        "* ",
        "1) ",
        "- - ",
        "-\u{a0}",
        "[rule] ",
        "Always close what was opened",
        "Retries hide timeouts because errors are swallowed",
        "\n",
        "\r\n",
        "\r",
        "\n\n",
        "```",
        "```bash\n",
        "~~~\n",
        "`",
        "``",
        "$ cargo test\n",
        "3 passed",
        "error: ",
        "src/auth.ts:42",
        "./a/b.rs:10-14",
        "<!--",
        "-->",
        "<!-- jkz:verdict-json ",
        r#"{"verdict":"FAIL","must_fix":["J1"]}"#,
        r#"{"verdict":""#,
        "=== HISTORICAL PATTERNS (judge) ===\n",
        "=== END HISTORICAL PATTERNS ===\n",
        "<tool-learnings tool=\"x\">\n",
        "</tool-learnings>\n",
        "---\n",
        "a: b\n",
        "> ",
        "é",
        "\u{200b}",
        "\u{0}",
        "\u{2028}",
        "   ",
        "\t",
    ]);
    let part = prop_oneof![8 => marks.prop_map(str::to_owned), 1 => any::<String>()];
    prop::collection::vec(part, 0..40).prop_map(|parts| parts.concat())
}

/// A text of about 256 KiB, which is as long as one may be.
pub fn endless(part: &str) -> String {
    part.repeat((256 << 10) / part.len())
}

/// How property tests run: often, and without leaving files behind.
pub fn cases() -> ProptestConfig {
    let usual = ProptestConfig::default();
    ProptestConfig { cases: usual.cases.max(512), failure_persistence: None, ..usual }
}
