//! Published tables: what is written is read again, by this version and by later ones.

use event::cell::{Row as _, Word};
use learn::pattern::{Category, State};
use learn::{Confidence, Flag, Mode, Score};
use proptest::prelude::*;
use render::{parse_table, render_table};

event::row! {
    /// A pattern as an early version published it.
    struct Early {
        id: String,
        state: String,
        seen: i64,
        rate: Option<f64>,
    }
}

event::row! {
    struct Other {
        name: String,
    }
}

fn any_word<W: Word + std::fmt::Debug>() -> impl Strategy<Value = W> {
    prop::sample::select(W::ALL)
}

prop_compose! {
    fn any_score()(
        (id, summary, trigger) in (any::<String>(), any::<String>(), any::<Option<String>>()),
        (tags, files) in (prop::collection::vec(any::<String>(), 0..3), prop::collection::vec(any::<String>(), 0..3)),
        (seen, prior_seen) in any::<(i64, Option<i64>)>(),
        (weight, rate) in (-1e300_f64..1e300, prop::option::of(0.0_f64..=1.0)),
        (state, category, mode) in (any_word::<State>(), any_word::<Category>(), any_word::<Mode>()),
        (confidence, flag, is_settled) in (any_word::<Confidence>(), any_word::<Flag>(), any::<bool>()),
    ) -> Score {
        Score {
            id, summary, trigger, tags, files, seen, prior_seen, weight, rate, state, category, mode, confidence, flag, is_settled,
            ..Score::default()
        }
    }
}

proptest! {
    #[test]
    fn what_is_written_is_read(scores in prop::collection::vec(any_score(), 0..8)) {
        let bytes = render_table(&scores).expect("a table");
        prop_assert_eq!(parse_table::<Score>(bytes), Ok(scores));
    }
}

#[test]
fn a_column_that_an_older_generation_lacks_reads_as_its_default() {
    let early = |id: &str, rate| Early { id: id.to_owned(), state: "promoted".to_owned(), seen: 3, rate };
    let bytes = render_table(&[early("P-001", Some(0.5)), early("P-002", None)]).expect("a table");
    let scores: Vec<Score> = parse_table(bytes).expect("scores");
    assert_eq!(
        scores.iter().map(|score| (&*score.id, score.seen, score.rate)).collect::<Vec<_>>(),
        [("P-001", 3, Some(0.5)), ("P-002", 3, None)]
    );
    let first = Score { id: "P-001".to_owned(), state: State::Promoted, seen: 3, rate: Some(0.5), ..Score::default() };
    assert_eq!(scores[0], first);
}

#[test]
fn another_table_and_an_unknown_word_are_named() {
    let odd = Early { id: "P-001".to_owned(), state: "miraculous".to_owned(), seen: 0, rate: None };
    let fault = parse_table::<Score>(render_table(&[odd]).expect("a table")).expect_err("no state");
    assert!(fault.contains("`miraculous`") && fault.contains("`retired`"), "{fault}");
    let fault = parse_table::<Score>(render_table::<Other>(&[]).expect("a table")).expect_err("no id");
    assert_eq!(fault, "has no column `id`");
    assert!(parse_table::<Score>(b"no Parquet".to_vec()).is_err());
}

#[test]
fn the_columns_are_those_of_the_definition() {
    let columns: Vec<String> = Score::schema().fields().iter().map(|field| field.name().clone()).collect();
    assert_eq!(columns.len(), 60);
    assert_eq!(columns[..4], ["id", "state", "category", "summary"]);
    let nullable: Vec<&str> = ["trigger", "rate", "prior_seen"].into();
    for name in nullable {
        assert!(Score::schema().field_with_name(name).expect("a column").is_nullable(), "{name}");
    }
    assert!(!Score::schema().field_with_name("flag").expect("a column").is_nullable());
}
