//! What an agent was shown and what it said about that, as events: one for each pattern, however often it was shown or asked.

use std::collections::BTreeSet;

use jiff::Timestamp;
use serde_json::json;

use super::acknowledgment::{Acknowledgment, Shown, Use, parse_acknowledgment};
use super::coin::Assigned;
use super::fold::fold;
use super::memory::{Claim, Exposure, Memory, Note, Recollection};
use super::sight::Sight;
use event::Draft;
use event::redact::redact;
use learn::recall::short_name;
use render::prompt::EXAMPLE;
use setting::Settings;
use store::inbox::Recorder;
use store::workspace::Workspace;
use text::diagnostic::{Diagnostic, Outcome};
use text::digest::sha256;
use text::{fit, limit};

/// An event, and what it is about: told once for an agent and its turn.
pub(super) struct Account {
    pub(super) key: String,
    pub(super) event: String,
}

/// What the agent said about the patterns that it was shown: by a tool, in an earlier turn, or each time that it was about to end.
/// None if it never did.
pub(super) fn acknowledgment_in(recollection: &Recollection, said: Option<&str>) -> Option<Acknowledgment> {
    let shown: Vec<Shown<'_>> =
        recollection.shown.iter().map(|exposure| Shown { id: &exposure.pattern.id, text: &exposure.pattern.text }).collect();
    let times = recollection.said_before.iter().map(String::as_str).chain(said);
    let mut found = times.filter_map(|said| parse_acknowledgment(said, &shown)).peekable();
    if recollection.acknowledged.is_none() {
        found.peek()?;
    }
    let noted = recollection.acknowledged.iter().flatten().map(|claim| Use {
        pattern: shown.iter().position(|pattern| match &claim.id {
            Some(id) => pattern.id == id,
            None => fold(pattern.text) == fold(&claim.text),
        }),
        id: claim.id.clone(),
        text: claim.text.clone(),
        citations: claim.citations.clone(),
    });
    let uses = noted.chain(found.flat_map(|acknowledgment| acknowledgment.uses)).filter(|claim| !is_example(claim)).collect();
    Some(Acknowledgment { uses })
}

/// What an agent says in the middle of its session about the patterns that it was shown, as its notes hold it.
pub(super) fn claims_in(recollection: &Recollection, said: &str) -> Option<Vec<Claim>> {
    let now = Recollection { shown: recollection.shown.clone(), ..Recollection::default() };
    let uses = acknowledgment_in(&now, Some(said))?.uses;
    let claim = |claim: Use| Claim {
        id: claim.pattern.and_then(|place| recollection.shown.get(place)).map(|exposure| exposure.pattern.id.clone()),
        // What an agent says may hold a secret, and the note stays on the disk for a while.
        text: redact(&claim.text).text.into_owned(),
        citations: claim.citations.iter().map(|place| redact(place).text.into_owned()).collect(),
    };
    Some(uses.into_iter().map(claim).collect())
}

/// Whether a claim repeats the words in which claims are asked for.
fn is_example(claim: &Use) -> bool {
    claim.pattern.is_none() && fold(&claim.text) == fold(EXAMPLE)
}

/// Lands what a memory holds that has not landed yet, and other events with it. Whoever is killed in between leaves a note, by which
/// the next hook lands the same bytes again.
pub(super) fn settle(
    workspace: &Workspace,
    settings: &Settings,
    memory: &mut Memory,
    acknowledgment: Option<&Acknowledgment>,
    now: Timestamp,
    others: Vec<Account>,
) -> Outcome<()> {
    recover(workspace, settings, memory)?;
    let mut accounts = tell_exposures(memory, acknowledgment, now, settings)?;
    accounts.extend(others);
    let mut told = BTreeSet::new();
    accounts.retain(|account| !memory.recollection.recorded.contains(&account.key) && told.insert(account.key.clone()));
    if accounts.is_empty() {
        return Ok(());
    }
    let (keys, events): (Vec<String>, Vec<String>) = accounts.into_iter().map(|account| (account.key, account.event)).unzip();
    let mut recorder = Recorder::with_rules(workspace, settings.run);
    // What the door refuses must not be noted: it would be tried again for ever.
    recorder.take_own(&events)?;
    // What an agent says may hold a secret, and the note stays on the disk for a while: it holds what the recorder has redacted.
    memory.note(Note::Landing { keys, events: recorder.pending() })?;
    memory.sync()?;
    recorder.land()?;
    memory.note(Note::Landed)
}

