//! What depends on the order of runs: the reliability of agents, and thresholds.

use std::collections::BTreeMap;

use super::agent::{AgentStep, Figures, step_agent};
use super::bracket::Bracket;
use super::threshold::{ThresholdStep, step_threshold};
use event::row::Rows;
use setting::{AgentSettings, RiskLevel, ThresholdSettings};
use text::diagnostic::Outcome;

/// A fold over the end of the log, which may well tell the same as one over all of it.
///
/// Values are clamped, so what happened long ago stops mattering. Folding from both bounds shows from where on: as soon as
/// both come to the same value, nothing before can change it.
#[derive(Debug)]
pub struct Fold<'s> {
    agents: &'s AgentSettings,
    thresholds: &'s ThresholdSettings,
    /// The place in the log whose state is wanted beside the last one.
    mark: i64,
    agent_tracks: Vec<Track>,
    threshold_tracks: [Track; 3],
}

/// How many steps there are in all: a fold that has seen them all began at the beginning.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StepCounts {
    pub agents: BTreeMap<String, Figures>,
    pub risks: BTreeMap<RiskLevel, i64>,
}

/// The values at one place of the log.
#[derive(Debug, Clone, PartialEq)]
pub struct FoldState {
    /// The reliability of each agent, in the order of the settings.
    pub reliability: Vec<f64>,
    /// The thresholds, the least risk first.
    pub thresholds: [f64; 3],
}

/// The values at the mark, and at the end of the log.
#[derive(Debug, Clone, PartialEq)]
pub struct Folded {
    /// Before the first step at or behind the mark.
    pub at_mark: FoldState,
    /// At the end.
    pub at_end: FoldState,
}

impl<'s> Fold<'s> {
    /// A fold that has seen nothing yet.
    #[must_use]
    pub fn new(agents: &'s AgentSettings, thresholds: &'s ThresholdSettings, mark: i64) -> Self {
        let agent_tracks =
            agents.profiles.iter().map(|profile| Track::new(profile.reliability, agents.least, agents.most)).collect();
        let threshold_tracks = RiskLevel::ALL.map(|risk| Track::new(thresholds.of(risk), thresholds.least, thresholds.most));
        Self { agents, thresholds, mark, agent_tracks, threshold_tracks }
    }

    /// Takes steps of agents, in the order of landing: the rows of `sql/policy/agent_step.sql`.
    pub fn take_agents(&mut self, rows: &Rows) -> Outcome<()> {
        rows.each(|step| {
            self.step_agent(&step);
            Ok(())
        })
    }

    /// Takes steps of thresholds, in the order of landing: the rows of `sql/policy/threshold_step.sql`.
    pub fn take_thresholds(&mut self, rows: &Rows) -> Outcome<()> {
        rows.each(|step| {
            self.step_threshold(&step);
            Ok(())
        })
    }

    /// Takes one step of an agent.
    pub fn step_agent(&mut self, step: &AgentStep<'_>) {
        let settings = self.agents;
        let Some(place) = settings.profiles.iter().position(|profile| profile.agent == step.agent) else { return };
        self.agent_tracks[place].step(step.sequence >= self.mark, |before| step_agent(before, step, settings));
    }

    /// Takes one step of a threshold.
    pub fn step_threshold(&mut self, step: &ThresholdStep) {
        let settings = self.thresholds;
        self.threshold_tracks[step.risk as usize].step(step.sequence >= self.mark, |before| step_threshold(before, step, settings));
    }

    /// The values, unless something before the steps that were taken could still change them.
    #[must_use]
    pub fn finish(&self, counts: &StepCounts) -> Option<Folded> {
        let agents = self.agents.profiles.iter().zip(&self.agent_tracks).map(|(profile, track)| {
            let all = counts.agents.get(&profile.agent).map_or(0, |figures| figures.runs);
            track.finish(all)
        });
        let agents: Vec<(f64, f64)> = agents.collect::<Option<_>>()?;
        let mut thresholds = [(0.0, 0.0); 3];
        for (risk, slot) in RiskLevel::ALL.into_iter().zip(&mut thresholds) {
            *slot = self.threshold_tracks[risk as usize].finish(counts.risks.get(&risk).copied().unwrap_or(0))?;
        }
        Some(Folded {
            at_mark: FoldState {
                reliability: agents.iter().map(|(mark, _)| *mark).collect(),
                thresholds: thresholds.map(|(mark, _)| mark),
            },
            at_end: FoldState {
                reliability: agents.iter().map(|(_, end)| *end).collect(),
                thresholds: thresholds.map(|(_, end)| end),
            },
        })
    }
}

/// One value on its way.
#[derive(Debug, Clone)]
struct Track {
    /// Where it is if nothing came before the first step.
    value: f64,
    /// Where it can be if anything did.
    anywhere: Bracket,
    /// Both at the mark, once that is passed.
    at_mark: Option<(f64, Bracket)>,
    steps: i64,
}

impl Track {
    const fn new(start: f64, least: f64, most: f64) -> Self {
        Self { value: start, anywhere: Bracket::between(least.min(start), most.max(start)), at_mark: None, steps: 0 }
    }

    fn step(&mut self, is_marked: bool, step: impl Fn(f64) -> f64) {
        if is_marked && self.at_mark.is_none() {
            self.at_mark = Some((self.value, self.anywhere));
        }
        self.steps += 1;
        self.value = step(self.value);
        self.anywhere.step(step);
    }

    /// The values at the mark and at the end.
    fn finish(&self, all: i64) -> Option<(f64, f64)> {
        let (value, anywhere) = self.at_mark.unwrap_or((self.value, self.anywhere));
        if self.steps == all {
            return Some((value, self.value));
        }
        anywhere.value().zip(self.anywhere.value())
    }
}
