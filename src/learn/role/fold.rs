//! Folding what roles said into what their patterns are worth, in the order of time: whatever file a line stood in and whenever it
//! landed, the same events give the same lives.

use std::collections::{HashMap, HashSet};

use super::blame::{Suspect, blame};
use super::choice::distinct;
use super::inheritance::Inheritance;
use super::life::{Ageing, Life, RoleCount, Sighting, age};
use super::log::{Deliberation, Ending, Exposure, RoleLog, Verdict, key, short_role};
use super::name::NameId;
use super::registry::{Place, role_pattern_place};
use crate::subject::{Decision, Transition, VoidDecision, Watch};
use setting::Settings;
use text::review::{Likeness, normalise};
use text::time::DAY_MICROS;
use text::word::{Counter, Tokens};

/// What roles have learned.
#[derive(Debug)]
pub struct Lives {
    /// The life of each pattern, by its place.
    pub lives: Vec<Life>,
    /// How often others were preferred to each.
    pub skips: Vec<u32>,
    /// How many rejected findings are no pattern of the role, by its place.
    pub unmatched: Vec<u32>,
    /// Decisions that had no effect.
    pub void: Vec<VoidDecision>,
    /// What happened to the pattern that was watched.
    pub transitions: Vec<Transition<RoleCount>>,
}

/// Folds a log, as it is seen at an instant. What happens to one pattern can be watched.
#[must_use]
pub fn fold_roles(log: &RoleLog, settings: &Settings, as_of_micros: i64, watched: Option<Place>) -> Lives {
    let mut fold = Fold::new(log, settings, watched);
    for (_, step) in steps(log) {
        match step {
            Step::Deliberation(place) => fold.hear(place),
            Step::Verdict(place) => fold.judge(&log.verdicts[place]),
            Step::Ending(place) => fold.end(log.endings[place]),
            Step::Decision(place) => fold.decide(&log.decisions[place]),
        }
    }
    fold.finish(as_of_micros)
}

/// One event of the log, by its place among its like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    Deliberation(u32),
    Verdict(usize),
    Ending(usize),
    Decision(usize),
}

/// The place of an event in the order of time: when it counts, whether it had to wait for another one, when it happened, where it
/// landed.
type Turn = (i64, bool, i64, i64);

/// The events in the order of time. Of one instant, what landed first comes first; verdicts that had to wait for what they judge come
/// behind it, in the order in which they were given.
fn steps(log: &RoleLog) -> Vec<(Turn, Step)> {
    let mut steps = Vec::with_capacity(log.deliberations.len() + log.verdicts.len() + log.endings.len() + log.decisions.len());
    let at_once = |time_micros: i64, sequence: i64| (time_micros, false, time_micros, sequence);
    let visible = (0u32..).zip(&log.deliberations).filter(|(_, heard)| heard.is_visible);
    steps.extend(visible.map(|(place, heard)| (at_once(heard.time_micros, heard.sequence), Step::Deliberation(place))));
    steps.extend(log.verdicts.iter().enumerate().map(|(place, verdict)| {
        let judged = verdict.deliberation.map(|judged| &log.deliberations[judged as usize]);
        let own = (verdict.given_micros, verdict.sequence);
        let has_waited = judged.is_some_and(|judged| own < (judged.time_micros, judged.sequence));
        ((verdict.time_micros, has_waited, own.0, own.1), Step::Verdict(place))
    }));
    let endings = log.endings.iter().enumerate();
    steps.extend(endings.map(|(place, ending)| (at_once(ending.time_micros, ending.sequence), Step::Ending(place))));
    let decisions = log.decisions.iter().enumerate();
    steps.extend(decisions.map(|(place, decision)| (at_once(decision.time_micros, decision.sequence), Step::Decision(place))));
    steps.sort_unstable();
    steps
}

