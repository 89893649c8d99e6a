//! `outerloop learn configure`: settings are shown, or changed in `outerloop.toml` without touching anything else in it.

use std::fs;
use std::io;

use clap::Args as ClapArgs;
use serde_json::json;

use super::counted;
use crate::args::OutputArgs;
use crate::printer::Printer;
use crate::table::tabulate;
use render::plain_text;
use setting::{SettingKey, SettingValue, Settings, known_settings, parse_settings, set_setting, unknown_setting};
use store::durable;
use store::workspace::Workspace;
use text::diagnostic::{Diagnostic, Exit, Outcome};
use text::fit::quoted;

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Write values as in a settings file; a bare word is a string. The new settings are validated before
the file is replaced; comments and other settings stay unchanged.

  outerloop learn configure                        show the settings of observing
  outerloop learn configure hook                   show another section
  outerloop learn configure hook.session=false publish.keep=100")]
pub(super) struct ConfigureArgs {
    /// A setting and its value, or the name of a setting or a section to show
    #[arg(value_name = "KEY[=VALUE]")]
    settings: Vec<String>,
    #[command(flatten)]
    output: OutputArgs,
}

/// The sections that are about observing.
const OWN_SECTIONS: [&str; 2] = ["observe", "observation"];

/// A setting as it counts.
struct Effective {
    key: String,
    value: Option<toml::Value>,
    is_default: bool,
}

/// Shows settings, or changes them.
pub(super) fn run(workspace: &Workspace, options: &ConfigureArgs, printer: &Printer) -> Outcome<Exit> {
    let text = load(workspace)?;
    let (changes, shown): (Vec<_>, Vec<_>) = options.settings.iter().partition(|word| word.contains('='));
    let names: Vec<String> = match (changes.is_empty(), shown.is_empty()) {
        (true, true) => OWN_SECTIONS.map(str::to_owned).into(),
        (true, false) => shown.into_iter().cloned().collect(),
        (false, true) => return change(workspace, &text, &changes, options.output.json, printer),
        (false, false) => {
            return Err(Diagnostic::edit(
                format!("{} has no value", quoted(shown[0])),
                "write KEY=VALUE to change a setting, or only KEY to show it",
            ));
        }
    };
    parse_settings(&text).map_err(|fault| fault.at(&workspace.settings()))?;
    let effective = effective(&text, &names)?;
    show(&effective, options.output.json, printer)
}

fn load(workspace: &Workspace) -> Outcome<String> {
    let path = workspace.settings();
    match fs::read_to_string(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(String::new()),
        read => read.map_err(|error| Diagnostic::io("cannot read the settings", &path, &error)),
    }
}

/// The settings of sections, or single ones, as they are in effect.
fn effective(text: &str, names: &[String]) -> Outcome<Vec<Effective>> {
    let own: toml::Table = toml::from_str(text).unwrap_or_default();
    let defaults = toml::Table::try_from(Settings::default()).unwrap_or_default();
    let known = known_settings();
    let mut found = Vec::new();
    for name in names {
        let is_meant = |key: &&String| *key == name || key.strip_prefix(&**name).is_some_and(|rest| rest.starts_with('.'));
        let mut keys: Vec<&String> = known.iter().filter(is_meant).collect();
        // A part of a value, such as one tag, is not in the list.
        if keys.is_empty() {
            keys.extend(Some(name).filter(|name| SettingKey::parse(name).is_some_and(|key| key.is_known())));
        }
        if keys.is_empty() {
            return Err(unknown_setting(name));
        }
        for key in keys {
            let parsed = SettingKey::parse(key);
            let value_in = |table: &toml::Table| parsed.as_ref().and_then(|key| key.find(table).cloned());
            let set = value_in(&own);
            let is_default = set.is_none() || set == value_in(&defaults);
            found.push(Effective { key: key.clone(), value: set.or_else(|| value_in(&defaults)), is_default });
        }
    }
    Ok(found)
}

fn show(settings: &[Effective], as_json: bool, printer: &Printer) -> Outcome<Exit> {
    let shown = |value: &Option<toml::Value>| {
        value.as_ref().map_or_else(|| "not set".to_owned(), |value| plain_text(&value.to_string(), 200))
    };
    if as_json {
        let list =
            settings.iter().map(|setting| json!({"key": setting.key, "value": setting.value, "is_default": setting.is_default}));
        printer.line(&json!({"settings": list.collect::<Vec<_>>()}).to_string())?;
        return Ok(Exit::Done);
    }
    let rows = settings.iter().map(|setting| {
        let from = if setting.is_default { "the default" } else { "outerloop.toml" };
        [plain_text(&setting.key, 80), shown(&setting.value), from.to_owned()]
    });
    printer.line(&tabulate(["setting", "value", "from"], rows))?;
    printer.note("`outerloop init --print-settings` explains each; `outerloop learn configure KEY=VALUE` changes one");
    Ok(Exit::Done)
}

/// Changes settings, all or none of them.
fn change(workspace: &Workspace, before: &str, changes: &[&String], as_json: bool, printer: &Printer) -> Outcome<Exit> {
    let mut text = before.to_owned();
    let mut told = Vec::new();
    for change in changes {
        let (name, value) = change.split_once('=').unwrap_or((change, ""));
        let name = name.trim();
        let key = SettingKey::parse(name).filter(SettingKey::is_known).ok_or_else(|| unknown_setting(name))?;
        let value = SettingValue::parse(value).ok_or_else(|| {
            let what = format!("{} is not a valid value for `{key}`", quoted(value));
            Diagnostic::edit(what, "write it as in a settings file: 3, true, \"text\" or [\"a\", \"b\"]")
        })?;
        text = set_setting(&text, &key, &value).ok_or_else(|| {
            let what = format!("`{key}` cannot be changed here without touching other settings");
            Diagnostic::edit(what, "edit the file manually").at(&workspace.settings())
        })?;
        // The settings are read as they will be before anything is written.
        parse_settings(&text).map_err(|fault| refuse(before, name, fault).at(&workspace.settings()))?;
        told.push((key, value));
    }
    if text != before {
        replace(workspace, &text)?;
    }
    if as_json {
        let list: Vec<_> = told.iter().map(|(key, value)| json!({"key": key.to_string(), "value": value.get()})).collect();
        printer.line(
            &json!({"file": workspace.settings().to_string_lossy(), "is_changed": text != before, "settings": list}).to_string(),
        )?;
    }
    let fate = if text == before { "unchanged" } else { "changed" };
    printer.note(&format!("{}: {} {fate}", workspace.settings().display(), counted(told.len(), "setting")));
    Ok(Exit::Done)
}

/// A settings file may be a link into a folder of settings that a person keeps elsewhere: what it leads to is replaced.
fn replace(workspace: &Workspace, text: &str) -> Outcome<()> {
    let path = workspace.settings();
    let path = fs::canonicalize(&path).unwrap_or(path);
    let permissions = fs::metadata(&path).ok().map(|found| found.permissions());
    durable::replace_as(&path, text.as_bytes(), permissions)
}

/// Why a change is refused: the value, unless the file was invalid before. The changed text is in no file, so its line is not shown.
fn refuse(before: &str, name: &str, fault: Diagnostic) -> Diagnostic {
    match parse_settings(before) {
        Err(earlier) => earlier,
        Ok(_) => Diagnostic::edit(format!("the value is invalid for `{name}`"), fault.remedy).because(fault.what),
    }
}
