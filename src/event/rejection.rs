//! Why a line was not taken, and what its writer can do about it.

use std::fmt;
use text::fit::quoted;
use text::limit;

/// The stable name of a reason: what operators count and group by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Code {
    /// The bytes are not UTF-8.
    NotUtf8,
    /// The text is not one JSON object.
    NotJson,
    /// The line, or a part of it, is larger than its limit.
    TooLarge,
    /// A field that the kind needs is absent.
    MissingField,
    /// A field holds another type of value than it should.
    WrongType,
    /// A number, a time or a word lies outside of what the field allows.
    OutOfRange,
    /// A name holds a separator, a control character or nothing at all.
    BadName,
    /// Two fields say different things about the same fact.
    Contradiction,
    /// The kind of event is not known.
    UnknownKind,
    /// The day of the event was pruned, so it may already be counted.
    TooLate,
    /// An importer could not make an event of a record.
    NotTaken,
    /// The id already belongs to an event with different content.
    IdConflict,
}

impl Code {
    /// The name under which the reason is stored and counted.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::NotUtf8 => "not_utf8",
            Self::NotJson => "not_json",
            Self::TooLarge => "too_large",
            Self::MissingField => "missing_field",
            Self::WrongType => "wrong_type",
            Self::OutOfRange => "out_of_range",
            Self::BadName => "bad_name",
            Self::Contradiction => "contradiction",
            Self::UnknownKind => "unknown_kind",
            Self::TooLate => "too_late",
            Self::NotTaken => "not_taken",
            Self::IdConflict => "id_conflict",
        }
    }
}

/// Why a line was refused. The constructor requires a remedy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejection {
    /// The stable name of the reason.
    pub code: Code,
    /// What is wrong, in words, naming the field.
    pub message: String,
    /// What the writer of the line can do.
    pub remedy: String,
}

impl Rejection {
    /// A line that is longer than lines may be.
    #[must_use]
    pub fn too_long(bytes: usize) -> Self {
        let remedy = format!("send at most {}; put long texts into files and cite them", limit::LINE_BYTES);
        Self::new(Code::TooLarge, format!("the line has {bytes} bytes"), remedy)
    }

    #[must_use]
    pub fn not_utf8() -> Self {
        Self::new(Code::NotUtf8, "the line is not UTF-8", "write UTF-8")
    }

    /// A rejection: its code, what is wrong and what to do.
    pub fn new(code: Code, message: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { code, message: message.into(), remedy: remedy.into() }
    }

    /// The same rejection with the field it concerns in front.
    #[must_use]
    pub fn in_field(mut self, field: &str) -> Self {
        self.message = format!("{} {}", quoted(field), self.message);
        self
    }
}

impl fmt::Display for Rejection {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}; {}", self.message, self.remedy)
    }
}
