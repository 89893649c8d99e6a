//! The published policies, and how adapters are named in them.

use std::fs;
use std::io;
use std::path::Path;

use crate::pipeline::project_of;
use crate::printer::Printer;
use agent::iteration::DEFAULT_PROJECT;
use learn::policy::{CONSTRAINT, Overlay};
use render::plain_text;
use render::policy::{PolicyDocument, Rules};
use setting::{POLICY_FILE, Settings};
use store::publish::{list_generations, load_current};
use store::workspace::Workspace;
use text::diagnostic::{Diagnostic, Outcome};
use text::fit::{is_unprintable, quoted};
use text::key::key;
use text::limit;

/// The published policies, and the project that somebody asks about.
pub struct Asked {
    pub document: Option<PolicyDocument>,
    pub project: String,
}

impl Asked {
    /// Loads the policies. Where several projects have rules of their own, the one that is named counts, else the one that the folder
    /// belongs to. Where nothing names one, the only project is meant.
    pub fn load(workspace: &Workspace, settings: &Settings, named: Option<&str>) -> Outcome<Self> {
        Self::choose(load_document(workspace)?, project_of(workspace, settings, named), named.is_some())
    }

    /// The same where the project is known already.
    pub(crate) fn choose(document: Option<PolicyDocument>, project: String, is_named: bool) -> Outcome<Self> {
        let has_rules = |name: &&str| {
            document.as_ref().and_then(|document| document.rules_of(name)).is_some_and(|rules| !rules.overlays.is_empty())
        };
        let names: Vec<&str> = document.iter().flat_map(PolicyDocument::names).filter(has_rules).collect();
        if is_named || project != DEFAULT_PROJECT || names.contains(&DEFAULT_PROJECT) {
            return Ok(Self { document, project });
        }
        match &*names {
            [] => Ok(Self { document, project }),
            [only] => {
                let project = (*only).to_owned();
                Ok(Self { document, project })
            }
            // A guess could open a gate by the runs of another project.
            several => {
                let several = plain_text(&several.join(", "), 400);
                Err(Diagnostic::edit("each project has rules of its own", format!("name one with --project: {several}")))
            }
        }
    }

    pub(crate) fn rules(&self) -> Option<&Rules> {
        self.document.as_ref()?.rules_of(&self.project)
    }

    /// The rules of an adapter in the project.
    pub(crate) fn overlay(&self, adapter: &str) -> Option<&Overlay> {
        self.rules()?.overlays.iter().find(|overlay| overlay.adapter_id == adapter)
    }

    /// The project, where each has rules of its own.
    pub fn apart(&self) -> Option<&str> {
        self.document.as_ref().filter(|document| !document.projects.is_empty()).map(|_| &*self.project)
    }

    /// What to do about an adapter that the project does not know.
    pub fn hint(&self, adapter: &str) -> String {
        let others = self.document.iter().flat_map(PolicyDocument::parts);
        let knows = |rules: &Rules| rules.overlays.iter().any(|overlay| overlay.adapter_id == adapter);
        let others: Vec<&str> = others.filter(|(_, rules)| knows(rules)).filter_map(|(project, _)| project).collect();
        if others.is_empty() {
            return "`outerloop policy list` lists the known adapters".to_owned();
        }
        format!("other projects know it; name one with --project: {}", plain_text(&others.join(", "), 400))
    }
}

/// The published policies; none before the first. Those that are damaged are an error: rules must not fall away because a file
/// is broken.
pub(crate) fn load_document(workspace: &Workspace) -> Outcome<Option<PolicyDocument>> {
    let published = load_published(workspace)?;
    Ok(match (published, load_latest(workspace)?) {
        (Some(published), Some(latest)) if published.as_of_micros >= latest.as_of_micros => Some(published),
        (published, latest) => latest.or(published),
    })
}

/// The policies that `run learn --only policy` published without the rest of a generation; none if it never did.
pub fn load_latest(workspace: &Workspace) -> Outcome<Option<PolicyDocument>> {
    let path = workspace.latest_policy();
    match fs::read(&path) {
        Ok(bytes) => serde_json::from_slice(&bytes).map(Some).map_err(|error| damaged(&path, error)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Diagnostic::io("cannot read the published policies", &path, &error)),
    }
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
