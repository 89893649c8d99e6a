//! Changes one setting in the text of a settings file. Every other byte stays as it is.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::key::find_key;

/// The name of a setting: its sections, and its key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingKey(Vec<String>);

/// A value as a person wrote it.
#[derive(Debug, Clone, PartialEq)]
pub struct SettingValue {
    text: String,
    value: toml::Value,
}

impl SettingKey {
    /// Reads a name such as `hook.session`. Parts other than plain words are in quotes, as in a settings file.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        if text.contains(['\n', '\r']) {
            return None;
        }
        let mut table: toml::Table = toml::from_str(&format!("{text} = 0")).ok()?;
        let mut parts = Vec::new();
        loop {
            let mut entries = table.into_iter();
            let (name, value) = entries.next().filter(|_| entries.len() == 0)?;
            parts.push(name);
            match value {
                toml::Value::Table(inside) => table = inside,
                toml::Value::Integer(0) => return Some(Self(parts)),
                _ => return None,
            }
        }
    }

    /// Whether there is such a setting. What lies inside a value, such as one tag, is known by its setting.
    #[must_use]
    pub fn is_known(&self) -> bool {
        find_key(&self.0).is_some()
    }

    /// The value under this name, if there is one.
    #[must_use]
    pub fn find<'t>(&self, table: &'t toml::Table) -> Option<&'t toml::Value> {
        let (first, rest) = self.0.split_first()?;
        rest.iter().try_fold(table.get(first)?, |value, part| value.get(part))
    }

    fn section(&self) -> &[String] {
        &self.0[..self.0.len() - 1]
    }

    fn key(&self) -> &[String] {
        &self.0[self.0.len() - 1..]
    }
}

impl std::fmt::Display for SettingKey {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&dotted(&self.0))
    }
}

impl SettingValue {
    /// Reads a value. Text that is not TOML is a string whose quotes a shell removed, unless it begins as another value does.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let read = |text: &str| {
            let mut table: toml::Table = toml::from_str(&format!("value = {text}")).ok()?;
            table.remove("value").filter(|_| table.is_empty())
        };
        if let Some(value) = read(text) {
            return Some(Self { text: text.to_owned(), value });
        }
        let is_broken = text.is_empty() || text.starts_with(['[', '{', '"', '\'']) || text.contains(['\n', '\r']);
        let value = toml::Value::from(text);
        (!is_broken).then(|| Self { text: value.to_string(), value })
    }

    /// The value.
    #[must_use]
    pub const fn get(&self) -> &toml::Value {
        &self.value
    }
}

/// The text with a setting changed or added. None if it is not TOML, or if the setting cannot be added without touching others: every
/// attempt is parsed, and must differ in that setting only.
#[must_use]
pub fn set_setting(text: &str, key: &SettingKey, value: &SettingValue) -> Option<String> {
    let before: toml::Table = toml::from_str(text).ok()?;
    let mut wanted = before;
    insert(&mut wanted, &key.0, &value.value)?;
    let root = DeTable::parse(text).ok()?.into_inner();
    let says_so = |edited: &String| toml::from_str::<toml::Table>(edited).is_ok_and(|table| table == wanted);
    edits(text, &root, key, value).into_iter().map(|edit| edit.applied_to(text)).find(says_so)
}

/// A piece of text in the place of another.
#[derive(Debug)]
struct Edit {
    place: Range<usize>,
    text: String,
}

impl Edit {
    fn applied_to(&self, text: &str) -> String {
        format!("{}{}{}", &text[..self.place.start], self.text, &text[self.place.end..])
    }
}

/// Possible edits, the one that a person would make first.
fn edits(text: &str, root: &DeTable<'_>, key: &SettingKey, value: &SettingValue) -> Vec<Edit> {
    if let Some(found) = find(root, &key.0) {
        return vec![Edit { place: found.span(), text: value.text.clone() }];
    }
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let line = |parts: &[String]| format!("{} = {}", dotted(parts), value.text);
    let mut edits = Vec::new();
    if let Some(section) = Section::find(text, root, key.section()) {
        let places = section.places(text, &key.key()[0]);
        edits.extend(places.into_iter().map(|place| insertion(text, place, &line(key.key()), newline)));
    }
    // A section that is written as `section.key = value` continues in that form.
    if let Some(top) = Section::find(text, root, &[]).filter(|_| find(root, key.section()).is_some()) {
        edits.extend(top.places(text, &key.0[0]).into_iter().map(|place| insertion(text, place, &line(&key.0), newline)));
    }
    let gap = if text.is_empty() || text.ends_with(&newline.repeat(2)) { "" } else { newline };
    let added = format!("{gap}[{}]{newline}{}", dotted(key.section()), line(key.key()));
    edits.push(insertion(text, text.len(), &added, newline));
    edits
}

