//! What in the path of a changed file earns a tag.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::words;

/// What in a path earns a tag. Any of its parts is enough.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct TagRule {
    /// Words anywhere in the path.
    pub path: Vec<String>,
    /// Words in the file's name.
    pub name: Vec<String>,
    /// Endings of the file's name, without the dot.
    pub ending: Vec<String>,
}

/// A tag, words in the path, words in the file's name, endings.
type Tag = (&'static str, &'static [&'static str], &'static [&'static str], &'static [&'static str]);

const TAGS: [Tag; 15] = [
    ("api", &["api"], &[], &[]),
    ("auth", &["auth"], &[], &[]),
    ("component", &["component"], &[], &[]),
    ("config", &["config", "setting"], &[], &["json", "yaml", "yml"]),
    ("docs", &[], &[], &["md"]),
    ("hooks", &["hook"], &["use"], &[]),
    ("javascript", &[], &[], &["ts", "tsx", "js", "jsx"]),
    ("models", &["model", "schema"], &[], &[]),
    ("python", &[], &[], &["py"]),
    ("routes", &["route", "page"], &[], &[]),
    ("services", &["service"], &[], &[]),
    ("state", &["store", "state"], &[], &[]),
    ("styles", &["style", "css"], &[], &[]),
    ("test", &["test", "spec"], &[], &[]),
    ("utils", &["util", "helper"], &[], &[]),
];

/// The built-in tags.
#[must_use]
pub fn default_tags() -> BTreeMap<String, TagRule> {
    let rule = |(name, path, base, ending): Tag| {
        (name.to_owned(), TagRule { path: words(path), name: words(base), ending: words(ending) })
    };
    TAGS.into_iter().map(rule).collect()
}
