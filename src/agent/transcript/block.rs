//! The parts of a message: texts, calls of tools, their results.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer as _, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::json::text;
use super::row::{is_true, parse_object};

/// A part of what is said.
#[derive(Deserialize)]
pub(super) struct Block<'a> {
    #[serde(rename = "type", default, borrow)]
    kind: Option<&'a RawValue>,
    #[serde(default, borrow)]
    text: Option<&'a RawValue>,
    #[serde(default, borrow)]
    content: Option<&'a RawValue>,
    #[serde(default, borrow)]
    is_error: Option<&'a RawValue>,
    #[serde(default, borrow)]
    id: Option<&'a RawValue>,
    #[serde(default, borrow)]
    tool_use_id: Option<&'a RawValue>,
    #[serde(default, borrow)]
    name: Option<&'a RawValue>,
    #[serde(default, borrow)]
    input: Option<&'a RawValue>,
}

/// What an agent wants a tool to do, as far as anybody looks at it.
#[derive(Deserialize)]
struct Input<'a> {
    #[serde(default, borrow)]
    command: Option<&'a RawValue>,
    #[serde(default, borrow)]
    skill: Option<&'a RawValue>,
}

impl<'a> Block<'a> {
    pub(super) fn is_kind(&self, name: &str) -> bool {
        self.kind.is_some_and(|kind| kind.get().trim_matches('"') == name)
    }

    /// What it says, if saying is what it does.
    pub(super) fn said(&self) -> Option<String> {
        self.text.filter(|_| self.is_kind("text")).and_then(text)
    }

    /// What a tool answered, and whether that is an error.
    pub(super) fn result(&self) -> Option<(Option<&'a RawValue>, bool)> {
        self.is_kind("tool_result").then(|| (self.content, is_true(self.is_error)))
    }

    /// The call that a result belongs to.
    pub(super) fn answered_call(&self) -> Option<String> {
        self.tool_use_id.and_then(text)
    }

    /// The shell command that an agent runs, with the id of the call.
    pub(super) fn shell_command(&self) -> Option<(Option<String>, String)> {
        self.name.filter(|name| self.is_kind("tool_use") && name.get() == "\"Bash\"")?;
        let input: Input<'_> = parse_object(self.input?.get()).ok()?;
        Some((self.id.and_then(text), input.command.and_then(text)?))
    }

    /// The skill or slash command that an agent uses.
    pub(super) fn used_skill(&self) -> Option<String> {
        self.name.filter(|name| self.is_kind("tool_use") && matches!(name.get(), "\"Skill\"" | "\"SlashCommand\""))?;
        let input: Input<'_> = parse_object(self.input?.get()).ok()?;
        input.skill.or(input.command).and_then(text)
    }
}

/// Hands every block of a list to a visitor: its type, and its text where that is what it is. Says whether it is a list.
pub fn visit_blocks(content: &RawValue, mut visit: impl FnMut(&str, Option<String>)) -> bool {
    visit_parts(content, |block| {
        if let Some(kind) = block.kind.and_then(text) {
            visit(&kind, block.said());
        }
    })
}

/// Hands every block of a list to a visitor. Says whether it is a list.
///
/// The blocks are visited one by one: a list of a million small ones would take many times the memory of its line.
pub(super) fn visit_parts(content: &RawValue, mut visit: impl FnMut(&Block<'_>)) -> bool {
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
        if let Ok(block) = parse_object::<Block<'_>>(item.get()) {
            visit(&block);
        }
    };
    let mut parser = serde_json::Deserializer::from_str(content.get());
    parser.deserialize_seq(Blocks(&mut visit_item)).is_ok()
}
