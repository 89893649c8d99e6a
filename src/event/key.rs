//! Keys that are stored beside the names that events carry: computed once, at the door, so that no two readers fold them differently.

use std::borrow::Cow;

use super::kind::{Body, Kind};
use text::key::key;

impl Kind {
    /// The column of the key by which events of this kind are grouped, and the field that it is made from.
    #[must_use]
    pub const fn key(self) -> Option<(&'static str, &'static str)> {
        match self {
            Self::Run => Some(("failure_key", "failure_type")),
            Self::Gate => Some(("adapter_key", "adapter")),
            Self::Deliberation | Self::VerdictGiven => Some(("role_key", "role")),
            _ => None,
        }
    }
}

impl Body<'_> {
    /// The key of [`Kind::key`].
    #[must_use]
    pub fn key(&self) -> Option<Cow<'_, str>> {
        let name = match self {
            Self::Run(run) => run.failure_type.as_ref()?.get(),
            Self::Gate(gate) => gate.adapter.get(),
            Self::Deliberation(deliberation) => deliberation.role.get(),
            Self::VerdictGiven(verdict) => verdict.role.get(),
            _ => return None,
        };
        Some(key(name))
    }
}
