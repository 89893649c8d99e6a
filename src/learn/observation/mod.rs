//! What recurs in transcripts: how sure it is, how far it has come, and what became of what was rendered from it.

mod confidence;
mod count;
mod detail;
mod divergence;
mod evidence;
mod figure;
mod fold;
mod life;
mod log;
mod meaning;
mod prior;
mod quality;
mod registry;
mod row;
mod score;
mod status;
mod wording;

pub use confidence::{Decay, MOST_CONFIDENCE, confidence, penalised, promotion_of};
pub use count::ObservationCount;
pub use detail::{detail_fields, find_detail};
pub use figure::{ObservationFindings, score_observation, score_observations};
pub use fold::{ALL_OBSERVATIONS, ObservationLives, fold_observations};
pub use life::ObservationLife;
pub use log::ObservationLog;
pub use meaning::may_mean_the_same;
pub use prior::Prior;
pub use registry::{ObservationEntry, ObservationPlace, ObservationRegistry, Sighted, is_observation_id, normalise_pattern};
pub use row::{ArtifactRow, ObservationDecision, SightingRow, take_artifacts, take_observation_decisions, take_sightings};
pub use score::ObservationScore;
pub use status::{Rendering, Status};
pub use wording::Wording;
