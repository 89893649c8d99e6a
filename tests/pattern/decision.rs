//! What people decide about patterns.

use learn::pattern::{Decision, Entry, Registry, State, VoidDecision};
use learn::subject::Action;

use super::{decided, folded, learned, source};

fn state(book: &Registry) -> State {
    book.find(1).expect("the first pattern").state
}

#[test]
fn a_pattern_that_was_retired_or_rejected_stays_so_when_its_lesson_is_captured_again() {
    for (action, wanted) in [(Action::Retire, State::Retired), (Action::Reject, State::Rejected)] {
        let book =
            folded([learned("check the lock"), decided("P-001", action), learned("the lock: check"), learned("check the lock")]);
        assert_eq!(state(&book), wanted);
        assert!(!wanted.is_in_use());
        assert_eq!(book.find(1).expect("the pattern").sightings.len(), 3, "the captures are counted all the same");
        assert_eq!(book.patterns().count(), 1, "and make no pattern of their own");
    }
}

#[test]
fn only_a_person_brings_a_pattern_back() {
    for (first, second, wanted) in [
        (Action::Retire, Action::Restore, State::Learned),
        (Action::Reject, Action::Restore, State::Learned),
        (Action::Retire, Action::Promote, State::Promoted),
        (Action::Promote, Action::Restore, State::Promoted),
        (Action::Promote, Action::Clear, State::Learned),
        (Action::Reject, Action::Clear, State::Learned),
        (Action::Reject, Action::Annotate, State::Rejected),
        (Action::Reject, Action::Retest, State::Rejected),
        (Action::Promote, Action::Retire, State::Retired),
        (Action::Retire, Action::Reject, State::Rejected),
    ] {
        let book = folded([learned("check the lock"), decided("P-001", first), decided("P-001", second)]);
        assert_eq!(state(&book), wanted, "{first:?}, then {second:?}");
    }
}

#[test]
fn a_promoted_pattern_is_in_use_and_says_who_stands_behind_it() {
    let decision = Decision {
        source: source(),
        pattern_id: "P-001".to_owned(),
        action: Action::Promote,
        actor: "ann".to_owned(),
        reason: Some("it works".to_owned()),
    };
    let book = folded([learned("check the lock"), Entry::Decision(decision)]);
    let pattern = book.find(1).expect("the pattern");
    assert!(pattern.state == State::Promoted && pattern.state.is_in_use());
    assert_eq!(pattern.note.as_deref(), Some("ann: it works"));
}

#[test]
fn a_decision_about_an_unknown_pattern_is_void_and_reported() {
    let book = folded([
        decided("P-001", Action::Retire),
        learned("check the lock"),
        decided("P-002", Action::Promote),
        decided("lock", Action::Reject),
        decided("P-1", Action::Reject),
    ]);
    assert_eq!(state(&book), State::Learned, "it was not known yet");
    let void = |pattern_id: &str, line| VoidDecision {
        pattern_id: pattern_id.to_owned(),
        actor: "ann".to_owned(),
        file: "inbox.jsonl".to_owned(),
        line,
    };
    assert_eq!(book.void_decisions(), [void("P-001", 1), void("P-002", 3), void("lock", 4), void("P-1", 5)]);
}

#[test]
fn every_word_of_a_decision_is_an_action() {
    for (word, action) in [
        ("promote", Action::Promote),
        ("retire", Action::Retire),
        ("reject", Action::Reject),
        ("restore", Action::Restore),
        ("clear", Action::Clear),
        ("annotate", Action::Annotate),
        ("retest", Action::Retest),
    ] {
        assert_eq!(Action::from_name(word), Some(action));
    }
    assert_eq!(Action::from_name("Promote"), None);
}
