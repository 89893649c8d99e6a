//! Files that nobody has added to a repository yet: all of their lines are additions.

use std::ffi::OsStr;
use std::io::Read as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use memchr::memchr_iter;

use super::git;
use learn::change::{ChangedFile, Lines, Status};
use store::durable;
use text::diagnostic::{Diagnostic, Outcome};

/// The largest file whose lines are counted.
const FILE_BYTES: u64 = 16 << 20;
/// The most that is read of all files together.
const ALL_BYTES: u64 = 256 << 20;
/// How far `git` looks for a zero byte to tell what is no text.
const PROBE_BYTES: usize = 8000;
/// Folders in which loops keep their own records: these are not the work of an agent.
const OWN_FOLDERS: &[&[u8]] = &[b".learnings", b".closedloop-ai", b".outerloop"];

/// The files that are neither in the repository nor ignored.
pub(super) fn list(top: &Path) -> Outcome<Vec<ChangedFile>> {
    let answer = git::answer(top, &["ls-files", "--others", "--exclude-standard", "--full-name", "-z"])?;
    let mut files = Vec::new();
    let mut left_bytes = ALL_BYTES;
    for path in answer.split(|byte| *byte == 0).filter(|path| is_of_interest(path)) {
        let mut file = ChangedFile::new(String::from_utf8_lossy(path), Status::Untracked);
        match count_lines(&top.join(OsStr::from_bytes(path)), &mut left_bytes) {
            Some(0) => {}
            Some(count) => {
                file.added.push(Lines { first: 1, count });
                file.added_lines = u64::from(count);
            }
            None => file.is_binary = true,
        }
        if left_bytes == 0 {
            let what = format!("untracked files have more than {} MiB", ALL_BYTES >> 20);
            let remedy = "add generated files to `.gitignore`, or use --committed";
            return Err(Diagnostic::edit(what, remedy).at(top));
        }
        files.push(file);
    }
    Ok(files)
}

fn is_of_interest(path: &[u8]) -> bool {
    // A repository within the repository is listed as a folder.
    let is_file = !path.is_empty() && !path.ends_with(b"/");
    is_file && !path.split(|byte| *byte == b'/').any(|part| OWN_FOLDERS.contains(&part))
}

/// How many lines a file has. None if it is no text, too large, or cannot be read.
fn count_lines(path: &Path, left_bytes: &mut u64) -> Option<u32> {
    if path.is_symlink() {
        // Its target is its only line.
        return Some(1);
    }
    let file = durable::open_regular(path).ok()?;
    if file.metadata().ok()?.len() > FILE_BYTES {
        return None;
    }
    let mut bytes = Vec::new();
    file.take(FILE_BYTES + 1).read_to_end(&mut bytes).ok()?;
    *left_bytes = left_bytes.saturating_sub(bytes.len() as u64);
    if bytes.len() as u64 > FILE_BYTES || bytes.iter().take(PROBE_BYTES).any(|byte| *byte == 0) {
        return None;
    }
    let is_open = bytes.last().is_some_and(|byte| *byte != b'\n');
    u32::try_from(memchr_iter(b'\n', &bytes).count() + usize::from(is_open)).ok()
}
