//! The closed vocabularies: fields that hold one of a few words.

use std::str::FromStr;

use super::field::{Field, Holds};
use super::member::Raw;
use super::rejection::{Code, Rejection};
use text::fit::quoted;

/// Defines a closed vocabulary: its words, other spellings of them, and their parsing.
macro_rules! vocabulary {
    ($($(#[$doc:meta])* $type:ident { $($(#[$word_doc:meta])* $variant:ident = $word:literal $(| $alias:literal)*,)+ })*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $type { $($(#[$word_doc])* $variant,)+ }

        impl $type {
            /// Every value, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The word under which the value is stored.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $word,)+ }
            }

            /// The same, as fields give it that hold no words.
            #[must_use]
            pub const fn get(&self) -> &'static str {
                self.name()
            }

            /// The value that is stored under a word.
            #[must_use]
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|value| value.name() == name)
            }
        }

        impl FromStr for $type {
            type Err = Rejection;

            /// The value that any of its spellings names.
            fn from_str(text: &str) -> Result<Self, Rejection> {
                match text {
                    $($word $(| $alias)* => Ok(Self::$variant),)+
                    other => Err(Rejection::new(
                        Code::OutOfRange,
                        format!("is {}", quoted(other)),
                        concat!("write one of:" $(, " ", $word)+),
                    )),
                }
            }
        }

        impl Field<'_> for $type {
            const HOLDS: Holds = Holds::Words(&[$($word,)+]);

            fn parse(raw: Raw<'_>) -> Result<Self, Rejection> {
                raw.text()?.parse()
            }
        }
    )*};
}

vocabulary! {
    /// What became of a pattern in an agent's turn.
    ApplicationStatus {
        /// The agent says that it used the pattern.
        Applied = "applied",
        /// The pattern was shown to the agent; no use was reported.
        Injected = "injected",
        /// The pattern was held back on purpose, to measure what it is worth.
        Withheld = "withheld",
    }
    /// Which way the coin of a unit of work fell.
    Arm {
        /// It is shown patterns; of an experiment, by the variant.
        On = "on",
        /// It is shown nothing; of an experiment, by the settings as they stand.
        Off = "off",
    }
    /// What a classifier decided about a lesson.
    ClassificationStatus {
        /// It stands as it was captured.
        Approved = "approved",
        /// It stands in other words.
        Reworded = "reworded",
        /// It does not become a pattern.
        Rejected = "rejected",
    }
    /// How a run ended.
    RunResult {
        /// The run reached its goal.
        Success = "success",
        /// The run reached a part of its goal.
        Partial = "partial",
        /// The run failed.
        Failure = "failure" | "failed",
    }
    /// How much could go wrong in a run.
    Risk {
        /// Little.
        Low = "low",
        /// Some.
        Medium = "medium",
        /// Much.
        High = "high",
    }
    /// What recurs in a transcript.
    ObservationType {
        /// A sequence of steps that a person asks for again and again.
        Workflow = "workflow",
        /// A way of doing something.
        Procedural = "procedural",
        /// A choice with its reason.
        Decision = "decision",
        /// Something that goes wrong.
        Pitfall = "pitfall",
    }
    /// What a sighting lacks to make its observation good enough for an artifact.
    Lack {
        /// A second session that says the same. Until then nobody is told of it: it may be a task like any other.
        Recurrence = "recurrence",
        /// A second session that says the same.
        Session = "session",
        /// The reason for a choice.
        Reason = "reason",
        /// Something that it is about.
        Content = "content",
        /// Words of the session that support it.
        Quotation = "quotation",
        /// The word of whoever saw it.
        Judgement = "judgement",
    }
    /// What became of something that was rendered from observations.
    ArtifactAction {
        /// It was written.
        Rendered = "rendered",
        /// It was found where it belongs, although nobody had written down that it was rendered.
        Adopted = "adopted",
        /// A person changed it.
        Edited = "edited",
        /// A person took it away.
        Deleted = "deleted",
        /// It speaks of a file that does not exist.
        Stale = "stale",
        /// All files that it speaks of exist again.
        Fresh = "fresh",
        /// There is no room for it.
        Blocked = "blocked",
        /// An agent named it as a reason for what it did.
        Cited = "cited",
        Used = "used",
        /// A command wrote better words for it, or words that were refused.
        Authored = "authored",
    }
    /// A validator's verdict.
    Verdict {
        /// Accepted.
        Pass = "PASS" | "pass",
        /// Not accepted.
        Fail = "FAIL" | "fail",
    }
    /// A person's decision about a pattern or a policy.
    CurationAction {
        /// Make it active.
        Promote = "promote",
        /// Take it out of use.
        Retire = "retire",
        /// Refuse it for good.
        Reject = "reject",
        /// Undo a retirement or a refusal.
        Restore = "restore",
        /// Remove a flag or an overlay.
        Clear = "clear",
        /// Add a note.
        Annotate = "annotate",
        /// Judge a pattern anew: evidence of its effect counts from here on.
        Retest = "retest",
    }
    /// What an agent of a run decided.
    AgentVerdict {
        /// Go ahead.
        Approve = "approve",
        /// Someone should look.
        NeedsReview = "needs-review",
        Reject = "reject",
    }
}

// These are columns of the folds' rows and of published tables.
crate::word_traits!(ObservationType { Workflow Procedural Decision Pitfall });
crate::word_traits!(Lack { Recurrence Session Reason Content Quotation Judgement });
crate::word_traits!(ArtifactAction { Rendered Adopted Edited Deleted Stale Fresh Blocked Cited Used Authored });
crate::word_traits!(CurationAction { Promote Retire Reject Restore Clear Annotate Retest });
