//! What one line of a transcript says: words of a person, words and acts of the agent, or nothing.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::block::{Block, visit_parts};
use super::json::text;
use super::prompt::{Prompt, judge, judge_queued, trimmed};
use super::provenance::{Foreign, Provenance};
use super::row::{Message, Row, Sort, parse_object};
use event::redact::redact;
use text::fit::cut;

/// A turn of the agent with fewer UTF-16 units says nothing.
pub(super) const LEAST_UNITS: usize = 5;
/// So many UTF-16 units of a turn are kept, from its beginning.
pub const MOST_UNITS: usize = 1200;
/// Secrets are looked for in so much of a turn: far beyond what is kept, so that none is cut in half before it is found.
pub(super) const MOST_BYTES: usize = 32 << 10;

/// How a host tells the agent that a person rejects a tool call, and where the person's words begin.
const REJECTIONS: [&str; 2] = ["The user doesn't want to proceed with this tool use.", "Permission for this tool use was denied."];
const FEEDBACK: &str = "he user said:\n";
/// What a host appends to these words.
const NOTE: &str = "\n\nNote: The user's next message may contain";
/// How a host opens the answers of a person who wants to say more before answering.
const CLARIFICATION: &str = "The user wants to clarify these questions.";
/// The largest note of a host about a tool call in which answers are looked for.
const MOST_ANSWER_BYTES: usize = 256 << 10;

/// What a line says.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Heard {
    /// Words of people.
    pub(super) words: Vec<Words>,
    /// Why words in a person's place are not a person's.
    pub(super) foreign: Vec<Foreign>,
    /// Slash commands and skills that were used.
    pub(super) used: Vec<String>,
    /// What the agent said, whole.
    pub(super) said: String,
    /// Whether the session's own agent said it, and no agent that it started.
    pub(super) is_own: bool,
    /// The shell commands that the agent ran, each with the id of its call.
    pub(super) ran: Vec<(Option<String>, String)>,
    /// Calls that failed, and whether a person rejected them.
    pub(super) failed: Vec<(String, bool)>,
    /// Whether the words were attached to the conversation, after they had waited in the queue.
    pub(super) is_attached: bool,
    /// What was done to the queue of prompts.
    pub(super) queue: Option<QueueOperation>,
}

/// Words of a person, whole.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Words {
    pub(super) text: String,
    pub(super) provenance: Provenance,
    /// The questions that it answers.
    pub(super) asked: Option<String>,
    /// The slash command that it was written behind.
    pub(super) command: Option<String>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum QueueOperation {
    /// A prompt waits.
    Enter(String),
    /// A prompt is handed over while the agent works; one without a text is the oldest.
    Deliver(Option<String>),
    /// A prompt becomes a turn of its own.
    Leave(Option<String>),
    /// A person takes all prompts back.
    Clear,
}

impl Words {
    fn new(text: String, provenance: Provenance) -> Self {
        Self { text, provenance, asked: None, command: None }
    }
}

/// Hears a line.
pub(super) fn hear(row: &Row<'_>) -> Heard {
    let mut heard = Heard::default();
    match row.sort() {
        Sort::Speech => {
            if let Some(message) = row.message() {
                match message.role().as_deref() {
                    Some("user") => heard.hear_person(row, &message),
                    Some("assistant") => heard.hear_agent(row, &message),
                    _ => {}
                }
            }
        }
        Sort::Attachment => heard.hear_attachment(row),
        Sort::Queue => heard.queue = row.queue_operation().and_then(parse_operation),
        Sort::Other => {}
    }
    heard
}

fn parse_operation((operation, content): (String, Option<String>)) -> Option<QueueOperation> {
    match &*operation {
        "enqueue" => content.map(QueueOperation::Enter),
        "remove" => Some(QueueOperation::Deliver(content)),
        "dequeue" => Some(QueueOperation::Leave(content)),
        "popAll" => Some(QueueOperation::Clear),
        _ => None,
    }
}

