//! The life of an observation: in how many sessions it was seen, how sure that makes it, and how far it has come.

use std::collections::HashSet;

use super::confidence::{Decay, confidence, penalised, promotion_of};
use super::prior::Prior;
use super::quality::{is_confirmed, lesser};
use super::status::{Grave, Rendering, Status};
use super::wording::Wording;
use crate::subject::{Action, Decision};
use event::field::{Lack, ObservationType};
use setting::ObservationSettings;
use text::time::DAY_MICROS;

/// One sighting of an observation.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sighting<'l> {
    pub(super) time_micros: i64,
    /// What tells its session from others.
    pub(super) session: u128,
    pub(super) pattern: &'l str,
    pub(super) details: &'l str,
    pub(super) evidence: &'l [String],
    pub(super) quality_ok: bool,
    /// What it lacks to be good enough.
    pub(super) lacks: Option<Lack>,
    /// Whether it may be told in other words than those before.
    pub(super) is_reworded: bool,
}

/// The rules of a life.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rule<'s> {
    pub(super) observation_type: ObservationType,
    pub(super) settings: &'s ObservationSettings,
}

/// The life of an observation.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "each is told by events of its own")]
pub struct ObservationLife {
    /// How far it has come.
    pub status: Status,
    /// How sure it is before time takes its part.
    pub base: f64,
    /// When it was first seen, in microseconds since 1970.
    pub first_micros: i64,
    /// When it was last seen or used.
    pub last_micros: i64,
    /// When its confidence began to decay: when it was last seen or used, unless it was out of use then.
    pub decays_from_micros: i64,
    /// Whether somebody found it good enough to become an artifact.
    pub quality_ok: bool,
    /// What it lacks to be good enough, as far as its sightings tell.
    pub lacks: Option<Lack>,
    /// When it became ready.
    pub ready_micros: Option<i64>,
    /// When it was taken out of use.
    pub deprecated_micros: Option<i64>,
    /// In how many sessions it was seen since.
    pub fresh: i64,
    pub wording: Wording,
    /// Its artifact, or the one that it had.
    pub rendering: Option<Rendering>,
    /// The missing file that it speaks of.
    pub stale_reason: Option<String>,
    /// Whether there was no room for it.
    pub is_blocked: bool,
    /// How often agents cited it.
    pub cites: i64,
    /// When they last did.
    pub cited_micros: Option<i64>,
    /// Who decided about it last, and why.
    pub note: Option<String>,
    sessions: HashSet<u128>,
    /// What another store had counted.
    inherited: i64,
    /// Sessions that count.
    counted: i64,
    /// From when on its sessions are spread.
    begun_micros: i64,
    /// The first of the fresh sessions.
    fresh_micros: Option<i64>,
    /// When anything last happened to it.
    changed_micros: i64,
    grave: Option<Grave>,
    /// Whether its artifact is there.
    is_in_place: bool,
    /// Whether its confidence was lowered because that is gone.
    is_penalised: bool,
    /// Whether a sighting holds beyond its session.
    is_lasting: bool,
}

impl ObservationLife {
    /// An observation without sightings.
    pub(super) fn unseen() -> Self {
        Self {
            status: Status::Observing,
            base: 0.0,
            first_micros: 0,
            last_micros: 0,
            decays_from_micros: 0,
            quality_ok: false,
            lacks: None,
            ready_micros: None,
            deprecated_micros: None,
            fresh: 0,
            wording: Wording::default(),
            rendering: None,
            stale_reason: None,
            is_blocked: false,
            cites: 0,
            cited_micros: None,
            note: None,
            sessions: HashSet::new(),
            inherited: 0,
            counted: 0,
            begun_micros: 0,
            fresh_micros: None,
            changed_micros: 0,
            grave: None,
            is_in_place: false,
            is_penalised: false,
            is_lasting: false,
        }
    }

    /// Whether it was seen.
    #[must_use]
    pub const fn is_known(&self) -> bool {
        self.count() > 0 || self.fresh > 0
    }

    /// Whether people are told of it. A task that was seen in one session alone may be one like any other.
    #[must_use]
    pub fn is_told(&self) -> bool {
        self.is_lasting || self.sessions.len() > 1 || self.status != Status::Observing || self.note.is_some()
    }

