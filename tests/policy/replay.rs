//! The story of the last runs is the end of the whole story.

use std::collections::BTreeMap;

use fastrand::Rng;
use outerloop::learn::policy::{
    Clear, FailurePattern, FinishedRun, GraphEvent, Ledger, Reliability, SkillStat, Sums, fails_with, replay,
};
use outerloop::setting::Settings;

use super::scene::random_run;

/// The whole story from the beginning, with the clears in between, and where each run's part of it begins.
fn whole(settings: &Settings, runs: &[FinishedRun], clears: &[Clear]) -> Vec<GraphEvent> {
    replay(Ledger::start(settings), runs, clears)
}

#[test]
fn the_story_of_the_last_runs_is_the_end_of_the_whole_story() {
    let mut random = Rng::with_seed(14);
    for round in 0..60 {
        let settings = Settings::default();
        let length = random.i64(1..120);
        let runs: Vec<FinishedRun> = (0..length).map(|number| random_run(number * 2, &mut random)).collect();
        let clears: Vec<Clear> = (0..random.i64(0..4))
            .map(|number| Clear {
                sequence: random.i64(0..length * 2) | 1,
                micros: 0,
                adapter: format!("adapter-{number}"),
                failure: random.bool().then(|| format!("adapter-{number}::auth")),
                actor: "ada".to_owned(),
                note: String::new(),
            })
            .collect();
        let mut clears = clears;
        clears.sort_by_key(|clear| clear.sequence);
        let from = random.usize(..runs.len());
        let (early, late) = runs.split_at(from);
        let first = late[0].sequence;
        let before: Vec<Clear> = clears.iter().filter(|clear| clear.sequence < first).cloned().collect();
        let wanted = whole(&settings, &runs, &clears).split_off(whole(&settings, early, &before).len());

        // What SQL gives: sums over everything, and how often failures counted before the last runs.
        let names: Vec<String> = (0..5).map(|number| format!("adapter-{number}")).collect();
        let mut end = Ledger::start(&settings);
        for run in &runs {
            end.take(run);
        }
        let mut start = Ledger::start(&settings);
        for run in early {
            start.take(run);
        }
        let adapters: Vec<Reliability> = names
            .iter()
            .filter_map(|name| end.tally(name).map(|tally| (name, tally)))
            .map(|(name, tally)| Reliability { adapter: name.clone(), tally, score: 0.0, last_micros: 0 })
            .collect();
        let kinds = ["timeout", "auth", "network"];
        let ids: Vec<String> = names.iter().flat_map(|name| kinds.map(|kind| format!("{name}::{kind}"))).collect();
        let failures: Vec<FailurePattern> = ids.iter().filter_map(|id| end.failure(id).cloned()).collect();
        let skills: Vec<SkillStat> = ["skill-0", "skill-1"].iter().filter_map(|name| end.skill(name).cloned()).collect();
        let counted_before: BTreeMap<String, i64> = failures
            .iter()
            .map(|failure| {
                let last =
                    before.iter().filter(|clear| clear.covers(&failure.adapter, &failure.id)).map(|clear| clear.sequence).max();
                let counted = early.iter().filter(|run| run.sequence > last.unwrap_or(-1) && fails_with(run, &failure.id)).count();
                (failure.id.clone(), i64::try_from(counted).expect("few"))
            })
            .collect();
        let sums = Sums { adapters: &adapters, failures: &failures, skills: &skills, counted_before: &counted_before };
        let ledger = Ledger::before(&settings, sums, late, start.folded().clone());
        let told = replay(ledger, late, &clears);
        assert_eq!(told, wanted, "round {round}");
    }
}
