//! What people decide about observations. Each decision is an event, so that what is published stays a function of the log.

use serde_json::{Value, json};

use super::{find, load};
use crate::args::{LearnDecisionArgs, LearnDeprecateArgs, LearnPromoteArgs};
use crate::printer::Printer;
use event::Draft;
use event::redact::redact;
use learn::observation::ObservationScore;
use render::plain_text;
use store::clock;
use store::inbox::Recorder;
use store::workspace::Workspace;
use text::diagnostic::{Diagnostic, Exit, Outcome};

/// What is decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    /// Out of use.
    Deprecate,
    /// As it is, without flags.
    Keep,
    /// Back into use.
    Restore,
    /// An artifact.
    Promote,
    /// An artifact, whatever was found of it.
    ForcePromote,
    /// Never.
    Reject,
}

impl Verb {
    /// The word of the command line.
    const fn name(self) -> &'static str {
        match self {
            Self::Deprecate => "deprecate",
            Self::Keep => "keep",
            Self::Restore => "restore",
            Self::Promote | Self::ForcePromote => "promote",
            Self::Reject => "reject",
        }
    }

    /// The word of the event.
    const fn action(self) -> &'static str {
        match self {
            Self::Deprecate => "retire",
            Self::Keep => "clear",
            Self::Restore => "restore",
            Self::Promote | Self::ForcePromote => "promote",
            Self::Reject => "reject",
        }
    }
}

/// A decision about one observation.
#[derive(Debug, Clone)]
pub struct Decision<'d> {
    /// What is decided.
    pub verb: Verb,
    /// The project of the observation.
    pub project: &'d str,
    /// The observation.
    pub id: &'d str,
    /// Who decides.
    pub actor: &'d str,
    /// Why.
    pub reason: Option<&'d str>,
}

/// Takes observations out of use.
pub fn deprecate(workspace: &Workspace, options: &LearnDeprecateArgs, printer: &Printer) -> Outcome<Exit> {
    let LearnDeprecateArgs { ids, reason, project, actor, json } = options;
    let words = Words { actor: &actor.actor, reason: Some(spoken(reason)?) };
    settle(workspace, Verb::Deprecate, &Choice { ids, project: project.project.as_deref(), as_json: *json }, words, printer)
}

/// Makes an observation an artifact.
pub fn promote(workspace: &Workspace, options: &LearnPromoteArgs, printer: &Printer) -> Outcome<Exit> {
    let verb = if options.force { Verb::ForcePromote } else { Verb::Promote };
    decide(workspace, verb, &options.decision, printer)
}

/// Decides about observations.
pub fn decide(workspace: &Workspace, verb: Verb, options: &LearnDecisionArgs, printer: &Printer) -> Outcome<Exit> {
    let LearnDecisionArgs { ids, reason, project, actor, json } = options;
    let words = Words { actor: &actor.actor, reason: reason.as_deref().map(spoken).transpose()? };
    settle(workspace, verb, &Choice { ids, project: project.project.as_deref(), as_json: *json }, words, printer)
}

/// Which observations a decision is about.
struct Choice<'c> {
    ids: &'c [String],
    project: Option<&'c str>,
    as_json: bool,
}

/// Who decides, and why.
#[derive(Clone, Copy)]
struct Words<'w> {
    actor: &'w str,
    reason: Option<&'w str>,
}

fn settle(workspace: &Workspace, verb: Verb, choice: &Choice<'_>, words: Words<'_>, printer: &Printer) -> Outcome<Exit> {
    let scores = load(workspace, choice.project)?;
    // All are found before anything lands: half a decision would have to be looked for.
    let mut found: Vec<&ObservationScore> = choice.ids.iter().map(|id| find(&scores, id)).collect::<Outcome<_>>()?;
    let mut seen = Vec::new();
    found.retain(|score| {
        let is_first = !seen.contains(&(&*score.project, &*score.id));
        seen.push((&score.project, &score.id));
        is_first
    });
    let decision = |score: &'_ &ObservationScore| {
        Decision { verb, project: &score.project, id: &score.id, actor: words.actor, reason: words.reason }.draft()
    };
    let lines = land(workspace, found.iter().map(decision))?;
    if choice.as_json {
        printer.line(&Value::from(lines).to_string())?;
    }
    for score in found {
        tell_odd(verb, score, printer);
        printer.note(&format!(
            "{} {}: recorded; takes effect with the next run (`outerloop run hourly`)",
            verb.name(),
            plain_text(&score.id, 60)
        ));
    }
    Ok(Exit::Done)
}

/// What a decision changes nothing about is said; it may be meant for what landed since the last run.
fn tell_odd(verb: Verb, score: &ObservationScore, printer: &Printer) {
    let odd = match (verb, &*score.status) {
        (Verb::Keep, _) if !score.is_flagged() => "has no flags",
        (Verb::Restore, status) if status != "deprecated" => "is not deprecated",
        (Verb::Deprecate, "deprecated") => "is already deprecated",
        (Verb::Promote | Verb::ForcePromote, "created") => "is already an artifact",
        (Verb::Promote, "deprecated") => "is deprecated: --force is needed to make it an artifact",
        (Verb::Promote, _) if !score.quality_ok => "has no confirmed quality: --force is needed to make it an artifact",
        _ => return,
    };
    printer.note(&format!("{} {odd}, according to the published state", plain_text(&score.id, 60)));
}

impl Decision<'_> {
    /// The decision as an event of this instant.
    #[must_use]
    pub fn draft(&self) -> Draft {
        Draft::new("curation", clock::now(), self.project)
            .with("action", self.verb.action())
            .with("pattern_id", self.id)
            .with("actor", self.actor.trim())
            .with_some("reason", self.reason)
            .with_some("value", (self.verb == Verb::ForcePromote).then(|| json!({"force": true})))
    }
}

/// Lands events, all or none of them, and gives them as they landed. When this returns, they survive a power cut.
pub fn land(workspace: &Workspace, drafts: impl Iterator<Item = Draft>) -> Outcome<Vec<Value>> {
    let mut recorder = Recorder::new(workspace)?;
    let mut landed = Vec::new();
    for draft in drafts {
        let line =
            draft.finish().map_err(|why| Diagnostic::edit("the decision is too large", "shorten the reason").because(why))?;
        // The line may be printed, where a secret has no more business than in the inbox.
        let line = redact(&line).text.into_owned();
        recorder.take_line(&line).map_err(|rejection| {
            Diagnostic::edit(format!("the decision is invalid: {}", rejection.message), rejection.remedy.clone())
        })?;
        let value = serde_json::from_str(&line);
        landed.push(value.map_err(|error| Diagnostic::bug(format!("an event written here is not JSON: {error}")))?);
    }
    recorder.land()?;
    Ok(landed)
}

/// A blank says nothing.
pub fn spoken(reason: &str) -> Outcome<&str> {
    let reason = reason.trim();
    if reason.is_empty() {
        return Err(Diagnostic::edit("the reason is empty", "say in a few words why, with --reason"));
    }
    Ok(reason)
}
