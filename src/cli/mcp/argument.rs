//! The arguments of the tools. Their schemas come from these types; whatever does not fit is refused with a remedy.

use rmcp::model::JsonObject;
use rmcp::schemars::{self, JsonSchema};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use text::diagnostic::{Diagnostic, Outcome};
use text::fit::plain_text;

/// The longest text of an argument, in bytes, and the longest name or place.
pub(super) const MOST_TEXT: usize = 16 << 10;
pub(super) const MOST_NAME: usize = 1024;
/// The most items of a list.
pub(super) const MOST_ITEMS: usize = 100;

/// Patterns that were used.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Acknowledge {
    /// The patterns that you used, each with its places. An empty list says that you used none.
    #[schemars(length(max = 100))]
    pub(super) patterns: Vec<Used>,
}

/// A pattern that was used.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Used {
    /// Its id, such as P-017, or its text as you were shown it.
    #[schemars(length(min = 1, max = 16384))]
    pub(super) pattern: String,
    /// Where in the code you used it, each as path:line.
    #[serde(default)]
    #[schemars(length(max = 100))]
    pub(super) places: Vec<String>,
}

/// A lesson for later runs.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Lesson {
    /// The lesson in one sentence: what to do, with what, and when. It must hold for other tasks too.
    #[schemars(length(min = 1, max = 16384))]
    pub(super) summary: String,
    /// What happened.
    pub(super) what: Option<String>,
    /// Why it happened.
    pub(super) why: Option<String>,
    /// What was done about it.
    pub(super) fix: Option<String>,
    /// When the lesson applies, in a few words.
    pub(super) trigger: Option<String>,
    /// What sort of lesson it is.
    pub(super) category: Option<Category>,
    /// The agents that it is for; all without any.
    #[serde(default)]
    #[schemars(length(max = 100))]
    pub(super) applies_to: Vec<String>,
    /// What it is about, in single words such as build or api.
    #[serde(default)]
    #[schemars(length(max = 100))]
    pub(super) tags: Vec<String>,
    /// Places in the code that show it, each as path:line.
    #[serde(default)]
    #[schemars(length(max = 100))]
    pub(super) places: Vec<String>,
    /// Your own name as an agent, if you know it.
    pub(super) agent: Option<String>,
}

/// A sort of lesson.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Category {
    Mistake,
    Pattern,
    Convention,
    Insight,
}

impl Category {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Mistake => "mistake",
            Self::Pattern => "pattern",
            Self::Convention => "convention",
            Self::Insight => "insight",
        }
    }
}

/// A task that patterns are wanted for.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_field_names, reason = "agents write these names")]
pub(super) struct Task {
    /// The task in your words.
    #[schemars(length(max = 16384))]
    pub(super) task: Option<String>,
    /// The files that you are going to read or change.
    #[serde(default)]
    #[schemars(length(max = 100))]
    pub(super) files: Vec<String>,
    /// Your name as an agent, if you know it: patterns for other agents are left out.
    pub(super) agent: Option<String>,
    /// How many patterns at most.
    #[schemars(range(min = 1, max = 50))]
    pub(super) most: Option<usize>,
}

/// An entry of the project's knowledge.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Entry {
    /// The entry, such as ADR-003 or PF-004. Without it you get the list of all.
    pub(super) id: Option<String>,
}

/// A pattern to explain.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Explained {
    /// The pattern, such as P-017 or D-007.
    pub(super) id: String,
}

/// A question to the gate.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Question {
    /// The adapter that you want to use, such as github or terminal.
    pub(super) adapter: String,
    /// The risk of what you are going to do with it.
    pub(super) risk: Option<Risk>,
    /// How many retries you would allow yourself.
    pub(super) base_retries: Option<u32>,
}

/// A level of risk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Risk {
    Low,
    Medium,
    High,
}

/// Reads the arguments of a call.
pub(super) fn read<T: DeserializeOwned>(arguments: JsonObject) -> Outcome<T> {
    serde_json::from_value(serde_json::Value::Object(arguments)).map_err(|error| {
        let remedy = "give the arguments as the tool's schema says";
        Diagnostic::edit("the arguments do not fit", remedy).because(plain_text(&error.to_string(), 300))
    })
}

/// Refuses a text that is longer than any of its sort. Says which argument it is.
pub(super) fn bounded(name: &str, text: Option<&str>, most_bytes: usize) -> Outcome<()> {
    match text.map(str::len) {
        Some(length) if length > most_bytes => Err(Diagnostic::edit(
            format!("`{name}` has {length} bytes, more than {most_bytes}"),
            "shorten it; put long texts into files and cite them",
        )),
        _ => Ok(()),
    }
}

/// Refuses a list that has too many items, or one that is too long.
pub(super) fn bounded_list(name: &str, items: &[String]) -> Outcome<()> {
    bounded_count(name, items.len())?;
    items.iter().try_for_each(|item| bounded(name, Some(item), MOST_NAME))
}

pub(super) fn bounded_count(name: &str, count: usize) -> Outcome<()> {
    if count > MOST_ITEMS {
        return Err(Diagnostic::edit(
            format!("`{name}` has {count} items, more than {MOST_ITEMS}"),
            "name the most important ones",
        ));
    }
    Ok(())
}
