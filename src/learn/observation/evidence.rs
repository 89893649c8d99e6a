//! What was quoted for an observation: the first and the latest.

use std::collections::{HashSet, VecDeque};

use xxhash_rust::xxh3::xxh3_128;

/// Quotations, each once, of which the first and the latest are kept.
#[derive(Debug, Clone, Default)]
pub(super) struct Quotations {
    first: Vec<String>,
    latest: VecDeque<String>,
    /// All that were ever quoted: what fell out does not come back as the latest.
    known: HashSet<u128>,
}

impl Quotations {
    /// Adds one, and keeps at most so many.
    pub(super) fn add(&mut self, quotation: &str, most: usize) {
        if quotation.trim().is_empty() || !self.known.insert(xxh3_128(quotation.as_bytes())) {
            return;
        }
        let half = most / 2;
        if self.first.len() < half {
            self.first.push(quotation.to_owned());
            return;
        }
        self.latest.push_back(quotation.to_owned());
        if self.latest.len() > most - half {
            self.latest.pop_front();
        }
    }

    /// Those that are kept, in the order in which they were first quoted.
    pub(super) fn list(&self) -> Vec<String> {
        self.first.iter().chain(&self.latest).cloned().collect()
    }
}