/// Lands again what a killed hook was about to land. It was good enough then; what has become of that since is for the lake to say.
pub(super) fn recover(workspace: &Workspace, settings: &Settings, memory: &mut Memory) -> Outcome<()> {
    if memory.recollection.landing.is_empty() {
        return Ok(());
    }
    let mut recorder = Recorder::with_rules(workspace, settings.run);
    memory.recollection.landing.iter().for_each(|event| recorder.take_unchecked(event));
    recorder.land()?;
    memory.note(Note::Landed)
}

/// What is to be told of patterns that were shown and held back. Of one that an agent used it is told that it was used, and nothing
/// else.
fn tell_exposures(
    memory: &Memory,
    acknowledgment: Option<&Acknowledgment>,
    now: Timestamp,
    settings: &Settings,
) -> Outcome<Vec<Account>> {
    let recollection = &memory.recollection;
    let uses: &[Use] = acknowledgment.map_or(&[], |acknowledgment| &acknowledgment.uses);
    let desk = Desk { recollection, name: memory.name(), now, sight: Sight::of(recollection, settings) };
    let mut accounts = Vec::new();
    let mut take = |key: String, draft: Option<Draft>| -> Outcome<()> {
        if let Some(draft) = draft {
            let event = draft.finish().map_err(|cause| Diagnostic::bug(format!("an exposure is invalid: {cause}")))?;
            accounts.push(Account { key, event });
        }
        Ok(())
    };
    for (place, exposure) in recollection.shown.iter().enumerate() {
        let claims: Vec<&Use> = uses.iter().filter(|claim| claim.pattern == Some(place)).collect();
        let Some((told, draft)) = desk.exposure(exposure, &claims) else { continue };
        let checks = desk.checks(&told.name, &claims);
        take(told.key, Some(draft))?;
        for (key, draft) in checks {
            take(key, Some(draft))?;
        }
    }
    // What it says it used and was not shown: the cycle finds out which pattern is meant.
    for claim in uses.iter().filter(|claim| claim.pattern.is_none()) {
        let key = match &claim.id {
            Some(id) => used(id),
            None => format!("text:{}", sha256(claim.text.as_bytes())),
        };
        let draft = desk.draft(&key, "applied", &claim.text).map(|draft| draft.with_some("pattern_id", claim.id.as_deref()));
        let checks = desk.checks(&key, &[claim]);
        take(key, draft.map(|draft| draft.with_items("citations", claim.citations.clone())))?;
        for (key, draft) in checks {
            take(key, Some(draft))?;
        }
    }
    for Exposure { pattern, tool } in &recollection.withheld {
        let is_shown = recollection.shown.iter().any(|exposure| exposure.pattern.id == pattern.id);
        let draft = desk.draft(&pattern.id, "withheld", &pattern.text).filter(|_| !is_shown);
        let draft = draft.map(|draft| draft.with_some("tool", tool.as_deref().and_then(fit::label)));
        let draft = draft.map(|draft| desk.sight.describe(draft.with("pattern_id", &*pattern.id), pattern));
        take(pattern.id.clone(), draft)?;
    }
    for (key, draft) in desk.arms() {
        take(key, Some(draft))?;
    }
    for (key, draft) in desk.sight.tell(&desk.name) {
        take(key, Some(draft))?;
    }
    Ok(accounts)
}

/// What the events of one agent have in common.
struct Desk<'d> {
    recollection: &'d Recollection,
    /// What tells the agent from all others of its session.
    name: String,
    now: Timestamp,
    /// What was seen of the agent.
    sight: Sight<'d>,
}

