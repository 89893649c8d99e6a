//! The hooks: what each does, from what is told to what is answered.

use std::io;
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use super::answer::Answer;
use super::capture::has_captured;
use super::exposure::remember;
use super::injection::{Request, inject};
use super::learned::{Beginning, tell_learned};
use super::memory::{Memory, Note, file_name, list_memories};
use super::observation::enqueue;
use super::payload::Payload;
use super::settlement::{Account, acknowledgment_in, recover, settle};
use super::situation::Situation;
use super::sweep::sweep;
use super::transcript::{Speaker, last_words};
use super::verdict::{build_verdict, says_nothing_learned};
use crate::artifact::find_root;
use crate::iteration::{Origin, Turn, build_line, capture, learnings_of};
use crate::repository::top_around;
use event::Draft;
use event::redact::redact;
use learn::recall::{ToolUse, short_name};
use render::plain_text;
use setting::Settings;
use store::inbox::Recorder;
use store::workspace::Workspace;
use text::diagnostic::{Diagnostic, Outcome};
use text::fit;

/// How the session's own agent is called, and one whose name nobody tells.
const MAIN: &str = "main";
const UNKNOWN: &str = "unknown";
/// What an event about an agent's time is about; there is one when it was let go.
const TIMING: &str = "timing";
/// How much of what an agent said is kept when it is sent back.
const MOST_SAID_BYTES: usize = 256 << 10;
/// No path is longer.
const MOST_PATH_CHARACTERS: usize = 4096;

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
            Event::UserPromptSubmit | Event::PostToolUse | Event::PostToolUseFailure | Event::Stop => Ok(Answer::Silence),
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

    fn stop_agent(&mut self) -> Outcome<Answer> {
        let name = self.payload.agent_type().unwrap_or(UNKNOWN).to_owned();
        let mut memory = Memory::open(&self.folder(), Some(self.payload.agent().unwrap_or(&name)))?;
        recover(self.workspace, self.settings, &mut memory)?;
        let said = self.agent_said();
        let Some(agent) = memory.recollection.agent.clone() else { return self.stop_stranger(memory, &name, said.as_deref()) };
        let acknowledgment = acknowledgment_in(&memory.recollection, said.as_deref());
        // Without its words nobody can say what is missing in them.
        let missing = match &said {
            Some(said) => self.missing(&memory, &agent, said, acknowledgment.is_some()),
            None => Vec::new(),
        };
        if said.is_none() && self.remarks.is_empty() {
            self.remarks.push(format!("the last message of {} was not found", agent.escape_debug()));
        }
        let before = u32::try_from(memory.recollection.said_before.len()).unwrap_or(u32::MAX);
        if !missing.is_empty() && before < self.settings.hook.retries {
            let said = end_of(said.as_deref().unwrap_or_default(), MOST_SAID_BYTES);
            memory.note(Note::SentBack { said: redact(said).text.into_owned() })?;
            return Ok(self.send_back(&agent, &missing, before + 1));
        }
        for part in &missing {
            self.remarks.push(format!("{} ended without {}", agent.escape_debug(), part.name()));
        }
        let others = self.agent_accounts(&memory, &agent, said.as_deref().unwrap_or_default())?;
        settle(self.workspace, self.settings, &mut memory, acknowledgment.as_ref(), self.now(), others)?;
        Ok(Answer::Consent)
    }

    /// An agent that was shown nothing: it began before there were hooks, or its session has ended. It has no duties; only whether
    /// the build passed is worth keeping.
    fn stop_stranger(&self, memory: Memory, agent: &str, said: Option<&str>) -> Outcome<Answer> {
        memory.forget()?;
        let Some(event) = self.build_event(&self.situation.turn, agent, said.unwrap_or_default())? else {
            return Ok(Answer::Silence);
        };
        let mut recorder = Recorder::with_rules(self.workspace, self.settings.run);
        recorder.take_own(&[event])?;
        recorder.land()?;
        Ok(Answer::Consent)
    }

    /// Lands what is left. The memories stay for a while: a session that is resumed, or an agent that ends late, must not tell
    /// the same again.
    fn end_session(&mut self) -> Outcome<Answer> {
        for path in list_memories(&self.folder()) {
            if let Err(fault) = self.close(path) {
                self.remarks.push(fault.in_a_line());
            }
        }
        if self.settings.observe.sessions
            && let Err(fault) = enqueue(self.workspace, self.payload, &self.situation, self.now())
        {
            self.remarks.push(fault.in_a_line());
        }
        self.capture()?;
        Ok(Answer::Silence)
    }

    fn close(&mut self, path: PathBuf) -> Outcome<()> {
        let mut memory = Memory::open_at(path)?;
        // Nobody asks a session for an acknowledgment that was shown nothing.
        let is_read = memory.is_of_session() && !memory.recollection.shown.is_empty();
        let transcript = self.payload.transcript().filter(|_| is_read);
        let said = transcript.and_then(|path| read_words(path, Speaker::Session, &mut self.remarks));
        let acknowledgment = acknowledgment_in(&memory.recollection, said.as_deref());
        settle(self.workspace, self.settings, &mut memory, acknowledgment.as_ref(), self.now(), Vec::new())
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

    /// What is told of an agent that ends, beside patterns: how long it took, and whether the build passed that it looked at.
    fn agent_accounts(&self, memory: &Memory, agent: &str, said: &str) -> Outcome<Vec<Account>> {
        let turn = memory.recollection.turn.as_ref().unwrap_or(&self.situation.turn);
        let turn = Turn { time: self.now(), ..turn.clone() };
        let build = self.build_event(&turn, agent, said)?;
        let mut accounts: Vec<Account> = Vec::new();
        accounts.extend(build.map(|event| Account { key: format!("build:{:?}", build_verdict(said)), event }));
        if let Some(began) = memory.recollection.began
            && let Some(name) = fit::name(short_name(agent))
        {
            let seconds = self.now().duration_since(began).as_secs().max(0);
            let draft = Draft::new("timing", self.now(), &turn.project).of_turn(&turn.run_id, turn.iteration);
            let draft = draft.with("event", "agent").with("agent", name).with("started", began.to_string());
            let draft = draft.with("ended", self.now().to_string()).with("seconds", seconds);
            accounts.push(Account { key: TIMING.to_owned(), event: draft.finish().map_err(misfit)? });
        }
        Ok(accounts)
    }

    /// Whether the build passed, if the agent is one that says so.
    fn build_event(&self, turn: &Turn, agent: &str, said: &str) -> Outcome<Option<String>> {
        let short = short_name(agent);
        if !self.settings.hook.build_agents.iter().any(|known| known == short || known == agent) {
            return Ok(None);
        }
        build_verdict(said).map(|passed| build_line(turn, passed, None).map_err(misfit)).transpose()
    }

    /// What an agent has still to say.
    fn missing(&self, memory: &Memory, agent: &str, said: &str, is_acknowledged: bool) -> Vec<Duty> {
        let short = short_name(agent);
        if !self.settings.hook.learning_agents.iter().any(|known| known == short || known == agent) {
            return Vec::new();
        }
        // Whoever was let go once, and is resumed, has said what was asked.
        if memory.recollection.recorded.contains(TIMING) {
            return Vec::new();
        }
        let is_asked = memory.recollection.shown.iter().any(|exposure| exposure.tool.is_none());
        let acknowledgment = (is_asked && !is_acknowledged).then_some(Duty::Acknowledgment);
        let id = self.payload.agent().unwrap_or_default();
        let has_said = memory.recollection.said_before.iter().map(String::as_str).chain([said]).any(says_nothing_learned);
        let has_learned = has_said || has_captured(&self.situation, short, id, self.settings);
        let capture = (!has_learned).then_some(Duty::Capture);
        acknowledgment.into_iter().chain(capture).collect()
    }

    fn send_back(&self, agent: &str, missing: &[Duty], attempt: u32) -> Answer {
        let pending = learnings_of(&self.situation.work).join("pending");
        let file = format!("{}-{}.json", file_name(short_name(agent)), file_name(self.payload.agent().unwrap_or_default()));
        let place = plain_text(&pending.join(file).display().to_string(), MOST_PATH_CHARACTERS);
        let reason = missing.iter().map(|duty| duty.request(&place)).collect::<Vec<_>>().join("\n\n");
        let names = missing.iter().map(|duty| duty.name()).collect::<Vec<_>>().join(" and ");
        let agent = plain_text(short_name(agent), 80);
        let message = format!("{agent} ended without {names}: sent back, attempt {attempt} of {}", self.settings.hook.retries);
        Answer::SendBack { reason, message }
    }

    fn agent_said(&mut self) -> Option<String> {
        if let Some(words) = self.payload.last_words() {
            return Some(words.to_owned());
        }
        self.payload.agent_transcript().and_then(|path| read_words(path, Speaker::Anyone, &mut self.remarks))
    }

    /// Opens the memory of an agent that begins or is at work.
    fn open(&self, agent: Option<&str>) -> Outcome<Memory> {
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
        })?;
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
            Self::Acknowledgment => "You were shown patterns and did not report whether you used them. Write a line that says \
                LEARNINGS_ACKNOWLEDGED, and below it one line for each pattern that you used: Applied: \"its text\" at path:line. If \
                you used none, that line alone is enough."
                .to_owned(),
            Self::Capture => format!(
                "Write down what you have learned, as JSON with the members what_happened, why, fix_applied, pattern_to_remember and \
                 applies_to (a list of agents, or [\"*\"]), into {place}. If there was nothing to learn, say no_learnings and why."
            ),
        }
    }
}

/// The last words in a transcript. A host need not keep one.
fn read_words(path: &str, speaker: Speaker, remarks: &mut Vec<String>) -> Option<String> {
    last_words(Path::new(path), speaker).unwrap_or_else(|error| {
        if error.kind() != io::ErrorKind::NotFound {
            remarks.push(format!("the transcript cannot be read: {error}"));
        }
        None
    })
}

/// The longest end of a text that has at most so many bytes and no half character.
fn end_of(text: &str, most_bytes: usize) -> &str {
    let mut start = text.len().saturating_sub(most_bytes);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    &text[start..]
}

#[expect(clippy::needless_pass_by_value, reason = "errors are handed over")]
fn misfit(cause: String) -> Diagnostic {
    Diagnostic::bug(format!("an event of an agent is invalid: {cause}"))
}
