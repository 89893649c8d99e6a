//! Which program made something.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A version of the program.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    pub version: String,
    /// The commit it was built from; `unknown` outside of a repository.
    pub commit: String,
}

impl fmt::Display for Program {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.version.is_empty() {
            // Manifests of earlier versions do not say.
            return formatter.write_str("an earlier version");
        }
        write!(formatter, "{} at commit {}", self.version, self.commit)
    }
}
