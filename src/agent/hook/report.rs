//! What an agent reports by the tools of the MCP server. The server checks the call and does not know which agent makes it; the hook
//! behind the tool does.

use serde::Deserialize;

use super::answer::Answer;
use super::host::Host;
use super::known::{Known, find_known};
use super::memory::Claim;
use super::said::{acknowledge, note_lesson};
use learn::subject::Series;
use text::diagnostic::Outcome;

/// How the tools of the server are called by the agent's host: by its own name, or by that of the plugin it comes with.
const SERVERS: [&str; 2] = ["mcp__outerloop__", "mcp__plugin_outerloop_outerloop__"];

/// What is reported by the use of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Report {
    /// Patterns that were used.
    Uses(Vec<ReportedUse>),
    /// A lesson was captured.
    Lesson,
}

/// A pattern that was used, as the tool's arguments say it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(super) struct ReportedUse {
    pattern: String,
    #[serde(default)]
    places: Vec<String>,
}

impl Report {
    /// The report that the use of a tool is; none of any other tool, or of one whose arguments the server would not have taken.
    pub(super) fn read(tool: &str, patterns: Option<&str>) -> Option<Self> {
        match SERVERS.iter().find_map(|server| tool.strip_prefix(server))? {
            "acknowledge" => serde_json::from_str(patterns?).ok().map(Self::Uses),
            "capture_lesson" => Some(Self::Lesson),
            _ => None,
        }
    }
}

impl Host<'_> {
    /// Notes what an agent reports, for that agent.
    pub(super) fn take_report(&self, report: &Report) -> Outcome<Answer> {
        // The agent may begin here: its memory is opened as every hook opens it.
        drop(self.open(self.payload.agent())?);
        match report {
            Report::Lesson => note_lesson(self.workspace, &self.situation, self.payload.agent())?,
            Report::Uses(uses) => {
                let names: Vec<&str> = uses.iter().map(|used| used.pattern.trim()).collect();
                // A broken generation costs the ids of patterns that the agent was not shown, and nothing else.
                let known = find_known(self.workspace, &names).unwrap_or_else(|_| vec![None; names.len()]);
                let claims: Vec<Claim> =
                    uses.iter().zip(&known).map(|(used, known)| claim_of(&used.pattern, &used.places, known.as_ref())).collect();
                acknowledge(self.workspace, &self.situation, self.payload.agent(), &claims)?;
            }
        }
        Ok(Answer::Silence)
    }
}

/// A claim by the name that an agent gives a pattern, with the pattern that it means, if one is published.
#[must_use]
pub fn claim_of(name: &str, places: &[String], known: Option<&Known>) -> Claim {
    let name = name.trim();
    let (id, text) = match known {
        Some(known) => (Some(known.id.clone()), known.text.clone()),
        None if is_pattern_id(name) => (Some(name.to_ascii_uppercase()), name.to_owned()),
        None => (None, name.to_owned()),
    };
    Claim { id, text, citations: places.to_vec() }
}

/// Whether a name is an id, in capitals or not.
#[must_use]
pub fn is_pattern_id(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    [Series::LESSON, Series::ROLE, Series::TOOL].iter().any(|series| series.number(&name).is_some())
}
