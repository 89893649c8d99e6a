//! What the session and its agents are shown: at their start, with a prompt, and beside the use of a tool.

use super::answer::Answer;
use super::coin::Coins;
use super::exposure::remember;
use super::host::{Event, Host, MAIN, UNKNOWN};
use super::injection::{Request, inject};
use super::kept::take_report;
use super::knowledge::{self, KnownEntry, fitting, load_entries};
use super::learned::{Beginning, tell_learned};
use super::memory::{Memory, Note, is_known};
use super::situation::Situation;
use super::sweep::sweep;
use super::task::{drop_tasks, leave_task, own_task, take_task};
use crate::artifact::find_root;
use learn::recall::{READER, TaskWords, ToolUse, files_in};
use setting::Compat;
use text::diagnostic::{Diagnostic, Outcome};

/// The tools that start an agent.
pub(super) const STARTERS: [&str; 2] = ["Agent", "Task"];

/// What something is shown for.
#[derive(Clone, Copy)]
struct Occasion<'o> {
    event: Event,
    tool: Option<ToolUse<'o>>,
    /// The task in words, and the files that it names.
    task: Option<&'o str>,
    files: &'o [String],
    most: Option<usize>,
    /// Whether only what fits the task is shown.
    only_fitting: bool,
}

impl Occasion<'_> {
    const fn of(event: Event) -> Self {
        Self { event, tool: None, task: None, files: &[], most: None, only_fitting: false }
    }
}

/// What came of showing patterns.
#[derive(Default)]
struct Presented {
    /// Whether the unit of work is one of those that are shown nothing.
    is_off: bool,
    text: Option<String>,
}

fn is_off(patterns: &Outcome<Presented>) -> bool {
    patterns.as_ref().is_ok_and(|presented| presented.is_off)
}

