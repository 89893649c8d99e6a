//! Asking for everything that changed since a commit, with one comparison for all files.

use super::checkout::Repository;
use super::diff::parse_diff;
use super::{git, untracked};
use learn::change::{ChangedFile, Changes, Reach, Status};
use text::diagnostic::{Diagnostic, Outcome};
use text::fit::quoted;

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
        files.extend(untracked::list(repository.top())?);
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
