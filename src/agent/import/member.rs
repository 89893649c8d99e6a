//! The members of foreign objects. The table of kinds says which of them are fields, however they are spelled.

use serde_json::{Map, Value};

use super::imported::{Notes, Refusal};
use super::value::{fit_label, fit_labels, fit_name, fit_text, fit_texts, parse_any_time, parse_count, parse_float};
use event::field::Holds;
use event::{FieldSpec, Kind};
use jiff::Timestamp;
use text::fit::quoted;
use text::limit;

/// The members of an object, to be taken one by one: a field of the kind under any of its spellings, others under their own name.
/// What is null is not there.
#[derive(Debug)]
pub(super) struct Members {
    kind: Kind,
    object: Map<String, Value>,
}

impl Members {
    /// The members of the object that a text is.
    pub(super) fn parse(kind: Kind, text: &str) -> Result<Self, Refusal> {
        Self::new(kind, serde_json::from_str(text).map_err(|fault| format!("is not JSON: {fault}"))?)
    }

    pub(super) fn new(kind: Kind, value: Value) -> Result<Self, Refusal> {
        match value {
            Value::Object(object) => Ok(Self { kind, object }),
            _ => Err("is not an object".to_owned()),
        }
    }

    /// Takes a member under all its spellings.
    pub(super) fn take(&mut self, name: &str) -> Option<Value> {
        let field = self.kind.field(name).or_else(|| Kind::carried(name));
        let spellings = field.map_or(std::slice::from_ref(&name), |field| field.spellings);
        let mut found =
            spellings.iter().filter_map(|spelling| self.object.shift_remove(*spelling)).filter(|value| !value.is_null());
        let first = found.next();
        found.for_each(drop);
        first
    }

    /// A string. Anything else in its place is refused.
    pub(super) fn string(&mut self, name: &str) -> Result<Option<String>, Refusal> {
        match self.take(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(format!("`{name}` is {}, not a text", quoted(&other.to_string()))),
        }
    }

    pub(super) fn word(&mut self, name: &str, known: &[&str]) -> Result<Option<String>, Refusal> {
        match self.string(name)? {
            Some(word) if !known.contains(&&*word) => {
                Err(format!("`{name}` is {}, not one of {}", quoted(&word), known.join(", ")))
            }
            word => Ok(word),
        }
    }

    /// A text that is not blank; numbers are taken as they are written.
    pub(super) fn text(&mut self, name: &str) -> Option<String> {
        self.take(name).and_then(|value| text_of(&value))
    }

    /// A name, made one if it is none.
    pub(super) fn name(&mut self, name: &str, notes: &mut Notes) -> Option<String> {
        fit_name(self.text(name)?.trim(), name, notes)
    }

    /// A label, made one if it is none.
    pub(super) fn label(&mut self, name: &str, notes: &mut Notes) -> Option<String> {
        fit_label(self.text(name)?.trim(), name, notes)
    }

    pub(super) fn labels(&mut self, name: &str, notes: &mut Notes) -> Vec<String> {
        let value = self.take(name);
        fit_labels(value.iter().filter_map(Value::as_array).flatten().filter_map(Value::as_str), name, notes)
    }

    /// A count. What is none is noted and left out.
    pub(super) fn count(&mut self, name: &str, notes: &mut Notes) -> Option<i64> {
        self.read(name, "count", count_of, notes)
    }

    /// A number, zero or more. What is none is noted and left out.
    pub(super) fn number(&mut self, name: &str, notes: &mut Notes) -> Option<f64> {
        let number = |value: &Value| value.as_f64().or_else(|| value.as_str()?.trim().parse().ok());
        self.read(name, "number", |value| number(value).filter(|number| number.is_finite() && *number >= 0.0), notes)
    }

    /// What a reader makes of a member. Where that is nothing it is noted.
    pub(super) fn read<T>(&mut self, name: &str, what: &str, read: impl Fn(&Value) -> Option<T>, notes: &mut Notes) -> Option<T> {
        let value = self.take(name)?;
        let read = read(&value);
        if read.is_none() {
            notes.add(format!("`{name}` {} is not a {what} and was ignored", quoted(&value.to_string())));
        }
        read
    }

