//! What an agent's host tells a hook on stdin.

use std::fmt;
use std::io::{self, Read};

use serde::de::{IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

/// A tool may write a large file; more than this is no payload.
const MOST_BYTES: u64 = 64 << 20;

/// What is told. Everything may be missing, and what is of another type than expected counts as missing: a hook must not fail
/// because its host has learned something.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Payload {
    session_id: Text,
    cwd: Text,
    transcript_path: Text,
    agent_id: Text,
    agent_type: Text,
    agent_transcript_path: Text,
    last_assistant_message: Text,
    source: Text,
    tool_name: Text,
    tool_input: ToolInput,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct ToolInput {
    command: Text,
    path: Text,
}

impl Payload {
    /// Reads what is told.
    pub fn read(input: impl Read) -> io::Result<Self> {
        let mut bytes = Vec::new();
        input.take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > MOST_BYTES {
            return Err(io::Error::other(format!("has more than {MOST_BYTES} bytes")));
        }
        // Half a surrogate in some file that a tool writes must not silence its hook.
        let text = String::from_utf8_lossy(&bytes);
        serde_json::from_str(text.trim_start_matches('\u{feff}'))
            .map_err(|error| io::Error::other(format!("is not a JSON object: {error}")))
    }

    /// The session.
    #[must_use]
    pub fn session(&self) -> Option<&str> {
        self.session_id.get()
    }

    /// The folder that the session works in.
    #[must_use]
    pub fn folder(&self) -> Option<&str> {
        self.cwd.get()
    }

    /// The session's transcript.
    #[must_use]
    pub fn transcript(&self) -> Option<&str> {
        self.transcript_path.get()
    }

    /// The agent; none for the session's own.
    #[must_use]
    pub fn agent(&self) -> Option<&str> {
        self.agent_id.get()
    }

    /// The agent's name, with the plugin that it comes from.
    #[must_use]
    pub fn agent_type(&self) -> Option<&str> {
        self.agent_type.get()
    }

    /// The agent's transcript.
    #[must_use]
    pub fn agent_transcript(&self) -> Option<&str> {
        self.agent_transcript_path.get()
    }

    /// The agent's last words.
    #[must_use]
    pub fn last_words(&self) -> Option<&str> {
        self.last_assistant_message.get()
    }

    /// How a session came about: `startup`, `resume`, `clear` or `compact`.
    #[must_use]
    pub fn source(&self) -> Option<&str> {
        self.source.get()
    }

    /// The tool that is about to be used.
    #[must_use]
    pub fn tool(&self) -> Option<&str> {
        self.tool_name.get()
    }

    /// The command that it is to run.
    #[must_use]
    pub fn command(&self) -> Option<&str> {
        self.tool_input.command.get()
    }

    /// The file that it is to touch.
    #[must_use]
    pub fn path(&self) -> Option<&str> {
        self.tool_input.path.get()
    }
}

/// A text; anything else counts as missing, and so does an empty one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Text(Option<String>);

impl Text {
    fn get(&self) -> Option<&str> {
        self.0.as_deref().filter(|text| !text.trim().is_empty())
    }
}

/// Takes texts and passes over everything else.
struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Text;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("anything")
    }

    fn visit_str<E>(self, text: &str) -> Result<Text, E> {
        Ok(Text(Some(text.to_owned())))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Text, E> {
        Ok(Text(None))
    }

    fn visit_i64<E>(self, _: i64) -> Result<Text, E> {
        Ok(Text(None))
    }

    fn visit_u64<E>(self, _: u64) -> Result<Text, E> {
        Ok(Text(None))
    }

    fn visit_f64<E>(self, _: f64) -> Result<Text, E> {
        Ok(Text(None))
    }

    fn visit_unit<E>(self) -> Result<Text, E> {
        Ok(Text(None))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Text, A::Error> {
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Text(None))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Text, A::Error> {
        while members.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Text(None))
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TextVisitor)
    }
}

impl<'de> Deserialize<'de> for ToolInput {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        /// The members that matter; what a tool writes into a file is passed over.
        #[derive(Default, Deserialize)]
        #[serde(default)]
        struct Members {
            command: Text,
            file_path: Text,
            notebook_path: Text,
        }
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        // What is no object names neither.
        let members: Members = serde_json::from_str(raw.get()).unwrap_or_default();
        let path = if members.file_path.get().is_some() { members.file_path } else { members.notebook_path };
        Ok(Self { command: members.command, path })
    }
}
