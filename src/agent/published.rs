//! Reading a published generation back.

use learn::Score;
use learn::observation::ObservationScore;
use learn::role::RoleScore;
use render::policy::{PolicyDiff, PolicyDocument};
use render::{parse_observations, parse_patterns, parse_role_patterns};
use setting::{DIFF_FILE, OBSERVATION_FILE, POLICY_FILE, ROLE_FILE, TABLE_FILE};
use store::publish::Generation;
use text::diagnostic::Outcome;

/// The patterns of a published generation.
pub fn load_scores(generation: &Generation) -> Outcome<Vec<Score>> {
    generation.parse(TABLE_FILE, parse_patterns)
}

/// The patterns of roles of a published generation; none of one that was published before there were any.
pub fn load_role_scores(generation: &Generation) -> Outcome<Vec<RoleScore>> {
    if generation.has(ROLE_FILE) { generation.parse(ROLE_FILE, parse_role_patterns) } else { Ok(Vec::new()) }
}

/// The observations of a published generation; none of one that was published before there were any.
pub fn load_observations(generation: &Generation) -> Outcome<Vec<ObservationScore>> {
    if generation.has(OBSERVATION_FILE) { generation.parse(OBSERVATION_FILE, parse_observations) } else { Ok(Vec::new()) }
}

/// The policies of a published generation.
pub fn load_policy(generation: &Generation) -> Outcome<PolicyDocument> {
    generation.parse_json(POLICY_FILE)
}

/// How the policies of a published generation differ from those before it.
pub fn load_diff(generation: &Generation) -> Outcome<PolicyDiff> {
    generation.parse_json(DIFF_FILE)
}
