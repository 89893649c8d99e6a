//! Everything that changed since a commit: one `git diff --raw -z --patch --unified=0` for all files, read without being misled
//! by what the files hold, and files that nobody has added so far.
//!
//! The answer has two parts: a list of the files, whose names are exact, and a patch with one section a file in the same order.
//! Only the list is asked for names. Of the patch, the lines of each hunk are counted off, so that whatever they say is passed
//! over.

use std::ffi::OsStr;
use std::io::Read as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use memchr::{memchr, memchr_iter};

use super::checkout::Repository;
use super::git;
use learn::change::{ChangedFile, Changes, Lines, Reach, Status};
use store::durable;
use text::diagnostic::{Diagnostic, Outcome};
use text::fit::quoted;

/// Why an answer cannot be understood.
pub(super) type Fault = &'static str;

/// The mode of a commit of another repository.
const SUBMODULE: &[u8] = b"160000";

/// The files of an answer, in its order, without those of other repositories.
pub(super) fn parse_diff(answer: &[u8]) -> Result<Vec<ChangedFile>, Fault> {
    let mut cursor = Cursor { rest: answer };
    let mut entries = Vec::new();
    while cursor.rest.first() == Some(&b':') {
        entries.push(parse_entry(&mut cursor)?);
    }
    if !entries.is_empty() && !cursor.rest.is_empty() {
        cursor.take_until(0).filter(|empty| empty.is_empty()).ok_or("the list of files does not end")?;
    }
    for entry in &mut entries {
        for _ in 0..entry.sections {
            parse_section(&mut cursor, &mut entry.file)?;
        }
    }
    if !cursor.rest.is_empty() {
        return Err("the patch has more sections than files");
    }
    Ok(entries.into_iter().filter(|entry| !entry.is_submodule).map(|entry| entry.file).collect())
}

/// One file of the list.
struct Entry {
    file: ChangedFile,
    is_submodule: bool,
    /// How many sections of the patch are about it.
    sections: usize,
}

/// `:old-mode new-mode old-hash new-hash status`, then one path, or two if it was renamed, each ended by a zero byte.
fn parse_entry(cursor: &mut Cursor) -> Result<Entry, Fault> {
    let fields = cursor.take_until(0).ok_or("a file of the list has no end")?;
    let fields: Vec<&[u8]> = fields[1..].split(|byte| *byte == b' ').collect();
    let [old_mode, new_mode, _, _, status] = *fields else { return Err("a file of the list has unexpected fields") };
    let mut path = || cursor.take_until(0).map(|path| String::from_utf8_lossy(path).into_owned()).ok_or("a path has no end");
    let first = path()?;
    let (status, from, path) = match status.first() {
        Some(b'A') => (Status::Added, None, first),
        Some(b'D') => (Status::Deleted, None, first),
        Some(b'T') => (Status::TypeChanged, None, first),
        Some(b'R') => (Status::Renamed, Some(first), path()?),
        // A copy leaves the other file as it is.
        Some(b'C') => (Status::Added, None, path()?),
        _ => (Status::Modified, None, first),
    };
    // A file that becomes a link is shown as a removal and an addition.
    let kind = |mode: &[u8]| mode.get(..2).map(<[u8]>::to_vec);
    let is_split = status == Status::TypeChanged && kind(old_mode) != kind(new_mode);
    Ok(Entry {
        file: ChangedFile { from, ..ChangedFile::new(path, status) },
        is_submodule: old_mode == SUBMODULE || new_mode == SUBMODULE,
        sections: 1 + usize::from(is_split),
    })
}

/// A section: its head, and hunks until the next section or the end.
fn parse_section(cursor: &mut Cursor, file: &mut ChangedFile) -> Result<(), Fault> {
    let head = cursor.take_until(b'\n').ok_or("the patch has fewer sections than files")?;
    if head.starts_with(b"* Unmerged path ") {
        return Ok(());
    }
    if !head.starts_with(b"diff --git ") {
        return Err("a section of the patch has a malformed header");
    }
    while !cursor.rest.is_empty() && !cursor.rest.starts_with(b"diff --git ") && !cursor.rest.starts_with(b"* Unmerged path ") {
        let line = cursor.take_until(b'\n').ok_or("a line of the patch has no end")?;
        if line.starts_with(b"Binary files ") {
            file.is_binary = true;
        } else if line.starts_with(b"@@ ") {
            let hunk = Hunk::parse(line).ok_or("the header of a hunk is malformed")?;
            hunk.skip_body(cursor)?;
            hunk.book(file);
        }
    }
    Ok(())
}

/// Which lines of the old file became which of the new one.
struct Hunk {
    old_count: u32,
    new_first: u32,
    new_count: u32,
}

impl Hunk {
    /// `@@ -first[,count] +first[,count] @@ …`
    fn parse(line: &[u8]) -> Option<Self> {
        let mut words = line.split(|byte| *byte == b' ').skip(1);
        let (_, old_count) = parse_range(words.next()?.strip_prefix(b"-")?)?;
        let (new_first, new_count) = parse_range(words.next()?.strip_prefix(b"+")?)?;
        (words.next()? == b"@@").then_some(Self { old_count, new_first, new_count })
    }