/// A fold under way.
pub(super) struct Fold<'l> {
    pub(super) log: &'l RoleLog,
    pub(super) settings: &'l Settings,
    pub(super) ageing: Ageing,
    pub(super) lives: Vec<Life>,
    /// The instants at which patterns of a group were preferred to others.
    pub(super) steps: Vec<Vec<i64>>,
    /// The project and the role of each group.
    pub(super) names: Vec<(NameId, NameId)>,
    /// Whether a sighting counts for its pattern.
    credits: Vec<bool>,
    /// The contexts in which each pattern was seen, and how many sightings confirm it there.
    contexts: HashMap<(Place, NameId), u32>,
    /// The turns in which each pattern was seen: whoever says it twice in one turn confirms it once.
    turns: HashSet<(Place, NameId, Option<i64>)>,
    /// The patterns of a group that were ever seen where a file was at hand.
    pub(super) by_file: HashMap<(usize, NameId), Vec<Place>>,
    files: HashSet<(Place, NameId)>,
    /// Verdicts that were taken in.
    told: HashSet<u128>,
    /// Verdicts that have rejected a pattern, or words that are none.
    rejections: HashSet<(u128, Place)>,
    rejected_words: HashSet<u128>,
    /// Turns of a role that have been rewarded.
    rewarded: HashSet<(usize, u128)>,
    unmatched: Vec<u32>,
    void: Vec<VoidDecision>,
    counter: Counter,
    watch: Watch<Life>,
}

impl<'l> Fold<'l> {
    fn new(log: &'l RoleLog, settings: &'l Settings, watched: Option<Place>) -> Self {
        let rules = &settings.deliberation;
        let groups = log.registry.groups();
        #[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "settings hold at most a thousand days")]
        let idle_micros = (rules.idle_days * DAY_MICROS as f64) as i64;
        let immune_from = u32::try_from(settings.inject.score.immune_from).unwrap_or(0);
        let known = |name: &str| log.names.known(name);
        Self {
            log,
            settings,
            ageing: Ageing { immune_from, idle_micros, most_skips: rules.most_skips },
            lives: vec![Life::unseen(); log.registry.len()],
            steps: vec![Vec::new(); groups.len()],
            names: groups.iter().map(|group| (known(&group.project), known(&short_role(&group.role)))).collect(),
            credits: vec![false; log.sightings.len()],
            contexts: HashMap::new(),
            turns: HashSet::new(),
            by_file: HashMap::new(),
            files: HashSet::new(),
            told: HashSet::new(),
            rejections: HashSet::new(),
            rejected_words: HashSet::new(),
            rewarded: HashSet::new(),
            unmatched: vec![0; groups.len()],
            void: Vec::new(),
            counter: Counter::default(),
            watch: Watch::new(watched),
        }
    }

    fn finish(mut self, as_of_micros: i64) -> Lives {
        let mut skips = vec![0; self.lives.len()];
        for (place, life) in self.lives.iter_mut().enumerate() {
            let steps = &self.steps[self.log.registry.group_of(place_of(place)).unwrap_or_default()];
            life.settle(as_of_micros, steps, self.ageing);
            life.shown_micros = self.log.shown.get(&place_of(place)).copied();
            skips[place] = life.skips(age(steps));
        }
        Lives { lives: self.lives, skips, unmatched: self.unmatched, void: self.void, transitions: self.watch.transitions }
    }

