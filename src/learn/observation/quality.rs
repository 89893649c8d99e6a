//! What an observation lacks to be good enough, over all its sessions.

use event::field::Lack;

/// The lesser of what two sightings lack.
pub(super) fn lesser(one: Option<Lack>, other: Option<Lack>) -> Option<Lack> {
    one.into_iter().chain(other).min_by_key(|lack| rank(*lack))
}

/// Whether so many sessions make up for what is lacking.
pub(super) const fn is_confirmed(lacks: Option<Lack>, sessions: usize) -> bool {
    sessions > 1 && matches!(lacks, Some(Lack::Session | Lack::Recurrence))
}

const fn rank(lack: Lack) -> u8 {
    match lack {
        Lack::Session => 0,
        Lack::Recurrence => 1,
        Lack::Quotation => 2,
        Lack::Judgement => 3,
        Lack::Reason => 4,
        Lack::Content => 5,
    }
}
