//! A pattern of a role with its figures: one row of the published table, and what reports and prompts are made from.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::fold::Lives;
use super::insight::Insights;
use super::life::{Life, Stage};
use super::log::{RoleLog, Span};
use super::registry::{Place, role_pattern_id};
use crate::recall::weight;
use crate::subject::VoidDecision;
use setting::Settings;
use text::digest::sha256;
use text::review::{Kind, normalise, plain_saying};
use text::time::{days_between, instant};

event::row! {
    /// A pattern of a role with its figures.
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    pub struct RoleScore {
        /// The letter of its role and its number.
        pub id: String,
        /// The project that learned it, and that alone may see it.
        pub project: String,
        /// The role that said it.
        pub role: String,
        /// What sort of saying it is.
        pub category: Kind,
        /// How far it is established.
        pub state: Stage,
        /// What the role said.
        pub text: String,
        /// The SHA-256 of it as it is compared.
        pub text_hash: String,
        /// How often it was seen.
        pub seen: i64,
        /// In how many contexts: runs and issues.
        pub contexts: i64,
        /// How many of the sightings confirm it: independent ones that nobody has rejected.
        pub confirmed: i64,
        /// What counts for it.
        pub successes: i64,
        /// How often it was rejected.
        pub ignored: i64,
        /// What that and the like counts against it.
        pub penalty: f64,
        /// How often a validator's pass reinforced it.
        pub reinforced: i64,
        /// How often others were preferred to it since.
        pub skipped: i64,
        /// Whether it was reinforced so often that a rejection is a regression.
        pub is_trusted: bool,
        /// Whether it does not fade.
        pub is_immune: bool,
        /// When it was rejected although it was trusted.
        pub regressed: Option<String> => AsTime,
        /// The part of what counts that counts for it.
        pub rate: f64,
        /// What is left of it since its last use.
        pub decay: f64,
        /// What it is worth, in no particular context.
        pub score: f64,
        /// When it was first seen.
        pub created: String => AsTime,
        /// When it was last seen or reinforced.
        pub last_used: String => AsTime,
        /// When a role was last shown it.
        pub last_shown: Option<String> => AsTime,
        /// Days since it was last used.
        pub idle_days: f64,
        /// The labels of the tasks it was last seen in.
        pub labels: Vec<String>,
        /// The files of these tasks.
        pub files: Vec<String>,
        /// The phases of these tasks.
        pub phases: Vec<String>,
        /// Who decided about it last, and why.
        pub note: Option<String>,
    }
}

impl RoleScore {
    /// Whether it may be shown.
    #[must_use]
    pub fn is_in_use(&self) -> bool {
        self.state != Stage::Deprecated
    }
}

/// A rejected finding that matches no pattern of the role.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unmatched {
    /// The project.
    pub project: String,
    /// The role.
    pub role: String,
    /// How many findings of it were rejected that none of its patterns speaks of.
    pub findings: u32,
}

/// What roles have learned.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RoleFindings {
    /// Their patterns, in the order in which they were first said.
    pub scores: Vec<RoleScore>,
    /// Rejected findings that none of their patterns speaks of.
    pub unmatched: Vec<Unmatched>,
    /// Decisions that had no effect.
    pub void: Vec<VoidDecision>,
    /// How they judge.
    pub insights: Insights,
}

/// Works out the figures of every pattern that was seen.
#[must_use]
pub fn score_roles(log: &RoleLog, lives: Lives, settings: &Settings, as_of_micros: i64) -> RoleFindings {
    let known = (0u32..).zip(&lives.lives).zip(&lives.skips).filter(|((_, life), _)| life.is_known());
    let scores = known.map(|((place, life), skips)| score_life(log, place, life, *skips, settings, as_of_micros)).collect();
    let unmatched = lives.unmatched.iter().zip(log.registry().groups()).filter(|(findings, _)| **findings > 0);
    let unmatched = unmatched.map(|(findings, group)| Unmatched {
        project: group.project.clone(),
        role: group.role.clone(),
        findings: *findings,
    });
    RoleFindings { scores, unmatched: unmatched.collect(), void: lives.void, insights: Insights::default() }
}

fn score_life(log: &RoleLog, place: Place, life: &Life, skips: u32, settings: &Settings, as_of_micros: i64) -> RoleScore {
    let rules = &settings.inject.score;
    let record = life.record();
    let group = &log.registry().groups()[log.registry().group_of(place).unwrap_or_default()];
    let text = plain_saying(log.registry().text(life.text).0);
    RoleScore {
        id: role_pattern_id(place),
        project: group.project.clone(),
        role: group.role.clone(),
        category: life.kind,
        state: life.stage,
        text: text.to_owned(),
        text_hash: sha256(normalise(text).as_bytes()),
        seen: i64::from(life.seen),
        contexts: i64::from(life.contexts),
        confirmed: i64::from(life.confirmed()),
        successes: i64::from(life.successes),
        ignored: i64::from(life.ignored),
        penalty: life.penalty(),
        reinforced: i64::from(life.reinforced),
        skipped: i64::from(skips),
        is_trusted: life.is_trusted,
        is_immune: i64::from(life.reinforced) >= rules.immune_from,
        regressed: life.regressed_micros.map(instant),
        rate: record.rate(),
        decay: record.decay(as_of_micros, rules),
        score: record.score(weight(life.kind.name(), rules), 1.0, as_of_micros, rules),
        created: instant(life.created_micros),
        last_used: instant(life.used_micros()),
        last_shown: life.shown_micros.map(instant),
        idle_days: days_between(life.used_micros(), as_of_micros),
        labels: names(log, life, |heard| heard.labels.clone()),
        files: names(log, life, |heard| heard.files.clone()),
        phases: phases(log, life),
        note: life.note.clone(),
    }
}

/// The names that the tasks of a pattern's last sightings carry, each once, sorted.
fn names(log: &RoleLog, life: &Life, of: impl Fn(&super::log::Task) -> Span) -> Vec<String> {
    let spans = life.recent.iter().map(|heard| of(&log.deliberations[*heard as usize].task));
    let names: BTreeSet<&str> = spans.flat_map(|span| log.span(&span).iter()).map(|number| log.names.name(*number)).collect();
    names.into_iter().map(str::to_owned).collect()
}

fn phases(log: &RoleLog, life: &Life) -> Vec<String> {
    let phases = life.recent.iter().map(|heard| log.names.name(log.deliberations[*heard as usize].task.phase));
    let phases: BTreeSet<&str> = phases.filter(|phase| !phase.is_empty()).collect();
    phases.into_iter().map(str::to_owned).collect()
}
