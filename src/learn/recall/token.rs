//! Tokens as language models cut them: a text is parted into words, and the bytes of a word are merged, pair by pair, into the tokens of
//! a vocabulary, those of the lowest rank first.
//!
//! Hooks run in processes of their own, each of which may count but a few lines. So the vocabularies are looked up where they stand in
//! the program, in the order that the build gave them, instead of being read into maps, which would take far longer than the counting.

use std::cmp::Ordering;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::LazyLock;

use regex::Regex;

/// How many bytes a number of a table has.
const NUMBER: usize = 4;

/// How many tokens a text takes in the vocabulary `cl100k_base`. The names of special tokens are text like any other.
#[must_use]
pub fn cl100k_tokens(text: &str) -> usize {
    /// The published expression, without what the engine lacks: possessive repetition, which changes nothing here, ignoring case,
    /// which is spelled out, and looking ahead, which `without_last_space` does.
    const WORD: &str = r"'(?:[sSſdDmMtT]|[lL][lL]|[vV][eE]|[rR][eE])|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s+$|\s*[\r\n]|\s+";
    static VOCABULARY: Vocabulary = Vocabulary {
        table: include_bytes!(concat!(env!("OUT_DIR"), "/cl100k.bin")),
        word: LazyLock::new(|| Regex::new(WORD).ok()),
    };
    VOCABULARY.count(text)
}

/// How many tokens a text takes in the vocabulary `o200k_base`. The names of special tokens are text like any other.
#[must_use]
pub fn o200k_tokens(text: &str) -> usize {
    /// As above.
    const WORD: &str = concat!(
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?:'(?:[sSſdDmMtT]|[lL][lL]|[vV][eE]|[rR][eE]))?|",
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?:'(?:[sSſdDmMtT]|[lL][lL]|[vV][eE]|[rR][eE]))?|",
        r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+",
    );
    static VOCABULARY: Vocabulary =
        Vocabulary { table: include_bytes!(concat!(env!("OUT_DIR"), "/o200k.bin")), word: LazyLock::new(|| Regex::new(WORD).ok()) };
    VOCABULARY.count(text)
}

struct Vocabulary {
    /// The tokens and their ranks, as `build.rs` lays them out.
    table: &'static [u8],
    /// What is never parted by a token's border or crossed by a token.
    word: LazyLock<Option<Regex>>,
}

impl Vocabulary {
    fn count(&self, text: &str) -> usize {
        // No text takes more tokens than it has bytes.
        let Some(word) = &*self.word else { return text.len() };
        let mut rest = text;
        let mut tokens = 0;
        while let Some(found) = word.find(rest) {
            let word = if found.end() < rest.len() { without_last_space(found.as_str()) } else { found.as_str() };
            tokens += self.count_word(word.as_bytes());
            rest = &rest[found.start() + word.len()..];
        }
        tokens
    }

    /// Merges neighbours until no two make a token. What waits is kept in a heap, so that a long word is no burden.
    fn count_word(&self, word: &[u8]) -> usize {
        if self.rank(word).is_some() {
            return 1;
        }
        let mut parts = Parts::new(word.len());
        let mut waiting = BinaryHeap::new();
        let pair = |parts: &Parts, start: usize| {
            let end = parts.end_of_pair(start)?;
            Some(Reverse((self.rank(&word[start..end])?, start, end)))
        };
        waiting.extend((0..word.len()).filter_map(|start| pair(&parts, start)));
        while let Some(Reverse((_, start, end))) = waiting.pop() {
            // One of the two may have been merged with another since.
            if parts.end_of_pair(start) != Some(end) {
                continue;
            }
            parts.merge(start);
            waiting.extend(pair(&parts, start));
            waiting.extend(parts.before(start).and_then(|before| pair(&parts, before)));
        }
        parts.count
    }

    fn rank(&self, token: &[u8]) -> Option<u32> {
        let longest = self.number(0)? / NUMBER - 2;
        if token.len() > longest {
            return None;
        }
        let width = token.len() + NUMBER;
        let records = self.table.get(self.number(NUMBER * token.len())?..self.number(NUMBER * (token.len() + 1))?)?;
        let (mut low, mut high) = (0, records.len() / width);
        while low < high {
            let middle = usize::midpoint(low, high);
            let (candidate, rank) = records[middle * width..(middle + 1) * width].split_at(token.len());
            match candidate.cmp(token) {
                Ordering::Less => low = middle + 1,
                Ordering::Greater => high = middle,
                Ordering::Equal => return rank.try_into().ok().map(u32::from_le_bytes),
            }
        }
        None
    }

    fn number(&self, place: usize) -> Option<usize> {
        let bytes = self.table.get(place..place + NUMBER)?;
        usize::try_from(u32::from_le_bytes(bytes.try_into().ok()?)).ok()
    }
}

/// The last of several spaces belongs to the word behind them, unless it ends a line.
fn without_last_space(found: &str) -> &str {
    let is_blank = found.chars().all(char::is_whitespace);
    match found.char_indices().next_back() {
        Some((last, space)) if is_blank && last > 0 && !matches!(space, '\r' | '\n') => &found[..last],
        _ => found,
    }
}

/// The parts of a word, by where they begin: at first its bytes.
struct Parts {
    /// Where the part ends that begins here; 0 where none begins.
    ends: Vec<usize>,
    /// Where the part before begins.
    starts_before: Vec<usize>,
    count: usize,
}

impl Parts {
    fn new(length: usize) -> Self {
        Self {
            ends: (1..=length).collect(),
            starts_before: (0..length).map(|start| start.saturating_sub(1)).collect(),
            count: length,
        }
    }

    /// Where the part behind the one that begins here ends.
    fn end_of_pair(&self, start: usize) -> Option<usize> {
        let middle = self.ends.get(start).copied().filter(|end| *end > 0)?;
        self.ends.get(middle).copied()
    }

    fn before(&self, start: usize) -> Option<usize> {
        (start > 0).then(|| self.starts_before[start])
    }

    /// Adds the part behind to the one that begins here.
    fn merge(&mut self, start: usize) {
        let middle = self.ends[start];
        self.ends[start] = std::mem::take(&mut self.ends[middle]);
        if let Some(behind) = self.starts_before.get_mut(self.ends[start]) {
            *behind = start;
        }
        self.count -= 1;
    }
}
