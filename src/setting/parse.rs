//! Settings from their text. A value that does not fit is reported with its line.

use std::ops::Range;

use serde::Deserialize;
use text::diagnostic::{Diagnostic, Outcome};
use text::fit;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::edit::dotted;
use crate::key::{find_key, nearest_setting};
use crate::root::Settings;
use crate::section::{Key, Kind, Section};
use crate::{artifact, embed, inject, memory, observation, policy, truth};

/// The longest value that an error repeats, in bytes.
const SHOWN_BYTES: usize = 60;

/// Names of settings that do not exist can be of any length.
const WHAT_BYTES: usize = 200;

const ALL_OF_THEM: &str = "`outerloop init --print-settings` shows all of them";

/// Settings that are valid each by itself, but not together.
#[derive(Debug)]
pub(crate) struct Conflict {
    /// The settings that it is about, the one to change first.
    keys: &'static [&'static str],
    what: String,
    remedy: String,
}

impl Conflict {
    /// An error, made from what is wrong and what to do about it, unless a condition holds.
    pub(crate) fn unless(holds: bool, keys: &'static [&'static str], error: impl FnOnce() -> (String, String)) -> Result<(), Self> {
        if holds {
            return Ok(());
        }
        let (what, remedy) = error();
        Err(Self { keys, what, remedy })
    }
}

/// Reads settings from their text.
pub fn parse_settings(text: &str) -> Outcome<Settings> {
    let root = DeTable::parse(text).map_err(|error| {
        let span = error.span().unwrap_or_default();
        Diagnostic::edit("the settings are not valid TOML", "correct the line").because(error.message()).in_text(text, span)
    })?;
    let source = Source { text, root: root.get_ref() };
    if let Some(section) = Settings::SECTION {
        source.check_section(section, source.root, &mut Vec::new())?;
    }
    let mut settings = Settings::deserialize(toml::Deserializer::from(root.clone())).map_err(|error| source.explain(&error))?;
    fill_tables(&mut settings);
    check_together(&settings).map_err(|conflict| source.locate(conflict))?;
    Ok(settings)
}

/// A table that names some of the built-in entries changes these and keeps the others.
fn fill_tables(settings: &mut Settings) {
    for (role, penalty) in Settings::default().deliberation.penalties {
        settings.deliberation.penalties.entry(role).or_insert(penalty);
    }
}

fn check_together(settings: &Settings) -> Result<(), Conflict> {
    policy::check(settings)?;
    inject::check(&settings.inject)?;
    memory::check(&settings.memory)?;
    observation::check(&settings.observation)?;
    artifact::check(&settings.artifact)?;
    embed::check(&settings.embed)?;
    truth::check(settings)
}

/// A settings file, as text and as parsed.
struct Source<'t> {
    text: &'t str,
    root: &'t DeTable<'t>,
}

