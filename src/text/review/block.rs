//! The verdict that a text carries for programs to read.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Number;

use super::line::{Part, lines};

/// What a comment that holds a verdict opens with.
const MARKERS: [&str; 2] = ["jkz:verdict-json", "outerloop:verdict-json"];
const OPENING: &str = "<!--";
const CLOSING: &str = "-->";
/// The longest JSON of a verdict, in bytes.
const JSON_BYTES: usize = 64 << 10;
/// The most comments of one text that are tried: each may cost as much time as its longest JSON.
const MOST_TRIED: usize = 64;

/// Something that a role found fault with.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
pub struct Issue {
    #[serde(deserialize_with = "read_id")]
    pub id: String,
    /// How bad it is, as it was written. Empty if nobody said so.
    #[serde(default)]
    pub severity: String,
    /// What it says. Empty where the report's own text says it, and only names it by its id.
    #[serde(default)]
    pub summary: String,
    /// Where: a path with a line, or a section. Data only: it may name anything.
    #[serde(default)]
    pub location: Option<String>,
    #[serde(default)]
    pub root_cause: Option<String>,
    #[serde(default)]
    pub fix_hint: Option<String>,
    /// The pattern that it is a case of: the pattern's id, or its words.
    #[serde(default, deserialize_with = "read_text")]
    pub pattern: Option<String>,
}

/// The verdict that a text carries for programs to read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct VerdictBlock {
    pub is_fail: bool,
    pub issues: Vec<Issue>,
    /// The ids of what must be mended.
    pub must_fix: Vec<String>,
    /// The ids or texts of what another role found fault with and should not have.
    pub false_positives: Vec<String>,
}

impl VerdictBlock {
    /// Whether it lets the work pass: whoever fails it must say what to mend.
    pub fn passes(&self) -> bool {
        !self.is_fail || self.must_fix.is_empty()
    }

    /// What must be mended by its id, and is none of the issues. Each once, in the order of the block.
    pub fn unknown_ids(&self) -> Vec<&str> {
        let mut known: HashSet<&str> = self.issues.iter().map(|issue| &*issue.id).collect();
        self.must_fix.iter().map(|id| &**id).filter(|id| known.insert(id)).collect()
    }
}

/// The last well-formed verdict of a text: one JSON object in a comment of its own.
///
/// What is not as it should be is no verdict, and nothing is mended. A comment inside of a fence, in backticks, in a quoted line or
/// in a block that the role was shown is somebody else's, repeated or shown as an example: it does not count.
pub fn find_verdict(text: &str) -> Option<VerdictBlock> {
    find_objects(text).into_iter().find_map(|json| read_json(json).ok()).map(|(block, _)| block)
}

/// Why the last comment of a text that should hold a verdict holds none that can be read; none where there is no such comment.
pub fn find_fault(text: &str) -> Option<String> {
    find_objects(text).first().and_then(|json| read_json(json).err())
}

/// What follows the markers of a text's comments, the last first.
fn find_objects(text: &str) -> Vec<&str> {
    let spoken = lines(text).into_iter().filter(|line| line.part == Part::Prose && !line.text.trim_start().starts_with('>'));
    let openings = spoken.flat_map(|line| line.text.match_indices(OPENING).map(move |(position, _)| line.start + position));
    let openings: Vec<usize> = openings.filter(|start| !text[..*start].ends_with('`')).collect();
    openings.iter().rev().filter_map(|start| find_json(&text[*start..])).take(MOST_TRIED).collect()
}

/// A text without its verdicts, wherever they stand and whether they are well-formed or not.
pub(super) fn without_verdicts(text: &str) -> Cow<'_, str> {
    let mut kept = String::new();
    let mut rest = text;
    for _ in 0..MOST_TRIED {
        let Some((start, json)) = find_opening(rest) else { break };
        // The JSON decides where a comment ends: its texts may hold the sign for it.
        let end = read_json(json).ok().map(|(_, behind)| behind).or_else(|| Some(json.split_once(CLOSING)?.1));
        kept.push_str(&rest[..start]);
        rest = end.unwrap_or_default();
    }
    if kept.is_empty() && rest.len() == text.len() { Cow::Borrowed(text) } else { Cow::Owned(kept + rest) }
}

