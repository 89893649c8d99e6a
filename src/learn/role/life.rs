//! The life of a pattern of a role: what is counted for and against it, and how far it has come.

use serde::Serialize;
use smallvec::SmallVec;

use super::inheritance::Inheritance;
use super::registry::TextPlace;
use crate::recall::Record;
use crate::subject::{Action, Decision, Watched};
use setting::DeliberationSettings;
use text::review::Kind;

/// What counts against a pattern is counted in millionths, so that the order of addition cannot show.
const MILLION: f64 = 1e6;

/// The contexts of this many sightings say where a pattern was learned: code moves, and old places mislead.
const RECENT_CONTEXTS: usize = 10;

event::words! {
    /// The lifecycle state of a pattern.
    pub enum Stage {
        /// It was seen.
        Observed = "observed",
        /// It was seen again.
        Candidate = "candidate",
        /// It recurs in different contexts.
        Verified = "verified",
        /// A person stands behind it.
        Active = "active",
        /// It is out of use.
        Deprecated = "deprecated",
    }
}

impl Stage {
    /// Whether time and the like of it can take it out of use. What a person decided, a person takes back.
    const fn is_automatic(self) -> bool {
        matches!(self, Self::Observed | Self::Candidate | Self::Verified)
    }
}

/// The life of a pattern.
#[derive(Debug, Clone, PartialEq)]
pub struct Life {
    /// What it says, in the words of its first sighting.
    pub text: TextPlace,
    /// What sort of saying it is.
    pub kind: Kind,
    /// How far it has come.
    pub stage: Stage,
    /// What counts for it.
    pub successes: u32,
    /// How often it was rejected.
    pub ignored: u32,
    /// What counts against it, in millionths.
    pub penalty_millionths: i64,
    /// How often it was reinforced.
    pub reinforced: u32,
    /// How often it was seen.
    pub seen: u32,
    /// In how many contexts it was seen.
    pub contexts: u32,
    /// In how many contexts it was confirmed.
    pub confirmed_contexts: u32,
    /// Whether it was reinforced so often that a rejection is a regression.
    pub is_trusted: bool,
    /// When it was rejected although it was trusted.
    pub regressed_micros: Option<i64>,
    /// When it was first seen.
    pub created_micros: i64,
    /// When it was last shown.
    pub shown_micros: Option<i64>,
    /// Who decided about it last, and why.
    pub note: Option<String>,
    /// The deliberations that it was last seen in.
    pub recent: SmallVec<[u32; RECENT_CONTEXTS]>,
    /// How often others were preferred to it, up to the age of its group from which more such steps count. Where there is no such age
    /// none does: what a person stands behind and what is out of use grow no older.
    skipped: u32,
    ages_from: Option<u32>,
    /// The age of its group when it was last looked at and in use.
    settled_age: u32,
    /// Whether a person took it out of use, and how far it had come then.
    tombstone: Option<Stage>,
    /// The deliberations of the sightings that confirm it: independent ones that nobody has rejected.
    confirming: Vec<u32>,
    /// How often another store had seen it, and how far it had come there.
    inherited: (u32, Stage),
    /// The times it was used, in their order, with the deliberation of a sighting.
    uses: Vec<(i64, Option<u32>)>,
}

impl Life {
    /// A pattern without sightings.
    pub(super) fn unseen() -> Self {
        Self {
            text: 0,
            kind: Kind::Observation,
            stage: Stage::Observed,
            successes: 0,
            ignored: 0,
            penalty_millionths: 0,
            reinforced: 0,
            seen: 0,
            contexts: 0,
            confirmed_contexts: 0,
            is_trusted: false,
            regressed_micros: None,
            created_micros: 0,
            shown_micros: None,
            note: None,
            recent: SmallVec::new(),
            skipped: 0,
            ages_from: None,
            settled_age: 0,
            tombstone: None,
            confirming: Vec::new(),
            inherited: (0, Stage::Observed),
            uses: Vec::new(),
        }
    }

