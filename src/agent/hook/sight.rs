//! What was seen of an agent while it worked, and what that says about patterns and claims.

use serde_json::{Value, json};

use super::memory::{Recollection, Remembered};
use super::touch::{Touch, Touched};
use event::Draft;
use learn::citation::{Judgement, Place, parse_citations};
use learn::recall::short_name;
use learn::relevance::Rater;
use setting::Settings;
use text::digest::sha256;
use text::{fit, limit};

/// What was seen of an agent.
pub(super) struct Sight<'s> {
    recollection: &'s Recollection,
    touched: Touched<'s>,
    rater: Option<Rater>,
    tolerance: u32,
}

impl<'s> Sight<'s> {
    pub(super) fn of(recollection: &'s Recollection, settings: &Settings) -> Self {
        let touched = Touched::of(&recollection.touches);
        let subjects = touched.subjects();
        let rater = (!subjects.is_empty()).then(|| Rater::new(&subjects, &settings.relevance));
        Self { recollection, touched, rater, tolerance: settings.citation.tolerance }
    }

    /// The event about a pattern with what was seen: whether the agent did anything, and how relevant the pattern is to that. An agent
    /// that nobody watched may have done anything.
    pub(super) fn describe(&self, draft: Draft, pattern: &Remembered) -> Draft {
        let draft = draft.with_some("propensity", pattern.propensity).with_some("salt_id", pattern.salt_id.as_deref());
        if !self.recollection.is_watched {
            return draft;
        }
        let relevance = self.rater.as_ref().map(|rater| self.rate(rater, pattern));
        draft.with("acted", self.touched.has_acted()).with_some("touched_relevance", relevance)
    }

    /// A pattern that was learned at a file is relevant to it, whatever its words.
    fn rate(&self, rater: &Rater, pattern: &Remembered) -> f64 {
        if pattern.files.iter().any(|file| self.touched.has_changed(file)) {
            return 1.0;
        }
        rater.score(&pattern.text, &pattern.tags.join("|"))
    }

    /// What was seen of the places that an agent gives for a use, where anything speaks for or against them.
    pub(super) fn check(&self, citations: &[String]) -> Vec<(Place, Judgement)> {
        let places = citations.iter().filter_map(|citation| parse_citations(citation).into_iter().next());
        places.filter_map(|place| self.touched.judge(&place, self.tolerance).map(|judgement| (place, judgement))).collect()
    }

    /// What the agent touched, as events: one for each file, and one for each command. Each with what tells it from all others of the
    /// agent.
    pub(super) fn tell(&self, name: &str) -> Vec<(String, Draft)> {
        let Recollection { agent, turn, session, touches, .. } = self.recollection;
        let Some(turn) = turn else { return Vec::new() };
        let draft = |tool: &str, at: jiff::Timestamp, what: Value| {
            let identity = json!([turn.project, turn.run_id, turn.iteration, session, name, at.to_string(), what]).to_string();
            let id = format!("touch-{}", &sha256(identity.as_bytes())[..32]);
            let draft = Draft::new("touch", at, &turn.project).with("id", &*id).of_turn(&turn.run_id, turn.iteration);
            let draft = draft.with_some("agent", agent.as_deref().and_then(|agent| fit::name(short_name(agent))));
            let tool = fit::label(tool).unwrap_or_else(|| "unknown".to_owned());
            (id, draft.with_some("session", session.as_deref()).with("tool", tool))
        };
        let last = |path: &str| touches.iter().rev().find(|touch| touch.path.as_deref() == Some(path)).map(|touch| touch.at);
        let files = self.touched.files.iter().filter_map(|(path, file)| {
            let (id, draft) = draft(&file.tool, last(path)?, json!(path));
            Some((id, draft.with("path", *path).with_items("lines", file.lines())))
        });
        let commands = self.touched.commands.iter().map(|touch| {
            let Touch { tool, command, at, failed, exit_code, output_hash, .. } = touch;
            let command = command.as_deref().map(|command| fit::cut(command, limit::TEXT_BYTES));
            let (id, draft) = draft(tool, *at, json!(command));
            let draft = draft
                .with_some("command", command)
                .with("failed", *failed)
                .with_some("exit_code", exit_code.filter(|code| *code >= 0));
            (id, draft.with_some("output_hash", output_hash.as_deref()))
        });
        files.chain(commands).collect()
    }
}
