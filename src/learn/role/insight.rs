//! How roles judge: how often they let work pass, how often validators agree with them, and which way that goes.

use serde::{Deserialize, Serialize};

use event::row::Rows;
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

event::words! {
    /// How a role and its validator get along.
    pub enum Accord {
        /// They disagree too often.
        Misaligned = "misaligned",
        /// They agree as people do.
        Aligned = "aligned",
        /// They nearly always agree.
        Calibrated = "calibrated",
        /// They nearly always agree, and the validator lets more pass: it may only nod.
        Nodding = "nodding",
    }
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

event::row! {
    struct StandingRow {
        project: String,
        role: String,
        runs: i64,
        verdicts: i64,
        passed: i64,
        recent: i64,
        recent_passed: i64,
        earlier: i64,
        earlier_passed: i64,
    }
}

/// Reads the rows of `sql/role/standing.sql`.
pub fn parse_standings(rows: &Rows, settings: &InsightSettings) -> Outcome<Vec<RoleStanding>> {
    let standing = |row: StandingRow| {
        let StandingRow { project, role, runs, verdicts, passed, .. } = row;
        let pass_rate = share(passed, verdicts).unwrap_or(0.0);
        let (now, then) = (share(row.recent_passed, row.recent), share(row.earlier_passed, row.earlier));
        RoleStanding {
            project,
            role,
            runs,
            verdicts,
            passed,
            pass_rate,
            is_low: pass_rate < settings.low_pass && runs >= i64::from(settings.low_pass_runs),
            is_thin: runs < i64::from(settings.thin_runs),
            trend: now.zip(then).map(|(now, then)| now - then),
        }
    };
    Ok(rows.read()?.into_iter().map(standing).collect())
}

event::row! {
    struct AgreementRow {
        project: String,
        role: String,
        validator: String,
        runs: i64,
        verdicts: i64,
        agreed: i64,
        role_passed: i64,
        validator_passed: i64,
    }
}

/// Reads the rows of `sql/role/agreement.sql`.
pub fn parse_agreements(rows: &Rows, settings: &InsightSettings) -> Outcome<Vec<Agreement>> {
    let agreement = |row: AgreementRow| {
        let AgreementRow { project, role, validator, runs, verdicts, agreed, role_passed, validator_passed } = row;
        let agreement = share(agreed, verdicts).unwrap_or(0.0);
        Agreement {
            project,
            role,
            validator,
            runs,
            verdicts,
            agreed,
            agreement,
            accord: accord(agreement, validator_passed > role_passed, settings),
            is_thin: runs < i64::from(settings.thin_runs),
        }
    };
    Ok(rows.read()?.into_iter().map(agreement).collect())
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
