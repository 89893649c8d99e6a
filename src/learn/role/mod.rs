//! What roles have learned from their deliberations: sightings, rejections, reinforcement, ageing, and how far each pattern has come.

mod choice;
mod fold;
mod inheritance;
mod insight;
mod life;
mod log;
mod name;
mod read;
mod review;
mod score;

pub use fold::{Lives, Moment, VoidRoleDecision, fold_roles};
pub use inheritance::Inheritance;
pub use insight::{Accord, Agreement, Insights, RoleStanding, accord, parse_agreements, parse_standings};
pub use life::{Life, Stage};
pub use log::{DeliberationRow, ExposureRow, RoleDecision, RoleLog, VerdictRow};
pub use read::{take_deliberations, take_endings, take_exposures, take_role_decisions, take_verdicts};
pub use review::{AlikePair, Health, RoleReview, RoleStatus, Share, health, review_roles, sum_up_roles};
pub use score::{RoleFindings, RoleScore, Unmatched, score_roles};
