//! The shared patterns, `org-patterns.json`: a list of entries, of which nothing is lost that others wrote.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use super::content::{MOST_SEEN, SharedPattern, is_pattern_id};
use super::source::Sources;
use learn::pattern::Category;
use text::diagnostic::{Diagnostic, Outcome};
use text::digest::sha256;
use text::fit::quoted;

const MOST_ENTRIES: usize = 50_000;

/// A shared pattern and when it last changed.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The pattern, under its shared id.
    pub pattern: SharedPattern,
    /// When its content last changed, as written.
    pub updated_at: Option<String>,
}

impl Entry {
    /// The hash that a signature covers: of everything that is shared of the pattern, and of its time.
    pub fn content_hash(&self) -> String {
        sha256(format!("{}\n{}", self.pattern.digest(), self.updated_at.as_deref().unwrap_or_default()).as_bytes())
    }
}

/// One item of the list: as it was written, and what it means, if it can be understood.
#[derive(Debug, Clone, PartialEq)]
pub struct Slot {
    raw: Value,
    entry: Option<Entry>,
}

impl Slot {
    /// The entry, if the item can be understood.
    pub fn entry(&self) -> Option<&Entry> {
        self.entry.as_ref()
    }

    /// The id as it was written, whether or not the item can be understood.
    pub fn written_id(&self) -> Option<&str> {
        self.written("id")
    }

    /// The text of a member as it was written, before anything in it was repaired.
    pub fn written(&self, name: &str) -> Option<&str> {
        self.raw.get(name).and_then(Value::as_str)
    }

    fn replace(&mut self, entry: Entry) {
        let mut members = match std::mem::take(&mut self.raw) {
            Value::Object(members) => members,
            _ => Map::new(),
        };
        let pattern = &entry.pattern;
        for (name, value) in [
            ("id", json!(pattern.id)),
            ("scope", json!(pattern.scope)),
            ("category", json!(pattern.category)),
            ("trigger", json!(pattern.trigger)),
            ("confidence", json!(pattern.confidence)),
            ("seen_count", json!(pattern.seen_count)),
            ("success_rate", json!(pattern.success_rate)),
            ("flags", json!(pattern.flags)),
            ("applies_to", json!(pattern.applies_to)),
            ("summary", json!(pattern.summary)),
            ("context", json!(pattern.context)),
            ("repo", json!(pattern.repo)),
            ("updated_at", json!(entry.updated_at)),
        ] {
            members.insert(name.to_owned(), value);
        }
        self.raw = Value::Object(members);
        self.entry = Some(entry);
    }
}

/// The shared patterns.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Document {
    rest: Map<String, Value>,
    slots: Vec<Slot>,
    /// Where the entry of an id stands.
    places: HashMap<String, usize>,
}

