//! What an agent was shown and what it said about that, as events: one for each pattern, however often it was shown or asked.

use jiff::Timestamp;
use serde_json::json;

use super::acknowledgment::{Acknowledgment, Shown, Use, parse_acknowledgment};
use super::fold::fold;
use super::memory::{Exposure, Memory, Note, Recollection};
use super::sight::Sight;
use event::Draft;
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

/// What the agent said about the patterns that it was shown, each time that it was about to end. None if it never did.
pub(super) fn acknowledgment_in(recollection: &Recollection, said: Option<&str>) -> Option<Acknowledgment> {
    let shown: Vec<Shown<'_>> =
        recollection.shown.iter().map(|exposure| Shown { id: &exposure.pattern.id, text: &exposure.pattern.text }).collect();
    let times = recollection.said_before.iter().map(String::as_str).chain(said);
    let uses: Vec<Use> = {
        let mut found = times.filter_map(|said| parse_acknowledgment(said, &shown)).peekable();
        found.peek()?;
        found.flat_map(|acknowledgment| acknowledgment.uses).filter(|claim| !is_example(claim)).collect()
    };
    Some(Acknowledgment { uses })
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
    accounts.retain(|account| !memory.recollection.recorded.contains(&account.key));
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
        take(exposure.pattern.id.clone(), desk.exposure(exposure, &claims))?;
        for (key, draft) in desk.checks(&exposure.pattern.id, &claims) {
            take(key, Some(draft))?;
        }
    }
    // What it says it used and was not shown: the cycle finds out which pattern is meant.
    for claim in uses.iter().filter(|claim| claim.pattern.is_none()) {
        let key = format!("text:{}", sha256(claim.text.as_bytes()));
        let draft = desk.draft(&key, "applied", &claim.text);
        let checks = desk.checks(&key, &[claim]);
        take(key, draft.map(|draft| draft.with_items("citations", claim.citations.clone())))?;
        for (key, draft) in checks {
            take(key, Some(draft))?;
        }
    }
    for pattern in &recollection.withheld {
        let is_shown = recollection.shown.iter().any(|exposure| exposure.pattern.id == pattern.id);
        let draft = desk.draft(&pattern.id, "withheld", &pattern.text).filter(|_| !is_shown);
        let draft = draft.map(|draft| desk.sight.describe(draft.with("pattern_id", &*pattern.id), pattern));
        take(pattern.id.clone(), draft)?;
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
    fn exposure(&self, exposure: &Exposure, claims: &[&Use]) -> Option<Draft> {
        let status = if claims.is_empty() { "injected" } else { "applied" };
        let draft = self.draft(&exposure.pattern.id, status, &exposure.pattern.text)?.with("pattern_id", &*exposure.pattern.id);
        let tool = exposure.tool.as_deref().and_then(fit::label);
        let draft = self.sight.describe(draft.with_some("tool", tool), &exposure.pattern);
        Some(draft.with_items("citations", citations_of(claims)))
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

    /// The id of an event about a pattern.
    fn id(&self, key: &str) -> Option<String> {
        let Recollection { turn, session, .. } = self.recollection;
        let turn = turn.as_ref()?;
        let identity = json!([turn.project, turn.run_id, turn.iteration, session, self.name, key]);
        Some(format!("hook-{}", &sha256(identity.to_string().as_bytes())[..32]))
    }

    /// An event about a pattern. Its id is of the agent, its turn and the pattern: told twice, it counts once. None where nothing is
    /// known of the agent.
    fn draft(&self, key: &str, status: &str, text: &str) -> Option<Draft> {
        let Recollection { agent, role, turn, session, .. } = self.recollection;
        let turn = turn.as_ref()?;
        let draft =
            Draft::new("application", self.now, &turn.project).with("id", self.id(key)?).of_turn(&turn.run_id, turn.iteration);
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
