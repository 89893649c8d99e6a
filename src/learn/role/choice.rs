//! Which patterns a founded verdict reinforces.

use super::fold::Fold;
use super::life::Life;
use super::log::{Task, Verdict};
use super::name::NameId;
use super::registry::Place;
use crate::recall::weight;

impl Fold<'_> {
    /// The patterns that a verdict reinforces: those it names; else, of those that the role was shown in that run, or of all, the
    /// best that were learned at its files; else the best. What is out of use or rejected is none of them.
    pub(super) fn choose(&self, verdict: &Verdict, rejected: &[Place]) -> Vec<Place> {
        let (log, rules) = (self.log, &self.settings.deliberation);
        let is_meant = |place: Place, life: &Life| {
            let steps = &self.steps[log.registry.group_of(place).unwrap_or_default()];
            life.is_in_use(verdict.time_micros, steps, self.ageing) && !rejected.contains(&place)
        };
        if !verdict.reinforced.is_empty() {
            let named = distinct(verdict.reinforced.iter().copied());
            return named.into_iter().filter(|place| is_meant(*place, &self.lives[*place as usize])).collect();
        }
        let shown = self.shown_to(verdict);
        let files = log.span(&verdict.task.files);
        let near = match (files, &*shown) {
            ([], _) => Vec::new(),
            (_, []) => distinct(files.iter().filter_map(|file| self.by_file.get(&(verdict.group, *file))).flatten().copied()),
            _ => shown.clone(),
        };
        let is_near = |place: Place, life: &Life| is_meant(place, life) && self.was_learned_at(life, files);
        let by_file = self.best(&near, rules.reinforced_by_file, verdict, is_near);
        if !by_file.is_empty() {
            return by_file;
        }
        let pool = if shown.is_empty() { &log.registry.groups()[verdict.group].patterns } else { &shown };
        self.best(pool, rules.reinforced, verdict, is_meant)
    }

    /// The patterns that the judged role was shown in the run of a verdict.
    fn shown_to(&self, verdict: &Verdict) -> Vec<Place> {
        let (_, role) = self.names[verdict.group];
        let shown = self.exposures(verdict.group, verdict.run, 0).iter();
        let shown = shown.filter(|shown| (shown.role == 0 || shown.role == role) && shown.first_micros <= verdict.time_micros);
        distinct(shown.map(|shown| shown.place))
    }

    fn was_learned_at(&self, life: &Life, files: &[NameId]) -> bool {
        life.recent.iter().any(|heard| {
            let own = self.log.span(&self.log.deliberations[*heard as usize].task.files);
            own.iter().any(|file| files.contains(file))
        })
    }

    /// The best of some patterns for a task: by score, then what counts for them, then their last use, then their place. There may be
    /// thousands, of which a handful is wanted: what cannot be among these is passed over as early as can be.
    fn best(&self, places: &[Place], most: usize, verdict: &Verdict, is_meant: impl Fn(Place, &Life) -> bool) -> Vec<Place> {
        let score = &self.settings.inject.score;
        let widest = 1.0 + score.label + score.file + score.phase;
        let mut ranked: Vec<Ranked> = Vec::with_capacity(most + 1);
        for place in places {
            let life = &self.lives[*place as usize];
            let least =
                if ranked.len() < most { f64::NEG_INFINITY } else { ranked.last().map_or(f64::INFINITY, |last| last.worth) };
            let (record, weight) = (life.record(), weight(life.kind.name(), score));
            if record.rate() * weight * widest < least {
                continue;
            }
            if record.score(weight, widest, verdict.time_micros, score) < least || !is_meant(*place, life) {
                continue;
            }
            let worth = record.score(weight, self.factor(life, &verdict.task), verdict.time_micros, score);
            let own = Ranked { worth, successes: life.successes, used_micros: life.used_micros(), place: *place };
            ranked.insert(ranked.partition_point(|known| known.is_before(&own)), own);
            ranked.truncate(most);
        }
        ranked.into_iter().map(|ranked| ranked.place).collect()
    }

    /// What a pattern gains that was learned in such a task.
    fn factor(&self, life: &Life, task: &Task) -> f64 {
        let (log, score) = (self.log, &self.settings.inject.score);
        let (labels, files) = (log.span(&task.labels), log.span(&task.files));
        let (mut label, mut file, mut phase) = (false, false, false);
        for heard in &life.recent {
            let own = &log.deliberations[*heard as usize].task;
            label |= !labels.is_empty() && log.span(&own.labels).iter().any(|known| labels.contains(known));
            file |= !files.is_empty() && log.span(&own.files).iter().any(|known| files.contains(known));
            phase |= task.phase != 0 && own.phase == task.phase;
        }
        let gain = |holds: bool, gain: f64| if holds { gain } else { 0.0 };
        1.0 + gain(label, score.label) + gain(file, score.file) + gain(phase, score.phase)
    }
}

/// A pattern among those that a verdict may reinforce.
struct Ranked {
    worth: f64,
    successes: u32,
    used_micros: i64,
    place: Place,
}

impl Ranked {
    fn is_before(&self, other: &Self) -> bool {
        let by_worth = other.worth.total_cmp(&self.worth).then(other.successes.cmp(&self.successes));
        by_worth.then(other.used_micros.cmp(&self.used_micros)).then(self.place.cmp(&other.place)).is_lt()
    }
}

/// Places, each once, in their order.
pub(super) fn distinct(places: impl Iterator<Item = Place>) -> Vec<Place> {
    let mut places: Vec<Place> = places.collect();
    places.sort_unstable();
    places.dedup();
    places
}