    /// In how many sessions it was seen.
    #[must_use]
    pub const fn count(&self) -> i64 {
        self.inherited + self.counted
    }

    /// The sessions that count, and those that wait while it is out of use.
    pub(super) const fn sessions(&self) -> (i64, i64) {
        (self.count(), self.fresh)
    }

    /// Lets time pass: what recurs in enough sessions is ready as soon as these are spread over enough days, whether or not anybody sees
    /// it then. Asked before and after anything happens to it, so that it is as if somebody had asked all the time. Gives whether it
    /// has become ready.
    pub(super) fn settle(&mut self, now_micros: i64, rule: Rule<'_>) -> bool {
        let promotion = promotion_of(rule.settings, rule.observation_type);
        if self.status != Status::Observing || !self.quality_ok || !self.is_known() {
            return false;
        }
        #[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "settings hold at most a thousand days")]
        let spread_micros = (promotion.spread_days * DAY_MICROS as f64).round() as i64;
        let ready_micros = self.begun_micros.saturating_add(spread_micros).max(self.changed_micros);
        let sure = Decay::since(self.decays_from_micros, ready_micros, rule.settings).of(self.base);
        if ready_micros > now_micros || sure < promotion.confidence {
            return false;
        }
        self.status = Status::Ready;
        self.ready_micros = Some(ready_micros);
        true
    }

    pub(super) fn see(&mut self, seen: Sighting<'_>, rule: Rule<'_>) {
        self.begin(seen.time_micros);
        self.wording.read(seen, rule.settings);
        self.changed_micros = seen.time_micros;
        let is_fresh = self.sessions.insert(seen.session);
        self.judge(seen);
        if self.grave.is_some() {
            self.last_micros = self.last_micros.max(seen.time_micros);
            if is_fresh {
                self.fresh += 1;
                self.fresh_micros.get_or_insert(seen.time_micros);
            }
            self.rise_if_due(seen.time_micros, rule);
            return;
        }
        self.touch(seen.time_micros);
        if is_fresh {
            self.counted += 1;
            self.base = confidence(self.count(), rule.observation_type, rule.settings);
        }
    }

    /// Judges the quality over all sessions. A sighting that only lacks a second session has it as soon as there is one, whether that
    /// says the same in the same words or in others.
    fn judge(&mut self, seen: Sighting<'_>) {
        self.is_lasting |= seen.lacks != Some(Lack::Recurrence);
        let lacks = lesser(seen.lacks, self.lacks);
        self.quality_ok |= seen.quality_ok || is_confirmed(lacks, self.sessions.len());
        self.lacks = lacks.filter(|_| !self.quality_ok);
    }

    /// Takes over what another store knew. What it counted is not counted again, however often it is taken over.
    pub(super) fn inherit(&mut self, prior: &Prior, seen: Sighting<'_>, rule: Rule<'_>) {
        let is_first = !self.is_known();
        let first_micros = prior.first_micros.unwrap_or(seen.time_micros);
        self.begin(first_micros);
        self.first_micros = self.first_micros.min(first_micros);
        self.judge(seen);
        self.wording.read(seen, rule.settings);
        self.changed_micros = seen.time_micros;
        let counted = prior.observations.unwrap_or(1);
        let is_more = counted > self.inherited;
        self.inherited = self.inherited.max(counted);
        self.cites = self.cites.max(prior.cites);
        self.cited_micros = self.cited_micros.max(prior.cited_micros);
        self.wording.needs_review |= prior.needs_review;
        self.is_blocked |= prior.is_blocked;
        if prior.stale_reason.is_some() {
            self.stale_reason.clone_from(&prior.stale_reason);
        }
        let last_micros = prior.last_micros.unwrap_or(seen.time_micros);
        if self.grave.is_some() {
            self.last_micros = self.last_micros.max(last_micros);
            return;
        }
        self.begun_micros = self.begun_micros.min(first_micros);
        self.touch(last_micros);
        match prior.confidence.filter(|_| is_first) {
            Some(base) => self.base = base,
            None if is_first || is_more => self.base = confidence(self.count(), rule.observation_type, rule.settings),
            None => {}
        }
        if self.status != Status::Created {
            self.take_over(prior, last_micros);
        }
    }

