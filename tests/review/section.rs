//! The section of patterns: where it starts and ends, and what of it is a pattern.

use proptest::prelude::{prop_assert, prop_assert_eq, proptest};
use text::review::{Kind, MOST_SAYINGS, accumulated_patterns, is_saying};

use crate::review::text::{cases, endless, hostile};

const SAYING: &str = "Always close what was opened";

#[track_caller]
fn assert_found(text: &str, sayings: &[&str]) {
    assert_eq!(accumulated_patterns(text), sayings, "{text}");
}

#[test]
fn the_section_is_found_under_every_form_of_its_heading() {
    for heading in [
        "# Accumulated Patterns",
        "###### Accumulated Patterns",
        "## accumulated PATTERNS",
        "## Accumulated Patterns:",
        "## Accumulated Patterns ##",
        "##\tAccumulated  Patterns  ",
        "   ## Accumulated Patterns",
        "## **Accumulated Patterns**",
        "**Accumulated Patterns**",
        "**Accumulated Patterns:**",
        "**Accumulated Patterns**:",
        "__Accumulated Patterns__",
        "## [judge] Accumulated Patterns",
        "## (judge) Accumulated Patterns",
        "## Accumulated Patterns for judge",
        "## Accumulated Patterns of the judge",
        "1. **Accumulated Patterns**",
        "3. **Accumulated Patterns:**",
        "Accumulated Patterns:",
        "Accumulated patterns (judge):",
    ] {
        assert_found(&format!("Report.\n\n{heading}\n\n- {SAYING}\n"), &[SAYING]);
    }
}

#[test]
fn what_only_looks_like_the_heading_opens_no_section() {
    for heading in [
        "Accumulated Patterns",
        "####### Accumulated Patterns",
        "##Accumulated Patterns",
        "    ## Accumulated Patterns",
        "> ## Accumulated Patterns",
        "- ## Accumulated Patterns",
        "## Accumulated Patterns of last week",
        "## Patterns",
        "**Accumulated Patterns** are these",
        "*Accumulated Patterns*",
        "1. Accumulated Patterns",
        "These are my Accumulated Patterns:",
        "```\n## Accumulated Patterns\n```",
        "~~~~\n## Accumulated Patterns\n~~~\n~~~~",
        "<!--\n## Accumulated Patterns\n-->",
    ] {
        assert_found(&format!("{heading}\n- {SAYING}\n"), &[]);
    }
    assert_found("", &[]);
}

#[test]
fn the_last_section_counts_even_if_it_is_empty() {
    let first = format!("## Accumulated Patterns\n- {SAYING}\n");
    assert_found(&format!("{first}# Accumulated Patterns\n- Look twice before leaping\n"), &["Look twice before leaping"]);
    assert_found(&format!("{first}## Accumulated Patterns\n"), &[]);
}

#[test]
fn a_section_ends_at_a_heading_of_its_level_or_a_higher_one() {
    for (opening, next, is_end) in [
        ("## Accumulated Patterns", "## Next", true),
        ("## Accumulated Patterns", "# Next", true),
        ("## Accumulated Patterns", "##", true),
        ("## Accumulated Patterns", "### Next", false),
        ("## Accumulated Patterns", "**Next**", false),
        ("###### Accumulated Patterns", "###### Next", true),
        ("**Accumulated Patterns**", "###### Next", true),
        ("**Accumulated Patterns**", "**Next**", true),
        ("**Accumulated Patterns**", "**Next** is this", false),
        ("## Accumulated Patterns", "```\n# Next\n```", false),
    ] {
        let text = format!("{opening}\n- {SAYING}\n\n{next}\n\n- Look twice before leaping\n");
        let all = [SAYING, "Look twice before leaping"];
        assert_found(&text, if is_end { &all[..1] } else { &all });
    }
}

