//! Texts and their numbers.

use std::ops::ControlFlow;

use hashbrown::HashTable;
use memchr::memmem;
use xxhash_rust::xxh3::xxh3_64;

/// Distinct texts, numbered in the order in which they were added.
#[derive(Debug, Default)]
pub(super) struct Lexicon {
    /// All texts, one behind the other.
    joined: String,
    /// Where each text ends.
    ends: Vec<usize>,
    numbers: HashTable<u32>,
}

impl Lexicon {
    /// The number of a text, which is added if it is not known.
    pub(super) fn add(&mut self, text: &str) -> u32 {
        let Self { joined, ends, numbers } = self;
        let entry = numbers.entry(
            xxh3_64(text.as_bytes()),
            |&number| slice(joined, ends, number) == text,
            |&number| xxh3_64(slice(joined, ends, number).as_bytes()),
        );
        let number = u32::try_from(ends.len()).unwrap_or(u32::MAX);
        let number = *entry.or_insert(number).get();
        if number as usize == ends.len() {
            joined.push_str(text);
            ends.push(joined.len());
        }
        number
    }

    /// The number of a text, if it is known.
    pub(super) fn find(&self, text: &str) -> Option<u32> {
        self.numbers.find(xxh3_64(text.as_bytes()), |&number| self.get(number) == text).copied()
    }

    /// The text of a number.
    pub(super) fn get(&self, number: u32) -> &str {
        slice(&self.joined, &self.ends, number)
    }

    /// How many texts there are.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// All numbers, in order.
    pub(super) fn numbers(&self) -> impl Iterator<Item = u32> + Clone + use<> {
        0..u32::try_from(self.ends.len()).unwrap_or(u32::MAX)
    }

    /// Visits the texts that contain another, in order: one pass over all of them.
    pub(super) fn scan(&self, part: &str, visit: &mut impl FnMut(u32) -> ControlFlow<()>) -> ControlFlow<()> {
        let finder = memmem::Finder::new(part);
        let mut number = 0;
        let mut from = 0;
        while number < self.ends.len() {
            let Some(at) = finder.find(&self.joined.as_bytes()[from..]).map(|at| from + at) else { break };
            number += self.ends[number..].partition_point(|&end| end < at + part.len().min(1));
            let Some(&end) = self.ends.get(number) else { break };
            // What begins in one text may end in another.
            if at + part.len() <= end {
                visit(u32::try_from(number).unwrap_or(u32::MAX))?;
            }
            from = end;
            number += 1;
        }
        ControlFlow::Continue(())
    }
}

fn slice<'text>(joined: &'text str, ends: &[usize], number: u32) -> &'text str {
    let number = number as usize;
    let start = number.checked_sub(1).map_or(0, |before| ends[before]);
    &joined[start..ends[number]]
}
