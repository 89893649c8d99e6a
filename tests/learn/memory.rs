//! What speaks for a note, and how a shelf of notes fares.

use learn::memory::{Advice, Figures, Note, Surroundings, advise, parse_note, statements, sum_up_notes, weigh_note};
use learn::role::{Health, health};
use setting::{DeliberationSettings, MemorySettings};
use text::review::Tokens;

const DAY: i64 = 86_400_000_000;

/// J19.
#[test]
fn five_weights_decide_what_becomes_of_a_note() {
    let settings = MemorySettings::default();
    for (figures, sum, advice) in [
        ([1.0, 0.8, 0.7, 0.9, 0.6], 0.825, Advice::Promote),
        ([0.2, 0.5, 0.5, 0.4, 0.5], 0.395, Advice::Archive),
        ([0.0, 0.2, 0.3, 0.4, 0.2], 0.19, Advice::Archive),
        ([0.7; 5], 0.70, Advice::Promote),
        ([0.4; 5], 0.40, Advice::Keep),
    ] {
        let [undocumented, borne_out, specificity, relevance, uniqueness] = figures;
        let found = Figures { undocumented, borne_out, specificity, relevance, uniqueness }.weigh(&settings.weights);
        assert!((found - sum).abs() < 1e-9, "{found} is not {sum}");
        assert_eq!(advise(found, &settings), advice, "{figures:?}");
    }
}

#[test]
fn health_has_its_limits() {
    let limits = DeliberationSettings::default();
    for (stale, all, pairs, wanted) in [
        (0, 0, 0, Health::Good),
        (2, 10, 2, Health::Good),
        (3, 10, 2, Health::NeedsReview),
        (2, 10, 3, Health::NeedsReview),
        (5, 10, 10, Health::NeedsReview),
        (6, 10, 0, Health::Critical),
        (0, 10, 11, Health::Critical),
    ] {
        assert_eq!(health(stale, all, pairs, &limits), wanted, "{stale} of {all}, {pairs} pairs");
    }
}

fn note(text: &str) -> Note {
    parse_note("a.md", text, 100 * DAY)
}

#[test]
fn a_note_is_as_old_as_it_says() {
    for (name, text, day, source) in [
        ("a.md", "---\nupdated: 1970-01-11\ndate: 1970-01-21\n---\nWords", 10, "`updated` in the note"),
        ("a.md", "---\ncreated: \"1970-01-11T00:00:00Z\"\n---\nWords", 10, "`created` in the note"),
        ("b/1970-01-31-a.md", "Words", 30, "its name"),
        ("a.md", "---\ndate: soon\n---\nWords", 100, "its file"),
        ("20260101-a.md", "Words", 100, "its file"),
    ] {
        let note = parse_note(name, text, 100 * DAY);
        assert_eq!((note.time_micros, &*note.time_source), (day * DAY, source), "{text}");
    }
}

#[test]
fn what_a_note_leaves_out_is_named() {
    assert_eq!(note("Do it.\n**Why:** it broke.\n- How to apply: at once.\n").lacks, [""; 0]);
    assert_eq!(note("Do it because it broke. Whyever not.\n").lacks, ["why", "how to apply"]);
    assert_eq!(note("## Why\nIt broke.\n").lacks, ["how to apply"]);
}

#[test]
fn statements_are_paragraphs_and_items_without_code() {
    let text = "# A heading of words\nOne two three\nfour.\n\n- five six seven\n  eight\n- nine\n```\nlet code = many(words);\n```\nten eleven twelve\n";
    let said: Vec<String> = statements(text).iter().map(|statement| statement.trim().to_owned()).collect();
    assert_eq!(said, ["One two three four.", "five six seven eight", "ten eleven twelve"]);
}

#[test]
fn figures_follow_from_what_is_around_a_note() {
    let settings = MemorySettings::default();
    let text = "Take `src/lock.rs` before the ledger changes.\nSee src/gone.rs for more words.\n";
    let (one, other) = (note(text), Note { name: "b.md".to_owned(), ..note(text) });
    let around = |documents: &[Tokens], days: i64| {
        let exists = |path: &str| path == "src/lock.rs";
        let around = Surroundings { documents, patterns: &[], exists: &exists, now_micros: (100 + days) * DAY };
        weigh_note(&one, std::slice::from_ref(&one), &around, &settings)
    };
    let fresh = around(&[], 30);
    assert!((fresh.relevance - 0.5).abs() < 1e-9 && (fresh.uniqueness - 1.0).abs() < 1e-9, "{fresh:?}");
    assert!((around(&[], 75).relevance - 0.25).abs() < 1e-9);
    assert!(around(&[], 1000).relevance.abs() < 1e-9);
    assert!(around(&[Tokens::of(text)], 0).undocumented.abs() < 1e-9);
    let exists = |_: &str| true;
    let twice =
        Surroundings { documents: &[], patterns: &[Tokens::of("ledger changes take lock")], exists: &exists, now_micros: 0 };
    let found = weigh_note(&one, &[one.clone(), other.clone()], &twice, &settings);
    assert!(found.uniqueness.abs() < 1e-9 && (found.borne_out - 1.0).abs() < 1e-9, "{found:?}");
    let status = sum_up_notes(&[one.clone(), other], 131 * DAY, &settings, &DeliberationSettings::default());
    assert_eq!((status.health, status.stale, status.pairs, status.by_type["other"]), (Health::Critical, 2, 1, 2));
}

#[test]
fn empty_and_odd_notes_are_notes() {
    for text in ["", "---\n", "---\n---\n", "\u{feff}---\r\ntype: x\r\n---\r\n", "```\nnever closed", "- \n* \n"] {
        let note = note(text);
        let exists = |_: &str| false;
        let around = Surroundings { documents: &[], patterns: &[], exists: &exists, now_micros: 0 };
        let sum = weigh_note(&note, &[], &around, &MemorySettings::default()).weigh(&MemorySettings::default().weights);
        assert!(sum.is_finite(), "{text:?}");
    }
}