/// A new line after the line that holds a place.
fn insertion(text: &str, place: usize, line: &str, newline: &str) -> Edit {
    let starts_line = place == 0 || text[..place].ends_with('\n');
    let text = if starts_line { format!("{line}{newline}") } else { format!("{newline}{line}{newline}") };
    Edit { place: place..place, text }
}

/// A part of the text: the keys of a section, after its header.
struct Section<'t> {
    region: Range<usize>,
    table: &'t DeTable<'t>,
}

impl<'t> Section<'t> {
    /// The section that has a header of its own, or the keys before all headers.
    fn find(text: &str, root: &'t DeTable<'t>, path: &[String]) -> Option<Self> {
        let mut headers = Vec::new();
        collect_headers(text, root, &mut headers);
        let next = |start: usize| headers.iter().copied().filter(|header| *header > start).min().unwrap_or(text.len());
        if path.is_empty() {
            let end = headers.iter().copied().min().unwrap_or(text.len());
            return Some(Self { region: 0..end, table: root });
        }
        let found = find(root, path)?;
        let table = found.get_ref().as_table()?;
        let header = found.span();
        text[header.start..].starts_with('[').then(|| Self { region: end_of_line(text, header.end)..next(header.start), table })
    }

    /// Where a key could be added: below its own example, after the last key, or as the first.
    fn places(&self, text: &str, key: &str) -> Vec<usize> {
        let region = &text[self.region.clone()];
        let mut start = self.region.start;
        let example = region.split_inclusive('\n').find_map(|line| {
            start += line.len();
            let shown = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix(key)?;
            shown.trim_start().starts_with('=').then_some(start)
        });
        let is_inside = |span: &Range<usize>| self.region.contains(&span.start) && !is_header(text, span.start);
        let last = self.table.iter().map(|(_, value)| last_place(value)).filter(is_inside).map(|span| span.end).max();
        example.into_iter().chain(last.map(|end| end_of_line(text, end))).chain([self.region.start]).collect()
    }
}

/// The place of a value, or of the last value of keys that are written with dots.
fn last_place(value: &Spanned<DeValue<'_>>) -> Range<usize> {
    let inside = value.get_ref().as_table().into_iter().flat_map(|table| table.iter()).map(|(_, value)| last_place(value));
    inside.chain([value.span()]).max_by_key(|span| span.end).unwrap_or_default()
}

fn is_header(text: &str, start: usize) -> bool {
    let line = text[..start].rfind('\n').map_or(0, |at| at + 1);
    text[line..start].trim().is_empty() && text[start..].starts_with('[')
}

/// Where the headers of tables begin, those of lists of tables too.
fn collect_headers(text: &str, table: &DeTable<'_>, headers: &mut Vec<usize>) {
    for (_, value) in table {
        match value.get_ref() {
            DeValue::Table(inside) => {
                headers.extend(Some(value.span().start).filter(|start| is_header(text, *start)));
                collect_headers(text, inside, headers);
            }
            DeValue::Array(items) => {
                for item in items.iter().filter(|item| item.get_ref().is_table()) {
                    headers.extend(Some(item.span().start).filter(|start| is_header(text, *start)));
                }
            }
            _ => {}
        }
    }
}

fn find<'t>(root: &'t DeTable<'t>, path: &[String]) -> Option<&'t Spanned<DeValue<'t>>> {
    let (first, rest) = path.split_first()?;
    rest.iter().try_fold(root.get(&**first)?, |value, part| value.get_ref().as_table()?.get(&**part))
}

fn insert(table: &mut toml::Table, path: &[String], value: &toml::Value) -> Option<()> {
    let (first, rest) = path.split_first()?;
    if rest.is_empty() {
        table.insert(first.clone(), value.clone());
        return Some(());
    }
    let inside = table.entry(first.clone()).or_insert_with(|| toml::Value::Table(toml::Table::new()));
    insert(inside.as_table_mut()?, rest, value)
}

fn end_of_line(text: &str, place: usize) -> usize {
    text[place..].find('\n').map_or(text.len(), |at| place + at + 1)
}

pub(crate) fn dotted(parts: &[String]) -> String {
    let is_plain =
        |part: &str| !part.is_empty() && part.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_".contains(letter));
    let spelled = |part: &String| if is_plain(part) { part.clone() } else { toml::Value::from(part.as_str()).to_string() };
    parts.iter().map(spelled).collect::<Vec<_>>().join(".")
}
