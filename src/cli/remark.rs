//! What went wrong where nobody may be stopped by it: one line each, where `outerloop doctor` finds it.

use std::io;

use serde_json::json;

use event::redact::redact;
use render::plain_text;
use store::clock;
use store::durable;
use store::workspace::Workspace;

/// The longest line about a failure.
const MOST_CHARACTERS: usize = 1000;
/// A log of failures that is longer is begun anew.
const MOST_LOG_BYTES: u64 = 1 << 20;

/// A remark as it is shown and kept: one harmless line without secrets.
pub(crate) fn fit_remark(remark: &str) -> String {
    plain_text(&redact(remark).text, MOST_CHARACTERS)
}

/// Records an error of a hook or a command. If that fails too, the error is lost.
pub(crate) fn log_remark(workspace: &Workspace, name: &str, remark: &str) {
    let _ = append(workspace, name, remark);
}

fn append(workspace: &Workspace, name: &str, remark: &str) -> io::Result<()> {
    let (mut file, _) = durable::open_for_append(&workspace.hook_history())?;
    if file.metadata()?.len() > MOST_LOG_BYTES {
        file.set_len(0)?;
    }
    let line = json!({"ts": clock::now().to_string(), "hook": name, "remark": remark}).to_string() + "\n";
    io::Write::write_all(&mut file, line.as_bytes())
}