    /// Whether something holds: databases write 0 and 1.
    pub(super) fn truth(&mut self, name: &str) -> bool {
        match self.take(name) {
            Some(Value::Bool(holds)) => holds,
            Some(Value::Number(number)) => number.as_f64().is_some_and(|number| number != 0.0),
            Some(Value::String(text)) => matches!(&*text.trim().to_lowercase(), "true" | "1" | "yes"),
            _ => false,
        }
    }

    /// A time, however it is written. What is none is refused.
    pub(super) fn time(&mut self, name: &str) -> Result<Option<Timestamp>, Refusal> {
        let Some(value) = self.take(name) else { return Ok(None) };
        let time = parse_any_time(&value).ok_or_else(|| format!("`{name}` {} is not a time", quoted(&value.to_string())))?;
        if time.as_microsecond() < limit::EARLIEST_MICROS {
            return Err(format!("`{name}` {} is before 2000", quoted(&value.to_string())));
        }
        Ok(Some(time))
    }

    /// All fields of the kind that were not taken, but for some, under their names in the lake. One that does not fit is noted and
    /// left out.
    pub(super) fn fields_but(&mut self, own: &[&str], notes: &mut Notes) -> Map<String, Value> {
        let mut fields = Map::new();
        for field in self.kind.fields().iter().filter(|field| !own.contains(&field.name)) {
            let Some(value) = self.take(field.name).filter(|value| value.as_str().is_none_or(|text| !text.trim().is_empty()))
            else {
                continue;
            };
            match fit_loosely(field, &value, notes) {
                Some(fitted) => drop(fields.insert(field.name.to_owned(), fitted)),
                None => notes.add(format!("`{}` {} does not fit and was ignored", field.name, quoted(&value.to_string()))),
            }
        }
        fields
    }

    pub(super) fn rest(self) -> Map<String, Value> {
        self.object
    }
}

/// Members that a system calls otherwise than any spelling of a field: its name, and ours.
type Renamed = &'static [(&'static str, &'static str)];

/// The members of an object as members of one event: fields that fit, and everything else beside them.
#[derive(Debug)]
pub(super) struct Sorted {
    kind: Kind,
    renamed: Renamed,
    pub(super) fields: Map<String, Value>,
    aside: Map<String, Value>,
}

impl Sorted {
    /// Sorts out the members of an object. What does not fit its field, or contradicts one that is given, is kept under
    /// `source_<name>`.
    pub(super) fn new(
        (kind, renamed): (Kind, Renamed),
        object: Map<String, Value>,
        given: Map<String, Value>,
        notes: &mut Notes,
    ) -> Self {
        let mut sorted = Self { kind, renamed, fields: given, aside: Map::new() };
        for (name, value) in object.into_iter().filter(|(_, value)| !value.is_null()) {
            sorted.add(name, value, notes);
        }
        sorted
    }

    pub(super) fn text(&self, field: &str) -> Option<&str> {
        self.fields.get(field).and_then(Value::as_str)
    }

    /// Everything, as members of one event.
    pub(super) fn into_all(self, notes: &mut Notes) -> Map<String, Value> {
        let Self { kind, mut fields, aside, .. } = self;
        // Each field may be there twice, and so may what every event carries.
        let most_aside = limit::FIELDS.saturating_sub(2 * (kind.fields().len() + 4));
        if aside.len() > most_aside {
            notes.add(format!("has {} unknown members, which were collected in `members`", aside.len()));
            fields.insert("members".to_owned(), Value::Object(aside));
        } else {
            fields.extend(aside);
        }
        fields
    }

    fn add(&mut self, name: String, value: Value, notes: &mut Notes) {
        let own = self.renamed.iter().find(|(theirs, _)| *theirs == name).map_or(&*name, |(_, own)| own);
        let Some(field) = self.kind.field(own) else {
            // What every event carries is for the importer to say.
            match Kind::carried(&name) {
                Some(_) => self.keep_source(&name, value, notes),
                None => self.keep(name, value, notes),
            }
            return;
        };
        match (self.fields.get(field.name), fit(field, &value, notes)) {
            (Some(earlier), Some(fitting)) if *earlier == fitting => {}
            (None, Some(fitting)) => drop(self.fields.insert(field.name.to_owned(), fitting)),
            _ => self.keep_source(&name, value, notes),
        }
    }

