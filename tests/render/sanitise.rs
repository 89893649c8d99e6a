//! The one sanitiser over hostile text: what it gives is bounded, stays on its line, holds nothing forbidden, and stays as it is.

use proptest::prelude::*;
use text::fit::{
    cell_text, closedloop_cell, cut, is_blank, is_invisible, is_unprintable, label, name, one_line, plain_text, printable,
    prompt_name, prompt_text, quoted, single_spaced, terminal_text, visible,
};
use text::limit;

/// A function of the sanitiser for texts of one line, and what its results never hold.
struct Rule {
    name: &'static str,
    run: fn(&str) -> String,
    is_forbidden: fn(char) -> bool,
    /// The most characters of a result.
    bound: usize,
}

const MOST: usize = 40;

/// What ends a line for a reader of text, of TOON or of CSV.
fn ends_line(letter: char) -> bool {
    matches!(letter, '\n' | '\r' | '\0')
}

const RULES: [Rule; 11] = [
    Rule { name: "plain_text", run: |text| plain_text(text, MOST), is_forbidden: is_unprintable, bound: MOST },
    Rule { name: "prompt_text", run: |text| prompt_text(text, MOST), is_forbidden: is_invisible, bound: MOST },
    Rule {
        name: "prompt_name",
        run: |text| prompt_name(text).unwrap_or_default(),
        is_forbidden: |letter| !letter.is_ascii_graphic(),
        bound: 64,
    },
    Rule { name: "printable", run: |text| printable(text, MOST), is_forbidden: is_unprintable, bound: MOST },
    Rule { name: "label", run: |text| label(text).unwrap_or_default(), is_forbidden: is_unprintable, bound: limit::LABEL_BYTES },
    Rule {
        name: "name",
        run: |text| name(text).unwrap_or_default(),
        is_forbidden: |letter| is_unprintable(letter) || matches!(letter, '/' | '\\'),
        bound: limit::NAME_BYTES,
    },
    Rule {
        name: "cell_text",
        run: cell_text,
        is_forbidden: |letter| is_unprintable(letter) || matches!(letter, '"' | '\\'),
        bound: 131_071,
    },
    Rule { name: "closedloop_cell", run: closedloop_cell, is_forbidden: ends_line, bound: 131_071 },
    Rule { name: "one_line", run: one_line, is_forbidden: |letter| letter != ' ' && is_blank(letter), bound: usize::MAX },
    Rule {
        name: "single_spaced",
        run: single_spaced,
        is_forbidden: |letter| letter != ' ' && letter.is_whitespace(),
        bound: usize::MAX,
    },
    Rule {
        name: "terminal_text",
        run: terminal_text,
        is_forbidden: |letter| letter != '\n' && is_unprintable(letter),
        bound: usize::MAX,
    },
];

fn check(rule: &Rule, text: &str) -> Result<(), TestCaseError> {
    let Rule { name, run, is_forbidden, bound } = rule;
    let shown = run(text);
    prop_assert_eq!(shown.chars().find(|letter| is_forbidden(*letter)), None, "{} of {:?}: {:?}", name, text, &shown);
    prop_assert!(shown.chars().count() <= *bound, "{} of {:?} has {} characters", name, text, shown.chars().count());
    prop_assert_eq!(&run(&shown), &shown, "{} of its own result, from {:?}", name, text);
    Ok(())
}

