//! The story of the last runs is the end of the whole story.

use event::field::RunResult;
use fastrand::Rng;
use learn::policy::{
    Clear, FailurePattern, FinishedRun, GraphEvent, Ledger, Missing, PastState, Refusals, Reliability, SkillStat, Sums, Tally,
    failure_id_of, replay,
};
use setting::Settings;

use super::scene::{random_run, run};

#[test]
fn the_story_of_the_last_runs_is_the_end_of_the_whole_story() {
    let mut random = Rng::with_seed(14);
    for round in 0..120 {
        let mut settings = Settings::default();
        settings.overlay.release_after_successes = (round % 3 == 1).then_some(2);
        settings.overlay.ratchet = round % 3 == 2;
        let length = random.i64(1..120);
        let runs: Vec<FinishedRun> = (0..length).map(|number| random_run(number * 2, &mut random)).collect();
        let clears: Vec<Clear> = (0..random.i64(0..4)).map(|number| random_clear(number, length, &mut random)).collect();
        let from = random.usize(..runs.len());
        let (early, late) = runs.split_at(from);
        let begin = (late[0].micros, late[0].sequence);
        let before: Vec<Clear> = clears.iter().filter(|clear| clear.moment() < begin).cloned().collect();
        let told_before = replay_all(&settings, early, &before);
        let wanted = replay_all(&settings, &runs, &clears).split_off(told_before.len());

        let past = past_of(&settings, early, &before);
        let end = taken(&settings, &runs, &[]);
        let start = taken(&settings, early, &[]);
        let (adapters, failures, skills) = sums_of(&end);
        let sums = Sums { adapters: &adapters, failures: &failures, skills: &skills, refused: &Refusals::default(), past: &past };
        let ledger = Ledger::before(&settings, sums, late, start.folded().clone());
        assert_eq!(replay(ledger, late, &clears), wanted, "round {round}");
    }
}

/// A clear of some adapter, between two runs.
fn random_clear(number: i64, length: i64, random: &mut Rng) -> Clear {
    let sequence = random.i64(0..length * 2) | 1;
    Clear {
        sequence,
        micros: run(sequence, RunResult::Success, &[]).micros,
        adapter: format!("adapter-{number}"),
        failure: random.bool().then(|| format!("adapter-{number}::auth")),
        actor: "ada".to_owned(),
        note: String::new(),
    }
}

/// The whole story: the clears come in between, and those before the first run come first.
fn replay_all(settings: &Settings, runs: &[FinishedRun], clears: &[Clear]) -> Vec<GraphEvent> {
    let mut ledger = Ledger::start(settings);
    let first = runs.first().map_or((i64::MAX, i64::MAX), |run| (run.micros, run.sequence));
    let mut early: Vec<&Clear> = clears.iter().filter(|clear| clear.moment() < first).collect();
    early.sort_by_key(|clear| clear.moment());
    let mut events: Vec<GraphEvent> = early.into_iter().flat_map(|clear| ledger.clear(clear)).collect();
    events.extend(replay(ledger, runs, clears));
    events
}

/// The state after some runs.
fn taken<'s>(settings: &'s Settings, runs: &[FinishedRun], clears: &[Clear]) -> Ledger<'s> {
    let mut ledger = Ledger::start(settings);
    let mut clears: Vec<&Clear> = clears.iter().collect();
    clears.sort_by_key(|clear| clear.moment());
    let mut clears = clears.into_iter().peekable();
    for run in runs {
        while let Some(clear) = clears.next_if(|clear| clear.moment() < (run.micros, run.sequence)) {
            ledger.clear(clear);
        }
        ledger.take(run);
    }
    clears.for_each(|clear| drop(ledger.clear(clear)));
    ledger
}

const KINDS: [&str; 3] = ["timeout", "auth", "network"];

fn names() -> impl Iterator<Item = String> {
    (0..5).map(|number| format!("adapter-{number}"))
}

/// What SQL adds up.
fn sums_of(end: &Ledger<'_>) -> (Vec<Reliability>, Vec<FailurePattern>, Vec<SkillStat>) {
    let adapters = names().filter_map(|adapter| {
        let tally = end.tally(&adapter)?;
        Some(Reliability::new(adapter, tally, 0, Missing::default(), &Settings::default().reliability))
    });
    let failures = names().flat_map(|name| KINDS.map(|kind| format!("{name}::{kind}"))).filter_map(|id| end.failure(&id).cloned());
    let skills = ["skill-0", "skill-1"].iter().filter_map(|name| end.skill(name).cloned());
    (adapters.collect(), failures.collect(), skills.collect())
}

/// What SQL finds out about the time before the last runs, counted by hand.
fn past_of(settings: &Settings, early: &[FinishedRun], before: &[Clear]) -> PastState {
    let mut past = PastState { cleared: before.to_vec(), ..PastState::default() };
    for id in names().flat_map(|name| KINDS.map(|kind| format!("{name}::{kind}"))) {
        let adapter = id.split("::").next().expect("an adapter").to_owned();
        let cleared = before.iter().filter(|clear| clear.covers(&adapter, &id)).map(Clear::moment).max();
        let seen: Vec<&FinishedRun> = early.iter().filter(|run| failure_id_of(run).as_deref() == Some(&id)).collect();
        let counted = seen.iter().filter(|run| cleared.is_none_or(|cleared| (run.micros, run.sequence) > cleared)).count();
        past.counted.insert(id.clone(), i64::try_from(counted).expect("few"));
        if let (Some(last), Some(_)) = (seen.last(), settings.overlay.release_after_successes) {
            let good = early.iter().filter(|run| {
                run.sequence > last.sequence && run.is_success && !run.is_denied() && run.adapters.contains(&adapter)
            });
            past.recovered.insert(id, i64::try_from(good.count()).expect("few"));
        }
    }
    if settings.overlay.ratchet {
        for adapter in names() {
            let whole = |clear: &&Clear| clear.failure.is_none() && clear.adapter == adapter;
            let cleared = before.iter().filter(whole).map(Clear::moment).max();
            let mut tally = Tally::default();
            for run in early.iter().filter(|run| !run.is_denied() && run.adapters.contains(&adapter)) {
                tally.add(run.is_success, run.retries, run.quality_millionths);
                if cleared.is_none_or(|cleared| (run.micros, run.sequence) > cleared) {
                    let score = tally.score(&settings.reliability);
                    let lowest = past.lowest.entry(adapter.clone()).or_insert(score);
                    *lowest = lowest.min(score);
                }
            }
        }
    }
    past
}
