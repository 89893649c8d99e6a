//! What an agent's host tells a hook on stdin.

use std::io::{self, Read};

use serde_json::value::RawValue;

use super::report::Report;
use super::response::Response;
use crate::transcript::json;
use crate::transcript::json::Members;

/// A tool may write a large file; more than this is no payload.
const MOST_BYTES: u64 = 64 << 20;
/// What opens the message by which the host says that an agent in the background has ended.
const NOTIFICATION: &str = "<task-notification>";
/// How many agents at work are looked at.
const MOST_AT_WORK: usize = 1000;

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
    tool_use: Option<String>,
    command: Option<String>,
    path: Option<String>,
    prompt: Option<String>,
    unit: Option<String>,
    prompt_id: Option<String>,
    task: Option<Task>,
    ended: Option<String>,
    at_work: Vec<String>,
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
            tool_use: text_in(&members, "tool_use_id"),
            prompt: text_in(&members, "prompt"),
            unit: ["unit", "task_id"].iter().find_map(|name| text_in(&members, name)),
            prompt_id: text_in(&members, "prompt_id"),
            ended: members.get("tool_response").and_then(|response| ended_agent(response)),
            at_work: members.get("background_tasks").map(|tasks| ids_at_work(tasks)).unwrap_or_default(),
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

    /// Which use of a tool it is.
    pub(super) fn tool_use(&self) -> Option<&str> {
        self.tool_use.as_deref()
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

    /// Which prompt it all goes back to.
    pub(super) fn prompt_id(&self) -> Option<&str> {
        self.prompt_id.as_deref()
    }

    /// The agent that has ended: as its tool answers, or as a message says that the host writes in a person's place.
    pub(super) fn ended(&self) -> Option<&str> {
        self.ended.as_deref().or_else(|| self.prompt().and_then(notified_agent))
    }

    /// Whether the prompt is the host's own, and nobody's words.
    pub(super) fn is_notification(&self) -> bool {
        self.prompt().is_some_and(|prompt| prompt.trim_start().starts_with(NOTIFICATION))
    }

    /// The agents that are at work in the background.
    pub(super) fn at_work(&self) -> &[String] {
        &self.at_work
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

/// The agent of a tool that started it, if it has ended.
fn ended_agent(response: &RawValue) -> Option<String> {
    let members = json::members(response.get())?;
    text_in(&members, "agentId").filter(|_| text_in(&members, "status").as_deref() != Some("async_launched"))
}

/// The agent that the host says has ended.
fn notified_agent(prompt: &str) -> Option<&str> {
    let said = prompt.trim_start().strip_prefix(NOTIFICATION)?;
    let id = said.split_once("<task-id>")?.1.split_once("</task-id>")?.0.trim();
    (!id.is_empty()).then_some(id)
}

fn ids_at_work(tasks: &RawValue) -> Vec<String> {
    let tasks: Vec<&RawValue> = serde_json::from_str(tasks.get()).unwrap_or_default();
    let members = tasks.into_iter().take(MOST_AT_WORK).filter_map(|task| json::members(task.get()));
    members.filter_map(|task| text_in(&task, "id").filter(|_| text_in(&task, "status").as_deref() == Some("running"))).collect()
}

/// A text; an empty one counts as missing.
fn text_in(members: &Members<'_>, name: &str) -> Option<String> {
    members.get(name).and_then(|value| json::text(value)).filter(|text| !text.trim().is_empty())
}
