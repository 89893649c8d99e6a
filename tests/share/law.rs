//! What holds for all patterns and all orders of pushing.

use agent::share::{SharedPattern, Signer, State, merge, receive};
use proptest::prelude::*;

use super::{assert_passes, local, pattern, recipient};

fn any_pattern() -> impl Strategy<Value = SharedPattern> {
    let texts = ("P-0[0-9]{2}|x", "\\PC{0,12}|(one|two|Two |three){1}", any::<String>(), "(|\\[PRUNE\\]|\\[UNTESTED\\]|review|x)");
    let lists =
        (prop::collection::vec(any::<String>(), 0..3), prop::option::of(any::<String>()), prop::option::of("closedloop|team"));
    (texts, lists, any::<i64>(), prop::option::of(any::<f64>())).prop_map(
        |((id, summary, word, flags), (list, trigger, scope), seen_count, success_rate)| SharedPattern {
            id,
            category: word.clone(),
            summary,
            confidence: word.clone(),
            seen_count,
            success_rate,
            flags,
            applies_to: list.clone(),
            context: list,
            repo: word,
            trigger,
            scope,
            ..SharedPattern::default()
        },
    )
}

proptest! {
    #[test]
    fn tidying_twice_is_tidying_once(pattern in any_pattern()) {
        let tidy = pattern.tidied();
        prop_assert_eq!(tidy.clone().tidied(), tidy);
    }

    #[test]
    fn what_is_pushed_reads_back_signed_and_a_second_push_changes_nothing(patterns in prop::collection::vec(any_pattern(), 0..12)) {
        let signer = Signer::from_secret(&[3; 32]);
        let mut state = State::default();
        let first = merge(&mut state, &local("web", 1, &patterns), &signer);
        let texts = (state.document.render(), state.sources.render());
        let mut again = State::parse(Some(&texts.0), Some(&texts.1)).expect("readable");
        prop_assert!(again.remarks.is_empty(), "{:?}", again.remarks);
        let pulled = receive(&again, &recipient("api"));
        // Any text may hold a marker by chance. Nothing else of what is pushed is refused.
        prop_assert!(pulled.refused.iter().all(|remark| remark.reason.contains("has the marker")), "{:?}", pulled.refused);
        prop_assert_eq!(pulled.lines.len() + pulled.set_aside.len() + pulled.refused.len(), first.added);
        pulled.lines.iter().for_each(|line| assert_passes(line));
        let second = merge(&mut again, &local("web", 2, &patterns), &signer);
        prop_assert!(!second.is_changed, "{:?}", second);
        prop_assert_eq!((again.document.render(), again.sources.render()), texts);
    }

    #[test]
    fn however_projects_take_turns_no_lesson_is_lost_and_it_ends(turns in prop::collection::vec((0_usize..3, 0_i64..4), 1..12)) {
        let projects = ["a", "b", "c"];
        let mut seen = [1_i64; 3];
        let mut state = State::default();
        let push = |state: &mut State, project: usize, seen: i64, minute: i64| {
            let own = pattern("P-001", &format!("Only {project}"));
            let common = SharedPattern { seen_count: seen * 10 + i64::try_from(project).expect("small"), ..pattern("P-002", "Everybody's") };
            let signer = Signer::from_secret(&[u8::try_from(project).expect("small") + 1; 32]);
            merge(state, &local(projects[project], minute, &[own, common]), &signer)
        };
        for (minute, (project, learned)) in (1..).zip(&turns) {
            seen[*project] += learned;
            push(&mut state, *project, seen[*project], minute);
        }
        for minute in [100, 200] {
            for (project, seen) in seen.iter().enumerate() {
                let merged = push(&mut state, project, *seen, minute);
                prop_assert!(minute == 100 || !merged.is_changed, "{:?}", merged);
            }
        }
        let summaries: Vec<_> = state.document.slots().iter().filter_map(|slot| slot.entry()).map(|entry| entry.pattern.summary.clone()).collect();
        prop_assert_eq!(summaries.len(), 4, "{:?}", summaries);
        prop_assert_eq!(receive(&state, &recipient("d")).refused.len(), 0);
    }
}
