//! The hooks: what each does, from what is told to what is answered.

use std::path::PathBuf;

use jiff::Timestamp;

use super::answer::Answer;
use super::exposure::remember;
use super::injection::{Request, inject};
use super::learned::{Beginning, tell_learned};
use super::memory::{Memory, Note, file_name};
use super::payload::Payload;
use super::settlement::{recover, settle};
use super::situation::Situation;
use super::sweep::sweep;
use crate::artifact::find_root;
use learn::recall::ToolUse;
use setting::Settings;
use store::workspace::Workspace;
use text::diagnostic::{Diagnostic, Outcome};

/// How the session's own agent is called, and one whose name nobody tells.
const MAIN: &str = "main";
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
    /// Where the hook stands.
    pub situation: Situation,
    /// What went wrong on the way, and did not keep the hook from its work.
    pub remarks: Vec<String>,
}

impl Host<'_> {
    /// Runs a hook.
    pub fn run(&mut self, event: Event) -> Outcome<Answer> {
        if self.situation.is_off {
            return Ok(Answer::Silence);
        }
        match event {
            Event::SessionStart => self.start_session(),
            Event::SubagentStart => self.start_agent(),
            Event::PreToolUse => self.use_tool(),
            Event::PostToolUse | Event::PostToolUseFailure => self.see_tool(event == Event::PostToolUseFailure),
            Event::UserPromptSubmit | Event::Stop => Ok(Answer::Silence),
            Event::SubagentStop => self.stop_agent(),
            Event::SessionEnd => self.end_session(),
        }
    }

    fn start_session(&mut self) -> Outcome<Answer> {
        let faults = sweep(self.workspace, self.settings, self.now()).faults;
        self.remarks.extend(faults.iter().map(Diagnostic::in_a_line));
        let mut memory = self.open(None)?;
        if matches!(self.payload.source(), Some("clear" | "compact")) {
            memory.note(Note::Forgot)?;
        }
        if !self.settings.hook.session {
            return Ok(Answer::Silence);
        }
        let agent = self.payload.agent_type().unwrap_or(MAIN).to_owned();
        let patterns = self.show(&mut memory, Event::SessionStart, &agent, None);
        Ok(self.with_learned(patterns))
    }

    /// Adds what the project itself has learned to what a session is shown, even where patterns cannot be.
    fn with_learned(&mut self, patterns: Outcome<Answer>) -> Answer {
        let turn = &self.situation.turn;
        let folder = &find_root(self.workspace.root(), &self.settings.artifact);
        let beginning = Beginning { folder, project: &turn.project, tokens: self.settings.inject.tokens, now: turn.time };
        let (learned, faults) = tell_learned(self.workspace, &beginning);
        let (shown, fault) = match patterns {
            Ok(Answer::Context { text, .. }) => (Some(text), None),
            Ok(_) => (None, None),
            Err(fault) => (None, Some(fault)),
        };
        self.remarks.extend(fault.iter().chain(&faults).map(Diagnostic::in_a_line));
        let text: Vec<String> = shown.into_iter().chain(learned).collect();
        if text.is_empty() {
            Answer::Silence
        } else {
            Answer::Context { event: Event::SessionStart.title(), text: text.join("\n") }
        }
    }

    fn start_agent(&mut self) -> Outcome<Answer> {
        // Without an id its name tells it from the session's own agent.
        let agent = self.payload.agent_type().unwrap_or(UNKNOWN).to_owned();
        let mut memory = self.open(Some(self.payload.agent().unwrap_or(&agent)))?;
        self.show(&mut memory, Event::SubagentStart, &agent, None)
    }

    fn use_tool(&mut self) -> Outcome<Answer> {
        let Some(name) = self.payload.tool() else { return Ok(Answer::Silence) };
        if self.settings.inject.tags_of_tool(name).is_empty() {
            return Ok(Answer::Silence);
        }
        let tool = ToolUse { name, command: self.payload.command(), path: self.payload.path() };
        let mut memory = self.open(self.payload.agent())?;
        let agent = memory.recollection.agent.clone().unwrap_or_else(|| MAIN.to_owned());
        self.show(&mut memory, Event::PreToolUse, &agent, Some(tool))
    }

    /// Shows patterns to an agent, and remembers which.
    fn show(&self, memory: &mut Memory, event: Event, agent: &str, tool: Option<ToolUse<'_>>) -> Outcome<Answer> {
        let repo = self.situation.repository();
        let priority = self.situation.priority(self.workspace, self.settings);
        let known: Vec<String> = match tool {
            Some(_) if !self.settings.hook.repeat => memory.recollection.in_context.iter().cloned().collect(),
            _ => Vec::new(),
        };
        let request = Request {
            agent: Some(agent),
            repo: repo.as_deref(),
            project: Some(&self.situation.turn.project),
            tool,
            priority: &priority,
            without: &known,
            run: Some(&self.situation.turn.run_id),
            now_micros: self.now().as_microsecond(),
            ..Request::default()
        };
        let injection = inject(self.workspace, self.settings, &request)?;
        remember(memory, &injection, tool.map(|tool| tool.name))?;
        Ok(if injection.text.is_empty() { Answer::Silence } else { Answer::Context { event: event.title(), text: injection.text } })
    }

    /// Opens the memory of an agent that begins or is at work.
    pub(super) fn open(&self, agent: Option<&str>) -> Outcome<Memory> {
        let mut memory = Memory::open(&self.folder(), agent)?;
        recover(self.workspace, self.settings, &mut memory)?;
        let turn = &self.situation.turn;
        if memory.recollection.is_of_other_turn(turn) {
            // What it was shown in the turn before is told as it is.
            settle(self.workspace, self.settings, &mut memory, None, self.now(), Vec::new())?;
        } else if memory.recollection.began.is_some() {
            return Ok(memory);
        }
        let name = self.payload.agent_type().or_else(|| agent.is_none().then_some(MAIN)).unwrap_or(UNKNOWN);
        memory.note(Note::Began {
            agent: name.to_owned(),
            role: None,
            at: turn.time,
            project: turn.project.clone(),
            run: turn.run_id.clone(),
            iteration: turn.iteration,
            session: self.situation.session.clone(),
            watched: true,
        })?;
        Ok(memory)
    }

    pub(super) fn folder(&self) -> PathBuf {
        self.workspace.hooks().join(file_name(&self.situation.session))
    }

    pub(super) const fn now(&self) -> Timestamp {
        self.situation.turn.time
    }
}
