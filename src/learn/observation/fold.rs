//! Folding what was observed into what each observation is worth, in the order of time: whatever file a line stood in and whenever it
//! landed, the same events give the same lives.

use std::collections::HashMap;

use super::count::ObservationCount;
use super::life::{ObservationLife, Rule, Sighting};
use super::log::{ObservationLog, Seen};
use super::registry::ObservationPlace;
use super::row::{ArtifactRow, ObservationDecision};
use super::status::{Rendering, Status};
use crate::subject::{Action, Transition, VoidDecision, Watch};
use event::field::ArtifactAction;
use setting::ObservationSettings;

/// What a decision names that is about all observations of its project.
pub const ALL_OBSERVATIONS: &str = "obs:all";

#[derive(Debug)]
pub struct ObservationLives {
    /// The life of each observation, by its place.
    pub lives: Vec<ObservationLife>,
    /// Decisions that had no effect.
    pub void: Vec<VoidDecision>,
    /// What happened to the observation that was watched.
    pub transitions: Vec<Transition<ObservationCount>>,
}

/// Folds a log, as it is seen at an instant. What happens to one observation can be watched.
#[must_use]
pub fn fold_observations(
    log: &ObservationLog,
    settings: &ObservationSettings,
    as_of_micros: i64,
    watched: Option<ObservationPlace>,
) -> ObservationLives {
    let lives = vec![ObservationLife::unseen(); log.registry.entries().len()];
    let mut fold = Fold { log, settings, lives, renderings: HashMap::new(), void: Vec::new(), watch: Watch::new(watched) };
    for (_, _, step) in steps(log) {
        match step {
            Step::Sighting(place) => fold.see(&log.sightings[place]),
            Step::Artifact(place) => fold.find(&log.artifacts[place]),
            Step::Decision(place) => fold.decide(&log.decisions[place]),
        }
    }
    for place in 0..fold.lives.len() {
        fold.settle(ObservationPlace::try_from(place).unwrap_or(ObservationPlace::MAX), as_of_micros);
    }
    ObservationLives { lives: fold.lives, void: fold.void, transitions: fold.watch.transitions }
}

/// One event of the log, by its place among its like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    Sighting(usize),
    Artifact(usize),
    Decision(usize),
}

/// The events in the order of time. Of one instant, what landed first comes first.
fn steps(log: &ObservationLog) -> Vec<(i64, i64, Step)> {
    let mut steps = Vec::with_capacity(log.sightings.len() + log.artifacts.len() + log.decisions.len());
    let seen = log.sightings.iter().enumerate();
    steps.extend(seen.map(|(place, seen)| (seen.time_micros, seen.sequence, Step::Sighting(place))));
    let found = log.artifacts.iter().enumerate();
    steps.extend(found.map(|(place, row)| (row.time_micros, row.sequence, Step::Artifact(place))));
    let decided = log.decisions.iter().enumerate();
    steps.extend(decided.map(|(place, row)| (row.decision.time_micros, row.decision.sequence, Step::Decision(place))));
    steps.sort_unstable();
    steps
}

struct Fold<'l> {
    log: &'l ObservationLog,
    settings: &'l ObservationSettings,
    lives: Vec<ObservationLife>,
    /// Whose artifact stands where: by project and anchor, else by project and file.
    renderings: HashMap<[String; 2], ObservationPlace>,
    void: Vec<VoidDecision>,
    watch: Watch<ObservationLife>,
}