    /// Whether it was seen.
    #[must_use]
    pub const fn is_known(&self) -> bool {
        self.seen > 0
    }

    /// How many sightings confirm it: independent ones that nobody has rejected.
    #[must_use]
    pub fn confirmed(&self) -> u32 {
        self.inherited.0.saturating_add(u32::try_from(self.confirming.len()).unwrap_or(u32::MAX))
    }

    /// When it was last used: seen by itself, or reinforced.
    #[must_use]
    pub fn used_micros(&self) -> i64 {
        self.uses.last().map_or(self.created_micros, |(time, _)| *time)
    }

    /// What counts against it.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "nothing is rejected so often")]
    pub fn penalty(&self) -> f64 {
        self.penalty_millionths as f64 / MILLION
    }

    #[must_use]
    pub fn record(&self) -> Record {
        Record {
            successes: f64::from(self.successes),
            failures: self.penalty(),
            reinforced: i64::from(self.reinforced),
            used_micros: self.used_micros(),
        }
    }

    /// How often others were preferred to it since it was last preferred, at an age of its group.
    #[must_use]
    pub(super) fn skips(&self, group_age: u32) -> u32 {
        self.skipped.saturating_add(self.ages_from.map_or(0, |from| group_age.saturating_sub(from)))
    }

    /// Prefers it to others.
    fn prefer(&mut self, group_age: u32) {
        self.skipped = 0;
        self.ages_from = self.stage.is_automatic().then_some(group_age);
    }

    /// Takes it to a stage that only a person decides on. There it grows no older.
    fn set_aside(&mut self, stage: Stage, group_age: u32) {
        self.skipped = self.skips(group_age);
        self.ages_from = None;
        self.stage = stage;
    }

    /// Whether it is in use at an instant, whenever it was last looked at.
    pub(super) fn is_in_use(&self, now_micros: i64, steps: &[i64], rule: Ageing) -> bool {
        self.is_known() && self.stage != Stage::Deprecated && self.wears_out(now_micros, steps, rule).is_none()
    }

    /// Lets time pass. Asked before anything touches the pattern, so that it is as it would be if somebody had asked all the time.
    /// `steps` are the instants at which the patterns of its group grew older.
    pub(super) fn settle(&mut self, now_micros: i64, steps: &[i64], rule: Ageing) {
        if let Some(skipped) = self.wears_out(now_micros, steps, rule) {
            self.skipped = skipped;
            self.ages_from = None;
            self.stage = Stage::Deprecated;
        } else {
            self.settled_age = age(steps);
        }
    }

    /// How often others were preferred to it when it went out of use by itself, if it did by an instant.
    fn wears_out(&self, now_micros: i64, steps: &[i64], rule: Ageing) -> Option<u32> {
        if !self.stage.is_automatic() || !self.is_known() {
            return None;
        }
        let last_micros = self.used_micros().saturating_add(rule.idle_micros);
        if self.reinforced < rule.immune_from && now_micros > last_micros {
            // It may have been in use since then, if what it was used for was taken back.
            let last_age = age(&steps[..steps.partition_point(|step| *step <= last_micros)]).max(self.settled_age);
            return Some(self.skips(last_age).min(rule.most_skips));
        }
        (self.skips(age(steps)) >= rule.most_skips).then_some(rule.most_skips)
    }

    /// Sees it for the first time.
    pub(super) fn begin(&mut self, sighting: Sighting, group_age: u32, inheritance: Inheritance, rules: &DeliberationSettings) {
        let Inheritance { successes, ignored, reinforced, seen, is_trusted, stage, used_micros, .. } = inheritance;
        self.text = sighting.text;
        self.kind = sighting.kind;
        self.created_micros = sighting.time_micros;
        self.successes = successes.unwrap_or(1).max(1);
        self.ignored = ignored;
        self.penalty_millionths = millionths(inheritance.penalty());
        self.reinforced = reinforced;
        self.seen = seen.unwrap_or(1).max(1);
        self.is_trusted = is_trusted || reinforced >= rules.trusted_from;
        self.stage = stage.unwrap_or(Stage::Observed);
        self.inherited = (self.seen - 1, self.stage);
        self.prefer(group_age);
        // What was used elsewhere was not used by this sighting.
        let by = used_micros.is_none().then_some(sighting.deliberation);
        self.uses.push((used_micros.unwrap_or(sighting.time_micros), by));
        self.meet(sighting);
    }

