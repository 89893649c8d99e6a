//! A line of a transcript. Everything that nobody looks at, results of tools above all, is passed over and not built.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::json::text;
use super::provenance::Foreign;

/// The model that a transcript gives for what the program itself put into the agent's mouth, such as errors of the network.
const NO_MODEL: &str = "<synthetic>";

/// A line of a transcript.
#[derive(Debug, Deserialize)]
pub struct Row<'a> {
    #[serde(rename = "type", default, borrow)]
    kind: Option<&'a RawValue>,
    #[serde(default, borrow)]
    role: Option<&'a RawValue>,
    #[serde(default, borrow)]
    content: Option<&'a RawValue>,
    #[serde(default, borrow)]
    message: Option<&'a RawValue>,
    #[serde(default, borrow)]
    attachment: Option<&'a RawValue>,
    #[serde(default, borrow)]
    operation: Option<&'a RawValue>,
    #[serde(rename = "isSidechain", default, borrow)]
    sidechain: Option<&'a RawValue>,
    #[serde(rename = "isMeta", default, borrow)]
    meta: Option<&'a RawValue>,
    #[serde(rename = "isCompactSummary", default, borrow)]
    compact_summary: Option<&'a RawValue>,
    #[serde(rename = "isVisibleInTranscriptOnly", default, borrow)]
    transcript_only: Option<&'a RawValue>,
    #[serde(rename = "isApiErrorMessage", default, borrow)]
    api_error: Option<&'a RawValue>,
    #[serde(rename = "sourceToolUseID", default, borrow)]
    source_tool: Option<&'a RawValue>,
    #[serde(rename = "toolUseResult", default, borrow)]
    tool_result: Option<&'a RawValue>,
    #[serde(rename = "planContent", default, borrow)]
    plan: Option<&'a RawValue>,
    #[serde(default, borrow)]
    entrypoint: Option<&'a RawValue>,
    #[serde(default, borrow)]
    origin: Option<&'a RawValue>,
    #[serde(rename = "promptSource", default, borrow)]
    prompt_source: Option<&'a RawValue>,
    #[serde(rename = "turnOrigin", default, borrow)]
    turn_origin: Option<&'a RawValue>,
    #[serde(rename = "agentId", default, borrow)]
    agent: Option<&'a RawValue>,
    #[serde(rename = "sessionId", default, borrow)]
    session: Option<&'a RawValue>,
    #[serde(default, borrow)]
    timestamp: Option<&'a RawValue>,
    #[serde(rename = "cwd", default, borrow)]
    folder: Option<&'a RawValue>,
}

/// What sort of line it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sort {
    /// Somebody speaks.
    Speech,
    /// Something is handed to the agent beside its results.
    Attachment,
    /// A prompt is put into the queue of prompts, or taken out.
    Queue,
    /// Bookkeeping. Newer hosts keep copies of requests, which carry a role.
    Other,
}

impl<'a> Row<'a> {
    /// Parses a line, or says why it is not an object.
    pub fn parse(line: &'a str) -> Result<Self, String> {
        parse_object(line.trim_start_matches('\u{feff}')).map_err(|error| error.to_string())
    }

    /// What sort of line it is.
    #[must_use]
    pub fn kind(&self) -> Option<String> {
        self.kind.and_then(text)
    }

    /// Whether it has a type at all.
    #[must_use]
    pub const fn has_kind(&self) -> bool {
        self.kind.is_some()
    }

    pub(super) fn sort(&self) -> Sort {
        match self.kind.map(RawValue::get) {
            // Simple formats have a role and no type.
            None | Some("null" | "\"user\"" | "\"assistant\"") => Sort::Speech,
            Some("\"attachment\"") => Sort::Attachment,
            Some("\"queue-operation\"") => Sort::Queue,
            Some(_) => Sort::Other,
        }
    }

