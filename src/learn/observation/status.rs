//! How far an observation has come, where its artifact is, and what took it out of use.

/// The status of an observation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Status {
    /// It was seen.
    Observing,
    /// It recurs often enough to become an artifact.
    Ready,
    /// It is an artifact.
    Created,
    /// It is out of use.
    Deprecated,
}

impl Status {
    /// All of them, in their order.
    pub const ALL: [Self; 4] = [Self::Observing, Self::Ready, Self::Created, Self::Deprecated];

    /// Its word.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Observing => "observing",
            Self::Ready => "ready",
            Self::Created => "created",
            Self::Deprecated => "deprecated",
        }
    }

    /// The status of that word.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.name() == name)
    }
}

/// Who took an observation out of use, which says what brings it back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Grave {
    /// Its artifact was taken away: enough fresh sessions, a person, or the artifact itself if it is there again.
    Deleted,
    /// A person retired it: enough fresh sessions, or a person.
    Retired,
    /// A person refused it for good: nobody but a person.
    Rejected,
}

/// Where the artifact of an observation is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Rendering {
    /// The file, relative to the project's folder.
    pub path: Option<String>,
    /// The entry in it.
    pub anchor: Option<String>,
    /// The SHA-256 of what stands there.
    pub content_hash: Option<String>,
    /// Whether a person changed it.
    pub is_edited: bool,
}
