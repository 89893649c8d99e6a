//! The settings of the hooks of agents.

use crate::section::{at_least, settings};
use crate::words;

settings! {
    /// Hooks of agents (`outerloop hook`).
    #[derive(Eq)]
    pub struct HookSettings {
        /// Short names of the agents that must report which patterns they used and what they learned.
        learning_agents: Vec<String> = words(&[
            "plan-draft-writer", "plan-writer", "implementation-subagent", "cross-repo-coordinator", "generic-discovery",
            "code-reviewer", "plan-validator", "behavior-verifier",
        ]);
        /// How often in all an agent that reports neither is sent back.
        retries: u32 = 2;
        /// A lesson that was written at most this many minutes ago under an agent's name counts as that agent's.
        capture_minutes: u32 = 5;
        /// Agents whose last message says whether the build passed.
        build_agents: Vec<String> = words(&["build-validator"]);
        /// Whether to show patterns and the knowledge of the project to the session too, and not only to the agents that it starts. Not
        /// with `compat`: the original shows a session nothing.
        session: bool = true;
        /// How many patterns to show to the session, when it starts and with each prompt that they fit.
        session_most: usize = 5;
        /// How many decisions and pitfalls of the project to show to an agent, those that fit its task first.
        knowledge_most: usize = 5;
        /// Whether to show a pattern at a tool call although the agent has seen it already.
        repeat: bool = false;
        /// A session without activity for this many hours is closed, and what its hooks noted is recorded.
        abandoned_hours: u32 = 24, in at_least(1.0);
    }
}
