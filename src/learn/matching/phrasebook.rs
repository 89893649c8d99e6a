//! The phrases of all patterns, each text once.

use super::lexicon::Lexicon;
use super::phrase::Phrase;
use super::rows::Rows;
use text::fit::strip;

/// The phrases by their texts in lower case.
///
/// The texts are numbered by their length, then by the lowest pattern they belong to: of several texts around a trigger the first
/// is the closest one.
#[derive(Debug)]
pub(super) struct Phrasebook {
    texts: Lexicon,
    /// The patterns of each text, the lowest first.
    owners: Rows<Owner>,
    spellings: Lexicon,
    /// The lowest pattern of each spelling.
    spelled: Vec<u32>,
}

/// A pattern that a text belongs to.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Owner {
    /// The number of the pattern.
    pub pattern: u32,
    /// How the pattern spells the text.
    spelling: u32,
}

/// A phrase, taken apart.
struct Form<'phrase> {
    lowered: String,
    spelling: &'phrase str,
    pattern: u32,
}

impl<'phrase> Form<'phrase> {
    fn new(phrase: &'phrase Phrase) -> Self {
        let spelling = strip(&phrase.text);
        Self { lowered: spelling.to_lowercase(), spelling, pattern: phrase.pattern }
    }
}

impl Phrasebook {
    /// The phrases in order.
    pub(super) fn new(phrases: &[Phrase]) -> Self {
        let mut forms: Vec<Form> = phrases.iter().map(Form::new).collect();
        forms.sort_unstable_by(|left, right| {
            left.lowered.cmp(&right.lowered).then_with(|| (left.pattern, left.spelling).cmp(&(right.pattern, right.spelling)))
        });
        let mut groups: Vec<&[Form]> = forms.chunk_by(|left, right| left.lowered == right.lowered).collect();
        groups.sort_by_key(|group| group.first().map(|lowest| (lowest.lowered.len(), lowest.pattern)));
        let mut book = Self { texts: Lexicon::default(), owners: Rows::new(), spellings: Lexicon::default(), spelled: Vec::new() };
        for group in groups {
            book.add(group);
        }
        book
    }

    /// All texts in lower case.
    pub(super) fn texts(&self) -> &Lexicon {
        &self.texts
    }

    /// The patterns of a text, the lowest first.
    pub(super) fn owners(&self, text: u32) -> &[Owner] {
        self.owners.get(text as usize)
    }

    /// The lowest pattern of a text.
    pub(super) fn lowest(&self, text: u32) -> Option<u32> {
        self.owners(text).first().map(|owner| owner.pattern)
    }

    /// The lowest pattern that is spelled so.
    pub(super) fn lowest_spelled(&self, spelling: &str) -> Option<u32> {
        self.spellings.find(spelling).map(|number| self.spelled[number as usize])
    }

    /// Whether a pattern spells its text so.
    pub(super) fn is_spelled(&self, owner: Owner, spelling: &str) -> bool {
        self.spellings.get(owner.spelling) == spelling
    }

    /// Adds the phrases of one text, the lowest pattern first.
    fn add(&mut self, group: &[Form]) {
        let Some(lowest) = group.first() else { return };
        self.texts.add(&lowest.lowered);
        let Self { spellings, spelled, .. } = self;
        self.owners.push(group.iter().map(|form| {
            let spelling = spellings.add(form.spelling);
            if spelling as usize == spelled.len() {
                spelled.push(form.pattern);
            }
            Owner { pattern: form.pattern, spelling }
        }));
    }
}