impl Heard {
    fn hear_agent(&mut self, row: &Row<'_>, message: &Message<'_>) {
        let Some(content) = message.content().filter(|_| !row.is_hosts() && !message.is_synthetic()) else { return };
        self.is_own = !row.is_sidechain();
        if let Some(text) = text(content) {
            self.said = text;
            return;
        }
        visit_parts(content, |block| {
            if let Some(said) = block.said() {
                self.said.push_str(&said);
                self.said.push('\n');
            }
            self.used.extend(block.used_skill());
            self.ran.extend(block.shell_command());
        });
    }

    fn hear_person(&mut self, row: &Row<'_>, message: &Message<'_>) {
        let Some(content) = message.content() else { return };
        let foreign = row.foreign();
        let is_marked = row.is_marked_human();
        if let Some(text) = text(content) {
            // A result that is a text itself was not typed.
            if row.tool_result().is_none() {
                self.settle([judge(&text, is_marked)], foreign, Provenance::Typed);
            }
            return;
        }
        let (mut prompts, mut results) = (Vec::new(), Results::default());
        let mut held = 0;
        visit_parts(content, |block| {
            if let Some(said) = block.said().filter(|_| held <= MOST_BYTES) {
                held += said.len();
                prompts.push(judge(&said, is_marked));
            }
            results.take(block);
        });
        // What a person sends in mid-turn may stand beside the result of a tool.
        let provenance = if results.count > 0 { Provenance::Queued } else { Provenance::Typed };
        if results.count > 0 || row.tool_result().is_none() {
            prompts.retain(|prompt| results.count == 0 || matches!(prompt, Prompt::Words(_)));
            self.settle(prompts, foreign, provenance);
        }
        self.failed.append(&mut results.failed);
        if foreign.is_none() {
            self.words.extend(results.feedback.into_iter().map(|text| Words::new(text, Provenance::Rejected)));
            self.words.extend(row.tool_result().filter(|_| results.count > 0).and_then(answers_of));
            self.words.extend(results.clarified);
        }
    }

    fn hear_attachment(&mut self, row: &Row<'_>) {
        let Some(attachment) = row.attachment() else { return };
        let Some((prompt, foreign)) = attachment.queued_prompt() else { return };
        let mut texts = Vec::new();
        match text(prompt) {
            Some(text) => texts.push(text),
            None => drop(visit_parts(prompt, |block| texts.extend(block.said()))),
        }
        let foreign = row.foreign().or(foreign);
        self.is_attached = true;
        self.settle(texts.iter().map(|text| judge_queued(text)), foreign, Provenance::Queued);
    }

    /// Takes prompts into account that stand on one line. Beside a slash command stands its body.
    fn settle(&mut self, prompts: impl IntoIterator<Item = Prompt>, foreign: Option<Foreign>, provenance: Provenance) {
        let (mut words, mut reason, mut command, mut has_any) = (String::new(), None, None, false);
        for prompt in prompts {
            has_any = true;
            match prompt {
                Prompt::Words(text) if words.len() <= MOST_BYTES => {
                    words.push_str(&text);
                    words.push('\n');
                }
                Prompt::Words(_) => {}
                Prompt::Command { name, argument } => command = Some((name, argument)),
                Prompt::Foreign(foreign) => reason = Some(foreign),
            }
        }
        if !has_any {
            return;
        }
        if let Some(foreign) = foreign {
            self.foreign.push(foreign);
        } else if let Some((name, argument)) = command {
            self.used.push(name.clone());
            if argument.is_empty() {
                self.foreign.push(Foreign::Command);
            } else {
                self.words.push(Words { command: Some(name), ..Words::new(argument, Provenance::SlashArgument) });
            }
        } else if trimmed(&words).is_empty() {
            self.foreign.extend(reason);
        } else {
            self.words.push(Words::new(words, provenance));
        }
    }
}