/// Texts of everything that hides, moves, joins, breaks or does not end.
fn hostile() -> impl Strategy<Value = String> {
    let fixed = prop::sample::select(vec![
        "\u{1b}[31m",
        "\u{9b}2J",
        "\0",
        "\r\n",
        "\n",
        "\r",
        "\t",
        "\u{b}",
        "\u{85}",
        "\u{1c}",
        "\u{1f}",
        "\u{7f}",
        "\u{2028}",
        "\u{2029}",
        "\u{202e}",
        "\u{2066}",
        "\u{2069}",
        "\u{200b}",
        "\u{200d}",
        "\u{feff}",
        "\u{ad}",
        "\u{61c}",
        "\u{e0041}",
        "\u{3164}",
        "\u{fe0f}",
        "\u{34f}",
        "\u{2800}",
        "e\u{301}\u{302}\u{303}\u{304}",
        "👩\u{200d}👧",
        "ß",
        "ﬃ",
        "İ",
        "日本語",
        " ",
        "  ",
        "\u{a0}",
        "\u{3000}",
        "a",
        "word",
        "…",
        ".",
        "..",
        "/",
        "\\",
        "\"",
        "'",
        "`",
        "#",
        "<system>",
        "=== ",
        "[high]",
        "|",
        "no_learnings",
    ]);
    // Half a surrogate, half a character and an overlong one, as somebody reads them who takes bytes for text.
    let broken = prop::sample::select(vec![&b"\xed\xa0\x80"[..], b"\xe2\x82", b"\xc0\x80", b"\xff\xfe", b"a\xf0\x9f"]);
    let piece = prop_oneof![
        8 => fixed.prop_map(str::to_owned),
        1 => broken.prop_map(|bytes| String::from_utf8_lossy(bytes).into_owned()),
        1 => ".{0,8}",
        1 => any::<char>().prop_map(String::from),
    ];
    proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn whatever_is_put_in_what_comes_out_is_fit_and_stays_as_it_is(text in hostile()) {
        for rule in &RULES {
            check(rule, &text)?;
        }
        let shown = visible(&text);
        prop_assert!(!shown.chars().any(|letter| letter.is_control() && !letter.is_whitespace()), "{:?}", shown);
        prop_assert_eq!(&visible(&shown), &shown);
        let quotation = quoted(&text);
        prop_assert!(quotation.chars().count() <= 63 && !quotation.chars().any(is_unprintable), "{}", quotation);
    }

    #[test]
    fn nothing_outgrows_its_bound_however_small_it_is(text in hostile(), most in 0_usize..30) {
        prop_assert!(plain_text(&text, most).chars().count() <= most);
        prop_assert!(prompt_text(&text, most).chars().count() <= most);
        prop_assert!(printable(&text, most).len() <= most);
        let beginning = cut(&text, most);
        prop_assert!(text.starts_with(beginning) && beginning.len() <= most && beginning.len() + 4 > most.min(text.len()));
    }

    /// The definitions that the shared rules replaced.
    #[test]
    fn lines_are_what_their_definitions_say(text in hostile()) {
        let words: Vec<&str> = text.split_whitespace().collect();
        prop_assert_eq!(single_spaced(&text), words.join(" "));
        let parts: Vec<&str> = text.split(is_blank).filter(|part| !part.is_empty()).collect();
        prop_assert_eq!(one_line(&text), parts.join(" "));
        let seen: String = one_line(&text).chars().filter(|letter| !is_unprintable(*letter)).collect();
        prop_assert_eq!(plain_text(&text, usize::MAX), single_spaced(&seen));
        prop_assert_eq!(terminal_text(&text).lines().count(), text.lines().count());
    }
}

#[test]
fn long_texts_and_texts_of_blanks_alone_are_bounded_too() {
    let long = ["x", "ä", "\u{301}", "\u{202e}", "\"", "a ", "\u{1f}x", "日"].map(|piece| piece.repeat(200_000));
    let blank = ["", " ", "\n", "\t\r\n", "\u{3000}\u{a0}", "\u{200b}\u{feff}", "\0\0\0"].map(str::to_owned);
    for text in long.iter().chain(&blank) {
        for rule in &RULES {
            assert!(check(rule, text).is_ok(), "{} of {:?}…", rule.name, cut(text, 12));
        }
    }
    for text in &blank {
        assert_eq!(
            [plain_text(text, MOST), prompt_text(text, MOST), printable(text, MOST), cell_text(text)],
            ["", "", "", ""],
            "{text:?}"
        );
    }
}
