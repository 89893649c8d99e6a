//! The quality gates: which captured lessons are no lessons.

use std::fmt;

use setting::CaptureSettings;
use text::fit::quoted;

use super::configuration::find_configuration;
use super::keyword::{find_phrase, telling_words, weigh_words};
use super::lesson::PendingLesson;
use super::occasion::find_occasion;

/// Why a lesson did not pass a gate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GateFault {
    /// The gate: `length`, `vague`, `configuration` or `one_off`.
    pub gate: &'static str,
    /// What is wrong, quoting the words.
    pub reason: String,
    /// What its writer can do.
    pub remedy: &'static str,
}

impl fmt::Display for GateFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {} ({})", self.gate, self.reason, self.remedy)
    }
}

/// The gates that a lesson does not pass, by its summary. None: it is good enough.
#[must_use]
pub fn judge_quality(lesson: &PendingLesson, settings: &CaptureSettings) -> Vec<GateFault> {
    let summary = lesson.summary.trim();
    // Nothing is asked of a text that may be megabytes long, nor of one that is not there.
    if let Some(reason) = fault_of_length(summary, settings) {
        return vec![GateFault { gate: "length", reason, remedy: "say in one sentence what to do, and when" }];
    }
    let lowered = summary.to_lowercase();
    let found = [
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
