//! Artifacts: observations that are ready become entries, slash commands and skills in a project's folder, and what people do to these
//! is noticed. What happened lands as events; nothing here is counted up.
//!
//! One run holds the lock of the folder. It looks at what is there (`stock`), compares it with the manifest (`reconcile`), writes what
//! is ready (`render`) and what says more by now (`refresh`), and commits: the new manifest and its events are written into a journal in the workspace, then the manifest
//! takes its place, then the events land, then the journal goes. Whoever is killed before the journal leaves artifacts that name their
//! observation, which the next run adopts; whoever is killed after it leaves a journal, which the next run plays again, byte for byte.

mod author;
mod cite;
mod difference;
mod journal;
mod legacy;
mod lock;
mod present;
mod reconcile;
mod refresh;
mod render;
mod restate;
mod stale;
mod step;
mod stock;
mod tree;
mod work;

pub use author::{PURPOSE as AUTHORING, Worded, word_rows};
pub use cite::{Said, cite, cite_session, sweep};
pub use journal::forget_journal;
pub use legacy::{Purged, Rule, purge_legacy};
pub use lock::{Lock, take_lock};
pub use present::{Present, remembered_folders};
pub use step::find_doubts;
pub use stock::load_documents;
pub use tree::Tree;
pub use work::{Land, Placed, Report, Task, find_root, has_artifacts, reconcile, render};
