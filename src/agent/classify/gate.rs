//! The quality gates: which captured lessons are no lessons, such as values of a configuration or text that speaks to a model.

use std::borrow::Cow;
use std::fmt;
use std::sync::LazyLock;

use regex::Regex;

use super::keyword::{find_phrase, is_listed, telling_words, weigh_words};
use super::lesson::PendingLesson;
use super::place::find_occasion;
use setting::CaptureSettings;
use text::fit::quoted;
use text::injection::find_injection;

/// Why a lesson did not pass a gate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GateFault {
    /// The gate: `length`, `injection`, `vague`, `configuration` or `one_off`.
    pub gate: &'static str,
    /// What is wrong, quoting the words.
    pub reason: String,
    pub remedy: &'static str,
}

impl fmt::Display for GateFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {} ({})", self.gate, self.reason, self.remedy)
    }
}

/// The gates that a lesson does not pass, by its summary. None: it is good enough.
pub fn judge_quality(lesson: &PendingLesson, settings: &CaptureSettings) -> Vec<GateFault> {
    let summary = lesson.summary.trim();
    // Nothing is asked of a text that may be megabytes long, nor of one that is not there.
    if let Some(reason) = fault_of_length(summary, settings) {
        return vec![GateFault { gate: "length", reason, remedy: "say in one sentence what to do, and when" }];
    }
    let lowered = summary.to_lowercase();
    let spoken = [Some(summary), lesson.trigger.as_deref()].into_iter().flatten().find_map(find_injection);
    let found = [
        (
            "injection",
            spoken.map(|words| format!("{} gives orders to the agent that reads it", quoted(&words))),
            "say what to do in the work itself",
        ),
        ("vague", fault_of_vagueness(&lowered, settings), "name what to do, with what, and when"),
        ("configuration", fault_of_value(summary, settings), "say what to do and why; values belong in configuration files"),
        ("one_off", fault_of_occasion(summary, &lowered, settings), "say what also applies to other tasks"),
    ];
    found.into_iter().filter_map(|(gate, reason, remedy)| Some(GateFault { gate, reason: reason?, remedy })).collect()
}

fn fault_of_length(summary: &str, settings: &CaptureSettings) -> Option<String> {
    let (least, most) = (settings.least_characters, settings.most_characters);
    let characters = summary.chars().take(most.saturating_add(1)).count();
    if characters < least {
        return Some(format!("{} has {characters} characters, fewer than {least}", quoted(summary)));
    }
    (characters > most).then(|| format!("{} has more than {most} characters", quoted(summary)))
}

fn fault_of_vagueness(lowered: &str, settings: &CaptureSettings) -> Option<String> {
    let phrases = settings.vague.iter().map(|phrase| phrase.trim().to_lowercase());
    let (mut rest, mut found) = (lowered.to_owned(), None);
    for phrase in phrases {
        while let Some(place) = find_phrase(&rest, &phrase) {
            // A break that no phrase holds: what stood on both sides does not become one.
            rest.replace_range(place, " \n ");
            found = found.or_else(|| Some(phrase.clone()));
        }
    }
    let besides = telling_words(&rest);
    if weigh_words(&besides) >= settings.least_telling_words {
        return None;
    }
    Some(match found {
        Some(phrase) => format!("{} is vague, and the rest has {}", quoted(&phrase), listed(&besides)),
        None => format!("is too vague: it has {}", listed(&besides)),
    })
}

fn fault_of_value(summary: &str, settings: &CaptureSettings) -> Option<String> {
    let value = find_configuration(summary, settings.least_telling_words)?;
    Some(format!("{} is a configuration value", quoted(&value)))
}

fn fault_of_occasion(summary: &str, lowered: &str, settings: &CaptureSettings) -> Option<String> {
    let prose = without_inline_code(lowered);
    let phrase = settings.one_off.iter().find_map(|phrase| {
        let phrase = phrase.trim().to_lowercase();
        find_phrase(&prose, &phrase).map(|_| phrase)
    });
    if let Some(phrase) = phrase {
        return Some(format!("{} holds for one task only", quoted(&phrase)));
    }
    let (words, meaning) = find_occasion(summary)?;
    Some(format!("{} is {meaning}, which holds for one task only", quoted(words)))
}

/// Names of things in inline code are no words of the sentence.
fn without_inline_code(text: &str) -> String {
    if text.matches('`').count() % 2 == 1 {
        return text.to_owned();
    }
    text.split('`').step_by(2).collect::<Vec<_>>().join(" \n ")
}

fn listed(words: &[&str]) -> String {
    const SHOWN: usize = 5;
    if words.is_empty() {
        return "no specific words".to_owned();
    }
    format!("only {}", words.iter().take(SHOWN).map(|word| quoted(word)).collect::<Vec<_>>().join(", "))
}

/// The first place in a text that pattern files, agents' prompts or Markdown give a meaning of their own.
pub fn find_marker(text: &str) -> Option<&str> {
    let title = text.trim_start();
    if title.starts_with('#') && title.trim_start_matches('#').starts_with([' ', '\t']) {
        return Some("#");
    }
    MARKER.iter().find_map(|marker| marker.find(text)).map(|found| found.as_str())
}

/// The text without such places.
pub(super) fn without_markers(text: &str) -> Cow<'_, str> {
    match &*MARKER {
        Some(marker) => marker.replace_all(text, " "),
        None => Cow::Borrowed(text),
    }
}

/// Blocks that hooks wrap around patterns, roles of a conversation, flags of pattern files, fences, words that hooks look for.
static MARKER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?-u:</?\s*(?i:[a-z-]*learnings|closedloop-[a-z-]+|system(?:-[a-z]+)?|assistant|human|instructions?)\b)[^<>]{0,80}>?",
        r"|(?-u:\[(?i:untested|prune|stale|review)\])|```|~~~|LEARNINGS_ACKNOWLEDGED|VALIDATION_(?:PASSED|FAILED)",
    ))
    .ok()
});

/// The value that a lesson consists of. A lesson that says enough besides is more than its value.
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
