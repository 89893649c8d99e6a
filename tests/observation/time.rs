//! Ids do not shift, whatever lands later.

use event::field::ObservationType;
use proptest::prelude::*;

use super::{Sight, Story, day};

fn sight() -> impl Strategy<Value = Sight> {
    let words = prop::sample::select(vec![
        "Ship it",
        "ship it!",
        "Use Postgres",
        "日本語",
        "Русский",
        "русский.",
        "!!",
        "?",
        "",
        "Use  postgres",
    ]);
    let details = prop::sample::select(vec![
        "",
        "area: git; issue: amend",
        "AREA: git; issue: Amend!",
        "area: git; issue: push",
        "issue: amend",
    ]);
    let given = prop::option::of(prop::sample::select(vec!["obs_aaaaaa", "obs_bbbbbb", "obs_cccccc", "obs_1", "other"]));
    let project = prop::sample::select(vec!["web", "api"]);
    let kind = prop::sample::select(vec![ObservationType::Pitfall, ObservationType::Pitfall, ObservationType::Decision]);
    (words, details, given, project, kind, 0..50_i64).prop_map(|(pattern, details, given, project, kind, on)| Sight {
        pattern: pattern.to_owned(),
        details: details.to_owned(),
        given: given.map(str::to_owned),
        project,
        kind,
        time: day(on),
        ..Sight::default()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn what_lands_later_shifts_no_id(sights in prop::collection::vec(sight(), 0..40), cut in 0..40_usize, on in 0..50_i64) {
        let mut story = Story::default();
        for sight in &sights {
            story.see(sight.clone());
        }
        let mut before = story.clone();
        before.told.truncate(cut);
        let ids = |story: &Story, as_of: i64| -> Vec<String> {
            story.findings(as_of).scores.into_iter().map(|score| score.id).collect()
        };
        let (then, now) = (ids(&before, i64::MAX - 1), ids(&story, i64::MAX - 1));
        prop_assert_eq!(&then[..], &now[..then.len()]);
        // Asked for an earlier day, an observation is called as it is today.
        let early = ids(&story, day(on));
        prop_assert!(early.iter().all(|id| now.contains(id)));
        let mut distinct = now.clone();
        distinct.sort_unstable();
        distinct.dedup();
        prop_assert_eq!(distinct.len(), now.len());
        prop_assert!(now.iter().all(|id| learn::pattern::is_observation_id(id)), "{:?}", now);
    }

    #[test]
    fn every_sighting_that_says_something_counts_for_one_entry(sights in prop::collection::vec(sight(), 0..40)) {
        let mut story = Story::default();
        for sight in &sights {
            story.see(sight.clone());
        }
        let findings = story.findings(i64::MAX - 1);
        let counted: i64 = findings.scores.iter().map(|score| score.observations).sum();
        prop_assert_eq!(usize::try_from(counted).expect("a number") + findings.blank, sights.len());
    }
}
