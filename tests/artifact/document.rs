//! The one parser of knowledge files.

use proptest::prelude::*;
use render::artifact::{Document, Section, Topic, render_entry};

use super::row;

fn decisions(text: &str) -> Document {
    Document::parse(Topic::Decisions, text)
}

fn anchors(document: &Document) -> Vec<&str> {
    document.sections().iter().map(|section| &*section.anchor).collect()
}

#[test]
fn a_section_ends_at_the_next_heading_of_its_level() {
    let text = "## ADR-001: one\n\na\n\n### below\n\nb\n\n## Else\n\nc\n\n## ADR-002: two\n\nd\n";
    let document = decisions(text);
    let texts: Vec<&str> = document.sections().iter().map(|section| document.text_of(section)).collect();
    assert_eq!(texts, ["## ADR-001: one\n\na\n\n### below\n\nb", "## ADR-002: two\n\nd"]);
}

#[test]
fn only_an_exact_heading_is_an_entry() {
    let text = "## ADR-001: one\n##  ADR-002: two blanks\n # x\n## ADR-003 : blank\n## adr-004: small\n## ADR-: none\n## ADR-005: \n\
                text ## ADR-006: inside\n### ADR-007: deeper\n## PF-008: other\n## ADR-009x: glued\n## ADR-0010: long\n";
    assert_eq!(anchors(&decisions(text)), ["ADR-001", "ADR-0010"]);
    assert_eq!(decisions(text).highest(), 10);
}

#[test]
fn code_fences_hold_no_headings_and_no_bullets() {
    let text = "## ADR-001: one\n\n```md\n## ADR-002: in a fence\n- **Status**: Deprecated\n```\n\n- **Status**: Accepted\n\n~~~~\n## ADR-003: x\n~~~\n\
                ## ADR-004: still inside\n~~~~\n\n## ADR-005: five\n\n```\n## ADR-006: nobody closes this fence\n";
    let document = decisions(text);
    assert_eq!(anchors(&document), ["ADR-001", "ADR-005", "ADR-006"]);
    assert_eq!(document.sections()[0].status.as_deref(), Some("Accepted"));
}

#[test]
fn the_first_of_a_key_counts_and_a_status_is_a_word() {
    let text = "## ADR-001: one\n\n- **Status**: superseded by ADR-002\n- **Status**: Active\n- **Source**: self-learning:obs_1\n";
    let section: Section = decisions(text).sections()[0].clone();
    assert_eq!((section.is_active(), section.status_word(), section.observation_id()), (false, Some("Superseded"), Some("obs_1")));
}

#[test]
fn the_summary_follows_what_holds_and_is_added_nowhere() {
    let entry = "## ADR-003: three\n\n- **Status**: Deprecated\n";
    let text = format!("# Title\n<!-- TL;DR: 9 decisions. Key: ADR-009 -->\r\n\n## ADR-001: one\n\n{entry}");
    assert_eq!(decisions(&text).summarise().text(), text.replace("9 decisions. Key: ADR-009", "1 decisions. Key: ADR-001"));
    assert_eq!(decisions(entry).summarise().text(), entry);
    let fenced = format!("```\n<!-- TL;DR: 9 decisions. Key: ADR-009 -->\n```\n{entry}");
    assert_eq!(decisions(&fenced).summarise().text(), fenced);
}

#[test]
fn appending_leaves_every_byte_in_place() {
    let text = "# Mine\r\n\r\nno newline at the end";
    let document = decisions(text).append("\n## ADR-001: one\n\n- **Status**: Accepted\n");
    assert_eq!(document.text(), format!("{text}\n\n## ADR-001: one\n\n- **Status**: Accepted\n"));
}

#[test]
fn a_status_is_changed_under_its_own_heading_only() {
    let text = "## ADR-002: replaces ADR-001\n\n- **Status**: Active\n\n## ADR-0010: ten\n\n- **Status**: Active\n\n## ADR-001: one\n\n\
                ```\n- **Status**: in a fence\n```\n- **Status**: Active  \r\n- **Status**: second\n\n## ADR-003: without\n\n## Else\n\n- **Status**: Active\n";
    let changed = decisions(text).with_status("ADR-001", "Deprecated").expect("it has one");
    assert_eq!(changed.text(), text.replace("- **Status**: Active  \r\n", "- **Status**: Deprecated  \r\n"));
    assert!(decisions(text).with_status("ADR-003", "Deprecated").is_none());
    assert!(decisions(text).with_status("ADR-004", "Deprecated").is_none());
}

#[test]
fn entries_that_hold_are_counted() {
    assert_eq!((decisions("").active(), decisions("## ADR-001: x\n").active()), (0, 1));
    let pitfalls = Document::parse(Topic::Pitfalls, "").append(&render_entry(
        &row("obs_1", "pitfall", "x", "area: a; issue: i"),
        Topic::Pitfalls,
        "PF-001",
        "",
    ));
    assert_eq!(pitfalls.active(), 1);
    assert!(
        pitfalls.text().ends_with(
            "\n\n## PF-001: x\n\n- **Area**: a\n- **Issue**: i\n- **Status**: Active\n- **Source**: self-learning:obs_1\n"
        )
    );
}

proptest! {
    /// Whatever stands in a file, and whatever an observation says: its entry is one more, is found under its anchor, and changes no other.
    #[test]
    fn an_entry_is_exactly_one_more(
        before in "(#{1,3} |(ADR|PF)-0{0,2}[0-9]{1,3}: |- \\*\\*(Status|Source|Area)\\*\\*: |```|~~~|<!--|-->|---|\\\\|[a-z]| |\r?\n|Deprecated){0,40}",
        pattern in "(#{1,3} |ADR-00[0-9]: |- \\*\\*Status\\*\\*: |```|~~~|<!--|-->|---|\"|\\\\|[a-z]| |\r|\n|\u{2028}|\u{200b}){0,20}",
        details in "(context: |decision: |rationale: |## ADR-007: x|- \\*\\*Status\\*\\*: Deprecated|```|~~~|<!--|-->|---|[a-z]| |;|\r|\n|\u{85}){0,30}",
    ) {
        let document = decisions(&before);
        let row = row("obs_x", "decision", &pattern, &details);
        let appended = document.append(&render_entry(&row, Topic::Decisions, "ADR-500", "2026-05-10"));
        prop_assert_eq!(appended.sections().len(), document.sections().len() + 1);
        let last = appended.sections().last().expect("the entry");
        prop_assert_eq!(&*last.anchor, "ADR-500");
        prop_assert_eq!((last.observation_id(), last.is_active(), last.status.as_deref()), (Some("obs_x"), true, Some("Accepted")));
        // The date, the status, the decision and the source, and what else is told.
        prop_assert!((4..=6).contains(&appended.text_of(last).lines().filter(|line| line.starts_with("- **")).count()));
        for (known, kept) in document.sections().iter().zip(appended.sections()) {
            prop_assert_eq!(document.hash_of(known), appended.hash_of(kept));
        }
        // A second one does not change the first.
        let again = appended.append(&render_entry(&row, Topic::Decisions, "ADR-501", "2026-05-10"));
        let first = again.sections().iter().find(|section| section.anchor == "ADR-500").expect("the first");
        prop_assert_eq!(again.hash_of(first), appended.hash_of(last));
    }
}
