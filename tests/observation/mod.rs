//! What recurs in transcripts: which sighting is which observation, how sure it is, and how far it comes.

mod book;
mod decision;
mod life;
mod naive;
mod pipeline;
mod time;
mod worked;

use event::field::{ArtifactAction, Lack, ObservationType};
use learn::observation::{
    ArtifactRow, ObservationDecision, ObservationFindings, ObservationLog, ObservationScore, SightingRow, fold_observations,
    score_observations,
};
use learn::subject::{Action, Decision};
use setting::ObservationSettings;

pub const DAY: i64 = 86_400_000_000;

/// 2026-03-01.
pub const START: i64 = 1_772_323_200_000_000;

pub const fn day(number: i64) -> i64 {
    START + number * DAY
}

pub fn at(time: &str) -> i64 {
    time.parse::<jiff::Timestamp>().expect("a time").as_microsecond()
}

pub fn text(micros: i64) -> String {
    jiff::Timestamp::from_microsecond(micros).expect("a time").to_string()
}

/// A sighting of a decision in the project `web`, unless it says otherwise.
#[derive(Debug, Clone)]
pub struct Sight {
    pub id: String,
    pub time: i64,
    pub project: &'static str,
    pub given: Option<String>,
    pub kind: ObservationType,
    pub pattern: String,
    pub details: String,
    pub evidence: Vec<String>,
    pub quality_ok: bool,
    pub session: Option<String>,
    pub prior: Option<String>,
    pub meaning: Vec<String>,
    pub lacks: Option<Lack>,
}

impl Default for Sight {
    fn default() -> Self {
        Self {
            id: String::new(),
            time: START,
            project: "web",
            given: None,
            kind: ObservationType::Decision,
            pattern: "Use Postgres".to_owned(),
            details: String::new(),
            evidence: Vec::new(),
            quality_ok: true,
            session: None,
            prior: None,
            meaning: Vec::new(),
            lacks: None,
        }
    }
}

/// One event.
#[derive(Debug, Clone)]
pub enum Told {
    Seen(Sight),
    Found(ArtifactRow),
    Decided(ObservationDecision),
}

impl Told {
    pub const fn time(&self) -> i64 {
        match self {
            Self::Seen(sight) => sight.time,
            Self::Found(row) => row.time_micros,
            Self::Decided(row) => row.decision.time_micros,
        }
    }
}

/// A log under construction: events land in the order in which they are told.
#[derive(Debug, Clone, Default)]
pub struct Story {
    pub settings: ObservationSettings,
    pub told: Vec<Told>,
}

impl Story {
    pub fn see(&mut self, sight: Sight) {
        let id = if sight.id.is_empty() { format!("o{}", self.told.len()) } else { sight.id.clone() };
        self.told.push(Told::Seen(Sight { id, ..sight }));
    }

    /// The decision to use Postgres is seen in sessions on days.
    pub fn see_in(&mut self, sessions: &[(&str, i64)]) {
        for (session, on) in sessions {
            self.see(Sight { time: day(*on), session: Some((*session).to_owned()), ..Sight::default() });
        }
    }

    pub fn find(&mut self, action: ArtifactAction, observation_id: &str, time: i64) {
        let row = ArtifactRow { observation_id: Some(observation_id.to_owned()), ..artifact(action, time) };
        self.find_row(row);
    }

    pub fn find_row(&mut self, row: ArtifactRow) {
        let id = if row.id.is_empty() { format!("a{}", self.told.len()) } else { row.id.clone() };
        self.told.push(Told::Found(ArtifactRow { id, ..row }));
    }

    pub fn decide(&mut self, action: Action, observation_id: &str, time: i64) {
        self.decide_with(action, observation_id, time, false);
    }

    pub fn decide_with(&mut self, action: Action, observation_id: &str, time: i64, is_forced: bool) {
        self.told.push(Told::Decided(ObservationDecision {
            id: format!("d{}", self.told.len()),
            project: "web".to_owned(),
            decision: Decision {
                time_micros: time,
                sequence: 0,
                subject: observation_id.to_owned(),
                action,
                actor: "ann".to_owned(),
                reason: Some("because".to_owned()),
                value: is_forced.then(|| r#"{"force":true}"#.to_owned()),
            },
        }));
    }

    /// What is known at an instant.
    pub fn findings(&self, as_of: i64) -> ObservationFindings {
        fold(&self.told, &self.settings, as_of)
    }

    /// The observation of an id at an instant.
    #[track_caller]
    pub fn entry(&self, id: &str, as_of: i64) -> ObservationScore {
        let scores = self.findings(as_of).scores;
        scores.iter().find(|score| score.id == id).unwrap_or_else(|| panic!("no {id} in {scores:#?}")).clone()
    }

    /// The only observation at an instant.
    #[track_caller]
    pub fn only(&self, as_of: i64) -> ObservationScore {
        let scores = self.findings(as_of).scores;
        assert_eq!(scores.len(), 1, "{scores:#?}");
        scores.into_iter().next().expect("an observation")
    }

    #[track_caller]
    pub fn id(&self) -> String {
        self.only(i64::MAX).id
    }
}

pub fn artifact(action: ArtifactAction, time_micros: i64) -> ArtifactRow {
    ArtifactRow {
        id: String::new(),
        time_micros,
        sequence: 0,
        project: "web".to_owned(),
        action,
        observation_id: None,
        observation_type: None,
        path: None,
        anchor: None,
        content_hash: None,
        reason: None,
    }
}

/// Folds events that landed in this order.
pub fn fold(told: &[Told], settings: &ObservationSettings, as_of: i64) -> ObservationFindings {
    let mut log = ObservationLog::new(as_of);
    for (sequence, event) in (1..).zip(told) {
        match event {
            Told::Seen(sight) => log.add_sighting(&SightingRow {
                id: &sight.id,
                time_micros: sight.time,
                sequence,
                project: sight.project,
                given: sight.given.as_deref(),
                observation_type: sight.kind,
                pattern: &sight.pattern,
                evidence: sight.evidence.iter().map(String::as_str).collect(),
                details: &sight.details,
                quality_ok: sight.quality_ok,
                session: sight.session.as_deref(),
                prior: sight.prior.as_deref(),
                meaning: sight.meaning.iter().map(String::as_str).collect(),
                lacks: sight.lacks,
            }),
            Told::Found(row) if row.time_micros <= as_of => log.add_artifact(ArtifactRow { sequence, ..row.clone() }),
            Told::Decided(row) if row.decision.time_micros <= as_of => {
                let decision = Decision { sequence, ..row.decision.clone() };
                log.add_decision(ObservationDecision { decision, ..row.clone() });
            }
            // The query shows none that lie behind the horizon.
            Told::Found(_) | Told::Decided(_) => {}
        }
    }
    let lives = fold_observations(&log, settings, as_of, None);
    score_observations(&log, lives, settings, as_of)
}

/// What most tests ask for: sessions, confidence, status.
pub fn brief(score: &ObservationScore) -> (i64, String, &str) {
    (score.observations, format!("{:.2}", score.confidence), score.status.name())
}

#[track_caller]
pub fn assert_brief(score: &ObservationScore, observations: i64, confidence: &str, status: &str) {
    assert_eq!(brief(score), (observations, confidence.to_owned(), status), "{score:#?}");
}
