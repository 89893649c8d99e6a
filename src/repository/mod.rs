//! Git repositories: what changed since a commit, and how a repository is called.