impl Host<'_> {
    pub(super) fn start_session(&mut self) -> Outcome<Answer> {
        let faults = sweep(self.workspace, self.settings, self.now()).faults;
        self.remarks.extend(faults.iter().map(Diagnostic::in_a_line));
        let mut memory = self.open(None)?;
        if matches!(self.payload.source(), Some("clear" | "compact")) {
            memory.note(Note::Forgot)?;
        }
        if !self.shows_to_session() {
            return Ok(Answer::Silence);
        }
        let agent = self.payload.agent_type().unwrap_or(MAIN).to_owned();
        let most = Some(self.settings.hook.session_most);
        let patterns = self.show(&mut memory, &agent, Occasion { most, ..Occasion::of(Event::SessionStart) });
        let learned = if is_off(&patterns) { None } else { self.learned() };
        Ok(self.join(Event::SessionStart, patterns, learned))
    }

    /// What the project itself has learned, for a session that begins.
    fn learned(&mut self) -> Option<String> {
        let turn = &self.situation.turn;
        let folder = &find_root(self.workspace.root(), &self.settings.artifact);
        let beginning = Beginning { folder, project: &turn.project, tokens: self.settings.inject.tokens, now: turn.time };
        let (learned, faults) = tell_learned(self.workspace, &beginning);
        self.remarks.extend(faults.iter().map(Diagnostic::in_a_line));
        learned
    }

    /// Shows the session's own agent what fits a prompt. Whoever was to begin before it never will.
    pub(super) fn take_prompt(&mut self) -> Outcome<Answer> {
        if self.payload.is_notification() {
            return Ok(self.hand_over(Event::UserPromptSubmit));
        }
        drop_tasks(&self.folder());
        let Some(prompt) = self.payload.prompt().filter(|_| self.shows_to_session()) else { return Ok(Answer::Silence) };
        let files = self.files_of(prompt);
        let mut memory = self.open(None)?;
        let occasion = Occasion {
            task: Some(prompt),
            files: &files,
            most: Some(self.settings.hook.session_most),
            only_fitting: true,
            ..Occasion::of(Event::UserPromptSubmit)
        };
        let patterns = self.show(&mut memory, MAIN, occasion);
        let knowledge = self.tell_knowledge(&mut memory, &patterns, Some(prompt), &files)?;
        Ok(self.join(Event::UserPromptSubmit, patterns, knowledge))
    }

    pub(super) fn start_agent(&mut self) -> Outcome<Answer> {
        // Without an id its name tells it from the session's own agent.
        let agent = self.payload.agent_type().unwrap_or(UNKNOWN).to_owned();
        let taken = take_task(&self.folder(), &agent, self.payload.prompt_id(), self.now());
        let is_unsure = taken.as_ref().is_some_and(|taken| !taken.is_certain);
        let task = taken.map(|taken| taken.text);
        let files = task.as_deref().map(|task| self.files_of(task)).unwrap_or_default();
        let mut memory = self.open(Some(self.payload.agent().unwrap_or(&agent)))?;
        if is_unsure {
            memory.note(Note::Task { certain: false })?;
        }
        let occasion = Occasion { task: task.as_deref(), files: &files, ..Occasion::of(Event::SubagentStart) };
        let patterns = self.show(&mut memory, &agent, occasion);
        let knowledge = self.tell_knowledge(&mut memory, &patterns, task.as_deref(), &files)?;
        Ok(self.join(Event::SubagentStart, patterns, knowledge))
    }

    pub(super) fn use_tool(&mut self) -> Outcome<Answer> {
        let Some(name) = self.payload.tool() else { return Ok(Answer::Silence) };
        if STARTERS.contains(&name) {
            if let Some(task) = self.payload.task() {
                leave_task(&self.folder(), task, self.payload.prompt_id(), self.now())?;
            }
            return Ok(Answer::Silence);
        }
        let fitting = self.show_own_task()?;
        let is_read = name == READER && !self.is_original();
        if self.settings.inject.tags_of_tool(name).is_empty() && !is_read {
            return Ok(self.join(Event::PreToolUse, Ok(Presented::default()), fitting));
        }
        let path = self.payload.path().and_then(|path| self.inside(path));
        let tool = Some(ToolUse { name, command: self.payload.command(), path: path.as_deref() });
        let mut memory = self.open(self.payload.agent())?;
        let agent = memory.recollection.agent.clone().unwrap_or_else(|| MAIN.to_owned());
        let patterns = self.show(&mut memory, &agent, Occasion { tool, ..Occasion::of(Event::PreToolUse) });
        let knowledge = match path.filter(|_| is_read) {
            Some(path) => self.tell_knowledge(&mut memory, &patterns, Some(""), &[path])?,
            None => None,
        };
        let others: Vec<String> = fitting.into_iter().chain(knowledge).collect();
        Ok(self.join(Event::PreToolUse, patterns, (!others.is_empty()).then(|| others.join("\n"))))
    }

    /// Shows an agent what fits its task, where that was not known when it began: before its first tool its transcript tells.
    fn show_own_task(&mut self) -> Outcome<Option<String>> {
        let (Some(agent), Some(transcript)) = (self.payload.agent(), self.payload.transcript()) else { return Ok(None) };
        if !is_known(&self.folder(), agent) {
            return Ok(None);
        }
        let mut memory = self.open(Some(agent))?;
        if !memory.recollection.is_unsure {
            return Ok(None);
        }
        let Some(task) = own_task(transcript, agent) else { return Ok(None) };
        memory.note(Note::Task { certain: true })?;
        let files = self.files_of(&task);
        let name = memory.recollection.agent.clone().unwrap_or_else(|| UNKNOWN.to_owned());
        let occasion = Occasion { task: Some(&task), files: &files, only_fitting: true, ..Occasion::of(Event::PreToolUse) };
        self.show(&mut memory, &name, occasion).map(|presented| presented.text)
    }

    /// Hands a caller the report of an agent that has ended without repeating it.
    pub(super) fn hand_over(&self, event: Event) -> Answer {
        let kept = self.payload.ended().and_then(|agent| take_report(&self.folder(), agent));
        kept.map_or(Answer::Silence, |kept| Answer::Context { event: event.title(), text: kept.tell() })
    }

    /// Shows patterns to an agent, and remembers which.
    fn show(&mut self, memory: &mut Memory, agent: &str, occasion: Occasion<'_>) -> Outcome<Presented> {
        let Occasion { event, tool, task, files, most, only_fitting } = occasion;
        let repo = self.situation.repository();
        let priority = self.situation.priority(self.workspace, self.settings);
        let is_known = matches!(event, Event::PreToolUse | Event::UserPromptSubmit) && !self.settings.hook.repeat;
        let known: Vec<String> = if is_known { memory.recollection.in_context.iter().cloned().collect() } else { Vec::new() };
        let Situation { turn, session, .. } = &self.situation;
        let unit = self.situation.unit_of_work();
        let coins = unit.and_then(|unit| Coins::of(self.workspace, self.settings, turn, unit, Some(session)));
        let request = Request {
            agent: Some(agent),
            repo: repo.as_deref(),
            project: Some(&turn.project),
            tool,
            task,
            files,
            most,
            only_fitting,
            priority: &priority,
            without: &known,
            coins: coins.as_ref(),
            is_logged: true,
            now_micros: self.now().as_microsecond(),
            ..Request::default()
        };
        let injection = inject(self.workspace, self.settings, &request)?;
        remember(memory, coins.as_ref(), &injection, tool.map(|tool| tool.name))?;
        let fault = coins.as_ref().and_then(Coins::take_fault);
        let is_off = injection.is_off();
        self.remarks.extend(fault.map(|fault| fault.in_a_line()));
        Ok(Presented { is_off, text: (!injection.text.is_empty()).then_some(injection.text) })
    }

    /// Tells an agent what it has not in its context yet of the project's knowledge. A unit that is shown nothing is told nothing.
    fn tell_knowledge(
        &self,
        memory: &mut Memory,
        patterns: &Outcome<Presented>,
        task: Option<&str>,
        files: &[String],
    ) -> Outcome<Option<String>> {
        if is_off(patterns) {
            return Ok(None);
        }
        let entries = self.entries_for(memory, task, files);
        tell_entries(memory, &entries)
    }

    /// The entries of the project's knowledge that an agent has not in its context yet: those that fit its task. Where no task is
    /// known, the latest.
    fn entries_for(&self, memory: &Memory, task: Option<&str>, files: &[String]) -> Vec<KnownEntry> {
        let most = self.settings.hook.knowledge_most;
        if most == 0 || self.is_original() {
            return Vec::new();
        }
        let mut entries = load_entries(&find_root(self.workspace.root(), &self.settings.artifact));
        entries.retain(|entry| !memory.recollection.told.contains(&entry.anchor));
        match task {
            Some(task) => {
                entries = fitting(entries, files, TaskWords::new(task).as_ref(), self.settings.inject.fit);
                entries.truncate(most);
            }
            None => drop(entries.drain(..entries.len().saturating_sub(most))),
        }
        entries
    }

    /// One answer of all that is shown, even where patterns cannot be.
    fn join(&mut self, event: Event, patterns: Outcome<Presented>, other: Option<String>) -> Answer {
        let patterns = match patterns {
            Ok(presented) => presented.text,
            Err(fault) => {
                self.remarks.push(fault.in_a_line());
                None
            }
        };
        let text: Vec<String> = patterns.into_iter().chain(other).collect();
        if text.is_empty() { Answer::Silence } else { Answer::Context { event: event.title(), text: text.join("\n") } }
    }

    /// The files that a text names, from the top of the repository.
    fn files_of(&self, text: &str) -> Vec<String> {
        files_in(text).iter().filter_map(|file| self.inside(file)).collect()
    }

    fn shows_to_session(&self) -> bool {
        self.settings.hook.session && !self.is_original()
    }

    fn is_original(&self) -> bool {
        self.settings.compat == Compat::ClosedLoop
    }
}

/// Tells an agent of entries, and remembers which.
fn tell_entries(memory: &mut Memory, entries: &[KnownEntry]) -> Outcome<Option<String>> {
    if !entries.is_empty() {
        memory.note(Note::Told { anchors: entries.iter().map(|entry| entry.anchor.clone()).collect() })?;
    }
    Ok(knowledge::block(entries))
}
