//! Typed fields as plain JSON, so that a test states a whole event at once.

use event::field::{
    Adapters, AgentDecision, AgentDecisions, AgentVerdict, ApplicationStatus, Arm, ArtifactAction, ClassificationStatus, Count,
    CurationAction, EvidenceLevel, FailureType, Flag, Json, Label, Labels, Lack, Name, Number, ObservationType, Passed, Quality,
    Rating, RawScore, RepoName, Retries, Risk, RunResult, Sayings, TaskName, Text, Texts, Unit, Vector, Verdict,
};
use serde_json::{Value, json};

/// What a field holds.
pub trait Plain {
    fn plain(&self) -> Value;
}

macro_rules! plain_by_get {
    ($($type:ty)*) => {$(
        impl Plain for $type {
            fn plain(&self) -> Value { self.get().into() }
        }
    )*};
}

plain_by_get! {
    Text<'_> Label<'_> Name<'_> FailureType<'_> Count Retries EvidenceLevel RawScore RepoName<'_> TaskName<'_> Number Unit Quality Rating Flag Passed
    ApplicationStatus Arm ArtifactAction ClassificationStatus RunResult Risk Lack ObservationType Verdict CurationAction AgentVerdict
}

impl Plain for Json<'_> {
    fn plain(&self) -> Value {
        serde_json::from_str(self.get()).expect("what is kept as JSON is JSON")
    }
}

impl Plain for Texts<'_> {
    fn plain(&self) -> Value {
        self.iter().collect()
    }
}

impl Plain for Labels<'_> {
    fn plain(&self) -> Value {
        self.iter().collect()
    }
}

impl Plain for Sayings<'_> {
    fn plain(&self) -> Value {
        self.iter().collect()
    }
}

impl Plain for Vector {
    fn plain(&self) -> Value {
        self.get().into()
    }
}

impl Plain for Adapters<'_> {
    fn plain(&self) -> Value {
        self.iter().collect()
    }
}

impl Plain for AgentDecisions<'_> {
    fn plain(&self) -> Value {
        self.get().iter().map(Plain::plain).collect()
    }
}

impl Plain for AgentDecision<'_> {
    fn plain(&self) -> Value {
        json!({"agent": self.agent.plain(), "decision": self.decision.plain(), "confidence": self.confidence.plain()})
    }
}

impl<T: Plain> Plain for Option<T> {
    fn plain(&self) -> Value {
        self.as_ref().map_or(Value::Null, Plain::plain)
    }
}

/// Asserts every field of the event that a line becomes: one that is left out does not compile.
macro_rules! assert_body {
    ($line:expr, $kind:ident { $($field:ident: $value:tt),* $(,)? }) => {{
        let line: &str = $line;
        let event = $crate::event::door::taken(line);
        let event::Body::$kind(event::$kind { $($field),* }) = &event.body else {
            panic!("another kind: {event:?}");
        };
        $(assert_eq!($crate::event::plain::Plain::plain($field), serde_json::json!($value), stringify!($field));)*
        assert_eq!(event.extra, None);
    }};
}
pub(crate) use assert_body;
