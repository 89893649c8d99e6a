//! Numbers: they never change, and another store's are kept where they can be.

use learn::pattern::{fold_lessons, pattern_id, pattern_number};
use learn::subject::Action;
use proptest::prelude::*;

use super::merge::lessons;
use super::{RULE, decided, folded, homes, learned, listed, named, numbered};

fn ids(entries: [learn::pattern::Entry; 4]) -> Vec<u32> {
    homes(&folded(entries)).into_values().collect()
}

#[test]
fn an_id_of_another_store_is_kept_where_it_is_free() {
    assert_eq!(
        ids([
            named("P-007", "check the lock"),
            learned("run all tests"),
            named("P-003", "drink some water"),
            learned("sing a song")
        ]),
        [7, 8, 3, 9],
        "what has no id comes behind the highest"
    );
    assert_eq!(
        ids([
            named("P-007", "check the lock"),
            named("P-007", "Check the lock"),
            learned("the lock: check"),
            named("P-009", "check the lock")
        ]),
        [7, 7, 7, 9],
        "the same lesson under another id was another pattern there, and stays one"
    );
}

#[test]
fn another_lesson_under_a_taken_id_gets_a_number_of_its_own() {
    assert_eq!(
        ids([
            named("P-002", "check the lock"),
            named("P-002", "run all tests"),
            named("P-002", "Run all tests"),
            learned("run all tests")
        ]),
        [2, 3, 3, 3]
    );
    assert_eq!(
        ids([learned("check the lock"), named("P-001", "run all tests"), named("P-001", "lock the check"), learned("sing a song")]),
        [1, 2, 1, 3]
    );
}

#[test]
fn a_hostile_id_does_not_use_up_the_numbers() {
    for hostile in
        ["P-999999999", "P-1000000", "P-4294967295", "P-4294967296", "P-99999999999999999999", "P-0", "P-000", "P--01", "P-+01"]
    {
        assert_eq!(
            ids([
                named(hostile, "check the lock"),
                learned("run all tests"),
                named(hostile, "sing a song"),
                named("P-002", "run all tests")
            ]),
            [1, 2, 3, 2],
            "{hostile}"
        );
    }
    assert_eq!(
        ids([named("P-999999", "check the lock"), learned("run all tests"), named("P-004", "sing a song"), learned("dance a bit")]),
        [999_999, 1_000_000, 4, 1_000_001],
        "the highest that may be claimed"
    );
}

#[test]
fn no_number_has_two_ids() {
    for (id, number) in [("P-001", Some(1)), ("P-999", Some(999)), ("P-1000", Some(1000)), ("P-999999999", Some(999_999_999))] {
        assert_eq!(pattern_number(id), number, "{id}");
        assert_eq!(number.map(pattern_id).as_deref(), Some(id));
    }
    for id in ["P-1", "P-0001", "P-000", "p-001", "P-001 ", "P-", "001", "P-0x1", "P-٠٠١", "P-1234567890", ""] {
        assert_eq!(pattern_number(id), None, "{id}");
    }
}

#[test]
fn the_book_lists_its_patterns_by_number_and_knows_no_others() {
    let book = folded([named("P-030", "check the lock"), named("P-004", "run all tests"), learned("sing a song")]);
    assert_eq!(listed(&book).into_iter().map(|(id, _)| id).collect::<Vec<_>>(), ["P-004", "P-030", "P-031"]);
    assert!(book.find(1).is_none() && book.find_id("P-4").is_none() && book.find_id("P-004").is_some());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    /// What is learned later changes no number.
    #[test]
    fn numbers_are_the_same_whatever_is_learned_later(entries in lessons(), length in 0_usize..40) {
        let all = homes(&fold_lessons(entries.clone(), RULE));
        let length = length.min(entries.len());
        let early = homes(&fold_lessons(entries[..length].to_vec(), RULE));
        prop_assert_eq!(early.len(), all.keys().filter(|event| early.contains_key(*event)).count());
        for (event, number) in early {
            prop_assert_eq!(all.get(&event), Some(&number), "{}", event);
        }
    }

    /// No decision changes a number.
    #[test]
    fn numbers_are_the_same_whatever_people_decide(entries in lessons(), actions in prop::collection::vec((0_usize..40, 1_u32..12), 0..20)) {
        let all = homes(&fold_lessons(entries.clone(), RULE));
        let mut mixed = entries;
        for (at, number) in actions {
            let action = [Action::Promote, Action::Retire, Action::Reject, Action::Restore][at % 4];
            mixed.insert(at.min(mixed.len()), decided(&pattern_id(number), action));
        }
        prop_assert_eq!(homes(&fold_lessons(mixed, RULE)), all);
    }
}

#[test]
fn a_book_folded_twice_is_the_same_book() {
    let entries = || numbered([learned("check the lock"), named("P-009", "run all tests"), decided("P-009", Action::Retire)]);
    let (one, other) = (fold_lessons(entries(), RULE), fold_lessons(entries(), RULE));
    assert_eq!(one.patterns().collect::<Vec<_>>(), other.patterns().collect::<Vec<_>>());
}