impl Document {
    /// Reads a document: an object with a list `patterns`, or the list alone. What cannot be understood is kept as it is and
    /// remarked upon; so is what had to be repaired.
    pub fn parse(text: &str) -> Result<(Self, Vec<Remark>), String> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut rest = match serde_json::from_str(text).map_err(|error| format!("it is not JSON: {error}"))? {
            Value::Object(members) => members,
            list @ Value::Array(_) => Map::from_iter([("patterns".to_owned(), list)]),
            _ => return Err("it is neither an object nor a list".to_owned()),
        };
        let items = match rest.get_mut("patterns").map(Value::take) {
            Some(Value::Array(items)) => items,
            None | Some(Value::Null) => Vec::new(),
            Some(_) => return Err("its `patterns` are not a list".to_owned()),
        };
        if items.len() > MOST_ENTRIES {
            return Err(format!("it has {} entries, more than {MOST_ENTRIES}", items.len()));
        }
        let mut remarks = Vec::new();
        let mut places = HashMap::new();
        let slots = items.into_iter().enumerate().map(|(index, raw)| {
            let parsed = parse_entry(&raw).and_then(|(entry, odd)| {
                if places.contains_key(&entry.pattern.id) {
                    return Err("its id appears twice".to_owned());
                }
                places.insert(entry.pattern.id.clone(), index);
                Ok((entry, odd))
            });
            let name = raw.get("id").and_then(Value::as_str).map_or_else(|| format!("entry {}", index + 1), quoted_plain);
            let entry = match parsed {
                Ok((entry, odd)) => {
                    remarks.extend(odd.into_iter().map(|reason| Remark { id: name.clone(), reason, is_refused: false }));
                    Some(entry)
                }
                Err(reason) => {
                    remarks.push(Remark { id: name, reason, is_refused: true });
                    None
                }
            };
            Slot { raw, entry }
        });
        let slots = slots.collect();
        Ok((Self { rest, slots, places }, remarks))
    }

    /// The text of the file: indented, so that a change of one entry changes its lines only.
    pub fn render(&self) -> String {
        let mut members = self.rest.clone();
        members.insert("patterns".to_owned(), self.slots.iter().map(|slot| slot.raw.clone()).collect());
        format!("{:#}\n", Value::Object(members))
    }

    /// The organisation that the document belongs to. Empty if what stands there is no name.
    pub fn org_id(&self) -> Option<&str> {
        self.rest.get("org_id").filter(|value| !value.is_null()).map(|value| value.as_str().unwrap_or_default())
    }

    /// Writes the organisation into the document.
    pub fn set_org_id(&mut self, org_id: &str) {
        self.rest.insert("org_id".to_owned(), json!(org_id));
    }

    /// The items in their order.
    pub fn slots(&self) -> &[Slot] {
        &self.slots
    }

    pub fn entry(&self, id: &str) -> Option<&Entry> {
        self.slots[*self.places.get(id)?].entry()
    }

    /// Puts an entry in the place of the one with its id, or at the end. Members that are not ours stay.
    pub fn put(&mut self, entry: Entry) {
        let place = *self.places.entry(entry.pattern.id.clone()).or_insert(self.slots.len());
        if place == self.slots.len() {
            self.slots.push(Slot { raw: Value::Null, entry: None });
        }
        self.slots[place].replace(entry);
    }
}

/// An entry and what had to be repaired in it, or why it cannot be understood.
fn parse_entry(raw: &Value) -> Result<(Entry, Vec<String>), String> {
    let Value::Object(members) = raw else { return Err("it is not an object".to_owned()) };
    let mut reader = Reader { members, odd: Vec::new() };
    let id = reader.text("id").ok_or("it has no id")?;
    if !is_pattern_id(&id) {
        return Err("its id is not `P-` and digits".to_owned());
    }
    let category = reader.text("category").unwrap_or_default();
    if Category::from_name(&category).is_none() {
        reader.odd.push(format!("its category {} counts as `pattern`", quoted(&category)));
    }
    let pattern = SharedPattern {
        id,
        category,
        summary: reader.text("summary").unwrap_or_default(),
        confidence: reader.text("confidence").unwrap_or_default(),
        seen_count: reader.count("seen_count"),
        success_rate: reader.rate("success_rate"),
        flags: reader.text("flags").unwrap_or_default(),
        applies_to: reader.list("applies_to"),
        context: reader.list("context"),
        repo: reader.text("repo").unwrap_or_default(),
        trigger: reader.text("trigger"),
        scope: reader.text("scope"),
        ..SharedPattern::default()
    };
    let updated_at = reader.text("updated_at").filter(|text| event::parse_time(text).is_some());
    let mut odd = reader.odd;
    let tidy = pattern.clone().tidied();
    if tidy.summary.is_empty() {
        return Err("it has no summary".to_owned());
    }
    let changed = [
        ("summary", tidy.summary != pattern.summary),
        ("trigger", tidy.trigger != pattern.trigger),
        ("confidence", !tidy.confidence.eq_ignore_ascii_case(&pattern.confidence)),
        ("flags", !tidy.flags.eq_ignore_ascii_case(&pattern.flags)),
        ("applies_to", tidy.applies_to != pattern.applies_to),
        ("context", tidy.context != pattern.context),
    ];
    odd.extend(changed.into_iter().filter(|(_, is_changed)| *is_changed).map(|(name, _)| format!("its `{name}` was repaired")));
    Ok((Entry { pattern: tidy, updated_at }, odd))
}

