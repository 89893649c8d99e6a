//! How full a knowledge file is, and what people are told about it: worked out from the number of entries, each time anew.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::knowledge::Topic;
use setting::ArtifactSettings;

/// What people are told of each file.
pub type Notifications = BTreeMap<String, Notification>;

/// How many entries a file may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capacity {
    /// From so many on people are told.
    pub soft_start: usize,
    /// There are never more.
    pub ceiling: usize,
}

/// What people are told of one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notification {
    /// Whether it is shown.
    pub active: bool,
    /// The highest threshold that is reached.
    pub threshold: usize,
    /// How many entries are in use.
    pub count: usize,
    /// How many there may be.
    pub ceiling: usize,
    /// The threshold at which a person dismissed it.
    pub dismissed_at_threshold: Option<usize>,
    /// How much it matters: `dim`, `warning` or `error`.
    pub severity: String,
    /// Since when it holds.
    pub created_at: String,
}

impl Capacity {
    /// As the settings say.
    #[must_use]
    pub const fn of(settings: &ArtifactSettings) -> Self {
        Self { soft_start: settings.soft_start, ceiling: settings.ceiling }
    }

    /// The highest threshold that a number of entries reaches: every tenth part of the ceiling, and from nine tenths on every one.
    fn threshold(self, count: usize) -> Option<usize> {
        let step = (self.ceiling / 10).max(1);
        let fine = self.ceiling.saturating_sub(step);
        let count = count.min(self.ceiling);
        if count < self.soft_start {
            None
        } else if count >= fine {
            Some(count)
        } else {
            Some(self.soft_start + (count - self.soft_start) / step * step)
        }
    }

    fn severity(self, threshold: usize) -> &'static str {
        match threshold * 10 {
            tenths if tenths >= self.ceiling * 9 => "error",
            tenths if tenths >= self.ceiling * 7 => "warning",
            _ => "dim",
        }
    }

    /// What people are told of so many entries. A dismissal holds until a higher threshold is reached, and ends when there is
    /// nothing more to dismiss. None where nobody was ever told, and nobody need be.
    #[must_use]
    pub fn notify(self, before: Option<&Notification>, count: usize, now: &str) -> Option<Notification> {
        let Some(threshold) = self.threshold(count) else {
            let before = before?;
            let dismissed_at_threshold = None;
            return Some(Notification { active: false, count, ceiling: self.ceiling, dismissed_at_threshold, ..before.clone() });
        };
        let since = before.filter(|before| before.active);
        Some(Notification {
            active: true,
            threshold,
            count,
            ceiling: self.ceiling,
            dismissed_at_threshold: since
                .and_then(|before| before.dismissed_at_threshold)
                .filter(|dismissed| threshold <= *dismissed),
            severity: self.severity(threshold).to_owned(),
            created_at: since.map_or_else(|| now.to_owned(), |before| before.created_at.clone()),
        })
    }
}

/// Reads what people were told. What cannot be read is as good as nothing: it can be worked out anew, but for dismissals.
#[must_use]
pub fn parse_notifications(text: &str) -> Notifications {
    let members: BTreeMap<String, serde_json::Value> = serde_json::from_str(text).unwrap_or_default();
    members.into_iter().filter_map(|(name, value)| Some((name, serde_json::from_value(value).ok()?))).collect()
}

impl Topic {
    /// The name of what people are told about the file.
    #[must_use]
    pub const fn notification(self) -> &'static str {
        match self {
            Self::Decisions => "knowledge-capacity-decisions",
            Self::Pitfalls => "knowledge-capacity-pitfalls",
        }
    }
}
