//! Which patterns may be shown at all.

use super::entry::{Entry, items};
use super::holdout::is_doubtful;
use super::question::{Prune, Purpose, Question};
use crate::pattern::State;
use crate::role::Stage;

/// The name of an agent without the plugin that it comes from: what stands behind the last colon.
#[must_use]
pub fn short_name(agent: &str) -> &str {
    agent.rsplit(':').next().unwrap_or(agent)
}

/// Whether a pattern may be shown for a request.
pub(super) fn is_for(entry: &Entry<'_>, question: &Question<'_>) -> bool {
    if !is_of_role(entry, question) {
        return false;
    }
    if question.is_unfiltered {
        return true;
    }
    is_of_repository(entry, question.repo)
        && is_of_project(entry, question)
        && (!question.is_governed || is_governed(&entry.state))
        && is_shown_by_its_flag(entry, question)
        && !question.without.iter().any(|id| *id == entry.id)
        && is_for_agent(entry, question)
}

/// A pattern that rarely works or does harm is hidden, unless a coin can be tossed for it.
fn is_shown_by_its_flag(entry: &Entry<'_>, question: &Question<'_>) -> bool {
    !is_doubtful(entry) || question.prune == Prune::Shown || question.tosser.is_some()
}

/// What a role has learned is for the judgement of its project's roles, as long as it is in use, and for nothing else.
fn is_of_role(entry: &Entry<'_>, question: &Question<'_>) -> bool {
    let is_asked_for = || question.purpose == Purpose::Role && is_of_project(entry, question);
    entry.role.is_empty() || (is_asked_for() && entry.state != Stage::Deprecated.name())
}

fn is_of_project(entry: &Entry<'_>, question: &Question<'_>) -> bool {
    entry.project.is_empty() || question.project == Some(&*entry.project)
}

/// Whether a pattern was verified, or a person stands behind it.
fn is_governed(state: &str) -> bool {
    [Stage::Verified.name(), Stage::Active.name(), State::Promoted.name()].contains(&state)
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
