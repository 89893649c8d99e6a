//! Which patterns may be shown at all.

use super::entry::{Entry, items};
use super::question::Question;
use crate::learn::flag::Flag;

/// The name of an agent without the plugin that it comes from: what stands behind the last colon.
#[must_use]
pub fn short_name(agent: &str) -> &str {
    agent.rsplit(':').next().unwrap_or(agent)
}

/// Whether a pattern may be shown to whoever asks.
pub(super) fn is_for(entry: &Entry<'_>, question: &Question<'_>) -> bool {
    if question.is_unfiltered {
        return true;
    }
    is_of_repository(entry, question.repo)
        && (entry.project.is_empty() || question.project == Some(&*entry.project))
        && (question.keeps_prune || entry.flag != Flag::Prune.name())
        && !question.without.iter().any(|id| *id == entry.id)
        && is_for_agent(entry, question)
}

fn is_of_repository(entry: &Entry<'_>, repo: Option<&str>) -> bool {
    matches!(&*entry.repo, "" | "*") || repo == Some(&*entry.repo)
}

/// A pattern without names is for everybody, and so is one that says so.
fn is_for_agent(entry: &Entry<'_>, question: &Question<'_>) -> bool {
    let is_meant = |name: &str| {
        let agent = question.agent.is_some_and(|agent| name == agent || name == short_name(agent));
        name == "*" || agent || question.role.is_some_and(|role| role.eq_ignore_ascii_case(name))
    };
    entry.applies_to.is_empty() || items(&entry.applies_to).any(is_meant)
}
