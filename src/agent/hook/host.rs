//! The hooks: what each does, from what is told to what is answered.

use std::path::PathBuf;

use jiff::Timestamp;

use super::answer::Answer;
use super::memory::{Memory, Note, file_name};
use super::payload::Payload;
use super::settlement::{acknowledgment_in, recover, settle};
use super::situation::Situation;
use setting::Settings;
use store::workspace::Workspace;
use text::diagnostic::Outcome;

/// How the session's own agent is called, and one whose name nobody tells.
pub(super) const MAIN: &str = "main";
pub(super) const UNKNOWN: &str = "unknown";

/// The hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// A session began, or its context was cleared or shortened.
    SessionStart,
    /// A person said something to the session's own agent.
    UserPromptSubmit,
    /// An agent began.
    SubagentStart,
    /// A tool is about to be used: also the one that starts an agent, and the one that reads a file.
    PreToolUse,
    /// A tool was used.
    PostToolUse,
    /// A tool was used in vain.
    PostToolUseFailure,
    /// An agent is about to end.
    SubagentStop,
    /// The session's own agent has ended its turn.
    Stop,
    SessionEnd,
}

impl Event {
    /// Every hook.
    pub const ALL: [Self; 9] = [
        Self::SessionStart,
        Self::UserPromptSubmit,
        Self::SubagentStart,
        Self::PreToolUse,
        Self::PostToolUse,
        Self::PostToolUseFailure,
        Self::SubagentStop,
        Self::Stop,
        Self::SessionEnd,
    ];

    /// Its word on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::SessionStart => "session-start",
            Self::UserPromptSubmit => "user-prompt-submit",
            Self::SubagentStart => "subagent-start",
            Self::PreToolUse => "pre-tool-use",
            Self::PostToolUse => "post-tool-use",
            Self::PostToolUseFailure => "post-tool-use-failure",
            Self::SubagentStop => "subagent-stop",
            Self::Stop => "stop",
            Self::SessionEnd => "session-end",
        }
    }

    /// The host's name of it.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::SessionStart => "SessionStart",
            Self::UserPromptSubmit => "UserPromptSubmit",
            Self::SubagentStart => "SubagentStart",
            Self::PreToolUse => "PreToolUse",
            Self::PostToolUse => "PostToolUse",
            Self::PostToolUseFailure => "PostToolUseFailure",
            Self::SubagentStop => "SubagentStop",
            Self::Stop => "Stop",
            Self::SessionEnd => "SessionEnd",
        }
    }

    /// The hook of that word.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|event| event.name() == name)
    }
}

/// What a hook works with.
pub struct Host<'h> {
    /// The workspace.
    pub workspace: &'h Workspace,
    pub settings: &'h Settings,
    pub payload: &'h Payload,
    /// By which way the host knows the hook: its settings or a plugin of it.
    pub way: String,
    /// Where the hook stands.
    pub situation: Situation,
    /// What went wrong on the way, and did not keep the hook from its work.
    pub remarks: Vec<String>,
}

impl Host<'_> {
    /// Runs a hook.
    pub fn run(&mut self, event: Event) -> Outcome<Answer> {
        if self.situation.is_off || self.is_heard(event) {
            return Ok(Answer::Silence);
        }
        match event {
            Event::SessionStart => self.start_session(),
            Event::SubagentStart => self.start_agent(),
            Event::PreToolUse => self.use_tool(),
            Event::PostToolUse | Event::PostToolUseFailure => self.see_tool(event == Event::PostToolUseFailure),
            Event::UserPromptSubmit => self.take_prompt(),
            Event::SubagentStop => self.stop_agent(),
            Event::Stop => self.answer_session(),
            Event::SessionEnd => self.end_session(),
        }
    }

    /// Opens the memory of an agent that begins or is at work.
    pub(super) fn open(&self, agent: Option<&str>) -> Outcome<Memory> {
        let mut memory = Memory::open(&self.folder(), agent)?;
        recover(self.workspace, self.settings, &mut memory)?;
        if memory.recollection.is_of_other_turn(&self.situation) {
            // What it was shown in the turn before is told as it is.
            let acknowledgment = acknowledgment_in(&memory.recollection, None);
            settle(self.workspace, self.settings, &mut memory, acknowledgment.as_ref(), self.now(), Vec::new())?;
        } else if memory.recollection.began.is_some() {
            return Ok(memory);
        }
        let name = self.payload.agent_type().or_else(|| agent.is_none().then_some(MAIN)).unwrap_or(UNKNOWN);
        memory.note(Note::begin(name, &self.situation, true))?;
        Ok(memory)
    }

    pub(super) fn folder(&self) -> PathBuf {
        self.workspace.hooks().join(file_name(&self.situation.session))
    }

    pub(super) const fn now(&self) -> Timestamp {
        self.situation.turn.time
    }
}