    /// Passes over the lines of the hunk. There are as many as its head says, whatever they look like.
    fn skip_body(&self, cursor: &mut Cursor) -> Result<(), Fault> {
        let (mut old_left, mut new_left) = (self.old_count, self.new_count);
        while old_left > 0 || new_left > 0 {
            let line = cursor.take_until(b'\n').ok_or("a hunk is shorter than its header says")?;
            let left = match line.first() {
                Some(b'-') => &mut old_left,
                Some(b'+') => &mut new_left,
                // The remark that a file does not end with a line end.
                Some(b'\\') => continue,
                _ => return Err("a line of a hunk is malformed"),
            };
            *left = left.checked_sub(1).ok_or("a hunk is longer than its header says")?;
        }
        Ok(())
    }

    fn book(&self, file: &mut ChangedFile) {
        file.removed_lines += u64::from(self.old_count);
        file.added_lines += u64::from(self.new_count);
        if self.new_count > 0 {
            file.added.push(Lines { first: self.new_first, count: self.new_count });
        } else if self.old_count > 0 {
            file.deleted_after.push(self.new_first);
        }
    }
}

fn parse_range(text: &[u8]) -> Option<(u32, u32)> {
    let text = str::from_utf8(text).ok()?;
    match text.split_once(',') {
        Some((first, count)) => Some((first.parse().ok()?, count.parse().ok()?)),
        None => Some((text.parse().ok()?, 1)),
    }
}

/// What is left to be read.
struct Cursor<'a> {
    rest: &'a [u8],
}

impl<'a> Cursor<'a> {
    /// What stands before the next such byte, which is passed over. None if there is none.
    fn take_until(&mut self, end: u8) -> Option<&'a [u8]> {
        let position = memchr(end, self.rest)?;
        let taken = &self.rest[..position];
        self.rest = &self.rest[position + 1..];
        Some(taken)
    }
}

/// The longest name of a commit.
const NAME_BYTES: usize = 1024;

/// The comparison. What a user or a repository may have configured about differences is said here, so that it does not count.
const COMPARISON: &[&str] = &[
    "diff",
    "--raw",
    "-z",
    "--patch",
    "--unified=0",
    "--inter-hunk-context=0",
    "--find-renames",
    "-l1000",
    "-O/dev/null",
    "--diff-algorithm=myers",
    "--indent-heuristic",
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--no-relative",
    "--ignore-submodules=all",
    "--submodule=short",
];

pub(super) fn changes_since(repository: &Repository, base: &str, reach: Reach) -> Outcome<Changes> {
    let base = resolve(repository, base)?;
    let head = repository.head()?;
    let mut arguments = COMPARISON.to_vec();
    arguments.push(&base);
    if reach == Reach::Committed {
        let remedy = "commit something first, or omit --committed";
        let head = head.as_deref().ok_or_else(|| Diagnostic::edit("the branch has no commits", remedy).at(repository.top()))?;
        arguments.push(head);
    }
    arguments.push("--");
    let answer = git::answer(repository.top(), &arguments)?;
    let mut files = parse_diff(&answer)
        .map_err(|fault| Diagnostic::bug("cannot parse the output of `git diff`").at(repository.top()).because(fault))?;
    drop(answer);
    if reach == Reach::Worktree {
        files.extend(list_untracked(repository.top())?);
    }
    Ok(Changes { base, head, files: each_once(files) })
}

/// The commit of that name. A name that looks like an option is not even tried.
fn resolve(repository: &Repository, base: &str) -> Outcome<String> {
    let remedy = "name a commit of this repository, as `git log` shows them; a shallow clone may lack older ones";
    let unknown = || Diagnostic::edit(format!("{} is not a commit of the repository", quoted(base)), remedy).at(repository.top());
    let is_name = !base.is_empty() && base.len() <= NAME_BYTES && !base.starts_with('-') && !base.chars().any(char::is_control);
    if !is_name {
        return Err(unknown());
    }
    repository.commit(base)?.ok_or_else(unknown)
}

/// The files by path. A file that was taken out of the repository but left in place is there twice: gone and not added.
fn each_once(mut files: Vec<ChangedFile>) -> Vec<ChangedFile> {
    files.sort_by(|one, other| one.path.cmp(&other.path));
    files.dedup_by(|next, kept| {
        if next.path != kept.path {
            return false;
        }
        kept.status = if kept.status == next.status { kept.status } else { Status::Modified };
        kept.from = kept.from.take().or_else(|| next.from.take());
        kept.deleted_after.retain(|_| next.added.is_empty());
        kept.added.append(&mut next.added);
        kept.added.sort_unstable();
        kept.deleted_after.append(&mut next.deleted_after);
        kept.deleted_after.sort_unstable();
        kept.added_lines += next.added_lines;
        kept.removed_lines += next.removed_lines;
        kept.is_binary |= next.is_binary;
        true
    });
    files
}

/// The largest file whose lines are counted.
const FILE_BYTES: u64 = 16 << 20;
/// The most that is read of all files together.
const ALL_BYTES: u64 = 256 << 20;
/// How far `git` looks for a zero byte to tell what is no text.
const PROBE_BYTES: usize = 8000;
/// Folders in which loops keep their own records: these are not the work of an agent.
const OWN_FOLDERS: &[&[u8]] = &[b".learnings", b".closedloop-ai", b".outerloop"];

/// The files that are neither in the repository nor ignored.
pub(super) fn list_untracked(top: &Path) -> Outcome<Vec<ChangedFile>> {
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
