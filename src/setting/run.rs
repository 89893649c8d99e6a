//! The settings of what is asked of finished runs.

use serde::{Deserialize, Serialize};

/// What is asked of finished runs before they count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct RunSettings {
    /// Whether runs are taken that name no adapters, or that failed and do not say of what.
    pub lenient: bool,
    /// Whether a run that lands again in other words takes the earlier one's place, instead of going to quarantine.
    pub replace: bool,
}
