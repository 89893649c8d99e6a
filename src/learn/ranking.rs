//! The order in which patterns are published and shown.

use super::flag::Flag;

/// Places in a list of scores, in the order of each purpose.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Ranking {
    /// For the pattern file: in use, for the organisation, by flag and sightings, up to the cap.
    pub published: Vec<usize>,
    /// The same without a cap.
    pub in_use: Vec<usize>,
    /// How many patterns the cap left out.
    pub dropped: usize,
    /// Those that work best, by the lower end of their interval.
    pub strongest: Vec<usize>,
    /// Those that work worst, by the upper end of their interval.
    pub weakest: Vec<usize>,
    /// Those that are flagged, the most urgent first.
    pub flagged: Vec<usize>,
    /// How many patterns in use carry each flag.
    pub flags: Vec<(Flag, usize)>,
}
