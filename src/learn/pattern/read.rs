//! Lessons and decisions from the rows of their queries.

use event::row::{Part, Rows, list_at, number_at, real_at, text_at};
use text::diagnostic::Outcome;

use super::lesson::{Action, Decision, Lesson, Source};
use super::place::parse_files;

/// Reads the rows of `sql/lesson.sql`.
pub fn parse_lessons(rows: &Rows) -> Outcome<Vec<Lesson>> {
    let mut lessons = Vec::with_capacity(rows.count());
    for part in rows.parts() {
        let sources = Sources::new(part)?;
        let (projects, ids, summaries) = (part.texts("project")?, part.texts("pattern_id")?, part.texts("summary")?);
        let (triggers, categories, scopes) = (part.texts("trigger")?, part.texts("category")?, part.texts("scope")?);
        let (repos, confidences) = (part.texts("repo")?, part.texts("confidence")?);
        let (agents, tags) = (part.lists("applies_to")?, part.lists("tags")?);
        let (captured, details) = (part.numbers("captured_us")?, part.texts("detail")?);
        let shared = part.texts("source_project")?;
        let (contexts, citations) = (part.texts("context")?, part.lists("citations")?);
        let (seen, rates) = (part.numbers("seen_count")?, part.reals("success_rate")?);
        for row in 0..part.len() {
            lessons.push(Lesson {
                source: sources.at(row),
                project: text_at(projects, row).unwrap_or_default(),
                pattern_id: text_at(ids, row),
                captured_micros: number_at(captured, row).unwrap_or_default(),
                summary: text_at(summaries, row).unwrap_or_default(),
                detail: text_at(details, row),
                trigger: text_at(triggers, row),
                category: text_at(categories, row),
                scope: text_at(scopes, row),
                repo: text_at(repos, row),
                confidence: text_at(confidences, row),
                applies_to: list_at(agents, row),
                tags: list_at(tags, row),
                seen_count: number_at(seen, row),
                success_rate: real_at(rates, row),
                source_project: text_at(shared, row),
                files: parse_files(text_at(contexts, row).as_deref(), &list_at(citations, row)),
            });
        }
    }
    Ok(lessons)
}

/// Reads the rows of `sql/decision.sql`.
pub fn parse_decisions(rows: &Rows) -> Outcome<Vec<Decision>> {
    let mut decisions = Vec::with_capacity(rows.count());
    for part in rows.parts() {
        let sources = Sources::new(part)?;
        let (ids, actions) = (part.texts("pattern_id")?, part.texts("action")?);
        let (actors, reasons) = (part.texts("actor")?, part.texts("reason")?);
        for row in 0..part.len() {
            // The door lets no other words in.
            let Some(action) = text_at(actions, row).and_then(|name| Action::from_name(&name)) else { continue };
            decisions.push(Decision {
                source: sources.at(row),
                pattern_id: text_at(ids, row).unwrap_or_default(),
                action,
                actor: text_at(actors, row).unwrap_or_default(),
                reason: text_at(reasons, row),
            });
        }
    }
    Ok(decisions)
}

struct Sources<'r> {
    ids: &'r arrow::array::StringArray,
    times: &'r arrow::array::Int64Array,
    sequences: &'r arrow::array::Int64Array,
    files: &'r arrow::array::StringArray,
    lines: &'r arrow::array::Int64Array,
}

impl<'r> Sources<'r> {
    fn new(part: Part<'r>) -> Outcome<Self> {
        Ok(Self {
            ids: part.texts("id")?,
            times: part.numbers("ts_us")?,
            sequences: part.numbers("landing_seq")?,
            files: part.texts("landing_file")?,
            lines: part.numbers("landing_line")?,
        })
    }

    fn at(&self, row: usize) -> Source {
        Source {
            event: text_at(self.ids, row).unwrap_or_default(),
            time_micros: number_at(self.times, row).unwrap_or_default(),
            sequence: number_at(self.sequences, row).unwrap_or_default(),
            file: text_at(self.files, row).unwrap_or_default(),
            line: number_at(self.lines, row).unwrap_or_default(),
        }
    }
}
