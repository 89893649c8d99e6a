//! How much patterns are like what is sought: a text, which the workspace's command turns into a vector, or a vector from a file.

use std::io::Read as _;
use std::path::Path;
use std::time::Duration;

use agent::embed::{Task, embed_one};
use cli::inject::InjectArgs;
use engine::cycle::{Sought, load_similarities};
use event::field::Vector;
use event::redact::redact;
use setting::Settings;
use store::clock;
use store::deadline::Deadline;
use store::durable;
use store::lock::join_readers;
use store::workspace::Workspace;
use text::diagnostic::{Diagnostic, Outcome};
use text::limit;

/// How long the lake is asked: somebody waits for the answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// How much the texts of a project are like what is sought, by their hashes.
pub(crate) fn measure(
    workspace: &Workspace,
    settings: &Settings,
    options: &InjectArgs,
    project: &str,
) -> Outcome<Vec<(String, f64)>> {
    let vector = match (&options.like, &options.vector) {
        (Some(text), _) => turn_into_vector(workspace, settings, text)?,
        (None, Some(path)) => load_vector(path)?,
        (None, None) => return Ok(Vec::new()),
    };
    let _readers = join_readers(workspace)?;
    let sought = Sought { project, model: &settings.embed.model, vector: &vector };
    load_similarities(workspace, sought, Deadline::after(PATIENCE))
}

fn turn_into_vector(workspace: &Workspace, settings: &Settings, text: &str) -> Outcome<Vector> {
    if text.trim().is_empty() {
        return Err(Diagnostic::edit("--like has no text", "give it a few words"));
    }
    let task = Task { workspace, settings: &settings.embed, deadline: Deadline::NEVER, now: clock::now() };
    // What others are shown holds no secrets; what is sought among it needs none.
    embed_one(&task, &redact(text).text)
}

/// Reads a vector: a JSON list of numbers.
fn load_vector(path: &Path) -> Outcome<Vector> {
    const REMEDY: &str = "write a JSON list of numbers, such as [0.12, -0.3]";
    let failed = |error: std::io::Error| Diagnostic::io("cannot read the vector", path, &error);
    let unfit = |cause: String| Diagnostic::edit("the file does not contain a vector", REMEDY).at(path).because(cause);
    let mut bytes = Vec::new();
    let file = durable::open_regular(path).map_err(failed)?;
    file.take(limit::LINE_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() > limit::LINE_BYTES {
        return Err(unfit(format!("it has more than {} bytes", limit::LINE_BYTES)));
    }
    let numbers: Vec<f64> = serde_json::from_slice(&bytes).map_err(|error| unfit(error.to_string()))?;
    let vector = Vector::new(numbers).map_err(|rejection| unfit(format!("it {}", rejection.message)))?;
    if vector.is_null() { Err(unfit("all numbers are 0".to_owned())) } else { Ok(vector) }
}
