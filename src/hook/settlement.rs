//! What an agent was shown and what it said about that, as events: one for each pattern, however often it was shown or asked.

use jiff::Timestamp;
use serde_json::json;

use super::acknowledgment::{Acknowledgment, Shown, Use, parse_acknowledgment};
use super::memory::{Exposure, Memory, Note, Recollection};
use crate::diagnostic::{Diagnostic, Outcome};
use crate::digest::sha256;
use crate::event::redact::redact;
use crate::event::{Draft, fit, limit};
use crate::inbox::Recorder;
use crate::learn::recall::short_name;
use crate::setting::Settings;
use crate::workspace::Workspace;

/// What the agent said, if it said anything about the patterns that it was shown.
pub(super) fn acknowledgment_in(recollection: &Recollection, said: &str) -> Option<Acknowledgment> {
    let shown: Vec<Shown<'_>> =
        recollection.shown.iter().map(|exposure| Shown { id: &exposure.pattern.id, text: &exposure.pattern.text }).collect();
    parse_acknowledgment(said, &shown)
}

/// Lands what a memory holds that has not landed yet, and other events with it. Whoever is killed in between leaves a note, by which
/// the next hook lands the same bytes again.
pub(super) fn settle(
    workspace: &Workspace,
    settings: &Settings,
    memory: &mut Memory,
    acknowledgment: Option<&Acknowledgment>,
    now: Timestamp,
    others: Vec<String>,
) -> Outcome<()> {
    recover(workspace, settings, memory)?;
    let (patterns, mut events) = application_events(&memory.recollection, acknowledgment, now)?;
    events.extend(others);
    // What an agent says may hold a secret, and the note stays on the disk for a while.
    let events: Vec<String> = events.iter().map(|event| redact(event).text.into_owned()).collect();
    if events.is_empty() {
        return Ok(());
    }
    memory.note(Note::Landing { patterns, events: events.clone() })?;
    land(workspace, settings, &events)?;
    memory.note(Note::Landed)
}

/// Lands again what a killed hook was about to land.
pub(super) fn recover(workspace: &Workspace, settings: &Settings, memory: &mut Memory) -> Outcome<()> {
    if memory.recollection.landing.is_empty() {
        return Ok(());
    }
    land(workspace, settings, &memory.recollection.landing)?;
    memory.note(Note::Landed)
}

fn land(workspace: &Workspace, settings: &Settings, events: &[String]) -> Outcome<()> {
    let mut recorder = Recorder::with_rules(workspace, settings.run);
    recorder.take_own(events)?;
    recorder.land()
}

/// The events of what was shown and held back. Of a pattern that an agent used it is said that it was used, and nothing else.
fn application_events(
    recollection: &Recollection,
    acknowledgment: Option<&Acknowledgment>,
    now: Timestamp,
) -> Outcome<(Vec<String>, Vec<String>)> {
    let uses: &[Use] = acknowledgment.map_or(&[], |acknowledgment| &acknowledgment.uses);
    let desk = Desk { recollection, now };
    let (mut keys, mut events) = (Vec::new(), Vec::new());
    let mut take = |key: &str, draft: Option<Draft>| -> Outcome<()> {
        if let Some(draft) = draft.filter(|_| !recollection.recorded.contains(key)) {
            keys.push(key.to_owned());
            events.push(draft.finish().map_err(|cause| Diagnostic::bug(format!("an exposure does not fit: {cause}")))?);
        }
        Ok(())
    };
    for (place, exposure) in recollection.shown.iter().enumerate() {
        let claim = uses.iter().find(|claim| claim.pattern == Some(place));
        take(&exposure.pattern.id, desk.exposure(exposure, claim))?;
    }
    // What it says it used and was not shown: the cycle finds out which pattern is meant.
    for claim in uses.iter().filter(|claim| claim.pattern.is_none()) {
        let key = format!("text:{}", claim.text);
        take(&key, desk.draft(&key, "applied", &claim.text).map(|draft| draft.with_items("citations", claim.citations.clone())))?;
    }
    for pattern in &recollection.withheld {
        let is_shown = recollection.shown.iter().any(|exposure| exposure.pattern.id == pattern.id);
        let draft = desk.draft(&pattern.id, "withheld", &pattern.text).filter(|_| !is_shown);
        take(&pattern.id, draft.map(|draft| draft.with("pattern_id", &*pattern.id)))?;
    }
    Ok((keys, events))
}

/// What the events of one agent have in common.
struct Desk<'d> {
    recollection: &'d Recollection,
    now: Timestamp,
}

impl Desk<'_> {
    fn exposure(&self, exposure: &Exposure, used: Option<&Use>) -> Option<Draft> {
        let status = if used.is_some() { "applied" } else { "injected" };
        let draft = self.draft(&exposure.pattern.id, status, &exposure.pattern.text)?.with("pattern_id", &*exposure.pattern.id);
        let tool = exposure.tool.as_deref().and_then(fit::label);
        let citations = used.map(|used| used.citations.clone()).unwrap_or_default();
        Some(draft.with_some("tool", tool).with_items("citations", citations))
    }

    /// An event about a pattern. Its id is of the agent and the pattern: told twice, it counts once. None where nothing is known
    /// of the agent.
    fn draft(&self, key: &str, status: &str, text: &str) -> Option<Draft> {
        let Recollection { agent, role, began, turn, session, .. } = self.recollection;
        let turn = turn.as_ref()?;
        let identity = json!([turn.project, turn.run_id, turn.iteration, session, agent, began.map(|time| time.to_string()), key]);
        let id = format!("hook-{}", &sha256(identity.to_string().as_bytes())[..32]);
        let draft = Draft::new("application", self.now, &turn.project).with("id", id).of_turn(&turn.run_id, turn.iteration);
        let draft = draft.with_some("agent", agent.as_deref().and_then(|agent| fit::name(short_name(agent))));
        let draft = draft.with_some("role", role.as_deref().and_then(fit::name));
        Some(
            draft
                .with("status", status)
                .with("trigger", fit::cut(text, limit::TEXT_BYTES))
                .with_some("session", session.as_deref()),
        )
    }
}
