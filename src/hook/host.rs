//! The five hooks: what each does, from what is told to what is answered.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use jiff::{SignedDuration, Timestamp};

use super::answer::Answer;
use super::capture::has_captured;
use super::injection::{Injection, Request, ShownPattern, inject};
use super::memory::{Memory, Note, Remembered, file_name};
use super::payload::Payload;
use super::settlement::{acknowledgment_in, recover, settle};
use super::situation::Situation;
use super::transcript::last_words;
use super::verdict::build_verdict;
use crate::diagnostic::{Diagnostic, Outcome};
use crate::event::{Draft, fit};
use crate::inbox::Recorder;
use crate::iteration::{Origin, Turn, build_line, capture, learnings_of};
use crate::learn::recall::{ToolUse, short_name};
use crate::repository::top_around;
use crate::setting::Settings;
use crate::workspace::Workspace;

/// How the session's own agent is called.
const MAIN: &str = "main";

/// The hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// A session began, or its context was cleared or shortened.
    SessionStart,
    /// An agent began.
    SubagentStart,
    /// A tool is about to be used.
    PreToolUse,
    /// An agent is about to end.
    SubagentStop,
    /// A session ended.
    SessionEnd,
}

impl Event {
    /// Every hook.
    pub const ALL: [Self; 5] = [Self::SessionStart, Self::SubagentStart, Self::PreToolUse, Self::SubagentStop, Self::SessionEnd];

