//! What the registry is folded from: lessons that were captured, and decisions that people took.

use event::row::Rows;
use text::diagnostic::Outcome;

use super::place::parse_files;
use crate::subject::Action;

event::row! {
    /// Where an entry comes from.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Source {
        pub event: String = "id",
        /// When it happened, in microseconds since 1970.
        pub time_micros: i64 = "ts_us",
        /// Its place in the order of landing.
        pub sequence: i64 = "landing_seq",
        /// The inbox file it stands in.
        pub file: String = "landing_file",
        /// The line there, from 1.
        pub line: i64 = "landing_line",
    }
}

event::row! {
    /// A lesson that was captured, as `sql/lesson.sql` yields it.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Lesson {
        pub source: Source,
        pub project: String,
        /// The id under which another store knows it.
        pub pattern_id: Option<String>,
        /// When it was captured, in microseconds since 1970. It may have entered later.
        pub captured_micros: i64 = "captured_us",
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
        pub repo: Option<String>,
        /// How sure its writer was.
        pub confidence: Option<String>,
        pub applies_to: Vec<String>,
        pub tags: Vec<String>,
        /// How often another store has seen it.
        pub seen_count: Option<i64>,
        /// The rate that another store gives it.
        pub success_rate: Option<f64>,
        /// The project that shared it.
        pub source_project: Option<String>,
        /// The file of another store that it was read from.
        pub origin: Option<String>,
        /// The flag that another store gives it.
        pub flags: Option<String>,
        /// The files that it was learned in, as paths from the top of their repository.
        pub files: Vec<String> = "citations",
    }
}

event::row! {
    struct Capture<'r> {
        lesson: Lesson,
        context: Option<&'r str>,
    }
}

/// Reads the rows of `sql/lesson.sql`. The files of a lesson are picked out of what it cites and of its context.
pub fn parse_lessons(rows: &Rows) -> Outcome<Vec<Lesson>> {
    let mut lessons = Vec::with_capacity(rows.count());
    rows.each(|Capture { mut lesson, context }| {
        lesson.files = parse_files(context, &lesson.files);
        lessons.push(lesson);
        Ok(())
    })?;
    Ok(lessons)
}

event::row! {
    /// A decision about a pattern, as `sql/decision.sql` yields it.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Decision {
        pub source: Source,
        pub pattern_id: String,
        pub action: Action,
        pub actor: String,
        pub reason: Option<String>,
    }
}

/// One entry of the log that the registry is folded from.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "almost every entry is a lesson")]
pub enum Entry {
    Lesson(Lesson),
    Decision(Decision),
}

impl Entry {
    #[must_use]
    pub const fn source(&self) -> &Source {
        match self {
            Self::Lesson(lesson) => &lesson.source,
            Self::Decision(decision) => &decision.source,
        }
    }
}
