//! The built-in extractor: what recurs, by the words in which people say it. The same for the same session.

use super::decision::find_decisions;
use super::pitfall::find_pitfall;
use super::procedural::find_procedures;
use super::sighting::{Sighting, add_sighting};
use super::speech::{is_approval, parse_speech};
use super::workflow::find_workflows;
use crate::transcript::Exchange;

/// Maximum number of sightings per session: more means pasted text.
const MOST_SIGHTINGS: usize = 20;

/// What is seen in a session, each thing once, in the order of its first sighting.
#[must_use]
pub fn extract(exchanges: &[Exchange]) -> Vec<Sighting> {
    let mut sightings = Vec::new();
    for sighting in exchanges.iter().flat_map(find_all) {
        add_sighting(&mut sightings, sighting);
    }
    sightings.truncate(MOST_SIGHTINGS);
    for sighting in &mut sightings {
        sighting.is_supported |= sighting.has_enough_quotes();
    }
    sightings
}

fn find_all(Exchange { prior, own: user, .. }: &Exchange) -> Vec<Sighting> {
    if is_approval(user) {
        return Vec::new();
    }
    let speech = parse_speech(user);
    let mut found = find_workflows(&speech, prior.as_deref());
    found.extend(find_procedures(&speech, prior.as_deref()));
    if let Some(prior) = prior {
        found.extend(find_decisions(&speech, prior));
        found.extend(find_pitfall(&speech, user, prior));
    }
    found
}