    /// Takes over how far it had come elsewhere.
    fn take_over(&mut self, prior: &Prior, last_micros: i64) {
        match prior.status {
            Some(Status::Ready) if self.status == Status::Observing => {
                self.status = Status::Ready;
                self.ready_micros = Some(last_micros);
            }
            Some(Status::Created) => {
                self.status = Status::Created;
                self.rendering.clone_from(&prior.artifact);
                self.is_in_place = true;
            }
            Some(Status::Deprecated) => {
                self.rendering.clone_from(&prior.artifact);
                self.is_penalised = true;
                self.bury(Grave::Deleted, prior.deprecated_micros.unwrap_or(last_micros));
            }
            _ => {}
        }
    }

    /// Uses it, which keeps it fresh and says nothing about how often it recurs.
    pub(super) fn use_at(&mut self, time_micros: i64) {
        self.changed_micros = time_micros;
        if self.grave.is_some() {
            self.last_micros = self.last_micros.max(time_micros);
        } else {
            self.touch(time_micros);
        }
    }

    pub(super) fn cite(&mut self, time_micros: i64) {
        self.cites += 1;
        self.cited_micros = self.cited_micros.max(Some(time_micros));
        self.use_at(time_micros);
    }

    /// Finds it rendered. What is there again was not deleted; what a person took out of use stays so, whatever stands where.
    pub(super) fn place(&mut self, rendering: Rendering, time_micros: i64, rule: Rule<'_>) {
        self.changed_micros = time_micros;
        self.rendering = Some(rendering);
        self.is_in_place = true;
        self.is_blocked = false;
        if self.grave == Some(Grave::Deleted) {
            self.raise(rule);
        }
        if self.grave.is_none() {
            self.status = Status::Created;
        }
    }

    /// Finds its artifact changed by a person.
    pub(super) fn edit(&mut self, content_hash: Option<String>, time_micros: i64) {
        self.changed_micros = time_micros;
        if let Some(rendering) = &mut self.rendering {
            rendering.is_edited = true;
            rendering.content_hash = content_hash.or_else(|| rendering.content_hash.take());
        }
    }

    /// Finds its artifact gone. It is penalised once for one artifact.
    pub(super) fn delete(&mut self, time_micros: i64, rule: Rule<'_>) -> bool {
        if !std::mem::take(&mut self.is_in_place) {
            return false;
        }
        self.changed_micros = time_micros;
        self.base = penalised(self.base, rule.settings);
        self.is_penalised = true;
        match self.grave {
            // What a person refused for good needs a person still.
            Some(Grave::Rejected) => {}
            Some(_) => self.grave = Some(Grave::Deleted),
            None => self.bury(Grave::Deleted, time_micros),
        }
        true
    }

    /// Takes in what a person decided, or says why that has no effect.
    pub(super) fn decide(&mut self, decision: &Decision, rule: Rule<'_>) -> Result<(), &'static str> {
        let time_micros = decision.time_micros;
        match decision.action {
            Action::Promote => match self.obstacle(decision) {
                Some(why) => return Err(why),
                None => self.promote(time_micros, rule),
            },
            Action::Retire => self.retire(Grave::Retired, time_micros),
            Action::Reject => self.retire(Grave::Rejected, time_micros),
            Action::Restore => self.restore(time_micros, rule),
            Action::Clear => self.clear_flags(),
            Action::Annotate | Action::Retest => {}
        }
        Ok(())
    }

    /// Why a person's word alone does not make it ready.
    fn obstacle(&self, decision: &Decision) -> Option<&'static str> {
        match self.status {
            Status::Created => Some("it is already an artifact"),
            _ if decision.is_forced() => None,
            Status::Deprecated => Some("it was deprecated; only --force restores it at once"),
            // A person's word confirms its quality.
            Status::Observing | Status::Ready => None,
        }
    }

