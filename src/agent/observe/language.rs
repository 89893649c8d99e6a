//! The words by which statements of people are told apart, a file of tables for each language. The files are data: another language is
//! another file.

use std::collections::HashSet;
use std::sync::LazyLock;

use rust_stemmers::{Algorithm, Stemmer};
use serde::Deserialize;

use super::speech::{find_words, starts_with_word};
use text::script::is_unspaced;

/// Words that are looked up, as the files have them: with blanks between them.
#[derive(Debug, Default, Deserialize)]
#[serde(from = "String")]
pub(super) struct Words(HashSet<String>);

impl From<String> for Words {
    fn from(text: String) -> Self {
        Self(text.split_whitespace().map(str::to_owned).collect())
    }
}

impl Words {
    pub(super) fn has(&self, word: &str) -> bool {
        self.0.contains(word)
    }

    /// Whether a text holds one of them; of those without blanks around them anywhere.
    pub(super) fn occur_in(&self, lowered: &str) -> bool {
        let is_inside = |word: &String| word.chars().all(is_unspaced) && lowered.contains(&**word);
        split(lowered).any(|word| self.has(word)) || self.0.iter().any(is_inside)
    }
}

/// Phrases that are looked for in their order.
pub(super) type Phrases = Vec<String>;

/// How people say things in a language. The files say what each table is for.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Language {
    pub(super) known: Words,
    pub(super) questions: Phrases,
    pub(super) requests: Phrases,
    pub(super) approvals: Phrases,
    pub(super) fillers: Phrases,
    pub(super) order: Phrases,
    pub(super) opens: Phrases,
    pub(super) joins: Phrases,
    pub(super) verbs: Words,
    pub(super) actions: Phrases,
    pub(super) operations: Words,
    pub(super) moment: Words,
    pub(super) conditions: Phrases,
    pub(super) purposes: Phrases,
    pub(super) passing: Phrases,
    pub(super) duties: Phrases,
    pub(super) rules: Phrases,
    pub(super) rule_opens: Phrases,
    pub(super) no_rules: Phrases,
    pub(super) musts: Phrases,
    pub(super) alls: Words,
    pub(super) each: Words,
    pub(super) complains: Words,
    pub(super) decides: Phrases,
    pub(super) directives: Phrases,
    pub(super) pleas: Phrases,
    pub(super) bans: Phrases,
    pub(super) spares: Phrases,
    pub(super) contrasts: Phrases,
    pub(super) causes: Phrases,
    pub(super) aims: Phrases,
    pub(super) results: Phrases,
    pub(super) trailing: Phrases,
    pub(super) explains: Phrases,
    pub(super) times: Words,
    pub(super) no_reasons: Phrases,
    pub(super) wills: Phrases,
    pub(super) bare: Phrases,
    pub(super) modals: Phrases,
    pub(super) hopes: Phrases,
    pub(super) interjections: Phrases,
    pub(super) rejections: Phrases,
    pub(super) no_rejections: Phrases,
    pub(super) contradictions: Phrases,
    pub(super) deeds: Phrases,
    pub(super) deed_words: Words,
    pub(super) taste: Words,
    pub(super) vague: Phrases,
    pub(super) damage: Words,
    pub(super) reports: Phrases,
    pub(super) here: Phrases,
    pub(super) told: Words,
    pub(super) stop: Words,
    /// How what somebody says becomes an order: its opening, and the order with `{}` for the rest.
    pub(super) titles: Vec<(String, String)>,
    /// How an agent speaks of itself, and how somebody else tells that.
    pub(super) agent: Vec<(String, String)>,
    /// What opens the title of something to keep in mind.
    pub(super) remember: String,
    /// The verb of a step that only names what it is about, by concept.
    pub(super) verb_of: std::collections::BTreeMap<String, String>,
    #[serde(skip)]
    pub(super) name: &'static str,
}

const FILES: [(&str, &str); 6] = [
    ("en", include_str!("language/en.toml")),
    ("de", include_str!("language/de.toml")),
    ("es", include_str!("language/es.toml")),
    ("fr", include_str!("language/fr.toml")),
    ("ja", include_str!("language/ja.toml")),
    ("zh", include_str!("language/zh.toml")),
];

static LANGUAGES: LazyLock<Vec<Language>> = LazyLock::new(|| {
    let parse = |(name, file): &(&'static str, &str)| {
        let mut language: Language = toml::from_str(file).unwrap_or_default();
        language.name = name;
        // The longest phrase that fits is the one that is meant.
        for table in [&mut language.fillers, &mut language.order, &mut language.interjections, &mut language.requests] {
            table.sort_by_key(|phrase| std::cmp::Reverse(phrase.len()));
        }
        language
    };
    FILES.iter().map(parse).collect()
});

