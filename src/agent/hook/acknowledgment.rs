//! What an agent says about the patterns that it was shown: which of them it applied, and where.

use super::claim::Evidence;
use super::fold::fold;
use super::mention::Vocabulary;
use super::verdict::find_word;
use text::{fit, limit};

/// The word by which an agent says that it has read what it was shown.
const MARKER: &str = "LEARNINGS_ACKNOWLEDGED";
/// The lines of an acknowledgment that are read, the marker's own and no blank ones among them.
const LINES: usize = 20;
/// The bytes of an acknowledgment that are read: a line may have any length.
const EVIDENCE_BYTES: usize = limit::TEXT_BYTES;
/// The most uses of one acknowledgment, and the most places of one use. With the longest texts and places that are taken, the
/// event of a use stays far below the longest line.
pub(super) const MOST_USES: usize = 100;
pub(super) const MOST_CITATIONS: usize = 50;

/// A pattern that was shown to an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shown<'s> {
    pub id: &'s str,
    /// Its text as the agent saw it. One that ends in dots was cut.
    pub text: &'s str,
}

/// An agent's acknowledgment of the patterns it was shown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Acknowledgment {
    /// The patterns that it says it applied, each once, in the order of their first mention. There may be none.
    pub uses: Vec<Use>,
}

/// A pattern that an agent says it applied.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Use {
    /// Which of the shown patterns it is. None: the text is like none of them.
    pub pattern: Option<usize>,
    /// The id by which a tool was told of it.
    pub id: Option<String>,
    /// How the agent calls it, on one line.
    pub text: String,
    /// The places that it gives for this pattern and no other, as `path:line`.
    pub citations: Vec<String>,
}

/// What an agent says about the patterns that it was shown. None if it does not acknowledge them.
///
/// An acknowledgment begins with the last marker that opens a line, where list signs, quotes and other decoration do not
/// count; or else with the last marker. Claims such as `Applied: "text" at src/main.rs:10` are read from there on: they are
/// understood by what was shown and not by their quotes and commas, since texts hold these too. What is said not to
/// apply is no claim.
#[must_use]
pub fn parse_acknowledgment(said: &str, shown: &[Shown<'_>]) -> Option<Acknowledgment> {
    let evidence = find_evidence(said)?;
    let mut gathered = Gathered::default();
    for found in Evidence::new(evidence).read_uses(&Vocabulary::new(shown)) {
        gathered.add(found);
    }
    Some(Acknowledgment { uses: gathered.uses })
}

/// How many markers are looked at.
const MOST_MARKERS: usize = 1000;

/// The text from behind the marker to the end of the last line that is read.
fn find_evidence(said: &str) -> Option<&str> {
    let opens_line = |position: &usize| {
        let before = &said[..*position];
        let line = before.rfind('\n').map_or(0, |end| end + 1);
        !before[line..].contains(char::is_alphabetic)
    };
    // From the end, and not without bound: a text that says nothing else must not cost a turn.
    let markers: Vec<usize> = find_word(said, MARKER).collect();
    let start = markers.iter().rev().take(MOST_MARKERS).copied().find(opens_line).or(markers.last().copied())?;
    let mut end = start;
    let mut lines = 0;
    for line in said[start..].split_inclusive('\n') {
        lines += usize::from(!line.trim().is_empty());
        if lines > LINES {
            break;
        }
        end += line.len();
    }
    Some(fit::cut(&said[start + MARKER.len()..end], EVIDENCE_BYTES))
}

/// Uses, and what makes two of them the same: the pattern, or else the text.
#[derive(Default)]
struct Gathered {
    uses: Vec<Use>,
    keys: Vec<Result<usize, String>>,
}

impl Gathered {
    /// Adds a use, or its places to those of the same pattern.
    fn add(&mut self, found: Use) {
        let text = fit::printable(&found.text, limit::ITEM_BYTES);
        let key = found.pattern.ok_or_else(|| fold(&text));
        let position = self.keys.iter().position(|known| *known == key).unwrap_or(self.uses.len());
        if position == self.uses.len() && position < MOST_USES {
            self.uses.push(Use { pattern: found.pattern, text, ..Use::default() });
            self.keys.push(key);
        }
        let Some(known) = self.uses.get_mut(position) else { return };
        for citation in found.citations {
            let citation = fit::printable(&citation, limit::ITEM_BYTES);
            if known.citations.len() < MOST_CITATIONS && !known.citations.contains(&citation) {
                known.citations.push(citation);
            }
        }
    }
}