    /// Whether it belongs to an agent that the session started.
    #[must_use]
    pub fn is_sidechain(&self) -> bool {
        is_true(self.sidechain)
    }

    /// Whether the host wrote it in the name of the agent.
    pub(super) fn is_hosts(&self) -> bool {
        let flags = [self.meta, self.compact_summary, self.transcript_only, self.api_error];
        flags.into_iter().any(is_true) || self.source_tool.is_some()
    }

    /// Why what stands in a person's place is not a person's, as far as the line itself tells. The client's own marks count
    /// first; `promptSource` alone is no mark of a program, because editors say `sdk` too.
    pub(super) fn foreign(&self) -> Option<Foreign> {
        if self.is_sidechain() || self.agent.is_some_and(|agent| agent.get() != "null") {
            return Some(Foreign::SubAgent);
        }
        if self.plan.is_some_and(|plan| plan.get().starts_with('"')) {
            return Some(Foreign::Plan);
        }
        if self.is_hosts() {
            return Some(Foreign::Host);
        }
        if let Some(foreign) = foreign_origin(self.origin) {
            return Some(foreign);
        }
        match self.turn_origin.and_then(text).as_deref() {
            Some("task_notification" | "peer") => return Some(Foreign::Notice),
            Some("scheduled" | "auto_continuation" | "host_synthetic" | "system") => return Some(Foreign::Host),
            _ => {}
        }
        if self.prompt_source.is_some_and(|source| source.get() == "\"system\"") {
            return Some(Foreign::Host);
        }
        self.entrypoint.and_then(text).filter(|entrypoint| is_program(entrypoint)).map(|_| Foreign::Program)
    }

    /// Whether the client says that a person sent it.
    pub(super) fn is_marked_human(&self) -> bool {
        kind_of(self.origin).as_deref() == Some("human") || self.turn_origin.is_some_and(|origin| origin.get() == "\"human\"")
    }

    /// What a tool gave, as the host keeps it for itself.
    pub(super) fn tool_result(&self) -> Option<&'a RawValue> {
        self.tool_result.filter(|result| result.get() != "null")
    }

    /// What is attached.
    pub(super) fn attachment(&self) -> Option<Attachment<'a>> {
        parse_object(self.attachment?.get()).ok()
    }

    /// What is done to the queue of prompts, and the prompt if it is told.
    pub(super) fn queue_operation(&self) -> Option<(String, Option<String>)> {
        Some((self.operation.and_then(text)?, self.content.and_then(text)))
    }

    /// The message inside of it.
    #[must_use]
    pub fn inner_message(&self) -> Option<Message<'a>> {
        parse_object(self.message?.get()).ok()
    }

    /// The message: the one inside of it, where there is one, else the line itself. Whose it is, the line may say too.
    #[must_use]
    pub fn message(&self) -> Option<Message<'a>> {
        let own = Message { role: self.role, content: self.content, id: None, model: None };
        let mut message = if is_truthy(self.message) { self.inner_message()? } else { own };
        if !is_truthy(message.role) {
            message.role = self.kind;
        }
        Some(message)
    }

    /// The session.
    #[must_use]
    pub fn session(&self) -> Option<String> {
        self.session.and_then(text).filter(|session| !session.trim().is_empty())
    }

    /// When it was written, as it says.
    #[must_use]
    pub fn timestamp(&self) -> Option<String> {
        self.timestamp.and_then(text)
    }

    /// The folder that the session works in.
    #[must_use]
    pub fn folder(&self) -> Option<String> {
        self.folder.and_then(text).filter(|folder| !folder.trim().is_empty())
    }
}

/// Where a turn comes from.
#[derive(Deserialize)]
struct Origin<'a> {
    #[serde(default, borrow)]
    kind: Option<&'a RawValue>,
}

fn kind_of(origin: Option<&RawValue>) -> Option<String> {
    parse_object::<Origin<'_>>(origin?.get()).ok()?.kind.and_then(text)
}