    /// Sees it again. A role that repeats what it was shown confirms nothing: neither does that count for the pattern, nor does it keep
    /// it fresh or bring it back. Gives whether the sighting counts for it.
    pub(super) fn see(&mut self, sighting: Sighting, group_age: u32, is_echo: bool, rules: &DeliberationSettings) -> bool {
        self.seen += 1;
        self.kind = self.kind.max(sighting.kind);
        self.meet(sighting);
        // An event takes a pattern one step: whatever comes back begins anew.
        if self.stage == Stage::Deprecated && self.tombstone.is_none() && !is_echo {
            self.stage = Stage::Observed;
        } else {
            self.advance(rules);
        }
        if !is_echo {
            self.successes += 1;
            self.use_at(sighting.time_micros, Some(sighting.deliberation));
            self.prefer(group_age);
        }
        !is_echo
    }

    fn meet(&mut self, sighting: Sighting) {
        self.contexts += u32::from(sighting.is_new_context);
        if sighting.is_confirming {
            self.confirming.push(sighting.deliberation);
            self.confirmed_contexts += u32::from(sighting.confirms_new_context);
        }
        if self.recent.len() == RECENT_CONTEXTS {
            self.recent.remove(0);
        }
        self.recent.push(sighting.deliberation);
    }

    /// Takes it one step further, if it has earned it.
    pub(super) fn advance(&mut self, rules: &DeliberationSettings) {
        self.stage = match (self.stage, self.earned(rules)) {
            (Stage::Observed, Stage::Candidate | Stage::Verified) => Stage::Candidate,
            (Stage::Candidate, Stage::Verified) => Stage::Verified,
            (stage, _) => stage,
        };
    }

    /// Takes it back to what it has earned, or to what it was in another store. Says whether that changed anything. What a person
    /// decided stays.
    pub(super) fn fall_back(&mut self, rules: &DeliberationSettings) -> bool {
        let (_, inherited) = self.inherited;
        let earned = match (self.earned(rules), inherited) {
            (Stage::Observed, Stage::Candidate | Stage::Verified) | (Stage::Candidate, Stage::Verified) => inherited,
            (earned, _) => earned,
        };
        let is_above = match self.stage {
            Stage::Candidate => earned == Stage::Observed,
            Stage::Verified => earned != Stage::Verified,
            Stage::Observed | Stage::Active | Stage::Deprecated => false,
        };
        if is_above {
            self.stage = earned;
        }
        is_above
    }

    /// How far its confirmations take it.
    fn earned(&self, rules: &DeliberationSettings) -> Stage {
        let confirmed = self.confirmed();
        if confirmed < rules.candidate_seen {
            Stage::Observed
        } else if confirmed < rules.verified_seen || self.confirmed_contexts < rules.verified_contexts {
            Stage::Candidate
        } else {
            Stage::Verified
        }
    }

    /// Takes a confirmation back: the last that is meant. Gives the deliberation of its sighting.
    pub(super) fn withdraw(&mut self, is_meant: impl Fn(u32) -> bool) -> Option<u32> {
        let place = self.confirming.iter().rposition(|deliberation| is_meant(*deliberation))?;
        Some(self.confirming.remove(place))
    }

