//! Where shared patterns came from, `sources.json`: one record for each shared id, of which nothing is lost that others wrote.

use serde_json::{Map, Value, json};

use super::content::label;
use super::document::Entry;
use super::signature::{Proof, prove};

/// Where a shared pattern came from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Record {
    pub source_project: String,
    pub source_id: String,
    /// Whose figures the entry passes on, where the project has not tried it itself.
    pub source: Option<String>,
    pub pushed_at: String,
    pub pushed_by: String,
    /// The public key of the workspace that shared it, in hexadecimal.
    pub key: Option<String>,
    /// The signature of that workspace, in hexadecimal.
    pub signature: Option<String>,
    /// The hash of the entry that was signed.
    pub content_hash: Option<String>,
}

impl Record {
    /// What a later record remembers of this one, which goes with an entry.
    #[must_use]
    pub fn remembered(self, entry: &Entry) -> Self {
        Self { content_hash: Some(entry.content_hash()), ..self }
    }

    /// Whether this is what is remembered of the record of an entry that nobody had signed.
    fn is_of_unsigned(&self, entry: &Entry) -> bool {
        self.key.is_none() && self.signature.is_none() && self.content_hash.as_deref() == Some(&entry.content_hash())
    }
}

/// Where the shared patterns came from.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Sources {
    rest: Map<String, Value>,
    records: Map<String, Value>,
}

impl Sources {
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let parsed = serde_json::from_str(text).map_err(|error| format!("it is not JSON: {error}"))?;
        let Value::Object(mut rest) = parsed else { return Err("it is not an object".to_owned()) };
        match rest.get_mut("patterns").map(Value::take) {
            Some(Value::Object(records)) => Ok(Self { rest, records }),
            None | Some(Value::Null) => Ok(Self { rest, records: Map::new() }),
            Some(_) => Err("its `patterns` are not an object".to_owned()),
        }
    }

    /// The text of the file.
    pub fn render(&self) -> String {
        let mut members = self.rest.clone();
        members.insert("patterns".to_owned(), Value::Object(self.records.clone()));
        format!("{:#}\n", Value::Object(members))
    }

    /// The organisation that the records belong to. Empty if what stands there is no name.
    pub fn org_id(&self) -> Option<&str> {
        self.rest.get("org_id").filter(|value| !value.is_null()).map(|value| value.as_str().unwrap_or_default())
    }

    /// Writes the organisation into the records.
    pub fn set_org_id(&mut self, org_id: &str) {
        self.rest.insert("org_id".to_owned(), json!(org_id));
    }

    /// Every shared id that has a record, even one that cannot be read.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.records.keys().map(String::as_str)
    }

    pub fn record(&self, id: &str) -> Option<Record> {
        read(self.records.get(id)?)
    }

    /// The record that goes with an entry, and what it proves.
    ///
    /// The records are written before the entries. Whoever reads in between finds entries that are older than their records,
    /// for which each record carries the one before it.
    pub fn record_of(&self, entry: &Entry) -> (Option<Record>, Proof) {
        let id = &entry.pattern.id;
        let Some(record) = self.record(id) else { return (None, Proof::Unsigned) };
        let proof = prove(&record, entry);
        if let Proof::Broken(_) = proof
            && let Some(previous) = self.records.get(id).and_then(|raw| raw.get("previous")).and_then(read)
        {
            if let signed @ Proof::Signed(_) = prove(&previous, entry) {
                return (Some(previous), signed);
            }
            if previous.is_of_unsigned(entry) {
                return (Some(Record { content_hash: None, ..previous }), Proof::Unsigned);
            }
        }
        (Some(record), proof)
    }

    /// What a workspace last offered for an entry that another one wrote: the hash of it.
    pub fn offer(&self, id: &str, key: &str) -> Option<&str> {
        self.records.get(id)?.get("offers")?.get(key)?.as_str()
    }

    /// Puts a record in the place of the one with its id. Members that are not ours stay. `previous` is the record of the entry
    /// as readers still see it, `offer` what its writer had offered.
    pub fn put(&mut self, id: &str, record: &Record, previous: Option<&Record>, offer: Option<(String, String)>) {
        let mut members = match self.records.get_mut(id).map(Value::take) {
            Some(Value::Object(members)) => members,
            _ => Map::new(),
        };
        members.shift_remove("source");
        members.extend(write(record));
        match previous {
            Some(previous) => members.insert("previous".to_owned(), Value::Object(write(previous))),
            None => members.shift_remove("previous"),
        };
        let mut offers = match members.shift_remove("offers") {
            Some(Value::Object(offers)) => offers,
            _ => Map::new(),
        };
        offers.extend(offer.map(|(key, digest)| (key, json!(digest))));
        // What stands in the entry itself need not be remembered.
        record.key.as_ref().and_then(|key| offers.shift_remove(key));
        if !offers.is_empty() {
            members.insert("offers".to_owned(), Value::Object(offers));
        }
        self.records.insert(id.to_owned(), Value::Object(members));
    }
}

fn read(raw: &Value) -> Option<Record> {
    let text = |name: &str| raw.get(name).and_then(Value::as_str).and_then(label);
    raw.is_object().then(|| Record {
        source_project: text("source_project").unwrap_or_default(),
        source_id: text("source_id").unwrap_or_default(),
        source: text("source"),
        pushed_at: text("pushed_at").unwrap_or_default(),
        pushed_by: text("pushed_by").unwrap_or_default(),
        key: text("key"),
        signature: text("signature"),
        content_hash: text("content_hash"),
    })
}

fn write(record: &Record) -> Map<String, Value> {
    let members = [
        ("source_project", json!(record.source_project)),
        ("source_id", json!(record.source_id)),
        ("source", json!(record.source)),
        ("pushed_at", json!(record.pushed_at)),
        ("pushed_by", json!(record.pushed_by)),
        ("key", json!(record.key)),
        ("signature", json!(record.signature)),
        ("content_hash", json!(record.content_hash)),
    ];
    // Who tried an entry itself passes on nothing.
    let is_told = |(name, value): &(&str, Value)| *name != "source" || !value.is_null();
    members.into_iter().filter(is_told).map(|(name, value)| (name.to_owned(), value)).collect()
}
