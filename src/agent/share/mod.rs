//! Sharing patterns between projects: a folder or a git repository, with signed provenance.
//!
//! A shared place holds two files: `org-patterns.json` with the patterns and `sources.json` with where each came from.
//! Everything read from there was written by others and is bounded, neutralised and checked before it is used.

mod content;
mod document;
mod exchange;
mod folder;
mod merge;
mod mirror;
mod receive;
mod signature;
mod source;

pub use content::SharedPattern;
pub use document::{Document, Entry, Remark, Slot, State};
pub use exchange::{Place, Pushed, pull, push, take_folder};
pub use merge::{Local, Merged, Withheld, merge};
pub use receive::{Pulled, Recipient, receive};
pub use signature::{Proof, Signer, load_key, public_key};
pub use source::{Record, Sources};
