//! How far an observation has come after each event, for whoever watches it.

use serde::Serialize;

use super::life::ObservationLife;
use super::status::Status;
use crate::subject::Watched;

/// How often an observation was seen, how sure that makes it, and how far it has come.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ObservationCount {
    /// The sessions that count.
    pub observations: i64,
    /// The sessions since it was taken out of use.
    pub fresh: i64,
    /// The confidence before decay.
    pub confidence: f64,
    pub status: Status,
}

impl Watched for ObservationLife {
    type After = ObservationCount;

    fn after(&self) -> ObservationCount {
        ObservationCount { observations: self.count(), fresh: self.fresh, confidence: self.base, status: self.status }
    }
}
