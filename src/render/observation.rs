//! What was observed in transcripts, for reports.

use std::fmt::Write as _;

use serde::{Serialize, Serializer};

use super::markdown::{cell, void_decisions};
use event::field::ObservationType;
use learn::observation::{ObservationFindings, ObservationScore, Status};
use learn::subject::VoidDecision;

/// How many observations of each sort a report lists.
const MOST_LINES: usize = 10;

/// What was observed in transcripts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ObservationReport {
    pub observations: usize,
    pub faded: usize,
    /// By type and by how far they have come.
    pub by_type: Vec<ObservationShare>,
    /// Those that are ready to become an artifact, the latest first.
    pub ready: Vec<ObservationLine>,
    pub ready_count: usize,
    /// Those that a person should have a look at.
    pub flagged: Vec<ObservationLine>,
    pub flagged_count: usize,
    /// Those that were taken out of use, the latest first.
    pub deprecated: Vec<ObservationLine>,
    pub deprecated_count: usize,
    #[serde(serialize_with = "name_observations")]
    pub void_decisions: Vec<VoidDecision>,
    pub blank: usize,
}

/// How many observations of a type there are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ObservationShare {
    pub observation_type: ObservationType,
    pub observing: usize,
    /// Those that are ready to become an artifact.
    pub ready: usize,
    pub created: usize,
    pub deprecated: usize,
}

impl ObservationShare {
    fn new(observation_type: ObservationType, scores: &[ObservationScore]) -> Self {
        let count = |status: Status| {
            let is_meant = |score: &&ObservationScore| score.observation_type == observation_type && score.status == status;
            scores.iter().filter(is_meant).count()
        };
        Self {
            observation_type,
            observing: count(Status::Observing),
            ready: count(Status::Ready),
            created: count(Status::Created),
            deprecated: count(Status::Deprecated),
        }
    }
}

/// An observation in a report.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ObservationLine {
    pub id: String,
    pub project: String,
    pub observation_type: ObservationType,
    pub status: Status,
    pub confidence: f64,
    /// In how many sessions it was seen.
    pub observations: i64,
    /// In how many since it was taken out of use.
    pub sightings_since_deletion: i64,
    pub since: Option<String>,
    /// Why a person should have a look.
    pub flags: Vec<String>,
    pub pattern: String,
}

impl ObservationLine {
    fn new(score: &ObservationScore) -> Self {
        Self {
            id: score.id.clone(),
            project: score.project.clone(),
            observation_type: score.observation_type,
            status: score.status,
            confidence: score.confidence,
            observations: score.observations,
            sightings_since_deletion: score.sightings_since_deletion,
            since: score.deprecated_at.clone().or_else(|| score.ready_at.clone()),
            flags: flags(score),
            pattern: score.pattern.clone(),
        }
    }
}

/// Why a person should have a look, in words.
fn flags(score: &ObservationScore) -> Vec<String> {
    let stale = score.stale_reason.iter().map(|reason| format!("may be stale: {reason}"));
    let review = score.needs_review.then(|| "its sightings contradict each other".to_owned());
    let blocked = score.is_blocked.then(|| "its knowledge file is full".to_owned());
    stale.chain(review).chain(blocked).collect()
}

fn name_observations<S: Serializer>(decisions: &[VoidDecision], serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Line<'d> {
        observation_id: &'d str,
        actor: &'d str,
        why: &'d str,
    }
    serializer.collect_seq(decisions.iter().map(|VoidDecision { subject, actor, why }| Line {
        observation_id: subject,
        actor,
        why,
    }))
}

pub fn make_observation_report(findings: &ObservationFindings) -> ObservationReport {
    let scores = &findings.scores;
    let of_status = |status: Status| scores.iter().filter(move |score| score.status == status).collect::<Vec<_>>();
    let (ready, deprecated) = (of_status(Status::Ready), of_status(Status::Deprecated));
    let flagged: Vec<&ObservationScore> = scores.iter().filter(|score| score.is_flagged()).collect();
    let (ready_count, flagged_count, deprecated_count) = (ready.len(), flagged.len(), deprecated.len());
    ObservationReport {
        observations: scores.len(),
        faded: scores.iter().filter(|score| score.is_faded).count(),
        by_type: ObservationType::ALL.iter().map(|known| ObservationShare::new(*known, scores)).collect(),
        ready: latest(ready, |score| score.ready_at.as_deref()),
        ready_count,
        flagged: latest(flagged, |score| Some(&*score.last_seen)),
        flagged_count,
        deprecated: latest(deprecated, |score| score.deprecated_at.as_deref()),
        deprecated_count,
        void_decisions: findings.void.clone(),
        blank: findings.blank,
    }
}

/// The latest of some observations; of equals, in the order of their ids.
fn latest(mut scores: Vec<&ObservationScore>, time: impl Fn(&ObservationScore) -> Option<&str>) -> Vec<ObservationLine> {
    let instant = |score: &ObservationScore| time(score).and_then(|time| time.parse::<jiff::Timestamp>().ok());
    scores.sort_by(|one, other| instant(other).cmp(&instant(one)).then_with(|| one.id.cmp(&other.id)));
    scores.into_iter().take(MOST_LINES).map(ObservationLine::new).collect()
}

/// Renders the section of the report. Where nothing was ever observed there is none.
pub(super) fn observation_section(text: &mut String, report: &ObservationReport) {
    if report.observations == 0 && report.void_decisions.is_empty() && report.blank == 0 {
        return;
    }
    text.push_str("\n## Observations\n\n");
    let _ = writeln!(
        text,
        "{} observations: {} ready to become artifacts, {} to review, {} deprecated, {} decayed.",
        report.observations, report.ready_count, report.flagged_count, report.deprecated_count, report.faded
    );
    if report.blank > 0 {
        let _ = writeln!(text, "{} sightings are empty and ignored.", report.blank);
    }
    text.push_str("\n| type | observing | ready | created | deprecated |\n|---|---:|---:|---:|---:|\n");
    for share in &report.by_type {
        let ObservationShare { observation_type, observing, ready, created, deprecated } = share;
        let _ = writeln!(text, "| {observation_type} | {observing} | {ready} | {created} | {deprecated} |");
    }
    lines(text, "Ready to become artifacts", &report.ready, report.ready_count);
    lines(text, "Observations to review", &report.flagged, report.flagged_count);
    lines(text, "Deprecated observations", &report.deprecated, report.deprecated_count);
    void_decisions(text, &report.void_decisions);
}

fn lines(text: &mut String, heading: &str, lines: &[ObservationLine], count: usize) {
    if lines.is_empty() {
        return;
    }
    let _ = writeln!(text, "\n### {heading}\n");
    text.push_str("| observation | project | type | status | confidence | sessions | since | pattern |\n");
    text.push_str("|---|---|---|---|---:|---:|---|---|\n");
    for line in lines {
        let sessions = match line.sightings_since_deletion {
            0 => line.observations.to_string(),
            fresh => format!("{} + {fresh}", line.observations),
        };
        let flags: Vec<String> = line.flags.iter().map(|flag| format!(" ({})", cell(flag))).collect();
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {:.2} | {sessions} | {} | {}{} |",
            cell(&line.id),
            cell(&line.project),
            line.observation_type,
            line.status,
            line.confidence,
            line.since.as_deref().unwrap_or("-"),
            cell(&line.pattern),
            flags.concat()
        );
    }
    if count > lines.len() {
        let _ = writeln!(text, "\n{} more.", count - lines.len());
    }
}