#[test]
fn every_kind_of_list_is_read_and_lists_within_lists_too() {
    let text = "## Accumulated Patterns\n\
        - first saying of the list\n\
        * second saying of the list\n\
        + third saying of the list\n\
        1. fourth saying of the list\n\
        22) fifth saying of the list\n  \
          - sixth saying of the list\n\
        \t* seventh saying of the list\n\
        - - eighth saying of the list\n\
        -no item without a blank\n\
        1.5 is no item of a list\n\
        • neither is this one, by itself\n";
    let ordinals = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh"];
    let mut expected: Vec<String> = ordinals.iter().map(|ordinal| format!("{ordinal} saying of the list")).collect();
    // Lines that are no items continue the one before.
    expected.push(
        "eighth saying of the list -no item without a blank 1.5 is no item of a list • neither is this one, by itself".to_owned(),
    );
    assert_eq!(accumulated_patterns(text), expected);
}

#[test]
fn continuation_lines_are_joined_by_one_blank_until_the_item_ends() {
    for (item, expected) in [
        ("- Always close\n  what was opened", SAYING),
        ("- Always close\nwhat was opened", SAYING),
        ("- Always \t close\r\n\twhat was   opened  ", SAYING),
        ("- Always close\rwhat was opened", SAYING),
        ("-\n  Always close what was opened", SAYING),
        ("- Always close what was opened\n\n  Because files leak.", SAYING),
        ("- Always close what was opened\n```\ncode\n```\nmore", SAYING),
        ("- Always close what was opened\n<!-- a\nremark -->\nmore", SAYING),
        ("- Always close what was opened\n### Next", SAYING),
        ("- Always close\u{2028}what was opened", SAYING),
    ] {
        assert_found(&format!("## Accumulated Patterns\n{item}\n"), &[expected]);
    }
}

#[test]
fn a_verdict_behind_the_section_is_no_part_of_its_last_item() {
    let verdict = "<!-- jkz:verdict-json\n{\"verdict\":\"PASS\",\n\"note\":\"-->\"}\n-->";
    assert_found(&format!("## Accumulated Patterns\n- {SAYING}\n{verdict}\n"), &[SAYING]);
    assert_found(&format!("## Accumulated Patterns\n- {SAYING} {verdict}\n"), &[SAYING]);
}

#[test]
fn speaking_of_comments_hides_nothing() {
    for mention in ["The template leaves <!-- open.", "<!-- is never closed", "Write `<!-- jkz:verdict-json` first."] {
        assert_found(&format!("{mention}\n\n## Accumulated Patterns\n- {SAYING}\n"), &[SAYING]);
    }
}

#[test]
fn what_is_too_short_too_long_or_says_nothing_is_no_pattern() {
    for (item, is_pattern) in [
        ("eleven char".to_owned(), false),
        ("twelve chars".to_owned(), true),
        ("[rule] eleven char".to_owned(), false),
        ("é".repeat(12), true),
        ("x".repeat(400), true),
        (format!("[causal] {}", "x".repeat(400)), true),
        ("x".repeat(401), false),
        ("none".to_owned(), false),
        ("N/A".to_owned(), false),
        ("None identified.".to_owned(), false),
        ("*None so far this iteration*".to_owned(), false),
        ("No new patterns were observed in this run".to_owned(), false),
        ("None of the handlers check their input".to_owned(), true),
        ("No patterns of retries survive a restart".to_owned(), true),
    ] {
        let found = accumulated_patterns(&format!("## Accumulated Patterns\n- {item}\n"));
        assert_eq!(found, if is_pattern { vec![item.clone()] } else { Vec::new() }, "{item}");
    }
    assert!(is_saying("- [rule] twelve chars") && !is_saying("- [rule] eleven char"));
}

#[test]
fn code_is_no_pattern_even_if_its_fence_is_never_closed() {
    for code in [
        "```\n- Never read this saying\n```",
        "~~~ text\n- Never read this saying\n```\n~~~",
        "````\n```\n- Never read this saying\n````",
        "- ```\n- Never read this saying\n  ```",
        "```\n- Never read this saying",
    ] {
        assert_found(&format!("## Accumulated Patterns\n- {SAYING}\n\n{code}\n"), &[SAYING]);
    }
    let inline = "- Never let ```a fence``` within a line";
    assert_found(&format!("## Accumulated Patterns\n{inline}\n- {SAYING}\n"), &[&inline[2..], SAYING]);
}

