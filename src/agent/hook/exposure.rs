//! Patterns that were shown to an agent, as its memory holds them.

use super::coin::Coins;
use super::injection::{Injection, Request, ShownPattern};
use super::memory::{Memory, Note, Remembered, file_name};
use super::settlement::{recover, settle};
use crate::iteration::Turn;
use setting::Settings;
use store::workspace::Workspace;
use text::diagnostic::Outcome;

/// Records what was shown outside of a hook: as events of a run, each pattern once for an agent and an iteration.
pub fn record_exposures(
    workspace: &Workspace,
    settings: &Settings,
    turn: &Turn,
    unit: Option<&str>,
    request: &Request<'_>,
    injection: &Injection,
) -> Outcome<()> {
    let agent = request.agent.or(request.role).unwrap_or("unknown");
    let folder = workspace.hooks().join(file_name(&format!("run {}", turn.run_id)));
    let mut key = serde_json::json!([turn.project, turn.iteration, agent, request.role]);
    if let (Some(unit), Some(key)) = (unit, key.as_array_mut()) {
        key.push(unit.into());
    }
    let mut memory = Memory::open(&folder, Some(&key.to_string()))?;
    recover(workspace, settings, &mut memory)?;
    if memory.recollection.began.is_none() {
        memory.note(Note::Began {
            agent: agent.to_owned(),
            role: request.role.map(str::to_owned),
            at: turn.time,
            project: turn.project.clone(),
            run: turn.run_id.clone(),
            iteration: turn.iteration,
            session: turn.run_id.clone(),
            watched: false,
            unit: unit.map(str::to_owned),
        })?;
    }
    remember(&mut memory, request.coins, injection, request.tool.map(|tool| tool.name))?;
    settle(workspace, settings, &mut memory, None, turn.time, Vec::new())
}

/// Remembers what an agent was shown, what was withheld from it, and the arms of its unit of work unless another agent of the unit tells
/// of them. What is sure to be withheld beside a tool says nothing.
pub(super) fn remember(memory: &mut Memory, coins: Option<&Coins<'_>>, injection: &Injection, tool: Option<&str>) -> Outcome<()> {
    if let Some(coins) = coins.filter(|coins| coins.is_untold() && !injection.arms.is_empty()) {
        memory.note(Note::Assigned { arms: injection.arms.clone() })?;
        coins.mark_told()?;
    }
    let salt_id = coins.and_then(Coins::salt_id);
    let pattern = |shown: &ShownPattern| Remembered {
        id: shown.id.clone(),
        text: shown.text.clone(),
        tags: shown.tags.clone(),
        files: shown.files.clone(),
        propensity: shown.propensity,
        salt_id: salt_id.clone().filter(|_| shown.propensity.is_some()),
    };
    let tool = tool.map(str::to_owned);
    if !injection.shown.is_empty() {
        memory.note(Note::Shown { patterns: injection.shown.iter().map(pattern).collect(), tool: tool.clone() })?;
    }
    let is_measured = |shown: &&ShownPattern| tool.is_none() || shown.propensity.is_some_and(|chance| chance > 0.0);
    let is_new = |shown: &&ShownPattern| !memory.recollection.is_withheld(&shown.id);
    let withheld: Vec<Remembered> = injection.withheld.iter().filter(is_measured).filter(is_new).map(pattern).collect();
    if !withheld.is_empty() {
        memory.note(Note::Withheld { patterns: withheld, tool })?;
    }
    Ok(())
}
