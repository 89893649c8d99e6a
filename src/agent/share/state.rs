//! Both files of a shared place, and what there is to say about them.

use super::document::Document;
use super::source::Sources;
use text::diagnostic::{Diagnostic, Outcome};
use text::fit::quoted;

/// Something that is odd about an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    /// The entry's shared id, or its place in the list.
    pub id: String,
    /// What is odd.
    pub reason: String,
    /// Whether it could not be taken at all, rather than be repaired.
    pub is_refused: bool,
}

/// Both files of a shared place.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct State {
    /// The patterns.
    pub document: Document,
    pub sources: Sources,
    /// What was odd about the entries when they were read.
    pub remarks: Vec<Remark>,
}

impl State {
    /// Reads both files; an absent one is an empty one.
    pub fn parse(document: Option<&str>, sources: Option<&str>) -> Outcome<Self> {
        let broken = |name: &str, cause: String| {
            Diagnostic::edit(
                format!("the shared `{name}` cannot be read"),
                "repair or remove it in the shared place, then try again",
            )
            .because(cause)
        };
        let (document, remarks) =
            document.map_or(Ok(Default::default()), Document::parse).map_err(|cause| broken("org-patterns.json", cause))?;
        let sources = sources.map_or(Ok(Sources::default()), Sources::parse).map_err(|cause| broken("sources.json", cause))?;
        Ok(Self { document, sources, remarks })
    }

    /// Fails if either file belongs to another organisation.
    pub fn check_org(&self, org_id: &str) -> Outcome<()> {
        let found = [self.document.org_id(), self.sources.org_id()];
        match found.into_iter().flatten().find(|found| *found != org_id) {
            None => Ok(()),
            Some(other) => Err(Diagnostic::edit(
                format!("the shared patterns belong to the organisation {}, not to {}", quoted(other), quoted(org_id)),
                "set CLAUDE_ORG_ID to the organisation of the shared place, or name another place",
            )),
        }
    }
}