    /// Its word on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::SessionStart => "session-start",
            Self::SubagentStart => "subagent-start",
            Self::PreToolUse => "pre-tool-use",
            Self::SubagentStop => "subagent-stop",
            Self::SessionEnd => "session-end",
        }
    }

    /// The host's name of it.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::SessionStart => "SessionStart",
            Self::SubagentStart => "SubagentStart",
            Self::PreToolUse => "PreToolUse",
            Self::SubagentStop => "SubagentStop",
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
    /// Its settings.
    pub settings: &'h Settings,
    /// What is told.
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
            Event::SubagentStop => self.stop_agent(),
            Event::SessionEnd => self.end_session(),
        }
    }

    fn start_session(&mut self) -> Outcome<Answer> {
        if let Err(fault) = sweep(self.workspace, self.settings, self.now()) {
            self.remarks.push(fault.to_string());
        }
        let mut memory = self.open(None)?;
        if matches!(self.payload.source(), Some("clear" | "compact")) {
            memory.note(Note::Forgot)?;
        }
        if !self.settings.hook.session {
            return Ok(Answer::Silence);
        }
        let agent = self.payload.agent_type().unwrap_or(MAIN).to_owned();
        self.show(&mut memory, Event::SessionStart, &agent, None)
    }

    fn start_agent(&mut self) -> Outcome<Answer> {
        let mut memory = self.open(self.payload.agent())?;
        let agent = self.payload.agent_type().unwrap_or("unknown").to_owned();
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

    fn stop_agent(&mut self) -> Outcome<Answer> {
        let mut memory = self.open(self.payload.agent())?;
        let Some(agent) = memory.recollection.agent.clone().filter(|agent| agent != MAIN) else { return Ok(Answer::Silence) };
        let said = self.agent_said();
        let acknowledgment = said.as_deref().and_then(|said| acknowledgment_in(&memory.recollection, said));
        // Without its words nobody can say what is missing in them.
        let missing = match &said {
            Some(said) => self.missing(&memory, &agent, said, acknowledgment.is_some()),
            None => Vec::new(),
        };
        if said.is_none() && self.remarks.is_empty() {
            self.remarks.push(format!("the last words of {} cannot be found", agent.escape_debug()));
        }
        if !missing.is_empty() && memory.recollection.sent_back < self.settings.hook.retries {
            memory.note(Note::SentBack)?;
            return Ok(self.send_back(&agent, &missing, memory.recollection.sent_back));
        }
        for part in &missing {
            self.remarks.push(format!("{} was let go without {}", agent.escape_debug(), part.name()));
        }
        let others = self.agent_events(&memory, &agent, said.as_deref().unwrap_or_default())?;
        settle(self.workspace, self.settings, &mut memory, acknowledgment.as_ref(), self.now(), others)?;
        Ok(Answer::Consent)
    }

    fn end_session(&mut self) -> Outcome<Answer> {
        let folder = self.folder();
        for path in memories(&folder) {
            let is_session = path.file_name().is_some_and(|name| name == "session.jsonl");
            let said =
                if is_session { self.payload.transcript().and_then(|path| read_words(path, &mut self.remarks)) } else { None };
            if let Err(fault) = close(self.workspace, self.settings, path, said.as_deref(), self.now()) {
                self.remarks.push(fault.to_string());
            }
        }
        // Another hook of the session may still be at work; then it stays.
        let _ = fs::remove_dir(&folder);
        self.capture()?;
        Ok(Answer::Silence)
    }

    /// Takes in the lessons that the session's agents left.
    fn capture(&mut self) -> Outcome<()> {
        let work = &self.situation.work;
        let top = top_around(work).map(Path::to_path_buf);
        let is_left = |folder: &Path| learnings_of(folder).join("pending").is_dir();
        if !is_left(work) && !top.as_deref().is_some_and(is_left) {
            return Ok(());
        }
        let repo = self.situation.repository();
        let origin = Origin { project: &self.situation.turn.project, repo: repo.as_deref(), top: top.as_deref() };
        let mut recorder = Recorder::with_rules(self.workspace, self.settings.run);
        let captured = capture(work, &origin, self.now(), &mut recorder)?;
        for (path, reason) in captured.refused {
            self.remarks.push(format!("a lesson was refused: {}: {reason}", path.display()));
        }
        Ok(())
    }

    /// The events of an agent that ends, beside those of patterns: how long it took, and whether the build passed that it looked at.
    fn agent_events(&self, memory: &Memory, agent: &str, said: &str) -> Outcome<Vec<String>> {
        let misfit = |cause: String| Diagnostic::bug(format!("an event of an agent does not fit: {cause}"));
        let turn = memory.recollection.turn.as_ref().map_or_else(|| self.situation.turn.clone(), Clone::clone);
        let turn = Turn { time: self.now(), ..turn };
        let short = short_name(agent);
        let mut events = Vec::new();
        if self.settings.hook.build_agents.iter().any(|known| known == short || known == agent)
            && let Some(passed) = build_verdict(said)
        {
            events.push(build_line(&turn, passed, None).map_err(misfit)?);
        }
        if let Some(began) = memory.recollection.began
            && let Some(name) = fit::name(short)
        {
            let seconds = self.now().duration_since(began).as_secs().max(0);
            let draft = Draft::new("timing", self.now(), &turn.project).of_turn(&turn.run_id, turn.iteration);
            let draft = draft.with("event", "agent").with("agent", name).with("started", began.to_string());
            events.push(draft.with("ended", self.now().to_string()).with("seconds", seconds).finish().map_err(misfit)?);
        }
        Ok(events)
    }

    /// What an agent has still to say.
    fn missing(&self, memory: &Memory, agent: &str, said: &str, is_acknowledged: bool) -> Vec<Duty> {
        let short = short_name(agent);
        if !self.settings.hook.learning_agents.iter().any(|known| known == short || known == agent) {
            return Vec::new();
        }
        let is_asked = memory.recollection.shown.iter().any(|exposure| exposure.tool.is_none());
        let acknowledgment = (is_asked && !is_acknowledged).then_some(Duty::Acknowledgment);
        let id = self.payload.agent().unwrap_or_default();
        let capture = (!has_captured(&self.situation, short, id, said, self.settings)).then_some(Duty::Capture);
        acknowledgment.into_iter().chain(capture).collect()
    }

    fn send_back(&self, agent: &str, missing: &[Duty], attempt: u32) -> Answer {
        let pending = learnings_of(&self.situation.work).join("pending");
        let file = format!("{}-{}.json", file_name(short_name(agent)), file_name(self.payload.agent().unwrap_or_default()));
        let place = crate::render::plain_text(&pending.join(file).display().to_string(), 400);
        let reason = missing.iter().map(|duty| duty.request(&place)).collect::<Vec<_>>().join("\n\n");
        let names = missing.iter().map(|duty| duty.name()).collect::<Vec<_>>().join(" and ");
        let agent = crate::render::plain_text(short_name(agent), 80);
        let message = format!("{agent} ended without {names}: sent back, {attempt} of {}", self.settings.hook.retries);
        Answer::SendBack { reason, message }
    }

    fn agent_said(&mut self) -> Option<String> {
        if let Some(words) = self.payload.last_words() {
            return Some(words.to_owned());
        }
        self.payload.agent_transcript().and_then(|path| read_words(path, &mut self.remarks))
    }

    fn open(&self, agent: Option<&str>) -> Outcome<Memory> {
        let mut memory = Memory::open(&self.folder(), agent)?;
        recover(self.workspace, self.settings, &mut memory)?;
        if memory.recollection.began.is_none() {
            let turn = &self.situation.turn;
            let name = self.payload.agent_type().or_else(|| agent.is_none().then_some(MAIN)).unwrap_or("unknown");
            memory.note(Note::Began {
                agent: name.to_owned(),
                role: None,
                at: turn.time,
                project: turn.project.clone(),
                run: turn.run_id.clone(),
                iteration: turn.iteration,
                session: self.situation.session.clone(),
            })?;
        }
        Ok(memory)
    }

    fn folder(&self) -> PathBuf {
        self.workspace.hooks().join(file_name(&self.situation.session))
    }

    const fn now(&self) -> Timestamp {
        self.situation.turn.time
    }
}

