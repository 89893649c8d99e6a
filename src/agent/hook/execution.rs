//! The commands that agents were seen to run: what a review can rest on beside words.

use super::memory::{file_name, list_memories, peek};
use super::touch::Touch;
use store::workspace::Workspace;

/// A command that an agent was seen to run. That it was, and how it ended, is told by the host and not by the agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Execution {
    /// The agent's name, with the plugin that it comes from.
    pub agent: Option<String>,
    /// The command, without secrets.
    pub command: String,
    pub failed: bool,
    /// How it ended, if the host says so.
    pub exit_code: Option<i64>,
    /// The hash of what it printed, as [`super::hash_output`] makes it.
    pub output_hash: Option<String>,
}

/// The commands that the agents of a session were seen to run, each agent's in their order. They are `touch` events too, as soon as
/// their agents have ended.
#[must_use]
pub fn executions(workspace: &Workspace, session: &str) -> Vec<Execution> {
    let memories = list_memories(&workspace.hooks().join(file_name(session)));
    let found = memories.iter().filter_map(|path| peek(path)).flat_map(|recollection| {
        let agent = recollection.agent;
        recollection.touches.into_iter().filter_map(move |touch| {
            let Touch { command, failed, exit_code, output_hash, .. } = touch;
            Some(Execution { agent: agent.clone(), command: command?, failed, exit_code, output_hash })
        })
    });
    found.collect()
}