    /// Takes it out of use. What is out of use already stays so as before, unless it is now refused for good.
    fn retire(&mut self, grave: Grave, time_micros: i64) {
        self.changed_micros = time_micros;
        match self.grave {
            None => self.bury(grave, time_micros),
            Some(_) if grave == Grave::Rejected => self.grave = Some(grave),
            Some(_) => {}
        }
    }

    /// Brings it back at a person's word: all its sessions count again, and it is an artifact if that is still there.
    fn restore(&mut self, time_micros: i64, rule: Rule<'_>) {
        self.changed_micros = time_micros;
        if self.grave.is_some() {
            self.raise(rule);
            self.touch(time_micros);
            let was_created = self.rendering.is_some();
            self.status = match self.ready_micros {
                _ if self.is_in_place => Status::Created,
                Some(_) if !was_created => Status::Ready,
                _ => Status::Observing,
            };
            if self.status == Status::Observing {
                // What is rendered anew gets a place of its own.
                self.rendering = None;
                self.ready_micros = None;
            }
        }
    }

    /// Makes it ready at a person's word, who thereby finds it good enough.
    fn promote(&mut self, time_micros: i64, rule: Rule<'_>) {
        self.restore(time_micros, rule);
        self.quality_ok = true;
        self.lacks = None;
        if self.status == Status::Observing {
            self.status = Status::Ready;
            self.ready_micros = Some(time_micros);
        }
    }

    /// Takes its flags away.
    fn clear_flags(&mut self) {
        self.stale_reason = None;
        self.wording.needs_review = false;
        self.is_blocked = false;
    }

    /// Forgets that it was ever seen. An artifact stays, and so does what a person or a deletion decided: the same thing seen again
    /// does not come back by itself.
    pub(super) fn forget(&mut self) {
        if self.status == Status::Created {
            return;
        }
        let before = std::mem::replace(self, Self::unseen());
        if before.grave.is_some() {
            self.status = before.status;
            self.base = before.base;
            self.decays_from_micros = before.decays_from_micros;
            self.deprecated_micros = before.deprecated_micros;
            self.rendering = before.rendering;
            self.is_in_place = before.is_in_place;
            self.is_penalised = before.is_penalised;
            self.grave = before.grave;
            self.note = before.note;
        }
    }

    fn begin(&mut self, time_micros: i64) {
        if !self.is_known() {
            self.first_micros = time_micros;
            self.begun_micros = time_micros;
            self.last_micros = self.last_micros.max(time_micros);
        }
    }

    fn touch(&mut self, time_micros: i64) {
        self.last_micros = self.last_micros.max(time_micros);
        self.decays_from_micros = self.decays_from_micros.max(time_micros);
    }

    fn bury(&mut self, grave: Grave, time_micros: i64) {
        self.grave = Some(grave);
        self.status = Status::Deprecated;
        self.deprecated_micros = Some(time_micros);
        self.fresh = 0;
        self.fresh_micros = None;
    }

    /// Begins anew with the fresh sessions, once they are as many as it takes.
    fn rise_if_due(&mut self, time_micros: i64, rule: Rule<'_>) {
        let due = i64::from(promotion_of(rule.settings, rule.observation_type).fresh);
        if self.grave == Some(Grave::Rejected) || self.fresh < due {
            return;
        }
        self.inherited = 0;
        self.counted = std::mem::take(&mut self.fresh);
        self.begun_micros = self.fresh_micros.take().unwrap_or(time_micros);
        self.base = confidence(self.counted, rule.observation_type, rule.settings);
        self.grave = None;
        self.deprecated_micros = None;
        self.ready_micros = None;
        self.rendering = None;
        self.is_in_place = false;
        self.is_penalised = false;
        self.is_blocked = false;
        self.status = Status::Observing;
        self.touch(time_micros);
    }

    /// Takes back that it was out of use.
    fn raise(&mut self, rule: Rule<'_>) {
        let fresh = std::mem::take(&mut self.fresh);
        self.counted += fresh;
        if std::mem::take(&mut self.is_penalised) || fresh > 0 {
            self.base = confidence(self.count(), rule.observation_type, rule.settings);
        }
        self.grave = None;
        self.fresh_micros = None;
        self.deprecated_micros = None;
    }
}