    /// Takes in what a role said.
    fn hear(&mut self, number: u32) {
        let log = self.log;
        let heard = &log.deliberations[number as usize];
        for sighting in heard.sightings.clone() {
            let (place, text) = log.sightings[sighting as usize];
            let kind = log.registry.text(text).1;
            let is_echo = !self.settings.deliberation.echo_confirms && self.is_echo(place, heard);
            let is_first = heard.run == 0 || self.turns.insert((place, heard.run, heard.iteration));
            let is_confirming = is_first && !is_echo;
            let is_new_context = !self.contexts.contains_key(&(place, heard.context));
            let confirming = self.contexts.entry((place, heard.context)).or_default();
            *confirming += u32::from(is_confirming);
            let seen = Sighting {
                text,
                kind,
                time_micros: heard.time_micros,
                deliberation: number,
                is_new_context,
                is_confirming,
                confirms_new_context: is_confirming && *confirming == 1,
            };
            let inheritance = log.inheritances.get(&sighting).copied();
            self.credits[sighting as usize] = self.see(place, heard, seen, is_echo, inheritance);
            for file in log.span(&heard.task.files) {
                if self.files.insert((place, *file)) {
                    self.by_file.entry((heard.group, *file)).or_default().push(place);
                }
            }
        }
    }

    fn see(&mut self, place: Place, heard: &Deliberation, seen: Sighting, is_echo: bool, inheritance: Option<Inheritance>) -> bool {
        let (rules, steps) = (&self.settings.deliberation, &self.steps[heard.group]);
        let life = &mut self.lives[place as usize];
        if !life.is_known() {
            life.begin(seen, age(steps), inheritance.unwrap_or_default(), rules);
            self.watch(place, heard.sequence, heard.time_micros, || "first seen".to_owned());
            // What counts for it elsewhere does not hang on this sighting.
            return inheritance.is_none();
        }
        life.settle(heard.time_micros, steps, self.ageing);
        let is_credited = life.see(seen, age(steps), is_echo, rules);
        self.watch(place, heard.sequence, heard.time_micros, || {
            let what = if is_echo { "repeated after being shown: an echo, which confirms nothing" } else { "seen again" };
            what.to_owned()
        });
        is_credited
    }

    /// Whether a role was shown the pattern, or another role's of the same words, in that very turn, before it spoke.
    fn is_echo(&self, place: Place, heard: &Deliberation) -> bool {
        let (_, role) = self.names[heard.group];
        let registry = &self.log.registry;
        let is_same = |shown: Place| {
            let is_kin = || registry.group_of(shown) != Some(heard.group) && registry.is_alike(shown, place);
            shown == place || is_kin()
        };
        self.exposures(heard.group, heard.run, heard.session).iter().any(|shown| {
            let is_turn = heard.iteration.is_none() || shown.iteration.is_none() || heard.iteration == shown.iteration;
            let is_role = shown.role == role || shown.role == 0;
            is_turn && is_role && shown.first_micros <= heard.time_micros && is_same(shown.place)
        })
    }

