//! Something that was seen in a session, and its event.

use jiff::Timestamp;

use super::entity::is_program;
use event::Draft;
use event::field::{Lack, ObservationType};
use render::plain_text;
use text::digest::sha256;
use text::script::is_unspaced;

/// The most quotations of one sighting.
pub(super) const MOST_EVIDENCE: usize = 10;
/// The most characters of a pattern.
pub(super) const PATTERN_CHARACTERS: usize = 200;

/// The types of what is observed.
pub(super) const TYPES: [ObservationType; 4] =
    [ObservationType::Workflow, ObservationType::Procedural, ObservationType::Decision, ObservationType::Pitfall];

/// Something that was seen in a session. Its pattern is one line, and no text in it holds what speaks to a terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sighting {
    /// The observation that it is a sighting of, where somebody says so.
    pub id: Option<String>,
    /// Its type.
    pub kind: ObservationType,
    /// What recurs.
    pub pattern: String,
    /// What was said, quoted.
    pub evidence: Vec<String>,
    /// The rest of it, in the layout of its type.
    pub details: String,
    /// What it lacks to be good enough for an artifact; nothing if it is.
    pub lacks: Option<Lack>,
    /// The terms by which it is known in other words; of a workflow one item a step.
    pub meaning: Vec<String>,
}

/// An observation that is known already.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    pub id: String,
    /// The project that it was made in.
    pub project: String,
    /// Its type.
    pub kind: ObservationType,
    /// What recurs.
    pub pattern: String,
    /// What was quoted for it.
    pub evidence: Vec<String>,
}

impl Sighting {
    /// Whether it is good enough for an artifact by itself.
    #[must_use]
    pub const fn is_supported(&self) -> bool {
        self.lacks.is_none()
    }

    /// Whether two sightings of one session are one: of the same observation, or of the same type and words or meaning.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        let is_named = self.id.is_some() && self.id == other.id;
        let is_meant = || !self.meaning.is_empty() && self.meaning == other.meaning;
        is_named || self.kind == other.kind && (normal_form(&self.pattern) == normal_form(&other.pattern) || is_meant())
    }

    /// Takes in what another sighting of the same says: its quotations, and whether they support it.
    pub(super) fn absorb(&mut self, other: Self) {
        self.lacks = match (self.lacks, other.lacks) {
            (Some(Lack::Recurrence), Some(Lack::Session)) => Some(Lack::Session),
            (own, lacks) => own.and(lacks).and(own),
        };
        self.quote(other.evidence);
        if self.details.is_empty() {
            self.details = other.details;
        }
        self.id = self.id.take().or(other.id);
    }

    /// Adds quotations, each once.
    pub(super) fn quote(&mut self, quotes: impl IntoIterator<Item = String>) {
        for quote in quotes {
            let is_told = self.evidence.iter().any(|told| normal_form(told) == normal_form(&quote));
            if !is_told && self.evidence.len() < MOST_EVIDENCE {
                self.evidence.push(quote);
            }
        }
    }

    /// Whether two statements of the session say the same. For what has to recur to be worth anything.
    pub(super) fn has_enough_quotes(&self) -> bool {
        matches!(self.kind, ObservationType::Workflow | ObservationType::Procedural) && self.evidence.len() >= 2
    }

    /// The id of its event: a session that is read twice has not seen it twice.
    #[must_use]
    pub fn event_id(&self, project: &str, session: &str) -> String {
        let key = [project, session, self.kind.get(), &normal_form(&self.pattern)].join("\u{1f}");
        format!("observation-{}", &sha256(key.as_bytes())[..32])
    }

    /// The line of its event, or why there can be none.
    pub fn line(&self, project: &str, session: &str, time: Timestamp) -> Result<String, String> {
        Draft::new("observation", time, project)
            .with("id", self.event_id(project, session))
            .with_some("observation_id", self.id.as_deref())
            .with("type", self.kind.get())
            .with("pattern", &*self.pattern)
            .with_items("evidence", self.evidence.clone())
            .with_some("details", Some(&*self.details).filter(|details| !details.is_empty()))
            .with("quality_ok", self.is_supported())
            .with("session", session)
            .with_items("meaning", self.meaning.clone())
            .with_some("lacks", self.lacks.map(|lack| lack.get()))
            .finish()
    }
}

/// Adds a sighting to those of its session, of which each is there once.
pub(super) fn add_sighting(sightings: &mut Vec<Sighting>, sighting: Sighting) {
    match sightings.iter_mut().find(|known| known.is_same(&sighting)) {
        Some(known) => known.absorb(sighting),
        None => sightings.push(sighting),
    }
}

/// The type of that name.
pub(super) fn type_of(name: &str) -> Option<ObservationType> {
    TYPES.into_iter().find(|kind| kind.get() == name)
}

/// A text by which patterns are compared: its words of letters and digits of every writing, without case.
#[must_use]
pub fn normal_form(text: &str) -> String {
    let lowered = text.to_lowercase();
    let words = lowered.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

/// Values under their names, as decisions and pitfalls have them. What parts them cannot stand in one.
pub(super) fn laid_out(fields: &[(&str, &str)]) -> String {
    let value = |text: &str| plain_text(text, 500).replace(';', ",");
    fields.iter().map(|(name, text)| format!("{name}: {}", value(text))).collect::<Vec<_>>().join("; ")
}

/// A pattern as it is kept: one line with a capital in front, cut where a word ends.
pub(super) fn as_pattern(text: &str) -> String {
    let line = plain_text(text, usize::MAX);
    let line = cut_at_word(&line, PATTERN_CHARACTERS).trim_end_matches([',', ';', ':', '-', '.', ' ']);
    let mut letters = line.chars();
    match letters.next() {
        // Names of tools and files keep their spelling.
        Some(first) if !is_name(line) => first.to_uppercase().chain(letters).collect(),
        _ => line.to_owned(),
    }
}

/// Whether a text opens with the name of a file, a program or a piece of code, which a capital would make another.
fn is_name(line: &str) -> bool {
    let word = line.split_whitespace().next().unwrap_or_default().trim_end_matches([',', ';', ':', '.']);
    // Where nothing stands between words, what is written in Latin letters is a name.
    let rest = word.trim_start_matches(|letter: char| letter.is_ascii_alphanumeric() || letter == '-');
    let is_foreign = rest.len() < word.len() && rest.starts_with(is_unspaced);
    is_foreign
        || line.starts_with(|letter: char| "`./~-_".contains(letter))
        || word.contains(['/', '.', '_', ':', '('])
        || is_program(word)
}

/// The beginning of a text that has at most so many characters and no half word.
pub(super) fn cut_at_word(text: &str, most_characters: usize) -> &str {
    match text.char_indices().nth(most_characters) {
        Some((end, _)) => text[..end].rsplit_once(' ').map_or(&text[..end], |(whole, _)| whole),
        None => text,
    }
}