/// Where the first comment with a verdict starts, and the JSON and all that follows.
fn find_opening(text: &str) -> Option<(usize, &str)> {
    text.match_indices(OPENING).find_map(|(start, _)| Some((start, find_json(&text[start..])?)))
}

/// What follows the marker of a comment that opens here. Without an object behind it, a text only speaks of the marker.
fn find_json(comment: &str) -> Option<&str> {
    let inside = comment.strip_prefix(OPENING)?.trim_start();
    MARKERS.iter().find_map(|marker| inside.strip_prefix(marker)).map(str::trim_start).filter(|json| json.starts_with('{'))
}

/// The verdict of a comment, and what follows the comment; or what is wrong with it.
fn read_json(json: &str) -> Result<(VerdictBlock, &str), String> {
    let most = (0..=JSON_BYTES.min(json.len())).rev().find(|end| json.is_char_boundary(*end)).unwrap_or_default();
    let mut objects = serde_json::Deserializer::from_str(&json[..most]).into_iter::<Object<Written>>();
    let written = objects.next().ok_or("it is empty")?.map_err(|error| blamed_member(&json[..most], &error))?.0;
    let block = written.into_block().ok_or("`verdict` must be \"PASS\" or \"FAIL\"")?;
    let behind = json[objects.byte_offset()..].trim_start().strip_prefix(CLOSING);
    Ok((block, behind.ok_or("something stands between the JSON object and the end of the comment")?))
}

/// What is wrong with a JSON object, naming the member if it is one of several that lists take.
fn blamed_member(json: &str, error: &serde_json::Error) -> String {
    let object = serde_json::Deserializer::from_str(json).into_iter::<serde_json::Value>().next().and_then(Result::ok);
    let is_wrong = |name: &&str| match (&object, *name) {
        (Some(object), "issues") => object.get("issues").is_some_and(|member| Vec::<Object<Issue>>::deserialize(member).is_err()),
        (Some(object), name) => object.get(name).is_some_and(|member| Vec::<Id>::deserialize(member).is_err()),
        (None, _) => false,
    };
    match ["issues", "must_fix", "false_positives"].iter().find(|name| is_wrong(name)) {
        Some(name) => format!("`{name}` cannot be read: {error}"),
        None => error.to_string(),
    }
}

/// A verdict as it is written. Names that stand twice are refused by the parser, unknown ones are passed over.
#[derive(Deserialize)]
struct Written {
    verdict: String,
    #[serde(default)]
    issues: Vec<Object<Issue>>,
    #[serde(default)]
    must_fix: Vec<Id>,
    #[serde(default)]
    false_positives: Vec<Id>,
}

impl Written {
    fn into_block(self) -> Option<VerdictBlock> {
        let is_fail = match self.verdict.trim() {
            "PASS" => false,
            "FAIL" => true,
            _ => return None,
        };
        let texts = |ids: Vec<Id>| ids.into_iter().map(Id::into_text).collect();
        let issues = self.issues.into_iter().map(|issue| issue.0).collect();
        Some(VerdictBlock { is_fail, issues, must_fix: texts(self.must_fix), false_positives: texts(self.false_positives) })
    }
}

/// What is written as an object. By itself the parser also takes a list, as the values of an object in their order.
struct Object<T>(T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ObjectVisitor(PhantomData))
    }
}

struct ObjectVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ObjectVisitor<T> {
    type Value = Object<T>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<Self::Value, A::Error> {
        T::deserialize(MapAccessDeserializer::new(members)).map(Object)
    }
}

/// An id: some writers count their issues.
#[derive(Deserialize)]
#[serde(untagged)]
enum Id {
    Text(String),
    Number(Number),
    /// Some writers say more than the id, such as why.
    Named {
        #[serde(alias = "issue", alias = "finding", alias = "summary", alias = "text")]
        id: Plain,
    },
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Plain {
    Text(String),
    Number(Number),
}

impl Id {
    fn into_text(self) -> String {
        match self {
            Self::Text(text) | Self::Named { id: Plain::Text(text) } => text.trim().to_owned(),
            Self::Number(number) | Self::Named { id: Plain::Number(number) } => number.to_string(),
        }
    }
}

/// A text; none where anything else is written, for nobody had to know of this member.
fn read_text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let value = serde_json::Value::deserialize(deserializer)?;
    Ok(value.as_str().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned))
}

fn read_id<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    Id::deserialize(deserializer).map(Id::into_text)
}
