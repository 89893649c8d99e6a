//! The end of the log tells the same as all of it, wherever it claims to.
#![expect(clippy::float_cmp, reason = "the same steps give the same bits")]

use std::collections::BTreeMap;

use event::field::RunResult;
use fastrand::Rng;
use learn::policy::{AgentStep, Figures, Fold, FoldState, Folded, StepCounts, ThresholdStep, step_agent, step_threshold};
use setting::{AgentSettings, RiskLevel, ThresholdSettings};

const AGENTS: [&str; 5] = ["planner", "builder", "reviewer", "security", "stranger"];

/// What a log says, step by step.
struct Log {
    agents: Vec<AgentStep<'static>>,
    thresholds: Vec<ThresholdStep>,
}

impl Log {
    /// A log at random. Where `drift` is high, most runs succeed.
    fn random(random: &mut Rng, length: i64, drift: f64) -> Self {
        let (mut agents, mut thresholds) = (Vec::new(), Vec::new());
        for sequence in 0..length {
            let result =
                if random.f64() < drift { RunResult::Success } else { [RunResult::Failure, RunResult::Partial][random.usize(..2)] };
            let (is_rolled_back, is_overridden) = (random.u32(..20) == 0, random.u32(..20) == 0);
            let agent = AGENTS[random.usize(..AGENTS.len())];
            let confidence = random.f64();
            agents.push(AgentStep { sequence, agent, decision: None, confidence, result, is_rolled_back, is_overridden });
            let risk = RiskLevel::ALL[random.usize(..3)];
            thresholds.push(ThresholdStep { sequence, risk, result, is_rolled_back, is_overridden });
        }
        Self { agents, thresholds }
    }

    fn counts(&self) -> StepCounts {
        let mut counts = StepCounts::default();
        for step in &self.agents {
            let figures: &mut Figures = counts.agents.entry(step.agent.to_owned()).or_default();
            figures.runs += 1;
        }
        for step in &self.thresholds {
            *counts.risks.entry(step.risk).or_default() += 1;
        }
        counts
    }

    /// The fold over what lies behind a place.
    fn fold_behind(&self, after: i64, mark: i64) -> Option<Folded> {
        let (agents, thresholds) = (AgentSettings::default(), ThresholdSettings::default());
        let mut fold = Fold::new(&agents, &thresholds, mark);
        self.agents.iter().filter(|step| step.sequence > after).for_each(|step| fold.step_agent(step));
        self.thresholds.iter().filter(|step| step.sequence > after).for_each(|step| fold.step_threshold(step));
        fold.finish(&self.counts())
    }

    /// The definition: one step after the other, from the beginning up to a place.
    fn naive(&self, until: i64) -> FoldState {
        let (agents, thresholds) = (AgentSettings::default(), ThresholdSettings::default());
        let mut reliability: BTreeMap<&str, f64> =
            agents.profiles.iter().map(|profile| (&*profile.agent, profile.reliability)).collect();
        for step in self.agents.iter().filter(|step| step.sequence < until) {
            if let Some(value) = reliability.get_mut(step.agent) {
                *value = step_agent(*value, step, &agents);
            }
        }
        let mut values = RiskLevel::ALL.map(|risk| thresholds.of(risk));
        for step in self.thresholds.iter().filter(|step| step.sequence < until) {
            values[step.risk as usize] = step_threshold(values[step.risk as usize], step, &thresholds);
        }
        FoldState { reliability: agents.profiles.iter().map(|profile| reliability[&*profile.agent]).collect(), thresholds: values }
    }
}

#[test]
fn what_the_end_of_the_log_settles_is_what_all_of_it_says() {
    let mut random = Rng::with_seed(8);
    let (mut settled, mut open) = (0, 0);
    for round in 0..300 {
        let length = random.i64(1..3000);
        let log = Log::random(&mut random, length, [0.4, 0.7, 0.95][round % 3]);
        let after = random.i64(-1..length);
        let mark = random.i64(after + 1..=length);
        match log.fold_behind(after, mark) {
            Some(folded) => {
                assert_eq!(folded.at_end, log.naive(i64::MAX), "round {round}");
                assert_eq!(folded.at_mark, log.naive(mark), "round {round}, at the mark");
                settled += usize::from(after >= 0);
            }
            None => open += 1,
        }
    }
    assert!(settled > 40 && open > 40, "both must occur: {settled} settled, {open} open");
}

#[test]
fn a_fold_over_everything_is_always_settled() {
    let mut random = Rng::with_seed(9);
    for _ in 0..50 {
        let length = random.i64(0..200);
        let log = Log::random(&mut random, length, 0.6);
        let folded = log.fold_behind(-1, length / 2).expect("nothing came before");
        assert_eq!(folded.at_end, log.naive(i64::MAX));
        assert_eq!(folded.at_mark, log.naive(length / 2));
    }
}

#[test]
fn a_few_hundred_runs_settle_a_busy_log() {
    let mut random = Rng::with_seed(10);
    let log = Log::random(&mut random, 20_000, 0.75);
    let folded = log.fold_behind(20_000 - 4000, 19_000).expect("four thousand runs are plenty");
    assert_eq!(folded.at_end.reliability, log.naive(i64::MAX).reliability);
    assert!(folded.at_end.thresholds == log.naive(i64::MAX).thresholds);
}