/// Why an origin is not a person.
pub(super) fn foreign_origin(origin: Option<&RawValue>) -> Option<Foreign> {
    match kind_of(origin)?.as_str() {
        "human" => None,
        "auto-continuation" | "observer-activity" | "unclassified" => Some(Foreign::Host),
        _ => Some(Foreign::Notice),
    }
}

/// Whether whoever started the session is a program: the SDKs, the command that answers one prompt, and services.
fn is_program(entrypoint: &str) -> bool {
    entrypoint.starts_with("sdk-") || entrypoint.ends_with("github-action") || entrypoint == "mcp"
}

/// Something that is handed to the agent.
#[derive(Debug, Deserialize)]
pub(super) struct Attachment<'a> {
    #[serde(rename = "type", default, borrow)]
    kind: Option<&'a RawValue>,
    #[serde(default, borrow)]
    prompt: Option<&'a RawValue>,
    #[serde(rename = "commandMode", default, borrow)]
    mode: Option<&'a RawValue>,
    #[serde(default, borrow)]
    origin: Option<&'a RawValue>,
    #[serde(rename = "isMeta", default, borrow)]
    meta: Option<&'a RawValue>,
}

impl<'a> Attachment<'a> {
    /// A prompt that was sent while the agent was at work, and why it is not a person's.
    pub(super) fn queued_prompt(&self) -> Option<(&'a RawValue, Option<Foreign>)> {
        self.kind.filter(|kind| kind.get() == "\"queued_command\"")?;
        let other_mode = self.mode.and_then(text).filter(|mode| mode != "prompt").map(|mode| match &*mode {
            "task-notification" => Foreign::Notice,
            _ => Foreign::Host,
        });
        let foreign = foreign_origin(self.origin).or(other_mode).or(is_true(self.meta).then_some(Foreign::Host));
        Some((self.prompt?, foreign))
    }
}

#[derive(Debug, Deserialize)]
pub struct Message<'a> {
    #[serde(default, borrow)]
    role: Option<&'a RawValue>,
    #[serde(default, borrow)]
    id: Option<&'a RawValue>,
    #[serde(default, borrow)]
    model: Option<&'a RawValue>,
    #[serde(default, borrow)]
    content: Option<&'a RawValue>,
}

impl<'a> Message<'a> {
    /// Who speaks: `user` or `assistant`.
    #[must_use]
    pub fn role(&self) -> Option<String> {
        self.role.and_then(text)
    }

    /// Its id, which all lines of one message share.
    #[must_use]
    pub fn id(&self) -> Option<String> {
        self.id.and_then(text)
    }

    /// Whether no model said it.
    #[must_use]
    pub fn is_synthetic(&self) -> bool {
        self.model.and_then(text).as_deref() == Some(NO_MODEL)
    }

    /// What is said: a text, or a list of blocks.
    #[must_use]
    pub const fn content(&self) -> Option<&'a RawValue> {
        self.content
    }
}

/// Parses an object. A list would be taken for the members in their order.
pub(super) fn parse_object<'a, T: Deserialize<'a>>(text: &'a str) -> serde_json::Result<T> {
    if text.trim_start().starts_with('{') {
        return serde_json::from_str(text);
    }
    // What it is instead, if it is JSON at all.
    serde_json::from_str::<serde::de::IgnoredAny>(text)?;
    Err(serde::de::Error::custom("it is not an object"))
}

pub(super) fn is_true(value: Option<&RawValue>) -> bool {
    value.is_some_and(|value| value.get() == "true")
}

/// Whether the other system takes a value for one that is there.
fn is_truthy(value: Option<&RawValue>) -> bool {
    let is_nothing =
        |text: &str| matches!(text, "false" | "null" | "\"\"") || text.parse::<f64>().is_ok_and(|number| number == 0.0);
    value.is_some_and(|value| !is_nothing(value.get()))
}
