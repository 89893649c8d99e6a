//! Whether a run was ever reported, for those who speak of one.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};

use memchr::memmem;

use super::checkpoint::Checkpoint;
use super::derive::has_runs;
use super::seen::Seen;
use crate::inbox::survey;
use crate::workspace::Workspace;
use event::hash_run;
use text::diagnostic::{Diagnostic, Outcome};

/// How much of what waits in an inbox file is searched.
const MOST_BYTES: u64 = 64 << 20;

/// Whether a report of a run is in the lake or waits in the inbox; none where that takes a look at the whole lake.
pub fn is_run_known(workspace: &Workspace, project: &str, run_id: &str) -> Outcome<Option<bool>> {
    let checkpoint = Checkpoint::load(workspace)?;
    if waits_in_inbox(workspace, checkpoint.as_ref(), run_id)? {
        return Ok(Some(true));
    }
    let last_batch = checkpoint.map_or(0, |checkpoint| checkpoint.last_run_batch);
    if last_batch == 0 {
        // An earlier version kept no account of runs.
        return Ok(if has_runs(workspace)? { None } else { Some(false) });
    }
    Seen::look(workspace, last_batch, hash_run(project, run_id))
}

/// Whether lines that were not taken yet name the run.
fn waits_in_inbox(workspace: &Workspace, checkpoint: Option<&Checkpoint>, run_id: &str) -> Outcome<bool> {
    let name = serde_json::Value::from(run_id).to_string();
    for source in survey(&workspace.inbox())?.sources {
        let known = checkpoint.and_then(|checkpoint| checkpoint.streams.iter().find(|stream| stream.file == source.name));
        let offset = known.map_or(0, |stream| stream.offset);
        let mut bytes = Vec::new();
        let mut file: &File = &source.file;
        let read = file.seek(SeekFrom::Start(offset)).and_then(|_| file.take(MOST_BYTES).read_to_end(&mut bytes));
        read.map_err(|error| Diagnostic::io("cannot read the inbox", &source.path, &error))?;
        let is_run = |line: &[u8]| memmem::find(line, b"\"run\"").is_some() && memmem::find(line, name.as_bytes()).is_some();
        if bytes.split(|byte| *byte == b'\n').any(is_run) {
            return Ok(true);
        }
    }
    Ok(false)
}