impl Language {
    /// The language of a text: by its script, else by the words that tell one from another, else English.
    pub(super) fn of(text: &str) -> &'static Self {
        let lowered = text.to_lowercase();
        let kana = lowered.chars().filter(|letter| matches!(letter, '\u{3041}'..='\u{30FF}')).count();
        let han = lowered.chars().filter(|letter| matches!(letter, '\u{3400}'..='\u{9FFF}')).count();
        let name = match (kana, han) {
            (1.., _) => "ja",
            (0, 1..) => "zh",
            _ => return Self::spaced(&lowered),
        };
        Self::named(name)
    }

    fn spaced(lowered: &str) -> &'static Self {
        let letters = |signs: &str| 2 * lowered.chars().filter(|letter| signs.contains(*letter)).count();
        let count = |language: &&Self| {
            // Some letters tell as much as words do.
            let told = match language.name {
                "de" => letters("ßäöü"),
                "es" => letters("ñ¿¡áíóú"),
                "fr" => letters("àâçèêîïôûùœ"),
                _ => 0,
            };
            told + split(lowered).filter(|word| language.known.has(word)).count()
        };
        // Of equals the first, which is English.
        LANGUAGES.iter().rev().max_by_key(count).unwrap_or_else(|| Self::named("en"))
    }

    /// The language of a name; the first where there is none.
    pub(super) fn named(name: &str) -> &'static Self {
        LANGUAGES.iter().find(|language| language.name == name).unwrap_or(&LANGUAGES[0])
    }

    /// Whether words stand without blanks between them.
    pub(super) fn is_unspaced(&self) -> bool {
        matches!(self.name, "ja" | "zh")
    }

    /// A word without the endings that change nothing about what it names.
    pub(super) fn stem(&self, word: &str) -> String {
        let algorithm = match self.name {
            "de" => Algorithm::German,
            "es" => Algorithm::Spanish,
            "fr" => Algorithm::French,
            _ => Algorithm::English,
        };
        Stemmer::create(algorithm).stem(word).into_owned()
    }

    /// Whether a text opens with a verb that orders: one of its own language, or an English one as people mix them in.
    pub(super) fn has_verb(&self, word: &str) -> bool {
        self.verbs.has(word) || LANGUAGES[0].verbs.has(word)
    }
}

/// The first of some phrases that a text opens with.
pub(super) fn opening<'p>(text: &str, phrases: &'p [String]) -> Option<&'p str> {
    phrases.iter().find(|phrase| starts_with_word(text, phrase)).map(String::as_str)
}

/// Where the first of some phrases stands in a text, and which; of those at one place the longest.
pub(super) fn find_first<'p>(text: &str, phrases: &'p [String]) -> Option<(usize, &'p str)> {
    let found = phrases.iter().filter_map(|phrase| Some((find_words(text, phrase)?, phrase.as_str())));
    found.min_by_key(|(place, phrase)| (*place, usize::MAX - phrase.len()))
}

/// Whether one of some phrases stands in a text.
pub(super) fn has_any(text: &str, phrases: &[String]) -> bool {
    phrases.iter().any(|phrase| find_words(text, phrase).is_some())
}

/// The words of a text, with the apostrophes inside of them.
pub(super) fn split(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|letter: char| !letter.is_alphanumeric() && letter != '\'' && letter != '-');
    words.map(|word| word.trim_matches(['\'', '-'])).filter(|word| !word.is_empty())
}

#[cfg(test)]
#[expect(clippy::panic, reason = "a test may fail loudly")]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_read_and_fills_the_tables_that_tell_statements_apart() {
        for (name, file) in FILES {
            let language: Language = toml::from_str(file).unwrap_or_else(|error| panic!("{name}: {error}"));
            for table in
                [&language.rules, &language.rejections, &language.conditions, &language.order, &language.modals, &language.reports]
            {
                assert!(table.len() > 3, "{name}: {table:?}");
            }
            assert!(language.causes.len() + language.results.len() > 2, "{name}");
        }
    }

    #[test]
    fn a_language_is_known_by_its_script_or_its_words() {
        for (text, name) in [
            ("run the tests, then push", "en"),
            ("erst linten, dann testen", "de"),
            ("primero ejecuta los tests", "es"),
            ("lance les tests puis pousse", "fr"),
            ("テストを実行して", "ja"),
            ("先跑测试", "zh"),
            ("cargo test", "en"),
        ] {
            assert_eq!(Language::of(text).name, name, "{text}");
        }
    }
}
