//! What a word is, when two texts share enough of them, and which texts hold a word.

use std::collections::HashMap;
use std::sync::LazyLock;

use regex::Regex;
use smallvec::SmallVec;
use xxhash_rust::xxh3::xxh3_64;

use crate::script::is_unspaced;

/// The distinct words of a text, sorted.
pub type Words<'text> = SmallVec<[&'text str; 24]>;

/// What rounding may take from a share: 3 of 5 words are 0.6 of them.
const ROUNDING: f64 = 1e-9;

/// Words that say nothing by themselves, sorted.
const STOP: [&str; 23] = [
    "a", "an", "and", "are", "as", "at", "be", "by", "for", "from", "in", "is", "it", "no", "not", "of", "on", "or", "that", "the",
    "this", "to", "with",
];

/// Words that say how something is said, not what, sorted. Beside the most common ones they are left out where two people speak of one
/// thing in their own words.
#[rustfmt::skip]
const HEDGES: [&str; 75] = [
    "about", "again", "all", "always", "any", "been", "being", "can", "cannot", "could", "do", "does", "each", "ever", "every",
    "everybody", "get", "gets", "got", "had", "has", "have", "instead", "into", "its", "made", "make", "makes", "may", "must", "never",
    "nobody", "often", "one", "ones", "only", "onto", "other", "others", "over", "own", "same", "should", "so", "some", "somebody",
    "such", "take", "taken", "takes", "than", "their", "them", "then", "there", "they", "too", "under", "very", "was", "were", "what",
    "whatever", "when", "where", "which", "while", "who", "whoever", "whom", "whose", "why", "will", "without", "would",
];

/// The same of other languages, sorted: articles, prepositions, pronouns, auxiliary verbs of German, French, Spanish, Portuguese,
/// Italian, Dutch and Russian.
#[rustfmt::skip]
const FOREIGN: [&str; 225] = [
    "aan", "aber", "alle", "als", "altijd", "am", "ao", "aos", "au", "auch", "auf", "aus", "aux", "avec", "bei", "beim", "bij",
    "bis", "cada", "ce", "ces", "cette", "chaque", "che", "com", "como", "con", "da", "dans", "das", "dass", "dat", "de", "dei",
    "del", "della", "delle", "dem", "den", "der", "des", "deze", "di", "die", "diese", "dieser", "dieses", "do", "doch", "dos",
    "du", "durch", "een", "ein", "eine", "einem", "einen", "einer", "eines", "el", "elle", "em", "en", "er", "es", "est", "esta",
    "este", "et", "für", "geen", "gli", "haben", "hat", "het", "ihr", "il", "im", "immer", "ins", "ist", "jede", "jeden", "jeder",
    "jedes", "kann", "kein", "keine", "keinen", "la", "las", "le", "les", "leur", "lo", "los", "maar", "man", "met", "mit",
    "moet", "muss", "más", "müssen", "na", "naar", "nach", "nas", "ne", "nel", "nella", "nicht", "nie", "niet", "noch", "non",
    "nooit", "nos", "nunca", "nur", "não", "ob", "oder", "ohne", "ook", "op", "ou", "par", "para", "pas", "pelo", "per", "pero",
    "più", "por", "pour", "quando", "que", "qui", "sans", "se", "sein", "sem", "sempre", "ses", "seu", "si", "sich", "sie",
    "siempre", "sin", "sind", "soll", "sollte", "son", "sono", "sonst", "sont", "su", "sua", "sur", "sus", "te", "toujours", "um",
    "uma", "un", "una", "und", "une", "uno", "uns", "unter", "van", "vom", "von", "voor", "vor", "wenn", "werden", "wie", "wir",
    "wird", "wordt", "zijn", "zu", "zum", "zur", "über", "без", "бы", "был", "быть", "во", "все", "всегда", "для", "до", "его",
    "если", "же", "за", "из", "или", "их", "как", "ко", "когда", "который", "не", "нет", "но", "об", "он", "она", "они", "от",
    "по", "при", "со", "так", "также", "только", "что", "это",
];

/// The distinct words of a text: the longest runs of letters, digits and underscores.
pub fn distinct_words(lowered: &str) -> Words<'_> {
    // `char::is_alphanumeric` would not do: it also takes vowel signs and circled letters, which part words here.
    static WORD: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"[\p{L}\p{N}_]+").ok());
    let mut words: Words = if lowered.is_ascii() {
        // Most texts, and several times faster than the expression.
        let parts = lowered.split(|character: char| !character.is_ascii_alphanumeric() && character != '_');
        parts.filter(|word| !word.is_empty()).collect()
    } else {
        WORD.iter().flat_map(|word| word.find_iter(lowered)).map(|found| found.as_str()).collect()
    };
    words.sort_unstable();
    words.dedup();
    words
}