    /// Rejects it. Of a sighting that was ruled out, neither the success nor the use counts: what is rejected each time would
    /// otherwise be said each time, and stay fresh.
    pub(super) fn reject(&mut self, penalty: f64, now_micros: i64, credited: Option<u32>) {
        self.ignored += 1;
        self.penalty_millionths += millionths(penalty);
        if self.is_trusted {
            self.regressed_micros = Some(now_micros);
        }
        if let Some(deliberation) = credited {
            self.successes = self.successes.saturating_sub(1).max(1);
            if let Some(place) = self.uses.iter().rposition(|(_, by)| *by == Some(deliberation)) {
                self.uses.remove(place);
            }
        }
    }

    pub(super) fn reinforce(&mut self, now_micros: i64, group_age: u32, rules: &DeliberationSettings) {
        self.successes += 1;
        self.reinforced += 1;
        self.use_at(now_micros, None);
        self.prefer(group_age);
        self.regressed_micros = None;
        self.is_trusted |= self.reinforced >= rules.trusted_from;
    }

    /// Takes in how the work of a run turned out that it was shown in.
    pub(super) fn turn_out(&mut self, has_passed: bool, rules: &DeliberationSettings) {
        if has_passed {
            self.successes += 1;
        } else {
            self.penalty_millionths += millionths(rules.failed_outcome);
        }
    }

    /// Takes in what a person decided, or says why that has no effect.
    pub(super) fn decide(&mut self, decision: &Decision, group_age: u32) -> Result<(), String> {
        match decision.action {
            Action::Promote if self.stage != Stage::Verified && !decision.is_forced() => {
                return Err(format!("it was {}; only verified patterns become active without --force", self.stage));
            }
            Action::Promote => {
                self.set_aside(Stage::Active, group_age);
                self.tombstone = None;
            }
            Action::Retire | Action::Reject => {
                // Taken out of use twice, it still comes back as what it was before.
                self.tombstone = Some(self.tombstone.unwrap_or(self.stage));
                self.set_aside(Stage::Deprecated, group_age);
            }
            Action::Restore if self.stage == Stage::Deprecated => {
                let before = self.tombstone.take().filter(|stage| *stage != Stage::Deprecated);
                self.stage = before.unwrap_or(Stage::Observed);
                self.prefer(group_age);
                self.use_at(decision.time_micros, None);
            }
            Action::Clear => self.regressed_micros = None,
            Action::Restore | Action::Annotate | Action::Retest => {}
        }
        Ok(())
    }

    fn use_at(&mut self, time_micros: i64, by: Option<u32>) {
        // What another store knew of may lie after the event that tells of it.
        let place = self.uses.iter().rposition(|(time, _)| *time <= time_micros).map_or(0, |place| place + 1);
        self.uses.insert(place, (time_micros, by));
    }
}

/// What counts for and against a pattern, and how far it has come.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct RoleCount {
    pub successes: u32,
    pub penalty: f64,
    pub state: Stage,
}

impl Watched for Life {
    type After = RoleCount;

    fn after(&self) -> RoleCount {
        RoleCount { successes: self.successes, penalty: self.penalty(), state: self.stage }
    }
}

/// One sighting of a pattern.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sighting {
    pub(super) text: TextPlace,
    pub(super) kind: Kind,
    pub(super) time_micros: i64,
    pub(super) deliberation: u32,
    /// Whether it was never seen in that context.
    pub(super) is_new_context: bool,
    /// Whether it confirms the pattern, and whether none did so in that context.
    pub(super) is_confirming: bool,
    pub(super) confirms_new_context: bool,
}

/// When a pattern goes out of use by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Ageing {
    /// Reinforced so often, it does not.
    pub(super) immune_from: u32,
    pub(super) idle_micros: i64,
    pub(super) most_skips: u32,
}

/// The age of a group whose patterns grew older at some instants.
pub(super) fn age(steps: &[i64]) -> u32 {
    u32::try_from(steps.len()).unwrap_or(u32::MAX)
}

#[expect(clippy::cast_possible_truncation, reason = "settings hold penalties of at most a thousand")]
fn millionths(value: f64) -> i64 {
    (value * MILLION).round() as i64
}
