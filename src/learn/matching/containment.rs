//! Texts inside other texts, found by their rarest eight bytes.
//!
//! An Aho-Corasick automaton finds only the texts inside a trigger, not those around it, and for 50,000 texts it alone took three
//! times as long to build as both tables here.

use std::ops::ControlFlow;

use memchr::memmem;

use super::lexicon::Lexicon;
use super::rows::Rows;

/// How many bytes a gram has, the longest first. A text is found by the longest gram that fits into it.
const GRAMS: [usize; 4] = [8, 4, 2, 1];

/// What is needed to find the texts around a trigger and the texts inside it.
#[derive(Debug)]
pub(super) struct Containment {
    /// The texts with each gram of eight bytes, in order. Different grams may share a row: what is found is compared in full.
    around: Rows<u32>,
    around_bits: u32,
    inside: [Anchors; GRAMS.len()],
}

/// The texts of similar length by one gram of each.
#[derive(Debug)]
struct Anchors {
    bits: u32,
    anchors: Rows<Anchor>,
}

/// The gram by which a text is found inside a trigger.
#[derive(Debug, Clone, Copy, Default)]
struct Anchor {
    gram: u64,
    text: u32,
    /// Where in the text the gram begins.
    offset: u32,
}

impl Containment {
    /// Makes ready to find the texts.
    pub(super) fn new(texts: &Lexicon) -> Self {
        let windows = || texts.numbers().flat_map(|text| grams(texts.get(text), GRAMS[0]).map(move |gram| (gram, text)));
        let around_bits = row_bits(windows().count());
        let around = Rows::grouped(1 << around_bits, windows().map(|(gram, text)| (row_of(gram, around_bits), text)));
        let rarity = |gram| around.get(row_of(gram, around_bits)).len();
        let inside = GRAMS.map(|size| Anchors::new(texts, size, rarity));
        Self { around, around_bits, inside }
    }

    /// Visits the texts that a trigger is inside of, in order, and perhaps one more than once.
    pub(super) fn visit_around(
        &self,
        texts: &Lexicon,
        trigger: &str,
        mut visit: impl FnMut(u32) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let mut rarest: Option<&[u32]> = None;
        for gram in grams(trigger, GRAMS[0]) {
            let row = self.around.get(row_of(gram, self.around_bits));
            if rarest.is_none_or(|rarest| row.len() < rarest.len()) {
                rarest = Some(row);
            }
            if row.is_empty() {
                break;
            }
        }
        // Whoever logs triggers of less than eight bytes logs few different ones.
        let Some(candidates) = rarest else { return texts.scan(trigger, &mut visit) };
        if candidates.is_empty() {
            // Most triggers are inside no text, and a search costs more to prepare than to find that out.
            return ControlFlow::Continue(());
        }
        let finder = memmem::Finder::new(trigger);
        for &text in candidates {
            if finder.find(texts.get(text).as_bytes()).is_some() {
                visit(text)?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Visits the texts of at least so many bytes, and at least one, that are inside a trigger, in no order and perhaps more
    /// than once.
    pub(super) fn visit_inside(&self, texts: &Lexicon, trigger: &str, least_bytes: usize, mut visit: impl FnMut(u32)) {
        let trigger = trigger.as_bytes();
        for (class, size) in GRAMS.into_iter().enumerate() {
            let longest = class.checked_sub(1).map_or(usize::MAX, |longer| GRAMS[longer] - 1);
            if longest < least_bytes {
                break;
            }
            self.inside[class].visit(texts, trigger, size, &mut visit);
        }
    }
}

impl Anchors {
    /// The texts whose longest gram has this size, by the rarest of their grams of this size.
    fn new(texts: &Lexicon, size: usize, rarity: impl Fn(u64) -> usize) -> Self {
        let fits = |&text: &u32| GRAMS.into_iter().find(|&size| size <= texts.get(text).len()) == Some(size);
        let anchor = |text: u32| {
            // Nothing is known about the rarity of shorter grams, and the first one will do.
            let grams = (0..).zip(grams(texts.get(text), size));
            let chosen = if size == GRAMS[0] { grams.min_by_key(|&(_, gram)| rarity(gram)) } else { grams.min_by_key(|_| 0) };
            chosen.map(|(offset, gram)| Anchor { gram, text, offset })
        };
        let anchors: Vec<Anchor> = texts.numbers().filter(fits).filter_map(anchor).collect();
        // With several rows for each text, most windows of a trigger meet an empty one.
        let bits = row_bits(anchors.len().saturating_mul(8));
        Self { bits, anchors: Rows::grouped(1 << bits, anchors.iter().map(|anchor| (row_of(anchor.gram, bits), *anchor))) }
    }

    fn visit(&self, texts: &Lexicon, trigger: &[u8], size: usize, visit: &mut impl FnMut(u32)) {
        if self.anchors.is_empty() {
            return;
        }
        for (at, window) in trigger.windows(size).enumerate() {
            let gram = gram_of(window);
            for anchor in self.anchors.get(row_of(gram, self.bits)).iter().filter(|anchor| anchor.gram == gram) {
                let text = texts.get(anchor.text).as_bytes();
                let here = at.checked_sub(anchor.offset as usize).and_then(|start| trigger.get(start..));
                if here.is_some_and(|here| here.starts_with(text)) {
                    visit(anchor.text);
                }
            }
        }
    }
}

/// All grams of a text, in order.
fn grams(text: &str, size: usize) -> impl Iterator<Item = u64> + Clone + '_ {
    text.as_bytes().windows(size).map(gram_of)
}

fn gram_of(window: &[u8]) -> u64 {
    match window.first_chunk::<8>() {
        Some(bytes) => u64::from_le_bytes(*bytes),
        None => window.iter().rev().fold(0, |gram, &byte| gram << 8 | u64::from(byte)),
    }
}

/// The row of a gram: the upper bits of the product depend on every byte.
fn row_of(gram: u64, bits: u32) -> usize {
    #[expect(clippy::cast_possible_truncation, reason = "there are fewer bits than in an address")]
    let row = (gram.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - bits)) as usize;
    row
}

/// How many bits number the rows of so many items. At least one, as a shift by 64 has no meaning.
fn row_bits(items: usize) -> u32 {
    items.next_power_of_two().trailing_zeros().max(1)
}