/// What the results of tools on a line tell of a person.
#[derive(Default)]
struct Results {
    count: usize,
    feedback: Vec<String>,
    clarified: Option<Words>,
    failed: Vec<(String, bool)>,
}

impl Results {
    fn take(&mut self, block: &Block<'_>) {
        let Some((content, is_error)) = block.result() else { return };
        self.count += 1;
        if !is_error {
            return;
        }
        // Only a text as the host words it is built: results may hold megabytes.
        let opens =
            |opening: &str| content.is_some_and(|content| content.get().get(1..).is_some_and(|text| text.starts_with(opening)));
        let is_rejected = REJECTIONS.iter().any(|rejection| opens(rejection));
        if is_rejected {
            self.feedback.extend(content.and_then(text).as_deref().and_then(feedback_of));
        } else if opens(CLARIFICATION) {
            self.clarified = content.and_then(text).as_deref().and_then(clarification_of);
        }
        self.failed.extend(block.answered_call().map(|call| (call, is_rejected)));
    }
}

/// A person's words behind a rejection.
fn feedback_of(text: &str) -> Option<String> {
    let (_, words) = text.split_once(FEEDBACK)?;
    if words.starts_with(CLARIFICATION) {
        return clarification_of(words).map(|words| words.text);
    }
    let words = words.split_once(NOTE).map_or(words, |(words, _)| words);
    Some(trimmed(words).to_owned()).filter(|words| !words.is_empty())
}

/// The answers that a person gave before wanting to say more.
fn clarification_of(text: &str) -> Option<Words> {
    let answers: Vec<&str> = text.lines().filter_map(|line| line.trim_start().strip_prefix("Answer: ")).collect();
    (!answers.is_empty()).then(|| Words::new(answers.join("\n"), Provenance::Answered))
}

/// What a host keeps of questions that a person answered.
#[derive(Deserialize)]
struct Answers {
    answers: BTreeMap<String, serde_json::Value>,
    #[serde(default)]
    annotations: BTreeMap<String, serde_json::Value>,
}

fn answers_of(result: &RawValue) -> Option<Words> {
    let text = result.get();
    if text.len() > MOST_ANSWER_BYTES || !text.contains("\"answers\"") {
        return None;
    }
    let Answers { answers, annotations } = parse_object(text).ok()?;
    let note = |question: &String| annotations.get(question).and_then(|note| note.get("notes")?.as_str()).map(str::to_owned);
    let answer = |(question, answer): (&String, &serde_json::Value)| {
        let answer = answer.as_str().map(str::to_owned).or_else(|| {
            let several = answer.as_array()?.iter().filter_map(serde_json::Value::as_str).collect::<Vec<_>>();
            Some(several.join(", "))
        });
        [answer, note(question)].into_iter().flatten().filter(|text| !trimmed(text).is_empty()).collect::<Vec<_>>().join("\n")
    };
    let given = answers.iter().map(answer).filter(|answer| !answer.is_empty()).collect::<Vec<_>>().join("\n");
    let asked = answers.keys().cloned().collect::<Vec<_>>().join("\n");
    (!given.is_empty()).then(|| Words { asked: Some(asked), ..Words::new(given, Provenance::Answered) })
}

/// A text as it is kept: trimmed, bounded, without secrets. Empty if there is nothing in it.
pub(super) fn settled(text: &str) -> String {
    head(&without_secrets(text), MOST_UNITS).to_owned()
}

pub(super) fn without_secrets(text: &str) -> String {
    redact(cut(trimmed(text), MOST_BYTES)).text.into_owned()
}

/// The longest beginning of a text that has at most so many UTF-16 units and no half character.
pub(super) fn head(text: &str, most_units: usize) -> &str {
    let mut units = 0;
    let end = text.char_indices().find(|(_, letter)| {
        units += letter.len_utf16();
        units > most_units
    });
    end.map_or(text, |(end, _)| &text[..end])
}
