//! Sharing patterns between projects: a folder or a git repository, with signed provenance.
