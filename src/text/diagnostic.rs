//! What went wrong, where, why, and what to do about it.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::{fmt, io};

use crate::fit::is_unprintable;

/// How a command ended, as systemd and scripts read it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    Done = 0,
    /// Some data was refused, by an audit or on input.
    Refused = 1,
    /// Usage or configuration error: arguments, settings, permissions, SQL.
    Edit = 2,
    Bug = 70,
    /// Temporary failure; retry later.
    Machine = 75,
}

/// An error for a person: each part has its line, and the remedy cannot be left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// The exit code that fits.
    pub exit: Exit,
    /// What could not be done.
    pub what: String,
    pub place: Option<PathBuf>,
    /// The line of the file it concerns.
    pub excerpt: Option<Box<Excerpt>>,
    /// What the machine or the engine said.
    pub cause: Option<String>,
    pub remedy: String,
}

/// A line of a file, and the part of it that is wrong. Lines and columns count from 1, columns in characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    line: usize,
    column: usize,
    /// The line from `skipped` characters on, not longer than a screen is wide.
    shown: String,
    skipped: usize,
    marked: usize,
}

impl Excerpt {
    /// The longest part of a line that is shown, in characters.
    const WIDTH: usize = 120;

    fn new(text: &str, span: Range<usize>) -> Self {
        let before = text.get(..span.start).unwrap_or(text);
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        let rest = text[start..].split(['\n', '\r']).next().unwrap_or_default();
        let offset = before[start..].chars().count();
        let skipped = if offset < Self::WIDTH { 0 } else { offset - Self::WIDTH / 2 };
        // A tab would shift the mark, and a control character could do worse to a terminal.
        let plain = |letter| if is_unprintable(letter) { ' ' } else { letter };
        let shown: String = rest.chars().skip(skipped).take(Self::WIDTH).map(plain).collect();
        let wanted = text.get(span).map_or(1, |part| part.chars().count());
        let room = (skipped + shown.chars().count()).saturating_sub(offset);
        Self { line: before.matches('\n').count() + 1, column: offset + 1, shown, skipped, marked: wanted.min(room).max(1) }
    }
}

impl fmt::Display for Excerpt {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = self.line.to_string();
        let (margin, indent) = (" ".repeat(number.len()), " ".repeat(self.column - 1 - self.skipped));
        write!(formatter, "{number} | {}\n{margin} | {indent}{}", self.shown, "^".repeat(self.marked))
    }
}

/// The result of everything that can fail in front of a person.
pub type Outcome<T> = Result<T, Diagnostic>;

impl Diagnostic {
    /// An error with its exit code, what failed and what to do about it.
    pub fn new(exit: Exit, what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { exit, what: what.into(), place: None, excerpt: None, cause: None, remedy: remedy.into() }
    }

    /// A usage or configuration error.
    pub fn edit(what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self::new(Exit::Edit, what, remedy)
    }

    /// A broken internal invariant.
    pub fn bug(what: impl Into<String>) -> Self {
        Self::new(
            Exit::Bug,
            what,
            "please report this with the command and its output; the inbox and the lake were left as they are",
        )
    }

    /// An error of the file system, with the remedy that its kind suggests.
    pub fn io(what: impl Into<String>, place: &Path, error: &io::Error) -> Self {
        let (exit, remedy) = remedy_for(error);
        Self::new(exit, what, remedy).at(place).because(error)
    }

    /// The same error with the place it concerns.
    #[must_use]
    pub fn at(mut self, place: &Path) -> Self {
        self.place = Some(place.to_path_buf());
        self
    }

    /// The same error with the place in a text that it concerns.
    #[must_use]
    pub fn in_text(mut self, text: &str, span: Range<usize>) -> Self {
        self.excerpt = Some(Box::new(Excerpt::new(text, span)));
        self
    }

    #[must_use]
    pub fn because(mut self, cause: impl fmt::Display) -> Self {
        self.cause = Some(cause.to_string());
        self
    }

    /// The whole of it in one line, for logs.
    pub fn in_a_line(&self) -> String {
        let place = self.location().map(|place| format!(" {place}")).unwrap_or_default();
        let cause = self.cause.as_ref().map(|cause| format!(": {cause}")).unwrap_or_default();
        format!("{}{place}{cause}; {}", self.what, self.remedy)
    }

    /// The file with line and column, as editors read it.
    fn location(&self) -> Option<String> {
        match (&self.place, self.excerpt.as_deref()) {
            (Some(place), Some(Excerpt { line, column, .. })) => Some(format!("{}:{line}:{column}", place.display())),
            (Some(place), None) => Some(place.display().to_string()),
            (None, Some(Excerpt { line, column, .. })) => Some(format!("line {line}, column {column}")),
            (None, None) => None,
        }
    }
}

fn remedy_for(error: &io::Error) -> (Exit, &'static str) {
    use io::ErrorKind as E;
    match error.kind() {
        E::StorageFull | E::QuotaExceeded => (Exit::Machine, "free some space, then run the command again; nothing was lost"),
        E::PermissionDenied => {
            (Exit::Edit, "give this user access to it (`outerloop doctor` lists all such paths), then run the command again")
        }
        E::ReadOnlyFilesystem => (Exit::Edit, "mount the file system writable, or choose another place with --root"),
        E::IsADirectory => (Exit::Edit, "a folder is in the place of a file: move it away, then run the command again"),
        E::NotADirectory | E::AlreadyExists => {
            (Exit::Edit, "a file is in the place of a folder: move it away, then run the command again")
        }
        E::InvalidData => (Exit::Edit, "it is not UTF-8 text: save it as UTF-8, then run the command again"),
        E::NotFound => (Exit::Edit, "check the path; `outerloop init` creates a workspace"),
        _ => (Exit::Machine, "check the disk and the system log, then run the command again; nothing was lost"),
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "error: {}", self.what)?;
        if let Some(location) = self.location() {
            write!(formatter, "\n --> {location}")?;
        }
        if let Some(excerpt) = &self.excerpt {
            write!(formatter, "\n{excerpt}")?;
        }
        if let Some(cause) = &self.cause {
            write!(formatter, "\ncause: {cause}")?;
        }
        write!(formatter, "\nremedy: {}", self.remedy)
    }
}

impl std::error::Error for Diagnostic {}