    /// What was shown in a run, or where no run is named, in a session.
    pub(super) fn exposures(&self, group: usize, run: NameId, session: NameId) -> &'l [Exposure] {
        let (project, _) = self.names[group];
        let found = match (run, session) {
            (0, 0) => None,
            (0, session) => self.log.session_exposures.get(&(project, session)),
            (run, _) => self.log.exposures.get(&(project, run)),
        };
        found.map_or(&[], Vec::as_slice)
    }

    /// Takes in a verdict: what it rejects, then what it reinforces, then what that leaves behind.
    fn judge(&mut self, verdict: &Verdict) {
        if !self.told.insert(verdict.id) {
            return;
        }
        let rules = &self.settings.deliberation;
        let mut rejected = Vec::new();
        if !rules.rejection_needs_evidence || verdict.validator_level.is_some_and(|level| level <= rules.weakest_evidence) {
            rejected = self.blame(verdict);
        }
        let is_founded = verdict.level.is_some_and(|level| level <= rules.weakest_evidence);
        if verdict.has_passed && is_founded && self.rewarded.insert((verdict.group, turn_key(verdict))) {
            self.reward(verdict, &rejected);
        }
    }

    /// Rejects the patterns that a verdict's findings blame. Gives these, and whatever the findings that blame none may have meant:
    /// none of them is reinforced.
    fn blame(&mut self, verdict: &Verdict) -> Vec<Place> {
        let findings: Vec<Vec<Suspect>> = verdict.rejected.iter().map(|text| self.suspects(verdict, text)).collect();
        let blamed = blame(&findings);
        for place in &blamed {
            self.reject(verdict, *place);
        }
        let mut touched = blamed.clone();
        for (suspects, text) in findings.iter().zip(&verdict.rejected) {
            if suspects.iter().any(|suspect| blamed.binary_search(&suspect.place).is_ok()) {
                continue;
            }
            touched.extend(suspects.iter().map(|suspect| suspect.place));
            if self.rejected_words.insert(key(&[&verdict.key.to_string(), text])) {
                self.unmatched[verdict.group] += 1;
            }
        }
        touched
    }

    /// The patterns that a rejected finding may mean: the one of that id or of those words, else all of the role that are alike. One
    /// that was said in what is judged is likelier to be meant.
    fn suspects(&mut self, verdict: &Verdict, text: &str) -> Vec<Suspect> {
        let (log, rules) = (self.log, &self.settings.deliberation);
        let registry = &log.registry;
        let lives = &self.lives;
        let is_known = |place: &Place| lives[*place as usize].is_known();
        let named = role_pattern_place(text.trim());
        let is_own = |place: &Place| registry.group_of(*place) == Some(verdict.group);
        let exact = if named.is_some() { named.filter(is_own) } else { registry.find_equal(verdict.group, text) };
        if named.is_some() || exact.is_some_and(|place| is_known(&place)) {
            return exact.filter(is_known).map(Suspect::certain).into_iter().collect();
        }
        let stems = Tokens::stems(&normalise(text));
        let rule = Likeness { overlap: rules.rejected_overlap, shared: rules.rejected_words };
        let said = verdict.deliberation.map(|place| &log.deliberations[place as usize]).filter(|said| said.group == verdict.group);
        let sightings = said.map_or(0..0, |said| said.sightings.clone());
        let is_sighted =
            |place: Place| log.sightings[sightings.start as usize..sightings.end as usize].iter().any(|at| at.0 == place);
        // What is said only later is not what is meant, however close it is.
        let sharing = registry.find_sharing(verdict.group, &stems, &mut self.counter).into_iter().filter(is_known);
        sharing.filter_map(|place| Suspect::alike(place, registry.stems(place), &stems, is_sighted(place), rule)).collect()
    }

    /// Rejects a pattern, once for a verdict. What its sighting in the judged deliberation counted for is taken back.
    fn reject(&mut self, verdict: &Verdict, place: Place) {
        if !self.rejections.insert((verdict.key, place)) {
            return;
        }
        let log = self.log;
        let rules = &self.settings.deliberation;
        let penalty = rules.penalty_of(&short_role(&log.registry.groups()[verdict.group].role));
        let sightings = verdict.deliberation.map(|judged| log.deliberations[judged as usize].sightings.clone());
        let own = sightings.into_iter().flatten().find(|at| log.sightings[*at as usize].0 == place);
        self.withdraw(place, verdict.deliberation.filter(|_| own.is_some()));
        let credited = own.is_some_and(|at| std::mem::take(&mut self.credits[at as usize]));
        let (life, steps) = (&mut self.lives[place as usize], &self.steps[verdict.group]);
        life.settle(verdict.time_micros, steps, self.ageing);
        life.reject(penalty, verdict.time_micros, verdict.deliberation.filter(|_| credited));
        life.settle(verdict.time_micros, steps, self.ageing);
        if !life.fall_back(rules) {
            life.advance(rules);
        }
        self.watch(place, verdict.sequence, verdict.time_micros, || {
            let withdrawn = if credited { "; the sighting is withdrawn" } else { "" };
            format!("rejected, penalty {penalty}{withdrawn}")
        });
    }

    /// Takes back what a rejected sighting confirmed: the sighting in the judged turn, else, where nobody says which one is meant, the
    /// last that still counts.
    fn withdraw(&mut self, place: Place, judged: Option<u32>) {
        let said = &self.log.deliberations;
        let turn = |number: u32| {
            let said = &said[number as usize];
            (said.run, said.iteration)
        };
        let is_meant =
            |number: u32| judged.is_none_or(|judged| number == judged || (turn(judged).0 != 0 && turn(number) == turn(judged)));
        let Some(withdrawn) = self.lives[place as usize].withdraw(is_meant) else { return };
        if let Some(confirming) = self.contexts.get_mut(&(place, said[withdrawn as usize].context)) {
            *confirming -= 1;
            self.lives[place as usize].confirmed_contexts -= u32::from(*confirming == 0);
        }
    }

    /// Reinforces the patterns that a founded verdict speaks for. All others of the role are one step older.
    fn reward(&mut self, verdict: &Verdict, rejected: &[Place]) {
        let rules = &self.settings.deliberation;
        let chosen = self.choose(verdict, rejected);
        self.steps[verdict.group].push(verdict.time_micros);
        for place in chosen {
            // What another role learned and this one was shown stays of its own group's age.
            let steps = &self.steps[self.log.registry.group_of(place).unwrap_or_default()];
            let life = &mut self.lives[place as usize];
            life.reinforce(verdict.time_micros, age(steps), rules);
            life.advance(rules);
            self.watch(place, verdict.sequence, verdict.time_micros, || "reinforced by a PASS with evidence".to_owned());
        }
    }

    /// Takes in how the work of a run turned out, for all that was shown in it.
    fn end(&mut self, ending: Ending) {
        let rules = &self.settings.deliberation;
        let shown = self.log.exposures.get(&(ending.project, ending.run));
        for place in distinct(shown.into_iter().flatten().map(|exposure| exposure.place)) {
            let (life, steps) =
                (&mut self.lives[place as usize], &self.steps[self.log.registry.group_of(place).unwrap_or_default()]);
            if !life.is_known() {
                continue;
            }
            life.settle(ending.time_micros, steps, self.ageing);
            life.turn_out(ending.has_passed, rules);
            life.advance(rules);
            self.watch(place, ending.sequence, ending.time_micros, || {
                if ending.has_passed {
                    return "shown in a run whose work passed".to_owned();
                }
                format!("shown in a run whose work failed, penalty {}", rules.failed_outcome)
            });
        }
    }

    /// Takes in what a person decided.
    fn decide(&mut self, decision: &Decision) {
        let place = role_pattern_place(&decision.subject).filter(|place| self.log.registry.group_of(*place).is_some());
        let Some(place) = place.filter(|place| self.lives[*place as usize].is_known()) else {
            return self.void.push(decision.void("the pattern is unknown"));
        };
        let (life, steps) = (&mut self.lives[place as usize], &self.steps[self.log.registry.group_of(place).unwrap_or_default()]);
        life.settle(decision.time_micros, steps, self.ageing);
        if let Err(why) = life.decide(decision, age(steps)) {
            return self.void.push(decision.void(why));
        }
        life.fall_back(&self.settings.deliberation);
        life.note = Some(decision.note());
        self.watch(place, decision.sequence, decision.time_micros, || format!("a person decided: {}", decision.action));
    }

    fn watch(&mut self, place: Place, sequence: i64, time_micros: i64, what: impl FnOnce() -> String) {
        self.watch.note(place, &self.lives[place as usize], Some(sequence), time_micros, what);
    }
}

/// What makes the verdicts of one turn of a role one: its run and iteration; without a run, the verdict itself.
fn turn_key(verdict: &Verdict) -> u128 {
    match verdict.run {
        0 => verdict.key,
        run => key(&[&run.to_string(), &verdict.iteration.map(|number| number.to_string()).unwrap_or_default()]),
    }
}

fn place_of(index: usize) -> Place {
    Place::try_from(index).unwrap_or(Place::MAX)
}
