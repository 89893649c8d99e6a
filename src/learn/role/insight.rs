//! How roles judge: how often they let work pass, how often validators agree with them, and which way that goes.

use serde::{Deserialize, Serialize};

use event::row::{Rows, text_at};
use setting::InsightSettings;
use text::diagnostic::Outcome;

/// How the verdicts of a role came out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RoleStanding {
    /// The project.
    pub project: String,
    /// The role.
    pub role: String,
    /// In how many runs it gave verdicts.
    pub runs: i64,
    /// How many it gave.
    pub verdicts: i64,
    /// How many of them let the work pass.
    pub passed: i64,
    /// The part that did.
    pub pass_rate: f64,
    /// Whether that is little, over enough runs.
    pub is_low: bool,
    /// Whether it rests on few runs.
    pub is_thin: bool,
    /// By how much the part of passes changed lately, where both spans have verdicts.
    pub trend: Option<f64>,
}

/// How a role and its validator get along.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Accord {
    /// They disagree too often.
    Misaligned,
    /// They agree as people do.
    Aligned,
    /// They nearly always agree.
    Calibrated,
    /// They nearly always agree, and the validator lets more pass: it may only nod.
    Nodding,
}

impl Accord {
    /// In words.
    #[must_use]
    pub const fn describe(self) -> &'static str {
        match self {
            Self::Misaligned => "misaligned",
            Self::Aligned => "aligned",
            Self::Calibrated => "well calibrated",
            Self::Nodding => "the validator may be rubber-stamping",
        }
    }
}

/// How often a validator came to the same verdict as the role that it judges.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Agreement {
    /// The project.
    pub project: String,
    /// The role that is judged.
    pub role: String,
    /// The validator.
    pub validator: String,
    /// In how many runs both gave verdicts.
    pub runs: i64,
    /// How many pairs of verdicts there are.
    pub verdicts: i64,
    /// How many of them agree.
    pub agreed: i64,
    /// The part that does.
    pub agreement: f64,
    /// What that means.
    pub accord: Accord,
    /// Whether it rests on few runs.
    pub is_thin: bool,
}

/// How roles judge.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Insights {
    /// Each role by itself.
    pub standings: Vec<RoleStanding>,
    /// Roles with their validators.
    pub agreements: Vec<Agreement>,
}

/// Reads the rows of `sql/role/standing.sql`.
pub fn parse_standings(rows: &Rows, settings: &InsightSettings) -> Outcome<Vec<RoleStanding>> {
    let mut standings = Vec::with_capacity(rows.count());
    for part in rows.parts() {
        let (projects, roles, runs) = (part.texts("project")?, part.texts("role")?, part.numbers("runs")?);
        let (verdicts, passed) = (part.numbers("verdicts")?, part.numbers("passed")?);
        let (recent, recent_passed) = (part.numbers("recent")?, part.numbers("recent_passed")?);
        let (earlier, earlier_passed) = (part.numbers("earlier")?, part.numbers("earlier_passed")?);
        for row in 0..part.len() {
            let pass_rate = share(passed.value(row), verdicts.value(row)).unwrap_or(0.0);
            let runs = runs.value(row);
            let now = share(recent_passed.value(row), recent.value(row));
            let then = share(earlier_passed.value(row), earlier.value(row));
            standings.push(RoleStanding {
                project: text_at(projects, row).unwrap_or_default(),
                role: text_at(roles, row).unwrap_or_default(),
                runs,
                verdicts: verdicts.value(row),
                passed: passed.value(row),
                pass_rate,
                is_low: pass_rate < settings.low_pass && runs >= i64::from(settings.low_pass_runs),
                is_thin: runs < i64::from(settings.thin_runs),
                trend: now.zip(then).map(|(now, then)| now - then),
            });
        }
    }
    Ok(standings)
}

/// Reads the rows of `sql/role/agreement.sql`.
pub fn parse_agreements(rows: &Rows, settings: &InsightSettings) -> Outcome<Vec<Agreement>> {
    let mut agreements = Vec::with_capacity(rows.count());
    for part in rows.parts() {
        let (projects, roles, validators) = (part.texts("project")?, part.texts("role")?, part.texts("validator")?);
        let (runs, verdicts, agreed) = (part.numbers("runs")?, part.numbers("verdicts")?, part.numbers("agreed")?);
        let (own, validator) = (part.numbers("role_passed")?, part.numbers("validator_passed")?);
        for row in 0..part.len() {
            let agreement = share(agreed.value(row), verdicts.value(row)).unwrap_or(0.0);
            agreements.push(Agreement {
                project: text_at(projects, row).unwrap_or_default(),
                role: text_at(roles, row).unwrap_or_default(),
                validator: text_at(validators, row).unwrap_or_default(),
                runs: runs.value(row),
                verdicts: verdicts.value(row),
                agreed: agreed.value(row),
                agreement,
                accord: accord(agreement, validator.value(row) > own.value(row), settings),
                is_thin: runs.value(row) < i64::from(settings.thin_runs),
            });
        }
    }
    Ok(agreements)
}

/// What an agreement means. That two agree is good news, unless one of them only ever agrees to let pass.
#[must_use]
pub fn accord(agreement: f64, is_lenient: bool, settings: &InsightSettings) -> Accord {
    if agreement < settings.misaligned {
        Accord::Misaligned
    } else if agreement > settings.nodding && is_lenient {
        Accord::Nodding
    } else if agreement > settings.calibrated {
        Accord::Calibrated
    } else {
        Accord::Aligned
    }
}

#[expect(clippy::cast_precision_loss, reason = "nobody gives so many verdicts")]
fn share(part: i64, all: i64) -> Option<f64> {
    (all > 0).then(|| part as f64 / all as f64)
}
