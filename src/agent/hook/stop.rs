//! How an agent and a session end: what they said is taken, what was shown lands, and who still owes something is sent back.

use std::io;
use std::path::{Path, PathBuf};

use super::answer::Answer;
use super::capture::has_captured;
use super::duty::{Duty, holds_report, request};
use super::host::{Event, Host, UNKNOWN};
use super::kept::{Kept, keep_report, settle_report, take_reports};
use super::memory::{Memory, Note, file_name, list_memories};
use super::observation::enqueue;
use super::settlement::{Account, acknowledgment_in, claims_in, recover, settle};
use super::transcript::{Speaker, last_words};
use super::verdict::{build_verdict, says_nothing_learned};
use crate::iteration::{Origin, Turn, build_line, capture, learnings_of, make_learnings};
use crate::repository::top_around;
use event::Draft;
use event::redact::redact;
use learn::recall::short_name;
use render::plain_text;
use store::inbox::Recorder;
use text::diagnostic::{Diagnostic, Outcome};
use text::fit;

/// What an event about an agent's time is about; there is one when it was let go.
const TIMING: &str = "timing";
/// How much of what an agent said is kept when it is sent back.
const MOST_SAID_BYTES: usize = 256 << 10;
/// No path is longer.
const MOST_PATH_CHARACTERS: usize = 4096;

impl Host<'_> {
    pub(super) fn stop_agent(&mut self) -> Outcome<Answer> {
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
            keep_report(&self.folder(), self.payload.agent().unwrap_or(&name), &agent, said)?;
            memory.note(Note::SentBack { said: redact(said).text.into_owned() })?;
            return Ok(self.send_back(&agent, &missing, before + 1));
        }
        let id = self.payload.agent().unwrap_or(&name);
        if let Some(said) = &said
            && settle_report(&self.folder(), id, said)
        {
            self.remarks.push(format!("{} did not repeat its report: its caller is handed it", agent.escape_debug()));
        }
        for part in &missing {
            self.remarks.push(format!("{} ended without {}", agent.escape_debug(), part.name()));
        }
        let others = self.agent_accounts(&memory, &agent, said.as_deref().unwrap_or_default())?;
        settle(self.workspace, self.settings, &mut memory, acknowledgment.as_ref(), self.now(), others)?;
        Ok(Answer::Consent)
    }

    /// Takes what the session's own agent says about patterns at the end of a turn: what it says last need not repeat it.
    pub(super) fn answer_session(&mut self) -> Outcome<Answer> {
        let mut memory = Memory::open(&self.folder(), None)?;
        if memory.recollection.began.is_none() {
            memory.forget()?;
            return Ok(self.hand_over_rest());
        }
        if !memory.recollection.shown.is_empty()
            && let Some(said) = self.session_said()
            && let Some(uses) = claims_in(&memory.recollection, &said)
        {
            memory.note(Note::Acknowledged { uses })?;
        }
        Ok(self.hand_over_rest())
    }

    /// Hands the session the reports that no caller was handed: of agents that failed after they were sent back, or whose end the host
    /// told in the middle of a turn, which no hook hears of.
    fn hand_over_rest(&self) -> Answer {
        let kept = take_reports(&self.folder(), self.payload.at_work());
        let texts: Vec<String> = kept.iter().map(Kept::tell).collect();
        if texts.is_empty() {
            return Answer::Silence;
        }
        Answer::Context { event: Event::Stop.title(), text: texts.join("\n\n") }
    }

    fn session_said(&mut self) -> Option<String> {
        if let Some(words) = self.payload.last_words() {
            return Some(words.to_owned());
        }
        self.payload.transcript().and_then(|path| read_words(path, Speaker::Session, &mut self.remarks))
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
    pub(super) fn end_session(&mut self) -> Outcome<Answer> {
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
        let has_learned = has_said || memory.recollection.has_learned || has_captured(&self.situation, short, id, self.settings);
        let capture = (!has_learned).then_some(Duty::Capture);
        let report = (!holds_report(said, &memory.recollection.said_before)).then_some(Duty::Report);
        acknowledgment.into_iter().chain(capture).chain(report).collect()
    }

    fn send_back(&self, agent: &str, missing: &[Duty], attempt: u32) -> Answer {
        let pending = learnings_of(&self.situation.work).join("pending");
        // The agent makes this folder if nobody does, and what it writes there is none of the repository's.
        if missing.contains(&Duty::Capture)
            && top_around(&self.situation.work).is_some()
            && let Err(fault) = make_learnings(&self.situation.work)
        {
            tracing::debug!("{}", fault.in_a_line());
        }
        let file = format!("{}-{}.json", file_name(short_name(agent)), file_name(self.payload.agent().unwrap_or_default()));
        let place = plain_text(&pending.join(file).display().to_string(), MOST_PATH_CHARACTERS);
        let text = request(missing, &place);
        let names = missing.iter().map(|duty| duty.name()).collect::<Vec<_>>().join(" and ");
        let agent = plain_text(short_name(agent), 80);
        let message = format!("{agent} ended without {names}: sent back, attempt {attempt} of {}", self.settings.hook.retries);
        Answer::SendBack { text, message }
    }

    fn agent_said(&mut self) -> Option<String> {
        if let Some(words) = self.payload.last_words() {
            return Some(words.to_owned());
        }
        self.payload.agent_transcript().and_then(|path| read_words(path, Speaker::Anyone, &mut self.remarks))
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