/// A part by its whole. The quotient is the float nearest to the fraction, so equal fractions give equal floats, and their order
/// is never turned round.
#[expect(clippy::cast_precision_loss, reason = "lengths and counts in memory are far below 2^53, where every integer is a float")]
pub fn ratio(part: usize, whole: usize) -> f64 {
    part as f64 / whole as f64
}

pub fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { ratio(part, whole) }
}

/// Whether a share is at least as large as a setting asks, however its quotient was rounded.
pub fn reaches(share: f64, least: f64) -> bool {
    share + ROUNDING >= least
}

/// How many words a text of so many words must share with any other: with one that has no other words. None, if all are not enough.
///
/// `is_enough` says whether so many shared words out of all words of two texts are enough; more shared words never are fewer.
pub fn least_shared(words: usize, is_enough: impl Fn(usize, usize) -> bool) -> Option<usize> {
    let (mut low, mut high) = (1, words + 1);
    while low < high {
        let middle = usize::midpoint(low, high);
        if is_enough(middle, words) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    (low <= words).then_some(low)
}

/// How many items two sorted lists of distinct items share.
pub fn count_shared<T: Ord>(left: &[T], right: &[T]) -> usize {
    let (mut at_left, mut at_right, mut shared) = (0, 0, 0);
    while let (Some(from_left), Some(from_right)) = (left.get(at_left), right.get(at_right)) {
        at_left += usize::from(from_left <= from_right);
        at_right += usize::from(from_right <= from_left);
        shared += usize::from(from_left == from_right);
    }
    shared
}

/// The words of a text, each once: as hashes, which are compared faster than words are.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Tokens(SmallVec<[u64; 16]>);

impl Tokens {
    /// The words of a text that say something. Those of one letter and the most common ones do not count.
    pub fn of(text: &str) -> Self {
        let lowered = text.to_lowercase();
        let is_telling = |word: &&str| word.chars().nth(1).is_some() && STOP.binary_search(word).is_err();
        Self::hashed(distinct_words(&lowered).into_iter().filter(is_telling))
    }

    pub fn all(text: &str) -> Self {
        Self::hashed(distinct_words(&text.to_lowercase()).into_iter())
    }

    /// The stems of the words of a text that say something: people speak of one thing in different forms of the same words.
    #[must_use]
    pub fn stems(text: &str) -> Self {
        let lowered = text.to_lowercase();
        let is_listed = |word: &str| [&STOP[..], &HEDGES, &FOREIGN].iter().any(|list| list.binary_search(&word).is_ok());
        let is_telling = |word: &&str| word.chars().nth(1).is_some() && !is_listed(word);
        let spaced: String = lowered.chars().map(|letter| if is_unspaced(letter) { ' ' } else { letter }).collect();
        let mut stems: Vec<String> = distinct_words(&spaced).into_iter().filter(is_telling).map(stem).collect();
        stems.extend(pairs(&lowered));
        stems.sort_unstable();
        stems.dedup();
        Self::hashed(stems.iter().map(String::as_str))
    }

    /// A text that is a word of its own.
    #[must_use]
    pub fn single(text: &str) -> Self {
        Self::hashed(std::iter::once(text.to_lowercase().trim()))
    }

    fn hashed<'w>(words: impl Iterator<Item = &'w str>) -> Self {
        let mut hashes: SmallVec<[u64; 16]> = words.map(|word| xxh3_64(word.as_bytes())).collect();
        hashes.sort_unstable();
        Self(hashes)
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many words two texts share.
    pub fn shared(&self, other: &Self) -> usize {
        count_shared(&self.0, &other.0)
    }

    /// The part of all words of two texts that they share (Jaccard).
    pub fn likeness(&self, other: &Self) -> f64 {
        let shared = self.shared(other);
        share(shared, self.len() + other.len() - shared)
    }

    /// The part of the shorter text's words that the longer one holds too (the overlap coefficient).
    pub fn overlap(&self, other: &Self) -> f64 {
        share(self.shared(other), self.len().min(other.len()))
    }
}

/// The pairs of letters of what is written without blanks between words. Pairs of Hiragana are endings and particles, which nearly every
/// sentence has.
fn pairs(text: &str) -> impl Iterator<Item = String> {
    let is_kana = |letter: char| ('\u{3041}'..='\u{309f}').contains(&letter);
    let pairs = text.chars().zip(text.chars().skip(1)).filter(|(one, other)| is_unspaced(*one) && is_unspaced(*other));
    pairs.filter(move |(one, other)| !(is_kana(*one) && is_kana(*other))).map(|(one, other)| [one, other].iter().collect())
}

/// An English word without its ending: `verify`, `verifies`, `verified` and `verifying` are one. What is no English word may lose a
/// letter, which it then loses everywhere.
fn stem(word: &str) -> String {
    if word.len() <= 3 || !word.is_ascii() || !word.bytes().any(|letter| letter.is_ascii_alphabetic()) {
        return word.to_owned();
    }
    let mut stem = match word.strip_suffix("ies").filter(|stem| stem.len() > 1) {
        Some(stem) => format!("{stem}y"),
        None => word.strip_suffix('s').filter(|stem| !stem.ends_with(['s', 'u', 'i'])).unwrap_or(word).to_owned(),
    };
    let has_vowel = |stem: &str| stem.contains(['a', 'e', 'i', 'o', 'u', 'y']);
    let ending = ["ing", "ed", "er"].iter().find_map(|ending| stem.strip_suffix(ending));
    if let Some(shorter) = ending.filter(|shorter| shorter.len() >= 3 && has_vowel(shorter)) {
        let length = shorter.len();
        stem.truncate(length);
        let last = &stem.as_bytes()[length - 2..];
        if length > 3 && last[0] == last[1] && !b"aeiouls".contains(&last[0]) {
            stem.pop();
        }
    }
    if stem.len() > 3 && stem.ends_with(['e', 'y', 'i']) {
        stem.pop();
    }
    stem
}

/// Which texts hold a word. Texts can be added at any time; a text is named by its place among them.
#[derive(Debug, Default)]
pub struct WordIndex {
    holders: HashMap<u64, Vec<u32>>,
}

/// Counts the words that texts share with another. Kept between searches, so that none has to make room for all texts.
#[derive(Debug, Default)]
pub struct Counter {
    shared: Vec<u32>,
    touched: Vec<u32>,
}

impl WordIndex {
    pub fn add(&mut self, place: u32, words: &Tokens) {
        for word in &words.0 {
            self.holders.entry(*word).or_default().push(place);
        }
    }

    /// All texts whose likeness to another may reach a share, and others: each once, in the order of their places.
    ///
    /// Whatever shares `least` of a text's words holds one of any `len - least + 1` of them. The rarest have the fewest holders.
    pub fn near(&self, words: &Tokens, share: f64) -> Vec<u32> {
        let Some(least) = least_shared(words.len(), |shared, all| reaches(ratio(shared, all), share)) else { return Vec::new() };
        let mut holders: Vec<&[u32]> = words.0.iter().map(|word| self.holders.get(word).map_or(&[][..], Vec::as_slice)).collect();
        holders.sort_by_key(|places| places.len());
        let mut near: Vec<u32> = holders.into_iter().take(words.len() + 1 - least).flatten().copied().collect();
        near.sort_unstable();
        near.dedup();
        near
    }

    /// The texts that share words with another, and how many, in no order.
    pub fn sharing(&self, words: &Tokens, counter: &mut Counter) -> Vec<(u32, usize)> {
        for place in words.0.iter().filter_map(|word| self.holders.get(word)).flatten() {
            let index = *place as usize;
            if index >= counter.shared.len() {
                counter.shared.resize(index + 1, 0);
            }
            if counter.shared[index] == 0 {
                counter.touched.push(*place);
            }
            counter.shared[index] += 1;
        }
        let Counter { shared, touched } = counter;
        touched.drain(..).map(|place| (place, std::mem::take(&mut shared[place as usize]) as usize)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{FOREIGN, HEDGES, STOP, Tokens, stem};

    #[test]
    fn common_words_are_sorted_for_the_search() {
        assert!(STOP.is_sorted() && HEDGES.is_sorted() && FOREIGN.is_sorted());
    }

    #[test]
    fn forms_of_a_word_have_one_stem() {
        for forms in [
            &["verify", "verifies", "verified", "verifying"][..],
            &["parse", "parses", "parsed", "parsing", "parser"],
            &["log", "logs", "logged", "logging", "logger"],
            &["limit", "limits", "limited", "limiter"],
            &["process", "processes"],
            &["size", "sizes", "sized"],
        ] {
            for form in forms {
                assert_eq!(stem(form), stem(forms[0]), "{form}");
            }
        }
        assert_eq!(["status", "api", "user", "größen", "2026"].map(stem), ["status", "api", "user", "größen", "2026"]);
        assert_eq!(Tokens::stems("They must never retry the retries").len(), 1);
        assert_eq!(Tokens::stems("Zahlungsdienst hat keine Zeitgrenze für die Anfrage").len(), 3);
        let [one, other, third] =
            ["支払いクライアントの再試行に上限がない", "支払いクライアントの再試行が無制限", "空チェックが欠けている"];
        assert!(Tokens::stems(one).overlap(&Tokens::stems(other)) > 0.7);
        assert!(Tokens::stems(one).overlap(&Tokens::stems(third)) < 0.1);
    }
}
