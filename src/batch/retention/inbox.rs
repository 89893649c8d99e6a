//! Removing inbox files that are wholly in the lake.
//!
//! A writer may have such a file open for appending, for days, and what it appends to a removed file is lost. So a file is
//! first renamed to a name that nobody reads or opens; from then on no writer can come, and whoever appends under the old
//! name begins a file of its own, which the lake reads from its start. Then the kernel is asked whether anybody has the file
//! open for writing. Only if nobody has, and it has not grown, can nothing be added to it any more, and it is removed.
//! Otherwise it gets its name back. A run that is killed in between leaves the other name, and the next run undoes it.
//!
//! The checkpoint forgets the file after it is gone for good. In the other order a file that came back with a power cut
//! would be read again, and its quarantined lines would be set aside twice.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fs, io, thread};

use jiff::Timestamp;

use super::session::is_open_for_writing;
use super::workdir::{age_seconds, changed};
use store::durable;
use store::inbox::{Source, survey};
use store::lake::{Checkpoint, resolve};
use store::workspace::Workspace;
use text::day::Day;
use text::diagnostic::{Diagnostic, Outcome};

/// What a file is called while it is looked at for the last time. The inbox is read by what names end in.
const AWAY_PREFIX: &str = ".away-";
const AWAY_SUFFIX: &str = ".removing";

/// A longer name leaves no room for those around it, and its file stays.
const MOST_NAME_BYTES: usize = 200;

/// How often it is asked whether somebody writes to a file, and how long is waited in between.
const ASKED_TIMES: u32 = 10;
const PAUSE: Duration = Duration::from_millis(5);

/// What was removed from the inbox, or would be.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct InboxPruned {
    pub files: u64,
    pub bytes: u64,
    /// Files that are old enough and wholly taken, but that a program has open for writing, or that nobody can say it of.
    pub left: u64,
}

/// Removes inbox files that were taken whole, last changed at least `days` ago, and are not named after a day that is still
/// to end. 0 days remove nothing. The caller holds the workspace's lock.
pub fn prune_inbox(workspace: &Workspace, days: u32, now: Timestamp, is_dry: bool) -> Outcome<InboxPruned> {
    let inbox = workspace.inbox();
    let mut pruned = InboxPruned::default();
    if !is_dry {
        bring_back(&inbox)?;
    }
    let Some(mut checkpoint) = Checkpoint::load(workspace)? else { return Ok(pruned) };
    // The rows of a batch that is still on its way may have to be read again.
    if days == 0 || checkpoint.publishing.is_some() {
        return Ok(pruned);
    }
    let mut gone = Vec::new();
    for (source, stream) in taken_whole(&checkpoint, &inbox)? {
        if !is_due(&source, days, now)? {
            continue;
        }
        let is_gone = is_unwritten(&source) && (is_dry || remove(&inbox, &source)?);
        if is_gone {
            pruned.files += 1;
            pruned.bytes += source.size;
            gone.push(stream);
        } else {
            pruned.left += 1;
        }
    }
    if !is_dry && !gone.is_empty() {
        durable::sync_folder(&inbox)?;
        gone.sort_unstable();
        gone.into_iter().rev().for_each(|stream| checkpoint.forget(stream));
        checkpoint.save(workspace)?;
    }
    Ok(pruned)
}

/// The files whose every byte was taken, each with its stream in the checkpoint: by name, number, length and content.
fn taken_whole(checkpoint: &Checkpoint, inbox: &Path) -> Outcome<Vec<(Source, usize)>> {
    let sources = survey(inbox)?.sources;
    let (streams, _) = resolve(&mut checkpoint.clone(), &sources);
    let is_whole = |source: &Source, stream: usize| {
        checkpoint.streams.get(stream).is_some_and(|known| {
            known.file == source.name && known.inode == source.inode && known.offset == source.size && source.size > 0
        })
    };
    Ok(sources.into_iter().zip(streams).filter(|(source, stream)| is_whole(source, *stream)).collect())
}

fn is_due(source: &Source, days: u32, now: Timestamp) -> Outcome<bool> {
    let failed = |error: io::Error| Diagnostic::io("cannot inspect the inbox file", &source.path, &error);
    let metadata = source.file.metadata().map_err(failed)?;
    // Through another name of it, somebody could go on writing.
    let is_alone = metadata.nlink() == 1;
    let is_old = age_seconds(changed(&metadata), now) >= i64::from(days) * 86_400;
    let today = Day::of_micros(now.as_microsecond());
    Ok(is_alone && is_old && source.name.len() <= MOST_NAME_BYTES && day_of(&source.name).is_none_or(|day| day < today))
}

/// The day that a file is named after: `record-2026-01-31.jsonl`.
fn day_of(name: &str) -> Option<Day> {
    name.as_bytes().windows(10).filter_map(|window| std::str::from_utf8(window).ok()?.parse().ok()).max()
}

/// A program that starts another one has its files open twice for an instant, so one answer is not enough.
fn is_unwritten(source: &Source) -> bool {
    (0..ASKED_TIMES).any(|_| {
        let is_unwritten = is_open_for_writing(&source.file) == Some(false);
        if !is_unwritten {
            thread::sleep(PAUSE);
        }
        is_unwritten
    })
}

/// Removes a file unless somebody writes to it. Says whether it is gone.
fn remove(inbox: &Path, source: &Source) -> Outcome<bool> {
    let away = inbox.join(format!("{AWAY_PREFIX}{}{AWAY_SUFFIX}", source.name));
    if !durable::rename_if_free(&source.path, &away)? {
        return Ok(false);
    }
    let failed = |error: io::Error| Diagnostic::io("cannot remove the inbox file", &away, &error);
    // The name may have been given to another file since it was opened.
    let is_same = away.symlink_metadata().map_err(failed)?.ino() == source.inode;
    let is_done = is_same && is_unwritten(source) && source.file.metadata().map_err(failed)?.len() == source.size;
    if !is_done {
        give_name_back(inbox, &away, &source.name)?;
        return Ok(false);
    }
    fs::remove_file(&away).map_err(failed)?;
    Ok(true)
}

/// Undoes what a killed run left.
fn bring_back(inbox: &Path) -> Outcome<()> {
    let failed = |error: io::Error| Diagnostic::io("cannot list the inbox", inbox, &error);
    let mut found: Vec<(PathBuf, String)> = Vec::new();
    for entry in fs::read_dir(inbox).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name();
        let name = name.to_str().and_then(|name| name.strip_prefix(AWAY_PREFIX)?.strip_suffix(AWAY_SUFFIX));
        found.extend(name.filter(|name| !name.is_empty()).map(|name| (entry.path(), name.to_owned())));
    }
    found.sort();
    found.iter().try_for_each(|(away, name)| give_name_back(inbox, away, name))
}

/// Gives a file its name back, or, if a writer began another one under it, a name of the kind that rotation gives. The lake
/// recognises it by its content.
fn give_name_back(inbox: &Path, away: &Path, name: &str) -> Outcome<()> {
    if durable::rename_if_free(away, &inbox.join(name))? {
        return Ok(());
    }
    for number in 1_u64.. {
        if durable::rename_if_free(away, &inbox.join(format!("{name}-{number}")))? {
            break;
        }
    }
    Ok(())
}
