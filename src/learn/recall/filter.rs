//! Which patterns may be shown at all.

use super::entry::{Entry, items};
use super::order::Question;
use crate::learn::flag::Flag;

/// The name of an agent without the plugin that it comes from: what stands behind the last colon.
#[must_use]
pub fn short_name(agent: &str) -> &str {
    agent.rsplit(':').next().unwrap_or(agent)
}

/// Whether a pattern may be shown to whoever asks.
pub(super) fn is_for(entry: &Entry<'_>, question: &Question<'_>) -> bool {
    is_of_repository(entry, question.repo)
        && entry.project.as_deref().is_none_or(|project| question.project == Some(project))
        && (question.keeps_prune || entry.flag != Flag::Prune.name())
        && !question.without.iter().any(|id| *id == entry.id)
        && is_for_agent(entry, question)
}

fn is_of_repository(entry: &Entry<'_>, repo: Option<&str>) -> bool {
    entry.repo.as_deref().is_none_or(|own| matches!(own, "" | "*") || repo == Some(own))
}

/// A pattern without names is for everybody, and so is one that says so.
fn is_for_agent(entry: &Entry<'_>, question: &Question<'_>) -> bool {
    if entry.applies_to.is_none() {
        return true;
    }
    let names = items(entry.applies_to);
    let is_meant = |name: &str| {
        let agent = question.agent.is_some_and(|agent| name == agent || name == short_name(agent));
        matches!(name, "*" | "") || agent || question.role == Some(name)
    };
    names.is_empty() || names.iter().any(|name| is_meant(name))
}
