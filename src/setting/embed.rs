//! The settings of text embeddings.

use text::fit;

use crate::parse::Conflict;
use crate::section::{SHARE, settings};

settings! {
    /// Embedding of role patterns as vectors (a step of the hourly job), so that `outerloop inject --role R --like TEXT` finds patterns
    /// that mean the same in other words. Answers are stored as events, so no text is embedded twice.
    pub struct EmbedSettings {
        /// A program and its arguments. It gets {"protocol": 1, "texts": ["...", ...]} on stdin and answers with
        /// {"vectors": [[...], ...]}, one vector for each text, in the same order. Without one, nothing is embedded.
        command: Vec<String>, example r#"["python3", "/home/me/embed.py"]"#;
        /// The model of the vectors. Vectors of different models are never compared; those that name none count as this one's.
        model: String = "default".to_owned();
        /// Time limit of one call, in seconds.
        timeout_seconds: u64 = 30;
        /// How often a failed call is retried within one run.
        retries: u32 = 1;
        /// How many calls to make per day, failed ones included.
        calls_per_day: u32 = 1000;
        /// How many texts to send in one call.
        texts_per_call: usize = 64;
        /// Longest answer to read, in KiB.
        most_answer_kib: usize = 16 << 10;
        /// Weight of the similarity in the ranking; the score of a pattern has the rest.
        weight: f64 = 0.6, in SHARE;
    }
}

/// Events must be able to carry the model.
pub(crate) fn check(settings: &EmbedSettings) -> Result<(), Conflict> {
    let model = &settings.model;
    Conflict::unless(fit::label(model).as_deref() == Some(model), &["embed.model"], || {
        let remedy = "name the model on one line, such as model = \"text-embedding-3-small\"";
        (format!("`embed.model` is `{}`", model.escape_default()), remedy.to_owned())
    })
}
