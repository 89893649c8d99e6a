//! What was rendered into a project's folder: where it stands and what it looked like.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::knowledge::Topic;
use event::field::ObservationType;
use learn::pattern::normalise_path;

/// The layout that this program writes.
const VERSION: u32 = 2;

/// What was rendered into a project's folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Manifest {
    /// The layout of this file.
    pub schema_version: u32,
    /// The highest number that an entry ever had, by the start of its anchor.
    #[serde(default)]
    pub highest: BTreeMap<String, u64>,
    /// What was rendered, those that were taken away since included.
    #[serde(default)]
    pub entries: Vec<Entry>,
    /// The missing file that an observation was said to speak of.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub stale: BTreeMap<String, String>,
    /// Observations of which it was said that there is no room for them.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub blocked: BTreeSet<String>,
    /// Observations whose artifacts were never seen in this folder, although they were rendered.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub elsewhere: BTreeSet<String>,
}

/// Something that was rendered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Entry {
    /// The observation.
    pub observation_id: String,
    #[serde(rename = "type")]
    pub observation_type: String,
    /// The file, from the project's folder on.
    pub path: String,
    /// The SHA-256 of the file or of the entry's section.
    pub content_hash: String,
    /// The SHA-256 of what this program wrote there last; none of what a person wrote, moved or brought back. Only what still looks
    /// like this may be removed or rewritten.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rendered_hash: Option<String>,
    pub rendered_at: String,
    /// The entry in a knowledge file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchor_id: Option<String>,
    /// Whether the entry was rendered from another observation, which says the same.
    #[serde(default, skip_serializing_if = "is_false")]
    pub linked: bool,
    /// Whether the entry was marked as out of use, because a person decided so about its observation.
    #[serde(default, skip_serializing_if = "is_false")]
    pub retired: bool,
    /// How often it was changed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub revision: u32,
    /// When it was found to be gone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deleted_at: Option<String>,
}

impl Entry {
    /// The type of its observation, if it is one that is known here.
    #[must_use]
    pub fn kind(&self) -> Option<ObservationType> {
        ObservationType::from_name(&self.observation_type)
    }

    /// The entry after this program changed nothing but its status.
    #[must_use]
    pub fn restated(&self, hash: String, retired: bool) -> Self {
        let rendered_hash = self.is_as_rendered(&self.content_hash).then(|| hash.clone());
        Self { content_hash: hash, rendered_hash, retired, ..self.clone() }
    }

    /// Whether something that looks like this is as this program wrote it.
    #[must_use]
    pub fn is_as_rendered(&self, hash: &str) -> bool {
        self.rendered_hash.as_deref() == Some(hash)
    }

    /// The knowledge file that it belongs to; none if it is a file of its own.
    #[must_use]
    pub fn topic(&self) -> Option<Topic> {
        self.kind().and_then(Topic::of_type)
    }
}

const fn is_zero(number: &u32) -> bool {
    *number == 0
}

const fn is_false(flag: &bool) -> bool {
    !*flag
}

impl Default for Manifest {
    fn default() -> Self {
        Self {
            schema_version: VERSION,
            highest: BTreeMap::new(),
            entries: Vec::new(),
            stale: BTreeMap::new(),
            blocked: BTreeSet::new(),
            elsewhere: BTreeSet::new(),
        }
    }
}

impl Manifest {
    /// Reads a manifest. Entries that lead out of the folders that are ours are left out; of one observation the last counts.
    /// Another program's layout says nothing here.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut manifest: Self = serde_json::from_str(text).map_err(|error| error.to_string())?;
        if manifest.schema_version != VERSION {
            return Err(format!("its layout is {}, and {VERSION} is known here", manifest.schema_version));
        }
        let mut known = BTreeSet::new();
        manifest.entries.reverse();
        manifest.entries.retain(|entry| is_ours(&entry.path) && known.insert(entry.observation_id.clone()));
        manifest.entries.reverse();
        Ok(manifest)
    }

    /// The manifest as text.
    pub fn render(&self) -> Result<String, String> {
        serde_json::to_string_pretty(self).map(|text| text + "\n").map_err(|error| error.to_string())
    }

    /// What stands where it was rendered, as far as is known.
    pub fn live(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(|entry| entry.deleted_at.is_none())
    }

    /// The entry of an observation, also of one that was taken away.
    #[must_use]
    pub fn find(&self, observation: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.observation_id == observation)
    }

    /// Puts an entry in the place of what was known of its observation.
    pub fn put(&mut self, entry: Entry) {
        if let Some(anchor) = &entry.anchor_id {
            self.raise(anchor);
        }
        self.elsewhere.remove(&entry.observation_id);
        self.blocked.remove(&entry.observation_id);
        match self.entries.iter_mut().find(|known| known.observation_id == entry.observation_id) {
            Some(known) => *known = entry,
            None => self.entries.push(entry),
        }
    }

    /// Remembers that a number is taken for ever.
    pub fn raise(&mut self, anchor: &str) {
        let Some((topic, number)) = Topic::of_anchor(anchor) else { return };
        let highest = self.highest.entry(topic.prefix().to_owned()).or_default();
        *highest = number.max(*highest);
    }
}

/// Whether a path lies in one of the folders that artifacts are written to.
fn is_ours(path: &str) -> bool {
    normalise_path(path).is_some_and(|plain| plain == path) && (path.starts_with(".memory/") || path.starts_with(".claude/"))
}
