//! The tools: what each is for, what it takes, and what it answers.

mod acknowledge;
mod capture;
mod lookup;

use std::sync::Arc;

use rmcp::model::{JsonObject, ToolAnnotations};
use rmcp::schemars::JsonSchema;
use rmcp::schemars::generate::SchemaSettings;

use super::argument::{Acknowledge, Entry, Explained, Lesson, Question, Task};
use super::place::Place;
use text::diagnostic::Outcome;

/// One of the tools.
pub(super) struct Tool {
    pub(super) name: &'static str,
    title: &'static str,
    description: &'static str,
    /// Whether it changes nothing.
    is_read_only: bool,
    schema: fn() -> JsonObject,
    pub(super) answer: fn(&Place, JsonObject) -> Outcome<String>,
}

/// All of them.
pub(super) const TOOLS: [Tool; 6] = [
    Tool {
        name: "acknowledge",
        title: "Acknowledge patterns",
        description: "Say which of the patterns that you were shown you used, each with the place in the code (path:line). Call it once \
            before you finish, with an empty list if you used none. Name only patterns that you used.",
        is_read_only: false,
        schema: schema_of::<Acknowledge>,
        answer: acknowledge::answer,
    },
    Tool {
        name: "capture_lesson",
        title: "Capture a lesson",
        description: "Record a lesson for later runs: what to do, with what, and when. It must hold for other tasks too. A lesson that is \
            too vague, names a mere value, or holds once is refused with a reason.",
        is_read_only: false,
        schema: schema_of::<Lesson>,
        answer: capture::answer,
    },
    Tool {
        name: "find_patterns",
        title: "Find patterns",
        description: "Find patterns of earlier runs that fit a task and its files, most important first, each with its id. Call it when \
            you start a task or change to other files.",
        is_read_only: true,
        schema: schema_of::<Task>,
        answer: lookup::find,
    },
    Tool {
        name: "read_knowledge",
        title: "Read the project's knowledge",
        description: "List the project's decisions (ADR) and pitfalls (PF), or read one entry in full by its id. When you follow one, write \
            `applies ADR-003` or `avoids PF-004` in your report.",
        is_read_only: true,
        schema: schema_of::<Entry>,
        answer: lookup::read_knowledge,
    },
    Tool {
        name: "explain_pattern",
        title: "Explain a pattern",
        description: "Show what is published about one pattern: its text, how often it was seen and used, its rate with an interval, its \
            flag and why.",
        is_read_only: true,
        schema: schema_of::<Explained>,
        answer: lookup::explain,
    },
    Tool {
        name: "ask_gate",
        title: "Ask the gate",
        description: "Ask whether an adapter (such as github or terminal) may run without a person's approval, and how often it may be \
            retried. If approval is needed, ask the person before you use it.",
        is_read_only: true,
        schema: schema_of::<Question>,
        answer: lookup::ask_gate,
    },
];

impl Tool {
    /// The tool as a host lists it.
    pub(super) fn describe(&self) -> rmcp::model::Tool {
        // Nothing here reaches beyond the workspace, and nothing that was recorded is altered.
        let annotations = ToolAnnotations::with_title(self.title).read_only(self.is_read_only).open_world(false);
        let annotations = if self.is_read_only { annotations } else { annotations.destructive(false) };
        rmcp::model::Tool::new(self.name, self.description, Arc::new((self.schema)()))
            .with_title(self.title)
            .with_annotations(annotations)
    }
}

fn schema_of<T: JsonSchema>() -> JsonObject {
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let schema = settings.into_generator().into_root_schema_for::<T>();
    let mut object = schema.as_object().cloned().unwrap_or_default();
    // The name of a type of ours says nothing to an agent.
    object.remove("title");
    object
}
