//! What changed in a repository, as data.

/// How far a question about changes reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Reach {
    Committed,
    /// What was committed, what is staged, what lies in the work tree, and files that nobody has added yet.
    #[default]
    Worktree,
}

/// Everything that changed since a commit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Changes {
    /// The commit that was compared with, in full.
    pub base: String,
    /// The commit that is checked out, in full; none in a branch without commits.
    pub head: Option<String>,
    /// The files, sorted by path, each path once.
    pub files: Vec<ChangedFile>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedFile {
    /// Its path below the top of the repository. Bytes that are not UTF-8 stand as `\u{fffd}`.
    pub path: String,
    /// What became of it.
    pub status: Status,
    /// Its earlier path, if it was renamed.
    pub from: Option<String>,
    /// The lines that were added or modified, as the file has them after the change, in order.
    pub added: Vec<Lines>,
    /// Where lines were removed and none took their place: the line before the gap, 0 at the start of the file.
    pub deleted_after: Vec<u32>,
    /// How many lines were added, modified ones included.
    pub added_lines: u64,
    /// How many lines were removed, modified ones included.
    pub removed_lines: u64,
    /// Whether no lines are known: it is no text, or a file that nobody has added yet and that is too large to be read.
    pub is_binary: bool,
}

/// Successive lines of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Lines {
    /// The first one, from 1.
    pub first: u32,
    /// How many; at least one.
    pub count: u32,
}

/// What became of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// It was not there before.
    Added,
    /// Its content or its mode changed.
    Modified,
    /// It is gone.
    Deleted,
    /// It has another path, and possibly another content.
    Renamed,
    /// It is there, but nobody has added it to the repository.
    Untracked,
    /// It became a link, or a file instead of a link.
    TypeChanged,
}

impl Status {
    /// The word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Modified => "modified",
            Self::Deleted => "deleted",
            Self::Renamed => "renamed",
            Self::Untracked => "untracked",
            Self::TypeChanged => "type_changed",
        }
    }
}

impl ChangedFile {
    /// A file of which no lines are known yet.
    #[must_use]
    pub fn new(path: impl Into<String>, status: Status) -> Self {
        Self {
            path: path.into(),
            status,
            from: None,
            added: Vec::new(),
            deleted_after: Vec::new(),
            added_lines: 0,
            removed_lines: 0,
            is_binary: false,
        }
    }
}

/// A folder under which absolute paths may name files of a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Root {
    /// The absolute path of the folder, by one of its names.
    pub folder: String,
    /// Where in the repository it lies: empty for the top, else a path that ends with `/`.
    pub prefix: String,
}
