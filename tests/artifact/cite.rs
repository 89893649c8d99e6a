//! What agents say that they went by and used.

use render::artifact::{find_citations, find_mentions};

use super::{Lab, NOON, example, folded, row};

const KNOWLEDGE: &str =
    "# Decisions\n\n## ADR-001: one\n\n- **Status**: Accepted\n\n## ADR-100: hundred\n\n## ADR-1000: thousand\n";

fn lab() -> Lab {
    let lab = Lab::new();
    lab.write(".memory/knowledge/decisions.md", KNOWLEDGE);
    lab.write(".memory/knowledge/pitfalls.md", "## PF-002: two\n\n- **Source**: self-learning:obs_pf2\n");
    lab
}

#[test]
fn whole_ids_behind_a_word_count_and_each_once() {
    let mut lab = lab();
    let text = "applies ADR-001, ADR-001 again; avoids PF-002; unknown ADR-999; long ADR-1000; glued XPF-0021 and adr-001";
    let said = lab.cite(text, Some("s1"), NOON);
    assert_eq!(said.cited, ["ADR-001", "PF-002"]);
    assert_eq!(lab.news(), ["cited - ADR-001", "cited obs_pf2 PF-002"]);
    assert_eq!(lab.cite("applies ADR-1000 and ADR-999", Some("s1"), NOON).cited, ["ADR-1000"]);
    assert_eq!(lab.news(), ["cited - ADR-1000"]);
}

#[test]
fn a_session_cites_an_entry_once_whenever_it_says_so() {
    let mut lab = lab();
    for now in [NOON, "2026-05-10T23:59:00Z", "2026-05-11T00:01:00Z"] {
        lab.cite("This applies ADR-001.", Some("s1"), now);
    }
    assert_eq!(lab.news(), ["cited - ADR-001"]);
    lab.cite("This applies ADR-001.", Some("s2"), NOON);
    // Without a session a text counts once.
    lab.cite("This applies ADR-001.", None, NOON);
    lab.cite("This applies ADR-001.", None, NOON);
    lab.cite("That applies ADR-001.", None, NOON);
    assert_eq!(lab.landed.len(), 3);
    let ids: std::collections::BTreeSet<String> = lab.landed.iter().map(|event| event["id"].to_string()).collect();
    assert_eq!(ids.len(), 3);
    assert_eq!((lab.landed[0]["session"].as_str(), lab.landed[1]["session"].as_str()), (Some("s2"), None));
}

#[test]
fn only_what_is_said_to_be_gone_by_is_a_citation() {
    let cited = [
        ("applies ADR-001", "ADR-001"),
        ("Applied ADR-001 and ADR-002.", "ADR-001 ADR-002"),
        ("I return a Result here (applies ADR-003).", "ADR-003"),
        ("**avoids** `PF-004`", "PF-004"),
        ("As per ADR-001, errors are values.", "ADR-001"),
        ("According to ADR-001 this is right", "ADR-001"),
        ("Applies:\n- ADR-001\n- ADR-002: errors\n\nSeen: ADR-003", "ADR-001 ADR-002"),
        ("Follows ADR-001, but not ADR-002", "ADR-001"),
        ("This is not new: it follows ADR-001", "ADR-001"),
    ];
    for (text, wanted) in cited {
        assert_eq!(find_citations(text).join(" "), wanted, "{text}");
    }
    let others = [
        "ADR-001  Result types  [Accepted]",
        "see ADR-001",
        "does not apply ADR-001",
        "This doesn’t follow ADR-001",
        "never avoids PF-001",
        "Should I apply ADR-001?",
        "Nothing applies. ADR-001 is about errors.",
        "applies ADR-01 and ADR-1",
        "applies ADR-001x, xADR-001, ADR-001-b, path/ADR-001.md and adr-001",
        "- ADR-001\n- ADR-002",
        "ignores what follows without ADR-001",
    ];
    for text in others {
        assert_eq!(find_citations(text), [""; 0], "{text}");
    }
}

#[test]
fn commands_and_skills_that_are_mentioned_are_used() {
    let mut lab = Lab::new();
    lab.render(&example(), NOON);
    lab.news();
    let text =
        "I ran /self-learning/run-lint-then-tests-push, read self-learning-debugging-hook-failures and /self-learning/unknown.";
    let said = lab.cite(text, Some("s1"), NOON);
    assert_eq!(said.used.len(), 2);
    assert_eq!(
        lab.news(),
        [
            "used obs_wf0001 .claude/commands/self-learning/run-lint-then-tests-push.md",
            "used obs_pr0001 .claude/skills/self-learning-debugging-hook-failures/SKILL.md",
        ]
    );
    assert_eq!(lab.cite(text, Some("s1"), NOON).used, [""; 0]);
    assert_eq!(find_mentions("self-learning-ab-c. my-self-learning-x self-learning:日本語"), ["ab-c", "日本語"]);
}

#[test]
fn citations_are_worked_out_from_what_is_published() {
    let mut lab = Lab::new();
    lab.render(&example(), NOON);
    let mut published = folded(&example(), &lab.landed);
    published[2].cites = 3;
    published[2].last_cited = Some("2026-05-12T00:00:00Z".to_owned());
    lab.reconcile(&published, NOON);
    let usage: serde_json::Value = serde_json::from_str(&lab.read(".memory/.knowledge-usage.json")).expect("JSON");
    assert_eq!(usage["version"], 1);
    assert_eq!(usage["entries"]["ADR-001"]["cites"], 3);
    assert_eq!(usage["entries"]["ADR-001"]["last_cited"], "2026-05-12T00:00:00Z");
    assert_eq!(usage["entries"]["ADR-001"]["created"], "2026-05-10T12:00:00.000Z");
    assert_eq!(usage["entries"]["PF-001"]["cites"], 0);
}

#[test]
fn an_entry_that_was_renumbered_or_hand_written_is_cited_all_the_same() {
    let mut lab = Lab::new();
    lab.render(&[row("obs_1", "decision", "one", "context: c")], NOON);
    let text = lab.read(".memory/knowledge/decisions.md").replace("ADR-001", "ADR-007");
    lab.write(".memory/knowledge/decisions.md", &text);
    lab.news();
    lab.cite("applies ADR-007 and ADR-001", Some("s"), NOON);
    assert_eq!(lab.news(), ["cited obs_1 ADR-007"]);
}
