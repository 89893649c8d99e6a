//! What an agent's host tells a hook on stdin.

use std::io::{self, Read};

use super::report::Report;
use super::response::Response;
use crate::transcript::json;
use crate::transcript::json::Members;

/// A tool may write a large file; more than this is no payload.
const MOST_BYTES: u64 = 64 << 20;

/// What is told. Everything may be missing, and what is of another type than expected counts as missing: a hook must not fail
/// because its host has learned something.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Payload {
    session: Option<String>,
    folder: Option<String>,
    transcript: Option<String>,
    agent: Option<String>,
    agent_type: Option<String>,
    agent_transcript: Option<String>,
    last_words: Option<String>,
    source: Option<String>,
    tool: Option<String>,
    command: Option<String>,
    path: Option<String>,
    prompt: Option<String>,
    unit: Option<String>,
    task: Option<Task>,
    response: Response,
    report: Option<Report>,
}

/// What an agent is started for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Task {
    /// The name of the agent that is to do it.
    pub(super) agent_type: Option<String>,
    /// The task in words.
    pub(super) text: String,
}

impl Payload {
    pub fn read(input: impl Read) -> io::Result<Self> {
        let mut bytes = Vec::new();
        input.take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > MOST_BYTES {
            return Err(io::Error::other(format!("has more than {MOST_BYTES} bytes")));
        }
        let text = String::from_utf8_lossy(&bytes);
        let members = json::members(text.trim_start_matches('\u{feff}')).ok_or_else(|| io::Error::other("is not a JSON object"))?;
        let tool_input = members.get("tool_input").and_then(|input| json::members(input.get())).unwrap_or_default();
        Ok(Self {
            session: text_in(&members, "session_id"),
            folder: text_in(&members, "cwd"),
            transcript: text_in(&members, "transcript_path"),
            agent: text_in(&members, "agent_id"),
            agent_type: text_in(&members, "agent_type"),
            agent_transcript: text_in(&members, "agent_transcript_path"),
            last_words: text_in(&members, "last_assistant_message"),
            source: text_in(&members, "source"),
            tool: text_in(&members, "tool_name"),
            prompt: text_in(&members, "prompt"),
            unit: ["unit", "task_id"].iter().find_map(|name| text_in(&members, name)),
            task: text_in(&tool_input, "prompt").map(|text| Task {
                agent_type: text_in(&tool_input, "subagent_type"),
                text: text_in(&tool_input, "description").into_iter().chain([text]).collect::<Vec<_>>().join("\n"),
            }),
            response: match (members.get("tool_response"), text_in(&members, "error")) {
                (_, Some(error)) => Response::of_failure(&error),
                (Some(response), None) => Response::read(response),
                (None, None) => Response::default(),
            },
            report: text_in(&members, "tool_name")
                .and_then(|tool| Report::read(&tool, tool_input.get("patterns").map(|patterns| patterns.get()))),
            command: text_in(&tool_input, "command"),
            path: text_in(&tool_input, "file_path").or_else(|| text_in(&tool_input, "notebook_path")),
        })
    }

    /// The session.
    #[must_use]
    pub fn session(&self) -> Option<&str> {
        self.session.as_deref()
    }

    /// The task, where the host names it.
    #[must_use]
    pub fn unit(&self) -> Option<&str> {
        self.unit.as_deref()
    }

    /// The folder that the session works in.
    #[must_use]
    pub fn folder(&self) -> Option<&str> {
        self.folder.as_deref()
    }

    /// The session's transcript.
    #[must_use]
    pub fn transcript(&self) -> Option<&str> {
        self.transcript.as_deref()
    }

    /// The agent; none for the session's own.
    #[must_use]
    pub fn agent(&self) -> Option<&str> {
        self.agent.as_deref()
    }

    /// The agent's name, with the plugin that it comes from.
    #[must_use]
    pub fn agent_type(&self) -> Option<&str> {
        self.agent_type.as_deref()
    }

    /// The agent's transcript.
    #[must_use]
    pub fn agent_transcript(&self) -> Option<&str> {
        self.agent_transcript.as_deref()
    }

    /// The agent's last words.
    #[must_use]
    pub fn last_words(&self) -> Option<&str> {
        self.last_words.as_deref()
    }

    /// How a session came about: `startup`, `resume`, `clear` or `compact`.
    #[must_use]
    pub fn source(&self) -> Option<&str> {
        self.source.as_deref()
    }

    /// The tool that is about to be used.
    #[must_use]
    pub fn tool(&self) -> Option<&str> {
        self.tool.as_deref()
    }

    /// The command that it is to run.
    #[must_use]
    pub fn command(&self) -> Option<&str> {
        self.command.as_deref()
    }

    /// What a person said.
    #[must_use]
    pub fn prompt(&self) -> Option<&str> {
        self.prompt.as_deref()
    }

    /// What an agent is to be started for.
    pub(super) const fn task(&self) -> Option<&Task> {
        self.task.as_ref()
    }

    /// What the agent reports by the tool.
    pub(super) const fn report(&self) -> Option<&Report> {
        self.report.as_ref()
    }

    /// What the use of the tool came to.
    pub(super) const fn response(&self) -> &Response {
        &self.response
    }

    /// The file that it is to touch.
    #[must_use]
    pub fn path(&self) -> Option<&str> {
        self.path.as_deref()
    }
}

/// A text; an empty one counts as missing.
fn text_in(members: &Members<'_>, name: &str) -> Option<String> {
    members.get(name).and_then(|value| json::text(value)).filter(|text| !text.trim().is_empty())
}
