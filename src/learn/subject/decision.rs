//! What people decide, and why a decision had no effect.

use serde::Serialize;

pub use event::field::CurationAction as Action;

event::row! {
    /// A person's decision: a row of `sql/role/decision.sql`, and a part of one of `sql/observation/decision.sql`.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Decision {
        pub time_micros: i64 = "ts_us",
        pub sequence: i64 = "landing_seq",
        /// What it is about, by its id.
        pub subject: String = "pattern_id",
        pub action: Action,
        pub actor: String,
        pub reason: Option<String>,
        /// How it was meant, as JSON.
        pub value: Option<String>,
    }
}

impl Decision {
    /// Whether it holds although its subject has not come far enough.
    #[must_use]
    pub fn is_forced(&self) -> bool {
        let value = self.value.as_deref().and_then(|json| serde_json::from_str::<serde_json::Value>(json).ok());
        value.is_some_and(|value| value.get("force") == Some(&serde_json::Value::Bool(true)))
    }

    /// What its subject keeps of it.
    #[must_use]
    pub fn note(&self) -> String {
        note_of(&self.actor, self.reason.as_deref())
    }

    /// The decision, had it no effect.
    #[must_use]
    pub fn void(&self, why: impl Into<String>) -> VoidDecision {
        VoidDecision { subject: self.subject.clone(), actor: self.actor.clone(), why: why.into() }
    }
}

/// Who decided, and why.
#[must_use]
pub fn note_of(actor: &str, reason: Option<&str>) -> String {
    format!("{actor}: {}", reason.unwrap_or("no reason given"))
}

/// A decision that had no effect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct VoidDecision {
    /// What it names.
    #[serde(rename = "pattern_id")]
    pub subject: String,
    pub actor: String,
    /// Why it had no effect.
    pub why: String,
}