/// Reads the members of an entry, and remembers what was odd about them.
struct Reader<'a> {
    members: &'a Map<String, Value>,
    odd: Vec<String>,
}

impl Reader<'_> {
    fn text(&mut self, name: &str) -> Option<String> {
        match self.members.get(name)? {
            Value::String(text) => Some(text.clone()),
            Value::Null => None,
            _ => self.odd_value(name),
        }
    }

    /// A list, or the same as text with bars between its items.
    fn list(&mut self, name: &str) -> Vec<String> {
        match self.members.get(name) {
            None | Some(Value::Null) => Vec::new(),
            Some(Value::String(text)) => {
                text.split('|').map(|item| item.trim().to_owned()).filter(|item| !item.is_empty()).collect()
            }
            Some(Value::Array(items)) => {
                if items.iter().any(|item| !item.is_string()) {
                    self.odd.push(format!("its `{name}` holds something that is not text"));
                }
                items.iter().filter_map(Value::as_str).map(str::to_owned).collect()
            }
            Some(_) => self.odd_value(name).unwrap_or_default(),
        }
    }

    fn count(&mut self, name: &str) -> i64 {
        match self.number(name) {
            None => 0,
            // Beyond this a double no longer tells whole numbers apart.
            #[expect(clippy::cast_possible_truncation, reason = "whole and within the exact range of a double")]
            Some(count) if count.fract() == 0.0 && (0.0..9e15).contains(&count) => count as i64,
            Some(count) if count >= 9e15 => MOST_SEEN,
            Some(_) => self.odd_value(name).unwrap_or_default(),
        }
    }

    fn rate(&mut self, name: &str) -> Option<f64> {
        let rate = self.number(name)?;
        if (0.0..=1.0).contains(&rate) { Some(rate) } else { self.odd_value(name) }
    }

    /// A number, also in quotes. Empty text is no number.
    fn number(&mut self, name: &str) -> Option<f64> {
        match self.members.get(name)? {
            Value::Number(number) => number.as_f64(),
            Value::String(text) if text.trim().is_empty() => None,
            Value::String(text) => text.trim().parse().ok().or_else(|| self.odd_value(name)),
            Value::Null => None,
            _ => self.odd_value(name),
        }
    }

    fn odd_value<T>(&mut self, name: &str) -> Option<T> {
        self.odd.push(format!("its `{name}` cannot be used"));
        None
    }
}

/// Text from outside for a message, without the quotation marks.
fn quoted_plain(text: &str) -> String {
    quoted(text).trim_matches('`').to_owned()
}

/// Something that is odd about an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    /// The entry's shared id, or its place in the list.
    pub id: String,
    pub reason: String,
    /// Whether it could not be taken at all, rather than be repaired.
    pub is_refused: bool,
}

/// Both files of a shared place.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct State {
    pub document: Document,
    pub sources: Sources,
    /// What was odd about the entries when they were read.
    pub remarks: Vec<Remark>,
}

impl State {
    /// Reads both files; an absent one is an empty one.
    pub fn parse(document: Option<&str>, sources: Option<&str>) -> Outcome<Self> {
        let broken = |name: &str, cause: String| {
            Diagnostic::edit(
                format!("the shared `{name}` cannot be read"),
                "repair or remove it in the shared place, then try again",
            )
            .because(cause)
        };
        let (document, remarks) =
            document.map_or(Ok(Default::default()), Document::parse).map_err(|cause| broken("org-patterns.json", cause))?;
        let sources = sources.map_or(Ok(Sources::default()), Sources::parse).map_err(|cause| broken("sources.json", cause))?;
        Ok(Self { document, sources, remarks })
    }

    /// Fails if either file belongs to another organisation.
    pub fn check_org(&self, org_id: &str) -> Outcome<()> {
        let found = [self.document.org_id(), self.sources.org_id()];
        match found.into_iter().flatten().find(|found| *found != org_id) {
            None => Ok(()),
            Some(other) => Err(Diagnostic::edit(
                format!("the shared patterns belong to the organisation {}, not to {}", quoted(other), quoted(org_id)),
                "set CLAUDE_ORG_ID to the organisation of the shared place, or name another place",
            )),
        }
    }
}
