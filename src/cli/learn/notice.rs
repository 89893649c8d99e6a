//! `outerloop learn dismiss`: notices that knowledge files fill up are hidden until they get fuller.

use serde_json::json;

use super::place::{PATIENCE, Place};
use crate::args::LearnDismissArgs;
use crate::printer::Printer;
use agent::artifact::take_lock;
use render::Notices;
use store::durable;
use store::workspace::Workspace;
use store::workspace::load_settings;
use text::diagnostic::{Diagnostic, Exit, Outcome};

/// The file of notices in a project.
pub const FILE: &str = ".memory/.notifications.json";

/// Dismisses the notices that stand.
pub fn dismiss(workspace: &Workspace, options: &LearnDismissArgs, printer: &Printer) -> Outcome<Exit> {
    let place = Place::find(workspace, &load_settings(workspace)?, &options.place)?;
    let path = place.folder.join(FILE);
    let _lock = take_lock(&place.folder, PATIENCE)?;
    let mut dismissed = Vec::new();
    if let Some((bytes, permissions)) = place.read(FILE)? {
        let mut notices = Notices::parse(&bytes).map_err(|cause| {
            Diagnostic::edit("cannot read the notices", "repair or remove the file; the next entry rewrites it")
                .at(&path)
                .because(cause)
        })?;
        dismissed = notices.dismiss();
        if !dismissed.is_empty() {
            durable::replace_as(&path, notices.render().as_bytes(), Some(permissions))?;
        }
    }
    if options.json {
        let told: Vec<_> = dismissed.iter().map(|notice| json!({"file": notice.file, "threshold": notice.threshold})).collect();
        printer.line(&json!({ "dismissed": told }).to_string())?;
    }
    for notice in &dismissed {
        printer.note(&format!("{}: dismissed until it holds more than {} entries", notice.file, notice.threshold));
    }
    if dismissed.is_empty() {
        printer.note("no notices");
    }
    Ok(Exit::Done)
}
