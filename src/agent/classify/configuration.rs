//! Lessons that are nothing but a value of a configuration.

use std::sync::LazyLock;

use regex::Regex;

use super::keyword::{is_listed, telling_words, weigh_words};

/// The value that a lesson consists of. A lesson that says enough besides is more than its value.
#[must_use]
pub(super) fn find_configuration(summary: &str, least_telling_words: usize) -> Option<String> {
    // Quotes change nothing about a value. The places of bytes stay what they are, so that the words can be quoted.
    let plain: String =
        summary.chars().map(|character| if matches!(character, '`' | '"' | '\'') { ' ' } else { character }).collect();
    let lowered = plain.to_ascii_lowercase();
    find_statement(&lowered).map(|range| &summary[range]).map(str::to_owned).or_else(|| {
        let (value, rest) = without_assignments(&plain).or_else(|| without_versions(&lowered))?;
        let is_all = weigh_words(&telling_besides(&rest.to_lowercase())) < least_telling_words;
        is_all.then(|| value.trim().to_owned())
    })
}

/// Words around a value that say no more than that it is one.
const FILLER: &str = "\
    add config configuration configure configured currently default defaults dependency env environment exactly export file \
    install installed keep latest library package pin pinned pins project put repo repository require required requires run \
    running runs set sets setting settings stay update updated upgrade upgraded value variable version versions";

fn telling_besides(lowered: &str) -> Vec<&str> {
    telling_words(lowered).into_iter().filter(|word| !is_listed(FILLER, word)).collect()
}

/// A sentence such as "the timeout is 30 seconds": a setting, a verb, a value, and nothing that reasons about it.
fn find_statement(lowered: &str) -> Option<std::ops::Range<usize>> {
    static STATEMENT: LazyLock<Option<Regex>> = LazyLock::new(|| {
        const SETTING: &str = concat!(
            r"\b(?:port|time-?out|ur[il]|host(?:name)?|endpoint|version|ttl|interval|region|bucket|replica|concurrency|heap size",
            r"|pool size|batch size|log level|user ?name|base path|address|retry count|retrie|thread|worker|flag|option|setting",
            r"|account id|channel id|project id)e?s?\b",
        );
        const NUMBER: &str = r"(?:v?\d[\w.:,%/-]*|https?://\S+|localhost\S*|[a-z]{2}-[a-z]+-\d)";
        const UNIT: &str = concat!(
            r"(?:\s*(?:ms|s|milliseconds?|sec(?:ond)?s?|min(?:ute)?s?|h(?:our)?s?|days?|[kmg]i?b|bytes|items|requests",
            r"|connections|threads|retries|percent))?",
        );
        const TAIL: &str = r"(?:\s+(?:in|for|on|of|by|within|under|via)\s+(?:the\s+|our\s+)?[\w./-]+(?:\s+[\w./-]+){0,3})?";
        const VERB: &str = r"(?:is|are|was|equals|defaults? to|should be|must be|has to be)\s+(?:at\s+|port\s+|version\s+)?";
        Regex::new(&format!(
            r"^(?P<head>.*{SETTING}.*?)\s(?:{VERB}{NUMBER}|(?:\w+\s+){{0,2}}set to\s+(?:{NUMBER}|true|false|on|off)){UNIT}{TAIL}[.!\s]*$"
        ))
        .ok()
    });
    static LISTENING: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"^(?P<head>.*)\b(?:listens?|runs?|starts?|served|is) (?:on|at) (?:port \d+|localhost:\d+|https?://\S+)[.!\s]*$")
            .ok()
    });
    [&STATEMENT, &LISTENING].into_iter().find_map(|pattern| {
        let found = pattern.as_ref()?.captures(lowered)?;
        let head = found.name("head")?.as_str();
        (!is_reasoning(head)).then(|| 0..lowered.trim_end().len())
    })
}

/// Whether a sentence says more than what is so.
fn is_reasoning(head: &str) -> bool {
    const WORDS: [&str; 12] =
        ["if", "when", "whenever", "unless", "because", "while", "until", "since", "so", "never", "avoid", "otherwise"];
    head.split(|character: char| !character.is_alphanumeric()).any(|word| WORDS.contains(&word))
}

/// The first `KEY=value` of a text, and the text without them.
fn without_assignments(text: &str) -> Option<(String, String)> {
    static ASSIGNMENT: LazyLock<Option<Regex>> = LazyLock::new(|| {
        const VALUE: &str = r"(?:-?\d\S*|true\b|false\b|null\b|https?://\S+)";
        let (shouted, spoken) = (r"[A-Z][A-Z0-9_]{2,}\s?=\s?[^\s=>~]\S*", format!(r"[A-Za-z][\w.-]*(?:\s?=\s?|:\s){VALUE}"));
        Regex::new(&format!(r"(?:^|[\s(])(?:{shouted}|{spoken})")).ok()
    });
    without(ASSIGNMENT.as_ref()?, text)
}

/// The first version of a text, and the text without them.
fn without_versions(lowered: &str) -> Option<(String, String)> {
    static VERSION: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"(?:[\w./-]*@|[\s=~^<>(]|^)v?\d+\.\d+(?:\.\d+)*(?:[-+][\w.]+)?\b|\bversion\s+v?\d+\b").ok());
    // Dates have dots too.
    static DATE: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\b\d{1,2}\.\d{1,2}\.(?:19|20)\d\d\b").ok());
    without(VERSION.as_ref()?, &DATE.as_ref()?.replace_all(lowered, " "))
}

fn without(pattern: &Regex, text: &str) -> Option<(String, String)> {
    let first = pattern.find(text)?.as_str().to_owned();
    Some((first, pattern.replace_all(text, " ").into_owned()))
}