/// What an agent that learns has to say before it ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Duty {
    Acknowledgment,
    Capture,
}

impl Duty {
    const fn name(self) -> &'static str {
        match self {
            Self::Acknowledgment => "an acknowledgment",
            Self::Capture => "a lesson",
        }
    }

    fn request(self, place: &str) -> String {
        match self {
            Self::Acknowledgment => "You were shown patterns and have not said what became of them. Write a line that says \
                LEARNINGS_ACKNOWLEDGED, and below it one line for each pattern that you used: Applied: \"its text\" at path:line. If \
                you used none, that one line is enough."
                .to_owned(),
            Self::Capture => format!(
                "Write down what you have learned, as JSON with the members what_happened, why, fix_applied, pattern_to_remember and \
                 applies_to (a list of agents, or [\"*\"]), into {place}. If there was nothing to learn, say no_learnings and why."
            ),
        }
    }
}

/// Records what was shown outside of a hook: as events of a run, each pattern once for an agent and an iteration.
pub fn record_exposures(
    workspace: &Workspace,
    settings: &Settings,
    turn: &Turn,
    request: &Request<'_>,
    injection: &Injection,
) -> Outcome<()> {
    let agent = request.agent.or(request.role).unwrap_or("unknown");
    let folder = workspace.hooks().join(file_name(&format!("run {}", turn.run_id)));
    let key = serde_json::json!([turn.project, turn.iteration, agent, request.role]).to_string();
    let mut memory = Memory::open(&folder, Some(&key))?;
    recover(workspace, settings, &mut memory)?;
    if memory.recollection.began.is_none() {
        memory.note(Note::Began {
            agent: agent.to_owned(),
            role: request.role.map(str::to_owned),
            at: turn.time,
            project: turn.project.clone(),
            run: turn.run_id.clone(),
            iteration: turn.iteration,
            session: turn.run_id.clone(),
        })?;
    }
    remember(&mut memory, injection, request.tool.map(|tool| tool.name))?;
    settle(workspace, settings, &mut memory, None, turn.time, Vec::new())
}

fn remember(memory: &mut Memory, injection: &Injection, tool: Option<&str>) -> Outcome<()> {
    let patterns = |shown: &[ShownPattern]| {
        shown.iter().map(|pattern| Remembered { id: pattern.id.clone(), text: pattern.text.clone() }).collect::<Vec<_>>()
    };
    if !injection.shown.is_empty() {
        memory.note(Note::Shown { patterns: patterns(&injection.shown), tool: tool.map(str::to_owned) })?;
    }
    if !injection.withheld.is_empty() {
        memory.note(Note::Withheld { patterns: patterns(&injection.withheld) })?;
    }
    Ok(())
}

/// Lands what a memory still holds and puts it away.
fn close(workspace: &Workspace, settings: &Settings, path: PathBuf, said: Option<&str>, now: Timestamp) -> Outcome<()> {
    let mut memory = Memory::open_at(path)?;
    let acknowledgment = said.and_then(|said| acknowledgment_in(&memory.recollection, said));
    settle(workspace, settings, &mut memory, acknowledgment.as_ref(), now, Vec::new())?;
    memory.forget()
}

/// Closes the memories of sessions that were silent for too long: nobody will end them any more.
pub fn sweep(workspace: &Workspace, settings: &Settings, now: Timestamp) -> Outcome<usize> {
    let Ok(sessions) = fs::read_dir(workspace.hooks()) else { return Ok(0) };
    let limit = SignedDuration::from_hours(settings.hook.abandoned_hours.into());
    let mut closed = 0;
    for folder in sessions.flatten().map(|entry| entry.path()) {
        let paths = memories(&folder);
        let is_silent = |path: &PathBuf| {
            let written = fs::symlink_metadata(path).and_then(|found| found.modified()).ok();
            written.and_then(|time| Timestamp::try_from(time).ok()).is_some_and(|time| now.duration_since(time) > limit)
        };
        if paths.iter().all(is_silent) {
            for path in paths {
                close(workspace, settings, path, None, now)?;
                closed += 1;
            }
            let _ = fs::remove_dir(&folder);
        }
    }
    Ok(closed)
}

/// The memories in a session's folder, by name.
fn memories(folder: &Path) -> Vec<PathBuf> {
    let is_memory = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "jsonl");
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_memory).collect();
    paths.sort_unstable();
    paths
}

/// The last words in a transcript. A host need not keep one.
fn read_words(path: &str, remarks: &mut Vec<String>) -> Option<String> {
    last_words(Path::new(path)).unwrap_or_else(|error| {
        if error.kind() != io::ErrorKind::NotFound {
            remarks.push(format!("the transcript cannot be read: {error}"));
        }
        None
    })
}
