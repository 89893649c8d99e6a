//! The list of entries.

use render::artifact::{Document, Topic, make_index, render_index};

use super::{Lab, NOON, example};

const DECISIONS: &str = "<!-- TL;DR: 3 decisions. Key: ADR-001 -->
# Architectural Decisions

## ADR-001: This title is deliberately made longer than sixty characters so it is cut

- **Status**: Active
- **Area**: decisions may carry an area too

## ADR-002: gone

- **Status**: Deprecated

## ADR-003: No status at all

- **Date**: 2026-01-01

## Notes of ours

- **Status**: Deprecated

## ADR-004: old one

- **Status**: Superseded by ADR-001

## ADR-005:no space after colon
- **Status**: Active
";

const PITFALLS: &str = "## PF-004: Background hook scripts

- **Area**: scripts/hooks/foo.cjs, scripts/hooks/background-learning, and a very long tail that goes past eighty
- **Status**: Active
";

fn listed(decisions: &str, pitfalls: &str) -> String {
    let documents = [Document::parse(Topic::Decisions, decisions), Document::parse(Topic::Pitfalls, pitfalls)];
    render_index(&make_index(&documents), "PROJECT")
}

#[test]
fn entries_that_hold_are_listed_one_a_line() {
    assert_eq!(
        listed(DECISIONS, PITFALLS),
        "Decisions (2):
  ADR-001  This title is deliberately made longer than sixty characters…  [Active]  —  decisions may carry an area too
  ADR-003  No status at all  [unknown]

Pitfalls (1):
  PF-004  Background hook scripts  [Active]  —  scripts/hooks/foo.cjs, scripts/hooks/background-learning, and a very long tail t…

ADR-NNN entries are in PROJECT/.memory/knowledge/decisions.md
PF-NNN  entries are in PROJECT/.memory/knowledge/pitfalls.md
`outerloop index ADR-NNN` or `outerloop index PF-NNN` prints an entry in full; so does the file, below its heading.
"
    );
    assert_eq!(listed("", ""), "(none)\n");
    let only = listed("", PITFALLS);
    assert!(only.starts_with("Pitfalls (1):\n") && !only.contains("ADR-NNN entries"), "{only}");
}

#[test]
fn what_we_write_ourselves_has_a_status_of_the_vocabulary() {
    let mut lab = Lab::new();
    lab.render(&example(), NOON);
    let text = listed(&lab.read(".memory/knowledge/decisions.md"), &lab.read(".memory/knowledge/pitfalls.md"));
    assert!(text.contains("  ADR-001  Result types over exceptions  [Accepted]\n"), "{text}");
    assert!(text.contains("  PF-001  Do not amend pushed commits  [Active]  —  git commits\n"), "{text}");
}
