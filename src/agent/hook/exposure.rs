//! Patterns that were shown to an agent, as its memory holds them.

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
    request: &Request<'_>,
    injection: &Injection,
) -> Outcome<()> {
    let agent = request.agent.or(request.role).unwrap_or("unknown");
    let folder = workspace.hooks().join(file_name(&format!("run {}", turn.run_id)));
    let key = serde_json::json!([turn.project, turn.iteration, agent, request.role]).to_string();
    let mut memory = Memory::open(&folder, Some(&key))?;
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
        })?;
    }
    remember(&mut memory, injection, request.tool.map(|tool| tool.name))?;
    settle(workspace, settings, &mut memory, None, turn.time, Vec::new())
}

/// Remembers what an agent was shown, and what was held back from its turn. What is shown beside a tool is not measured, so that
/// holding it back says nothing.
pub(super) fn remember(memory: &mut Memory, injection: &Injection, tool: Option<&str>) -> Outcome<()> {
    let pattern = |shown: &ShownPattern| Remembered {
        id: shown.id.clone(),
        text: shown.text.clone(),
        tags: shown.tags.clone(),
        files: shown.files.clone(),
        propensity: shown.propensity,
    };
    let patterns = |shown: &[ShownPattern]| shown.iter().map(pattern).collect::<Vec<_>>();
    if !injection.shown.is_empty() {
        memory.note(Note::Shown { patterns: patterns(&injection.shown), tool: tool.map(str::to_owned) })?;
    }
    if !injection.withheld.is_empty() && tool.is_none() {
        memory.note(Note::Withheld { patterns: patterns(&injection.withheld) })?;
    }
    Ok(())
}
