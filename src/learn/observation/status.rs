//! How far an observation has come, where its artifact is, and what took it out of use.

event::words! {
    /// The status of an observation.
    pub enum Status {
        /// It was seen.
        Observing = "observing",
        /// It recurs often enough to become an artifact.
        Ready = "ready",
        /// It is an artifact.
        Created = "created",
        /// It is out of use.
        Deprecated = "deprecated",
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
