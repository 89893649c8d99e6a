//! A line of a transcript. Everything that nobody looks at, results of tools above all, is passed over and not built.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer as _, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::json::text;

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
    #[serde(default, borrow)]
    origin: Option<&'a RawValue>,
    #[serde(rename = "sessionId", default, borrow)]
    session: Option<&'a RawValue>,
    #[serde(default, borrow)]
    timestamp: Option<&'a RawValue>,
    #[serde(rename = "cwd", default, borrow)]
    folder: Option<&'a RawValue>,
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

    /// Whether it belongs to an agent that the session started.
    #[must_use]
    pub fn is_sidechain(&self) -> bool {
        is_true(self.sidechain)
    }

    /// Whether the host wrote it, or a tool, in the name of whoever speaks.
    #[must_use]
    pub fn is_made_up(&self) -> bool {
        let flags = [self.meta, self.compact_summary, self.transcript_only, self.api_error];
        flags.into_iter().any(is_true) || self.source_tool.is_some() || self.tool_result.is_some() || self.has_other_origin()
    }

    /// Whether it says itself that no person wrote it.
    fn has_other_origin(&self) -> bool {
        let origin = self.origin.and_then(|origin| parse_object::<Origin<'_>>(origin.get()).ok());
        origin.and_then(|origin| origin.kind).and_then(text).is_some_and(|kind| kind != "human")
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

/// A part of what is said.
#[derive(Deserialize)]
struct Block<'a> {
    #[serde(rename = "type", default, borrow)]
    kind: Option<&'a RawValue>,
    #[serde(default, borrow)]
    text: Option<&'a RawValue>,
}

/// Hands every block of a list to a visitor: its type, and its text where that is what it is. Says whether it is a list.
///
/// The blocks are visited one by one: a list of a million small ones would take many times the memory of its line.
pub fn visit_blocks(content: &RawValue, mut visit: impl FnMut(&str, Option<String>)) -> bool {
    struct Blocks<F>(F);
    impl<'de, F: FnMut(&'de RawValue)> Visitor<'de> for Blocks<F> {
        type Value = ();

        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str("a list")
        }

        fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<(), A::Error> {
            while let Some(item) = items.next_element::<&'de RawValue>()? {
                (self.0)(item);
            }
            Ok(())
        }
    }
    let mut visit_item = |item: &RawValue| {
        let Ok(block) = parse_object::<Block<'_>>(item.get()) else { return };
        let Some(kind) = block.kind.and_then(text) else { return };
        let said = if kind == "text" { block.text.and_then(text) } else { None };
        visit(&kind, said);
    };
    let mut parser = serde_json::Deserializer::from_str(content.get());
    parser.deserialize_seq(Blocks(&mut visit_item)).is_ok()
}

/// Parses an object. A list would be taken for the members in their order.
fn parse_object<'a, T: Deserialize<'a>>(text: &'a str) -> serde_json::Result<T> {
    if text.trim_start().starts_with('{') {
        return serde_json::from_str(text);
    }
    // What it is instead, if it is JSON at all.
    serde_json::from_str::<serde::de::IgnoredAny>(text)?;
    Err(serde::de::Error::custom("it is not an object"))
}

fn is_true(value: Option<&RawValue>) -> bool {
    value.is_some_and(|value| value.get() == "true")
}

/// Whether the other system takes a value for one that is there.
fn is_truthy(value: Option<&RawValue>) -> bool {
    let is_nothing =
        |text: &str| matches!(text, "false" | "null" | "\"\"") || text.parse::<f64>().is_ok_and(|number| number == 0.0);
    value.is_some_and(|value| !is_nothing(value.get()))
}
