//! Reading a published generation back.

use learn::Score;
use learn::observation::ObservationScore;
use learn::role::RoleScore;
use render::{parse_observations, parse_role_patterns, parse_table};
use setting::{OBSERVATION_FILE, ROLE_FILE, TABLE_FILE};
use store::publish::Generation;
use text::diagnostic::Outcome;

/// The patterns of a published generation.
pub fn load_scores(generation: &Generation) -> Outcome<Vec<Score>> {
    generation.parse(TABLE_FILE, parse_table)
}

/// The patterns of roles of a published generation; none of one that was published before there were any.
pub fn load_role_scores(generation: &Generation) -> Outcome<Vec<RoleScore>> {
    if generation.has(ROLE_FILE) { generation.parse(ROLE_FILE, parse_role_patterns) } else { Ok(Vec::new()) }
}

/// The observations of a published generation; none of one that was published before there were any.
pub fn load_observations(generation: &Generation) -> Outcome<Vec<ObservationScore>> {
    if generation.has(OBSERVATION_FILE) { generation.parse(OBSERVATION_FILE, parse_observations) } else { Ok(Vec::new()) }
}
