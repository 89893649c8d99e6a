//! What an agent says by a tool while it works, as its notes hold it.

use super::acknowledgment::{MOST_CITATIONS, MOST_USES};
use super::host::{MAIN, UNKNOWN};
use super::memory::{Claim, Memory, Note, file_name};
use super::situation::Situation;
use event::redact::redact;
use store::workspace::Workspace;
use text::diagnostic::Outcome;
use text::{fit, limit};

/// Takes an acknowledgment that an agent makes by a tool instead of in its last message: for a session and one of its agents, or for the
/// session's own. Whoever acknowledged is not sent back for it, and what it used is recorded when it ends.
pub fn acknowledge(workspace: &Workspace, situation: &Situation, agent: Option<&str>, uses: &[Claim]) -> Outcome<()> {
    let uses = uses.iter().take(MOST_USES).filter_map(fit_claim).collect();
    note(workspace, situation, agent, Note::Acknowledged { uses })
}

/// Takes note that an agent captured a lesson by a tool: it is not sent back for one.
pub fn note_lesson(workspace: &Workspace, situation: &Situation, agent: Option<&str>) -> Outcome<()> {
    note(workspace, situation, agent, Note::Learned)
}

fn note(workspace: &Workspace, situation: &Situation, agent: Option<&str>, note: Note) -> Outcome<()> {
    let mut memory = Memory::open(&workspace.hooks().join(file_name(&situation.session)), agent)?;
    if memory.recollection.began.is_none() {
        memory.note(Note::begin(agent.map_or(MAIN, |_| UNKNOWN), situation, false))?;
    }
    memory.note(note)
}

/// A claim as it can be recorded, without secrets. None if it names no pattern.
fn fit_claim(claim: &Claim) -> Option<Claim> {
    let plain = |text: &str| fit::printable(&redact(text).text, limit::ITEM_BYTES);
    let id = claim.id.as_deref().and_then(fit::name);
    let text = plain(&claim.text);
    let citations = claim.citations.iter().take(MOST_CITATIONS).map(|place| plain(place)).filter(|place| !place.is_empty());
    (id.is_some() || !text.is_empty()).then(|| Claim { id, text, citations: citations.collect() })
}