impl<'l> Fold<'l> {
    fn rule(&self, place: ObservationPlace) -> Rule<'l> {
        Rule { observation_type: self.log.registry.entries()[place as usize].observation_type, settings: self.settings }
    }

    fn life(&mut self, place: ObservationPlace) -> &mut ObservationLife {
        &mut self.lives[place as usize]
    }

    /// Lets time pass for an observation.
    fn settle(&mut self, place: ObservationPlace, now_micros: i64) {
        let rule = self.rule(place);
        if self.life(place).settle(now_micros, rule) {
            let ready_micros = self.life(place).ready_micros.unwrap_or(now_micros);
            self.watch(place, None, ready_micros, || "ready: enough sessions, quality confirmed, enough days".to_owned());
        }
    }

    /// Takes in a sighting.
    fn see(&mut self, seen: &'l Seen) {
        let Seen { place, time_micros, .. } = *seen;
        let rule = self.rule(place);
        self.settle(place, time_micros);
        let sighting = Sighting {
            time_micros,
            session: seen.session,
            pattern: &seen.pattern,
            details: &seen.details,
            evidence: &seen.evidence,
            quality_ok: seen.quality_ok,
            lacks: seen.lacks,
            is_reworded: seen.is_reworded,
        };
        let before = self.life(place).sessions();
        match &seen.prior {
            Some(prior) => {
                self.life(place).inherit(prior, sighting, rule);
                self.remember(place);
            }
            None => self.life(place).see(sighting, rule),
        }
        let after = self.life(place).sessions();
        self.watch(place, Some(seen.sequence), time_micros, || describe_sighting(seen.prior.is_some(), before, after));
        self.settle(place, time_micros);
    }

    /// Takes in what became of an artifact.
    fn find(&mut self, row: &ArtifactRow) {
        // Words for an artifact say nothing of what it is worth.
        let Some(place) = self.meant(row).filter(|_| row.action != ArtifactAction::Authored) else { return };
        let (rule, time_micros) = (self.rule(place), row.time_micros);
        self.settle(place, time_micros);
        let life = self.life(place);
        match row.action {
            ArtifactAction::Rendered | ArtifactAction::Adopted => {
                let (path, anchor, content_hash) = (row.path.clone(), row.anchor.clone(), row.content_hash.clone());
                life.place(Rendering { path, anchor, content_hash, is_edited: false }, time_micros, rule);
                self.remember(place);
            }
            ArtifactAction::Edited => life.edit(row.content_hash.clone(), time_micros),
            ArtifactAction::Deleted => {
                life.delete(time_micros, rule);
            }
            ArtifactAction::Stale => {
                let reason = row.reason.clone().unwrap_or_else(|| "a file that it speaks of is missing".to_owned());
                life.stale_reason = Some(reason);
            }
            ArtifactAction::Fresh => life.stale_reason = None,
            ArtifactAction::Blocked => life.is_blocked = life.status == Status::Ready,
            ArtifactAction::Cited => life.cite(time_micros),
            ArtifactAction::Used => life.use_at(time_micros),
            ArtifactAction::Authored => {}
        }
        self.watch(place, Some(row.sequence), time_micros, || describe_artifact(row));
        self.settle(place, time_micros);
    }

    /// The observation whose artifact is meant: the one that is named; else the one at that anchor; else the one in that file.
    fn meant(&self, row: &ArtifactRow) -> Option<ObservationPlace> {
        let named = row.observation_id.as_deref();
        let named = named.and_then(|name| self.log.registry.find_named(&row.project, name, row.observation_type));
        let standing = |at: &Option<String>| self.renderings.get(&[row.project.clone(), at.clone()?]).copied();
        named.or_else(|| if row.anchor.is_some() { standing(&row.anchor) } else { standing(&row.path) })
    }

    /// Remembers whose artifact stands where.
    fn remember(&mut self, place: ObservationPlace) {
        let Some(rendering) = &self.lives[place as usize].rendering else { return };
        if let Some(at) = rendering.anchor.clone().or_else(|| rendering.path.clone()) {
            let project = self.log.registry.entries()[place as usize].project.clone();
            self.renderings.insert([project, at], place);
        }
    }

    /// Takes in what a person decided.
    fn decide(&mut self, row: &ObservationDecision) {
        let decision = &row.decision;
        if decision.subject == ALL_OBSERVATIONS {
            return self.decide_all(row);
        }
        let place = self.log.registry.find(&decision.subject);
        let Some(place) = place.filter(|place| self.lives[*place as usize].is_known()) else {
            return self.void.push(decision.void("the observation is unknown"));
        };
        let (rule, time_micros) = (self.rule(place), decision.time_micros);
        self.settle(place, time_micros);
        if let Err(why) = self.life(place).decide(decision, rule) {
            return self.void.push(decision.void(why));
        }
        self.life(place).note = Some(decision.note());
        self.watch(place, Some(decision.sequence), time_micros, || {
            format!("{} decided: {}", decision.actor, decision.action).to_lowercase()
        });
        self.settle(place, time_micros);
    }

    /// Takes in what a person decided about all observations of a project: they can be forgotten.
    fn decide_all(&mut self, row: &ObservationDecision) {
        let decision = &row.decision;
        if decision.action != Action::Clear {
            return self.void.push(decision.void("all observations can only be cleared"));
        }
        let places = (0..).zip(self.log.registry.entries()).filter(|(_, entry)| entry.project == row.project);
        for place in places.map(|(place, _)| place).collect::<Vec<ObservationPlace>>() {
            self.settle(place, decision.time_micros);
            if self.lives[place as usize].is_known() {
                self.life(place).forget();
                self.watch(place, Some(decision.sequence), decision.time_micros, || {
                    format!("{} cleared all observations of the project", decision.actor)
                });
            }
        }
    }

    fn watch(&mut self, place: ObservationPlace, sequence: Option<i64>, time_micros: i64, what: impl FnOnce() -> String) {
        self.watch.note(place, &self.lives[place as usize], sequence, time_micros, what);
    }
}

fn describe_sighting(is_inherited: bool, before: (i64, i64), after: (i64, i64)) -> String {
    let what = match (is_inherited, before, after) {
        (true, ..) => "imported from another tool",
        (_, (0, 0), _) => "first seen",
        (_, before, after) if before == after => "seen again in a session already counted",
        (_, (_, fresh), (_, after)) if after > fresh => "seen in another session while deprecated",
        (_, (_, fresh), (_, 0)) if fresh > 0 => "seen in enough new sessions: restored",
        _ => "seen in another session",
    };
    what.to_owned()
}

fn describe_artifact(row: &ArtifactRow) -> String {
    let (path, anchor) = (row.path.as_deref().unwrap_or_default(), row.anchor.as_deref().unwrap_or_default());
    let place = [path, anchor].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("#");
    let reason = row.reason.as_deref().map(|reason| format!(", {reason}")).unwrap_or_default();
    let behind = if place.is_empty() { String::new() } else { format!(" at {place}") };
    format!("artifact {}{behind}{reason}", row.action)
}