    fn keep_source(&mut self, name: &str, value: Value, notes: &mut Notes) {
        // Empty values are common, mean nothing and are worth no remark.
        if value.as_str().is_none_or(|text| !text.is_empty()) {
            let source = format!("source_{name}");
            notes.add(format!("{} does not fit the event and is kept as {}", quoted(name), quoted(&source)));
            self.add(source, value, notes);
        }
    }

    fn keep(&mut self, mut name: String, value: Value, notes: &mut Notes) {
        // A name that the door knows would be read there as something else.
        while self.aside.contains_key(&name) || self.kind.field(&name).is_some() {
            name.insert_str(0, "source_");
        }
        // One level is left for the object in which many members are put together.
        let value = if depth(&value) < limit::DEPTH {
            value
        } else {
            notes.add(format!("{} is nested too deeply and is kept as text", quoted(&name)));
            Value::String(value.to_string())
        };
        self.aside.insert(name, value);
    }
}

fn fit(field: &FieldSpec, value: &Value, notes: &mut Notes) -> Option<Value> {
    match field.holds {
        Holds::Text => Some(fit_text(value.as_str()?, field.name, notes).into()),
        Holds::Label => fit_label(value.as_str()?, field.name, notes).map(Value::from),
        Holds::Name => fit_name(value.as_str()?, field.name, notes).map(Value::from),
        Holds::Labels => Some(fit_labels(items(value)?, field.name, notes).into()),
        Holds::Texts => Some(fit_texts(items(value)?, field.name, notes).into()),
        Holds::Count => match value {
            Value::String(text) => parse_count(text).map(Value::from),
            _ => value.as_i64().filter(|count| *count >= 0).map(Value::from),
        },
        Holds::Number => match value {
            Value::String(text) => parse_float(text).filter(|number| number.is_finite()).map(Value::from),
            _ => Some(value).filter(|value| value.is_number()).cloned(),
        },
        Holds::Unit => value.as_f64().filter(|number| (0.0..=1.0).contains(number)).map(Value::from),
        Holds::Flag => value.as_bool().map(Value::from),
        Holds::Json => Some(value).filter(|value| (value.is_object() || value.is_array()) && depth(value) <= limit::DEPTH).cloned(),
        // Only the door can tell whether a value fits.
        _ => Some(value.clone()),
    }
}

/// The same for values of databases, which write numbers for names and fractions for counts.
fn fit_loosely(field: &FieldSpec, value: &Value, notes: &mut Notes) -> Option<Value> {
    match field.holds {
        Holds::Text | Holds::Label | Holds::Name => fit(field, &text_of(value)?.trim().into(), notes),
        Holds::Count => count_of(value).map(Value::from),
        _ => fit(field, value, notes),
    }
}

fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if !text.trim().is_empty() => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

fn count_of(value: &Value) -> Option<i64> {
    let whole = |number: f64| (number.fract() == 0.0 && (0.0..9e15).contains(&number)).then_some(number);
    #[expect(clippy::cast_possible_truncation, reason = "checked to be a whole number that fits")]
    let count = match value {
        Value::Number(number) => number.as_i64().or_else(|| whole(number.as_f64()?).map(|number| number as i64)),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    };
    count.filter(|count| *count >= 0)
}

/// The texts of a list; a single text counts as a list of one. None where anything else stands in it.
fn items(value: &Value) -> Option<impl Iterator<Item = &str>> {
    let items = match value {
        Value::Array(items) => &**items,
        Value::String(_) => std::slice::from_ref(value),
        _ => return None,
    };
    items.iter().all(Value::is_string).then(|| items.iter().filter_map(Value::as_str))
}

/// How deeply a value is nested. Its parser bounds the depth, and so this recursion.
fn depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Value::Object(members) => 1 + members.values().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}
