//! What went wrong, where, why, and what to do about it.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// How a command ended, as systemd and scripts read it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Everything that was asked for was done.
    Done = 0,
    /// The data was refused by an audit, or a part of the input was.
    Refused = 1,
    /// Someone must edit something: arguments, settings, permissions, SQL.
    Edit = 2,
    /// A bug of ours.
    Bug = 70,
    /// The machine got in the way; the same command may work later.
    Machine = 75,
}

/// An error for a person: each part has its line, and the remedy cannot be left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// The exit code that fits.
    pub exit: Exit,
    /// What could not be done.
    pub what: String,
    /// The file or folder it concerns.
    pub place: Option<PathBuf>,
    /// What the machine or the engine said.
    pub cause: Option<String>,
    /// What to do.
    pub remedy: String,
}

/// The result of everything that can fail in front of a person.
pub type Outcome<T> = Result<T, Diagnostic>;

impl Diagnostic {
    /// An error with its exit code, what failed and what to do about it.
    pub fn new(exit: Exit, what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { exit, what: what.into(), place: None, cause: None, remedy: remedy.into() }
    }

    /// An error that someone can mend by editing something.
    pub fn edit(what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self::new(Exit::Edit, what, remedy)
    }

    /// An invariant of ours that does not hold.
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

    /// The same error with its cause.
    #[must_use]
    pub fn because(mut self, cause: impl fmt::Display) -> Self {
        self.cause = Some(cause.to_string());
        self
    }

    /// The whole of it in one line, for logs.
    #[must_use]
    pub fn in_a_line(&self) -> String {
        let place = self.place.as_ref().map(|place| format!(" {}", place.display())).unwrap_or_default();
        let cause = self.cause.as_ref().map(|cause| format!(": {cause}")).unwrap_or_default();
        format!("{}{place}{cause}; {}", self.what, self.remedy)
    }
}

fn remedy_for(error: &io::Error) -> (Exit, &'static str) {
    use io::ErrorKind as E;
    match error.kind() {
        E::StorageFull | E::QuotaExceeded => (Exit::Machine, "free some space, then run the command again; nothing was lost"),
        E::PermissionDenied => {
            (Exit::Edit, "give this user access to it (`outerloop doctor` lists all such places), then run the command again")
        }
        E::ReadOnlyFilesystem => (Exit::Edit, "mount the file system writable, or choose another place with --root"),
        E::IsADirectory => (Exit::Edit, "a folder stands where a file belongs: move it away, then run the command again"),
        E::NotADirectory | E::AlreadyExists => {
            (Exit::Edit, "a file stands where a folder belongs: move it away, then run the command again")
        }
        E::NotFound => (Exit::Edit, "check the path; `outerloop init` creates a workspace"),
        _ => (Exit::Machine, "check the disk and the system log, then run the command again; nothing was lost"),
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "error: {}", self.what)?;
        if let Some(place) = &self.place {
            write!(formatter, "\n --> {}", place.display())?;
        }
        if let Some(cause) = &self.cause {
            write!(formatter, "\ncause: {cause}")?;
        }
        write!(formatter, "\nremedy: {}", self.remedy)
    }
}

impl std::error::Error for Diagnostic {}