impl Desk<'_> {
    /// What is to be told of a pattern that was shown. What was told as unused and is used later is told again, by an event that takes
    /// the place of the first one. Use is told once.
    fn exposure(&self, exposure: &Exposure, claims: &[&Use]) -> Option<(Told, Draft)> {
        let id = &exposure.pattern.id;
        let is_told = |key: &str| self.recollection.recorded.contains(key);
        let is_used = !claims.is_empty();
        if is_told(&used(id)) || is_told(id) && !is_used {
            return None;
        }
        let name = if is_told(id) { used(id) } else { id.clone() };
        let told = Told { key: if is_used { used(id) } else { id.clone() }, name };
        let status = if is_used { "applied" } else { "injected" };
        let draft = self.draft(&told.name, status, &exposure.pattern.text)?.with("pattern_id", &**id);
        let draft = draft.with_some("application_id", (told.name != *id).then(|| self.id(id)).flatten());
        let tool = exposure.tool.as_deref().and_then(fit::label);
        let draft = self.sight.describe(draft.with_some("tool", tool), &exposure.pattern);
        Some((told, draft.with_items("citations", citations_of(claims))))
    }

    /// The arms of the agent's unit of work. Whichever agent of the unit tells of them, the events are the same and count once.
    fn arms(&self) -> Vec<(String, Draft)> {
        let Recollection { turn: Some(turn), unit, arms, .. } = self.recollection else { return Vec::new() };
        let tell = |assigned: &Assigned| {
            let Assigned { at, run, session, experiment, propensity, salt_id, .. } = assigned;
            let identity = json!([turn.project, unit.as_ref().unwrap_or(run), experiment, salt_id, at.to_string()]).to_string();
            let id = format!("coin-{}", &sha256(identity.as_bytes())[..32]);
            let draft = Draft::new("assignment", *at, &turn.project).with("id", &*id).with("run_id", &**run);
            let draft = draft.with_some("unit", unit.as_deref()).with("arm", assigned.arm().name()).with("propensity", *propensity);
            let draft = draft.with("salt_id", &**salt_id).with_some("experiment", experiment.as_deref());
            (id, draft.with_some("session", session.as_deref()))
        };
        arms.iter().map(tell).collect()
    }

    /// What was seen of the places that are given for a use, each as an event about that use.
    fn checks(&self, key: &str, claims: &[&Use]) -> Vec<(String, Draft)> {
        let Some(turn) = &self.recollection.turn else { return Vec::new() };
        let Some(application) = self.id(key) else { return Vec::new() };
        let checked = self.sight.check(&citations_of(claims)).into_iter();
        let drafts = checked.filter_map(|(place, judgement)| {
            let path = fit::label(&place.path)?;
            let identity = json!([application, path, place.line, judgement.verified]).to_string();
            let id = format!("seen-{}", &sha256(identity.as_bytes())[..32]);
            let draft = Draft::new("citation", self.now, &turn.project).with("id", &*id).of_turn(&turn.run_id, turn.iteration);
            let draft = draft.with("application_id", &*application).with("path", path).with("cited_line", place.line);
            Some((id, draft.with("verified", judgement.verified).with("reason", judgement.reason)))
        });
        drafts.collect()
    }

    /// The id of an event about a pattern: of the agent, its turn, its task and the pattern, so that what is told twice counts once. None where
    /// nothing is known of the agent.
    fn id(&self, key: &str) -> Option<String> {
        let Recollection { turn, session, .. } = self.recollection;
        let turn = turn.as_ref()?;
        let mut identity = json!([turn.project, turn.run_id, turn.iteration, session, self.name, key]);
        // A session may work on several tasks, one after another.
        if let (Some(unit), Some(parts)) = (self.recollection.unit.as_deref(), identity.as_array_mut()) {
            parts.push(unit.into());
        }
        Some(format!("hook-{}", &sha256(identity.to_string().as_bytes())[..32]))
    }

    /// An event about a pattern. None where nothing is known of the agent.
    fn draft(&self, key: &str, status: &str, text: &str) -> Option<Draft> {
        let Recollection { agent, role, turn, session, .. } = self.recollection;
        let turn = turn.as_ref()?;
        let draft =
            Draft::new("application", self.now, &turn.project).with("id", self.id(key)?).of_turn(&turn.run_id, turn.iteration);
        let draft = draft.with_some("agent", agent.as_deref().and_then(|agent| fit::name(short_name(agent))));
        let draft = draft.with_some("role", role.as_deref().and_then(fit::name));
        let text = Some(fit::cut(text, limit::TEXT_BYTES)).filter(|text| !text.is_empty());
        let draft = draft.with_some("unit", self.recollection.unit.as_deref());
        Some(draft.with("status", status).with_some("trigger", text).with_some("session", session.as_deref()))
    }
}

/// Under which key something is recorded, and which name its event is called after.
struct Told {
    key: String,
    name: String,
}

/// The key under which the use of a pattern is recorded.
fn used(id: &str) -> String {
    format!("used:{id}")
}

/// The places of some claims, each once.
fn citations_of(claims: &[&Use]) -> Vec<String> {
    let mut citations: Vec<String> = Vec::new();
    for citation in claims.iter().flat_map(|claim| &claim.citations) {
        if !citations.contains(citation) {
            citations.push(citation.clone());
        }
    }
    citations
}