impl Source<'_> {
    /// Finds unknown keys and numbers out of range. Values of a wrong type are left to serde.
    fn check_section(&self, section: &Section, table: &DeTable<'_>, path: &mut Vec<String>) -> Outcome<()> {
        for (name, value) in table {
            path.push(name.get_ref().clone().into_owned());
            let Some(key) = section.keys.iter().find(|key| key.name == name.get_ref()) else {
                return Err(unknown_setting(&dotted(path)).in_text(self.text, name.span()));
            };
            match (key.section, key.entries, value.get_ref().as_table()) {
                (Some(inside), _, Some(table)) => self.check_section(inside, table, path)?,
                (_, Some(inside), Some(table)) => self.check_entries(key, inside, table, path)?,
                _ => self.check_range(key, value, path)?,
            }
            path.pop();
        }
        Ok(())
    }

    /// Checks the entries of a table whose names a person chose.
    fn check_entries(&self, key: &Key, section: &Section, table: &DeTable<'_>, path: &mut Vec<String>) -> Outcome<()> {
        for (name, value) in table {
            path.push(name.get_ref().clone().into_owned());
            match value.get_ref().as_table() {
                Some(table) => self.check_section(section, table, path)?,
                None => return Err(self.misfit(path, value.span(), key.remedy())),
            }
            path.pop();
        }
        Ok(())
    }

    /// Checks a number, or all numbers of a list or table.
    fn check_range(&self, key: &Key, value: &Spanned<DeValue<'_>>, path: &mut Vec<String>) -> Outcome<()> {
        match value.get_ref() {
            DeValue::Array(items) => items.iter().try_for_each(|item| self.check_range(key, item, path)),
            // serde takes a date for a table of texts.
            DeValue::Datetime(_) => Err(self.misfit(path, value.span(), key.remedy())),
            DeValue::Table(table) => table.iter().try_for_each(|(name, value)| {
                path.push(name.get_ref().clone().into_owned());
                self.check_range(key, value, path)?;
                path.pop();
                Ok(())
            }),
            value_inside => match number(value_inside).zip(key.range()) {
                Some((number, limits)) if !limits.contains(number) => Err(self.misfit(path, value.span(), key.remedy())),
                _ => Ok(()),
            },
        }
    }

    fn misfit(&self, path: &[String], span: Range<usize>, remedy: String) -> Diagnostic {
        let shown = self.text.get(span.clone()).unwrap_or_default();
        let what = if shown.contains(['\n', '\r']) || shown.len() > SHOWN_BYTES {
            format!("`{}` does not fit", dotted(path))
        } else {
            format!("`{}` is {shown}", dotted(path))
        };
        Diagnostic::edit(fit::printable(&what, WHAT_BYTES), remedy).in_text(self.text, span)
    }

    /// What serde says of types, in the words of a person who writes settings.
    fn explain(&self, error: &toml::de::Error) -> Diagnostic {
        let span = error.span().unwrap_or_default();
        let message = error.message();
        let path = find_path(self.root, span.start).unwrap_or_default();
        let Some(key) = find_key(&path) else {
            return Diagnostic::edit("the settings are not valid", ALL_OF_THEM).because(message).in_text(self.text, span);
        };
        if let Some(missing) = message.strip_prefix("missing field ") {
            let what = format!("{missing} is missing in `{}`", dotted(&path));
            return Diagnostic::edit(what, format!("add {missing}")).in_text(self.text, span);
        }
        if let Some((_, known)) = message.split_once(", expected ").filter(|_| message.starts_with("unknown field ")) {
            let what = format!("there is no setting `{}`", dotted(&path));
            return Diagnostic::edit(what, format!("write {known}")).in_text(self.text, span);
        }
        self.misfit(&path, span, key.remedy())
    }

    fn locate(&self, conflict: Conflict) -> Diagnostic {
        let find = |key: &&str| {
            let mut parts = key.split('.');
            let first = self.root.get(parts.next()?)?;
            parts.try_fold(first, |value, part| value.get_ref().as_table()?.get(part)).map(Spanned::span)
        };
        let error = Diagnostic::edit(conflict.what, conflict.remedy);
        match conflict.keys.iter().find_map(find) {
            Some(span) => error.in_text(self.text, span),
            None => error,
        }
    }
}

/// The error for a name that is not a setting.
#[must_use]
pub fn unknown_setting(name: &str) -> Diagnostic {
    let hint = nearest_setting(name).map(|known| format!("did you mean `{known}`? ")).unwrap_or_default();
    Diagnostic::edit(format!("there is no setting {}", fit::quoted(name)), format!("{hint}{ALL_OF_THEM}"))
}

fn number(value: &DeValue<'_>) -> Option<f64> {
    match value {
        DeValue::Float(number) => number.as_str().parse().ok(),
        // By way of a decimal text, because a range must hold for hexadecimal numbers too and casts lose digits silently.
        DeValue::Integer(number) => i128::from_str_radix(number.as_str(), number.radix()).ok()?.to_string().parse().ok(),
        _ => None,
    }
}

/// The path of the innermost value at a place of the text.
fn find_path(table: &DeTable<'_>, place: usize) -> Option<Vec<String>> {
    table.iter().find_map(|(name, value)| {
        let inside = match value.get_ref() {
            DeValue::Table(table) => find_path(table, place),
            DeValue::Array(items) => {
                items.iter().filter_map(|item| item.get_ref().as_table()).find_map(|table| find_path(table, place))
            }
            _ => None,
        };
        let is_here = || name.span().contains(&place) || value.span().contains(&place);
        let mut path = inside.or_else(|| is_here().then(Vec::new))?;
        path.insert(0, name.get_ref().clone().into_owned());
        Some(path)
    })
}
