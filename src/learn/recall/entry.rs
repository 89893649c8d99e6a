//! What the injection index holds of a pattern.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// What the injection index holds of a pattern. Texts are borrowed from the index, and lists are parsed when they are looked at:
/// of thousands of patterns a handful is shown.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Entry<'a> {
    /// The pattern's id.
    #[serde(borrow)]
    pub id: Cow<'a, str>,
    /// What sort of lesson it is.
    #[serde(borrow)]
    pub category: Cow<'a, str>,
    /// The bin of its rate.
    #[serde(borrow)]
    pub confidence: Cow<'a, str>,
    /// Its flag.
    #[serde(borrow, default, skip_serializing_if = "str::is_empty")]
    pub flag: Cow<'a, str>,
    /// What people have made of it.
    #[serde(borrow)]
    pub state: Cow<'a, str>,
    /// The repository it holds for; none for all.
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub repo: Option<Cow<'a, str>>,
    /// The project that alone may see it; none for all.
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub project: Option<Cow<'a, str>>,
    /// The role that learned it, where it was learned for one.
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub role: Option<Cow<'a, str>>,
    /// The agents it is for; none for all.
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub applies_to: Option<&'a RawValue>,
    /// What it is about.
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub tags: Option<&'a RawValue>,
    /// The files it was learned at.
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub files: Option<&'a RawValue>,
    /// The phases it was learned in.
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub phases: Option<&'a RawValue>,
    /// How often it was seen, here or where it was taken over from.
    #[serde(default, skip_serializing_if = "is_nought")]
    pub seen: i64,
    /// Its rate, from here or from where it was taken over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<f64>,
    /// The successes that count for it.
    pub successes: f64,
    /// What counts against it.
    pub failures: f64,
    /// How often it held.
    pub validated: i64,
    /// How often it was shown and left unused, or refused.
    pub ignored: i64,
    /// How often its use led to what was wanted.
    pub reinforced: i64,
    /// When it was last used or captured, in microseconds since 1970.
    pub used_micros: i64,
    /// The lesson in a sentence.
    #[serde(borrow)]
    pub summary: Cow<'a, str>,
}

const fn is_nought(count: &i64) -> bool {
    *count == 0
}

/// The texts of a list; none if it is no list of texts.
#[must_use]
pub fn items(list: Option<&RawValue>) -> Vec<Cow<'_, str>> {
    #[derive(Deserialize)]
    struct Item<'i>(#[serde(borrow)] Cow<'i, str>);
    let parsed: Vec<Item<'_>> = list.and_then(|list| serde_json::from_str(list.get()).ok()).unwrap_or_default();
    parsed.into_iter().map(|item| item.0).collect()
}

/// A list as the index holds it; none for one without anything in it.
#[must_use]
pub fn list(texts: &[String]) -> Option<Box<RawValue>> {
    if texts.is_empty() { None } else { serde_json::value::to_raw_value(texts).ok() }
}
