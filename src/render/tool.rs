//! Lessons about the tool itself, as the JSON that its makers read.

use serde::Serialize;

use learn::pattern::ToolLesson;
use text::diagnostic::{Diagnostic, Outcome};
use text::time::to_seconds;

#[derive(Serialize)]
struct Document {
    schema_version: &'static str,
    last_updated: Option<String>,
    learnings: Vec<Item>,
}

#[derive(Serialize)]
struct Item {
    id: String,
    trigger: String,
    summary: String,
    detail: String,
    category: String,
    source_project: String,
    captured_at: String,
    merged_at: String,
}

/// Renders lessons about the tool. The document is as old as its latest lesson, so the same lessons give the same bytes.
pub fn render_tool_lessons(lessons: &[ToolLesson]) -> Outcome<String> {
    let document = Document {
        schema_version: "1.0",
        last_updated: lessons.iter().map(|lesson| lesson.merged_micros).max().map(to_seconds),
        learnings: lessons.iter().map(item).collect(),
    };
    serde_json::to_string_pretty(&document)
        .map(|text| text + "\n")
        .map_err(|error| Diagnostic::bug(format!("the lessons about the tool cannot be written as JSON: {error}")))
}

fn item(lesson: &ToolLesson) -> Item {
    Item {
        id: lesson.id(),
        trigger: lesson.trigger.clone().unwrap_or_default(),
        summary: lesson.summary.clone(),
        detail: lesson.detail.clone().unwrap_or_default(),
        category: lesson.category.clone().unwrap_or_else(|| "insight".to_owned()),
        source_project: lesson.project.clone(),
        captured_at: to_seconds(lesson.captured_micros),
        merged_at: to_seconds(lesson.merged_micros),
    }
}