#[test]
fn at_most_ten_patterns_are_taken_the_first_ones() {
    let items: Vec<String> = (0..30).map(|number| format!("- saying of the number {number}\n")).collect();
    let found = accumulated_patterns(&format!("## Accumulated Patterns\n{}", items.concat()));
    assert_eq!(found, (0..MOST_SAYINGS).map(|number| format!("saying of the number {number}")).collect::<Vec<_>>());
}

#[test]
fn the_same_saying_counts_once_in_its_first_spelling() {
    let text = "## Accumulated Patterns\n\
        - [rule] Always validate  the webhook signature.\n\
        - always validate the webhook signature\n\
        1. [observation] ALWAYS validate the webhook signature!\n";
    assert_found(text, &["[rule] Always validate the webhook signature."]);
}

#[test]
fn the_tag_of_its_kind_stays_with_a_pattern() {
    let found = accumulated_patterns("## Accumulated Patterns\n- [Causal] Retries pile up under load\n");
    assert_eq!(found, ["[Causal] Retries pile up under load"]);
    assert_eq!(Kind::of(&found[0]), Kind::Causal);
}

#[test]
fn what_cannot_be_seen_is_left_out() {
    let text = "## Accumulated\u{200b} Patterns\n- Always\u{0} close \u{1b}[31mwhat\u{202e} was\u{ad} opened\u{feff}\n";
    assert_found(text, &["Always close [31mwhat was opened"]);
}

#[test]
fn patterns_that_the_role_was_shown_are_not_its_own() {
    for shown in [
        "=== HISTORICAL PATTERNS (judge) ===\n- [5x validated] Look twice before leaping\n=== END HISTORICAL PATTERNS ===",
        "<organization-learnings>\n- Look twice before leaping\n</organization-learnings>",
        "<tool-learnings tool=\"Bash\">\n- Look twice before leaping\n</tool-learnings>",
    ] {
        assert_found(&format!("## Accumulated Patterns\n{shown}\n- {SAYING}\n"), &[SAYING]);
    }
    // A block that is never closed hides nothing.
    assert_found(&format!("<tool-learnings>\n## Accumulated Patterns\n- {SAYING}\n"), &[SAYING]);
}

#[test]
fn endless_texts_are_read_in_one_go() {
    for part in [
        "## Accumulated Patterns\n",
        "- ",
        "- a\n",
        "```\n",
        "<!--",
        "<!-- jkz:verdict-json {\"a\":",
        "**",
        "`",
        "[rule]",
        "\r",
        "<a-learnings>\n",
    ] {
        let text = format!("{}\n## Accumulated Patterns\n{}", endless(part), endless(part));
        assert!(accumulated_patterns(&text).len() <= MOST_SAYINGS);
    }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn patterns_are_few_short_lines_and_found_again_in_their_own_list(text in hostile()) {
        let found = accumulated_patterns(&text);
        prop_assert!(found.len() <= MOST_SAYINGS);
        for saying in &found {
            prop_assert!(is_saying(saying) && !saying.chars().any(char::is_control), "{saying:?}");
        }
        let list: Vec<String> = found.iter().map(|saying| format!("- {saying}\n")).collect();
        prop_assert_eq!(accumulated_patterns(&format!("# Accumulated Patterns\n{}", list.concat())), found);
    }
}

#[test]
fn numbered_lines_in_bold_are_headings_from_the_section_on() {
    let text = format!(
        "1. **Findings**\n   - a finding\n2. **Accumulated Patterns**\n   - {SAYING}\n3. **What remains to be done here**\n   - nothing more than this sentence\n"
    );
    assert_found(&text, &[SAYING]);
    // In a section with a plain heading they are patterns.
    assert_found(&format!("## Accumulated Patterns\n1. **{SAYING}**\n"), &[&format!("**{SAYING}**")]);
}
