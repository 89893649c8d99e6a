//! The settings of texts as vectors: who makes them, and what they count for.

use serde::Deserialize;

use text::diagnostic::{Diagnostic, Outcome};
use text::fit;

/// Who turns texts into vectors, and what likeness counts for.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct EmbedSettings {
    /// The program and its arguments. It gets JSON on stdin and answers with JSON on stdout. None: nothing is turned into vectors.
    pub command: Vec<String>,
    /// The model that its vectors are of. Vectors of other models are not compared with them.
    pub model: String,
    /// How long one call may take.
    pub timeout_seconds: u64,
    /// How often a call is tried again within one run.
    pub retries: u32,
    /// How many calls a day may make, failed ones included.
    pub calls_per_day: u32,
    /// How many texts one call is about.
    pub texts_per_call: usize,
    /// The longest answer that is read, in KiB.
    pub most_answer_kib: usize,
    /// What likeness counts for, of 1; the score of a pattern counts for the rest.
    pub weight: f64,
}

impl Default for EmbedSettings {
    fn default() -> Self {
        Self {
            command: Vec::new(),
            model: "default".to_owned(),
            timeout_seconds: 30,
            retries: 1,
            calls_per_day: 1000,
            texts_per_call: 64,
            most_answer_kib: 16 << 10,
            weight: 0.6,
        }
    }
}

/// A part of a whole lies from 0 to 1, and events must be able to carry the model.
pub(super) fn check(settings: &EmbedSettings) -> Outcome<()> {
    if !(0.0..=1.0).contains(&settings.weight) {
        let what = format!("the setting `embed.weight` is {}", settings.weight);
        return Err(Diagnostic::edit(what, "write a number from 0 to 1"));
    }
    if fit::label(&settings.model).as_deref() != Some(&settings.model) {
        let what = format!("the setting `embed.model` is `{}`", settings.model.escape_default());
        return Err(Diagnostic::edit(what, "name the model on one line, such as model = \"text-embedding-3-small\""));
    }
    Ok(())
}
