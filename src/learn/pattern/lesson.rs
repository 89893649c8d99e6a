//! What the book is folded from: lessons that were captured, and decisions that people took.

/// Where an entry comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// The event's id.
    pub event: String,
    /// When it happened, in microseconds since 1970.
    pub time_micros: i64,
    /// Its place in the order of landing.
    pub sequence: i64,
    /// The inbox file it stands in.
    pub file: String,
    /// The line there, from 1.
    pub line: i64,
}

/// A lesson that was captured.
#[derive(Debug, Clone, PartialEq)]
pub struct Lesson {
    /// Where it comes from.
    pub source: Source,
    /// The project it was learned in.
    pub project: String,
    /// The id under which another store knows it.
    pub pattern_id: Option<String>,
    /// When it was captured, in microseconds since 1970. It may have entered later.
    pub captured_micros: i64,
    /// The lesson in a sentence.
    pub summary: String,
    /// More about it, where it is about the tool itself.
    pub detail: Option<String>,
    /// When it applies.
    pub trigger: Option<String>,
    /// Its category, as it was written.
    pub category: Option<String>,
    /// Who it is for: an organisation, or a tool.
    pub scope: Option<String>,
    /// The repository it holds for.
    pub repo: Option<String>,
    /// How sure its writer was.
    pub confidence: Option<String>,
    /// The agents it is for.
    pub applies_to: Vec<String>,
    /// What it is about.
    pub tags: Vec<String>,
    /// How often another store has seen it.
    pub seen_count: Option<i64>,
    /// The rate that another store gives it.
    pub success_rate: Option<f64>,
    /// The project that shared it.
    pub source_project: Option<String>,
    /// The files that it was learned in, as paths from the top of their repository.
    pub files: Vec<String>,
}

/// What a person decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Make it active.
    Promote,
    /// Take it out of use.
    Retire,
    /// Refuse it for good.
    Reject,
    /// Undo a retirement or a refusal.
    Restore,
    /// Take back what was decided.
    Clear,
    /// Add a note.
    Annotate,
}

impl Action {
    /// The action of that word.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "promote" => Self::Promote,
            "retire" => Self::Retire,
            "reject" => Self::Reject,
            "restore" => Self::Restore,
            "clear" => Self::Clear,
            "annotate" => Self::Annotate,
            _ => return None,
        })
    }
}

/// A decision about a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// Where it comes from.
    pub source: Source,
    /// The pattern it is about.
    pub pattern_id: String,
    /// What was decided.
    pub action: Action,
    /// Who decided.
    pub actor: String,
    /// Why.
    pub reason: Option<String>,
}

/// One entry of the log that the book is folded from.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "almost every entry is a lesson")]
pub enum Entry {
    /// A lesson.
    Lesson(Lesson),
    /// A decision.
    Decision(Decision),
}

impl Entry {
    /// Where it comes from.
    #[must_use]
    pub const fn source(&self) -> &Source {
        match self {
            Self::Lesson(lesson) => &lesson.source,
            Self::Decision(decision) => &decision.source,
        }
    }
}
