//! What observations become for people and agents: entries of knowledge files, slash commands, skills, and what is kept about them.
//! Text in, text out.

mod capacity;
mod citation;
mod detail;
mod entry;
mod file;
mod index;
mod knowledge;
mod manifest;
mod reference;
mod slug;
mod text;
mod usage;
mod yaml;

pub use capacity::{Capacity, Notification, Notifications, parse_notifications};
pub use citation::{find_citations, find_mentions};
pub use detail::normalise;
pub use entry::{duplicate_of, render_again, render_entry};
pub use file::{
    COMMANDS, Doubt, SKILLS, essence, find_marker, path_of, render_command, render_skill, skill_name, slug_of, slug_of_path,
};
pub use index::{Index, IndexEntry, make_index, render_index};
pub use knowledge::{Document, Section, Topic, anchor, canonical_hash};
pub use manifest::{Entry, Manifest};
pub use reference::{Reference, find_references};
pub use slug::{candidates, slug};
pub use text::title;
pub use usage::render_usage;
pub use yaml::quoted;
