//! Proving that what is published follows from the log: it is worked out anew and compared.

use super::compute::compute;
use super::inquiry::Inquiry;
use super::write::{draft, hash_settings};
use super::{CycleOptions, Phase};
use crate::deadline::Deadline;
use crate::diagnostic::{Diagnostic, Exit, Outcome};
use crate::engine::{Horizon, sha256};
use crate::publish::load_current;
use crate::setting::Settings;
use crate::workspace::Workspace;

/// What a verification found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verification {
    /// The generation, if one is published.
    pub generation: Option<String>,
    /// How many of its files were compared, and are the same.
    pub files: usize,
    /// Why they could not be compared.
    pub obstacle: Option<String>,
}

/// Works the published generation out anew, from what was known then, and compares every byte.
pub fn verify(workspace: &Workspace, settings: &Settings, deadline: Deadline, report: impl FnMut(Phase)) -> Outcome<Verification> {
    let Some(generation) = load_current(workspace)? else {
        return Ok(Verification { generation: None, files: 0, obstacle: Some("nothing is published yet".to_owned()) });
    };
    let manifest = &generation.manifest;
    let name = Some(manifest.generation.clone());
    let horizon = Horizon { as_of_micros: manifest.as_of_micros, through: manifest.through };
    let inquiry = Inquiry::open(workspace, horizon, deadline)?;
    let same_queries = inquiry.bodies.iter().all(|body| manifest.queries.get(body.query.name()) == Some(&body.hash));
    if hash_settings(settings)? != manifest.settings_hash || !same_queries {
        let obstacle = Some("the settings or the queries have changed since".to_owned());
        return Ok(Verification { generation: name, files: 0, obstacle });
    }
    let options = CycleOptions { settings, horizon, deadline };
    let findings = compute(&inquiry, options, report)?;
    let drafted = draft(workspace, &inquiry, &findings, options)?;
    let mut files = 0;
    for file in drafted.files.iter().filter(|file| !file.name.starts_with("changes.")) {
        let stands = sha256(&generation.read(file.name)?);
        let listed = manifest.files.iter().find(|listed| listed.name == file.name).map(|listed| &listed.sha256);
        if sha256(&file.content) != stands || listed != Some(&stands) {
            return Err(Diagnostic::new(
                Exit::Refused,
                format!("`{}` of the published generation is not what the log says", file.name),
                "find out who changed it or the lake; `outerloop doctor` checks the lake, `outerloop run hourly` publishes anew",
            )
            .at(&generation.folder));
        }
        files += 1;
    }
    Ok(Verification { generation: name, files, obstacle: None })
}
