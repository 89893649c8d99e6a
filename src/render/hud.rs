//! What was learned, in a line for an agent's status line.

use super::brief::Brief;
use super::notice::Notice;
use event::field::ObservationType;
use learn::observation::Status;

/// How many observations of each type became artifacts, and how many wait for a person.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// Commands.
    pub workflows: usize,
    pub skills: usize,
    pub decisions: usize,
    pub pitfalls: usize,
    /// Those that a person should look at.
    pub review: usize,
}

impl Tally {
    /// Counts observations.
    pub fn of(briefs: &[Brief]) -> Self {
        let created = |kind: ObservationType| {
            briefs.iter().filter(|brief| brief.status == Status::Created && brief.observation_type == kind).count()
        };
        Self {
            workflows: created(ObservationType::Workflow),
            skills: created(ObservationType::Procedural),
            decisions: created(ObservationType::Decision),
            pitfalls: created(ObservationType::Pitfall),
            review: briefs.iter().filter(|brief| brief.needs_review).count(),
        }
    }

    /// What exists, such as `2 workflows, 1 skill`; nothing if there is nothing.
    pub fn created(&self) -> Option<String> {
        let counts =
            [(self.workflows, "workflow"), (self.skills, "skill"), (self.decisions, "decision"), (self.pitfalls, "pitfall")];
        let parts: Vec<String> = counts
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| format!("{count} {what}{}", if count == 1 { "" } else { "s" }))
            .collect();
        (!parts.is_empty()).then(|| parts.join(", "))
    }

    pub fn waiting(&self) -> Option<String> {
        match self.review {
            0 => None,
            1 => Some("⚠ 1 needs review".to_owned()),
            more => Some(format!("⚠ {more} need review")),
        }
    }
}

/// A notice that a knowledge file fills up.
pub fn capacity_line(notice: &Notice) -> String {
    let Notice { file, count, ceiling, .. } = notice;
    format!("⚠ Knowledge: {file} at {count}/{ceiling}: run outerloop learn review --capacity")
}
