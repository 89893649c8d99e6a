//! What roles have learned from their deliberations: sightings, rejections, reinforcement, ageing, and how far each pattern has come.

mod blame;
mod choice;
mod fold;
mod inheritance;
mod insight;
mod life;
mod log;
mod name;
mod registry;
mod review;
mod row;
mod score;

pub use fold::{Lives, fold_roles};
pub use inheritance::Inheritance;
pub use insight::{Accord, Agreement, Insights, RoleStanding, accord, parse_agreements, parse_standings};
pub use life::{Life, RoleCount, Stage};
pub use log::RoleLog;
pub use registry::{Place, RoleGroup, RoleRegistry, TextPlace, closest, role_pattern_id, role_pattern_place};
pub use review::{AlikePair, Health, RoleReview, RoleStatus, Share, health, review_roles, sum_up_roles};
pub use row::{
    DeliberationRow, EndingRow, ExposureRow, VerdictRow, take_deliberations, take_endings, take_exposures, take_role_decisions,
    take_verdicts,
};
pub use score::{RoleFindings, RoleScore, Unmatched, score_roles};
