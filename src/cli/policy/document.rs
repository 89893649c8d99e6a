//! The published policies, and how adapters are named in them.

use std::fs;
use std::io;
use std::path::Path;

use crate::printer::Printer;
use learn::policy::CONSTRAINT;
use render::policy::PolicyDocument;
use setting::POLICY_FILE;
use store::publish::{list_generations, load_current};
use store::workspace::Workspace;
use text::diagnostic::{Diagnostic, Outcome};
use text::fit::{is_unprintable, quoted};
use text::key::key;
use text::limit;

/// The published policies; none before the first. Those that are damaged are an error: rules must not fall away because a file
/// is broken.
pub(crate) fn load_document(workspace: &Workspace) -> Outcome<Option<PolicyDocument>> {
    let published = load_published(workspace)?;
    // `run learn --only policy` publishes policies without the rest of a generation.
    let path = workspace.latest_policy();
    let latest: Option<PolicyDocument> = match fs::read(&path) {
        Ok(bytes) => serde_json::from_slice(&bytes).map(Some).map_err(|error| damaged(&path, error))?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(Diagnostic::io("cannot read the published policies", &path, &error)),
    };
    Ok(match (published, latest) {
        (Some(published), Some(latest)) if published.as_of_micros >= latest.as_of_micros => Some(published),
        (published, latest) => latest.or(published),
    })
}

fn load_published(workspace: &Workspace) -> Outcome<Option<PolicyDocument>> {
    // One file is read, so that the link need not be followed beforehand to stay with one generation.
    let path = workspace.current().join(POLICY_FILE);
    let bytes = match fs::read(&path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => match find_lost(workspace)? {
            Some(bytes) => bytes,
            None => return Ok(None),
        },
        Err(error) => return Err(Diagnostic::io("cannot read the published policies", &path, &error)),
    };
    serde_json::from_slice(&bytes).map(Some).map_err(|error| damaged(&path, error))
}

/// The file that was not there at first: its generation may have been replaced and removed meanwhile. A generation whose manifest
/// lists no such file is of a version that knew no policies. Where generations stand and none of them counts, rules are lost.
fn find_lost(workspace: &Workspace) -> Outcome<Option<Vec<u8>>> {
    match load_current(workspace)? {
        Some(generation) if generation.manifest.files.iter().any(|file| file.name == POLICY_FILE) => {
            let path = generation.folder.join(POLICY_FILE);
            fs::read(&path).map(Some).map_err(|error| damaged(&path, error))
        }
        Some(_) => Ok(None),
        None if list_generations(workspace)?.is_empty() => Ok(None),
        None => Err(damaged(&workspace.current().join(POLICY_FILE), "the link published/current is missing")),
    }
}

fn damaged(path: &Path, cause: impl std::fmt::Display) -> Diagnostic {
    Diagnostic::edit("the published policies cannot be read", "publish a new generation: outerloop run hourly")
        .at(path)
        .because(cause)
}

/// Tells that there are no policies yet.
pub(crate) fn tell_unpublished(printer: &Printer) {
    printer.note("no policies are published yet, so every adapter is allowed; `outerloop run hourly` publishes them");
}

/// An adapter's name as policies spell it. A name that no run can have is refused: of an adapter that merely looks like a known one
/// nothing would be known.
pub fn parse_adapter(text: &str) -> Outcome<String> {
    let name = key(text).into_owned();
    let fault = if name.is_empty() {
        "is empty"
    } else if name.chars().any(is_unprintable) {
        "contains a control character"
    } else if name.len() > limit::LABEL_BYTES {
        "is too long"
    } else if name.starts_with(CONSTRAINT) {
        "is reserved for suggestions"
    } else {
        return Ok(name);
    };
    Err(Diagnostic::edit(
        format!("the adapter's name {} {fault}", quoted(text)),
        "use the adapter's name in runs, such as github; `outerloop policy list` lists the known adapters",
    ))
}
