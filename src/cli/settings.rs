//! `outerloop settings`: settings are shown with their meaning, or changed in `outerloop.toml` without touching anything else in it.

use std::collections::BTreeMap;
use std::fs;
use std::io;

use clap::Args as ClapArgs;
use serde_json::json;

use crate::args::OutputArgs;
use crate::learn::counted;
use crate::printer::Printer;
use crate::require;
use crate::table::tabulate;
use render::plain_text;
use setting::{SettingKey, SettingValue, Settings, describe_setting, known_settings, parse_settings, set_setting, unknown_setting};
use store::durable;
use store::workspace::Workspace;
use text::diagnostic::{Diagnostic, Exit, Outcome};
use text::fit::quoted;

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Write values as in a settings file; a bare word is a string. The new settings are validated before
the file is replaced; comments and other settings stay unchanged.

  outerloop settings                               the sections, and what differs from its default
  outerloop settings hook                          every setting of a section
  outerloop settings flag.prune_below              what one means, its default and where it comes from
  outerloop settings hook.session=false publish.keep=100
  outerloop settings --json                        all of them, for programs")]
pub struct SettingsArgs {
    /// A setting and its value, or the name of a setting or a section to show
    #[arg(value_name = "KEY[=VALUE]")]
    settings: Vec<String>,
    #[command(flatten)]
    output: OutputArgs,
}

/// A setting as it counts.
struct Effective {
    key: String,
    value: Option<toml::Value>,
    default: Option<toml::Value>,
    /// Whether the file gives it, be it the default.
    is_given: bool,
}

impl Effective {
    fn is_default(&self) -> bool {
        self.value == self.default
    }

    fn origin(&self) -> &'static str {
        if self.is_given { "outerloop.toml" } else { "default" }
    }
}

/// Shows settings, or changes them.
pub(crate) fn run(workspace: &Workspace, options: &SettingsArgs, printer: &Printer) -> Outcome<Exit> {
    require(workspace)?;
    if options.settings.is_empty() && !options.output.json {
        return show_sections(workspace, printer);
    }
    show_or_change(workspace, options, &[], printer)
}

/// The same, where some sections are meant by default: none means all.
pub(crate) fn show_or_change(workspace: &Workspace, options: &SettingsArgs, sections: &[&str], printer: &Printer) -> Outcome<Exit> {
    let text = load(workspace)?;
    let (changes, shown): (Vec<_>, Vec<_>) = options.settings.iter().partition(|word| word.contains('='));
    let names: Vec<String> = match (changes.is_empty(), shown.is_empty()) {
        (true, true) => sections.iter().map(|&section| section.to_owned()).collect(),
        (true, false) => shown.into_iter().cloned().collect(),
        (false, true) => return change(workspace, &text, &changes, options.output.json, printer),
        (false, false) => {
            return Err(Diagnostic::edit(
                format!("{} has no value", quoted(shown[0])),
                "write KEY=VALUE to change a setting, or only KEY to show it",
            ));
        }
    };
    let effective = effective(workspace, &text, &names)?;
    match &*effective {
        [one] if !options.output.json => show_one(one, printer),
        several => show(several, options.output.json, printer),
    }
}

fn load(workspace: &Workspace) -> Outcome<String> {
    let path = workspace.settings();
    match fs::read_to_string(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(String::new()),
        read => read.map_err(|error| Diagnostic::io("cannot read the settings", &path, &error)),
    }
}

/// The settings of sections, or single ones, as they are in effect. Without names, all of them.
fn effective(workspace: &Workspace, text: &str, names: &[String]) -> Outcome<Vec<Effective>> {
    parse_settings(text).map_err(|fault| fault.at(&workspace.settings()))?;
    let own: toml::Table = toml::from_str(text).unwrap_or_default();
    let defaults = toml::Table::try_from(Settings::default()).unwrap_or_default();
    let find = |key: &str| {
        let parsed = SettingKey::parse(key);
        let value_in = |table: &toml::Table| parsed.as_ref().and_then(|key| key.find(table).cloned());
        let (set, default) = (value_in(&own), value_in(&defaults));
        Effective { key: key.to_owned(), is_given: set.is_some(), value: set.or_else(|| default.clone()), default }
    };
    let known = known_settings();
    if names.is_empty() {
        return Ok(known.iter().map(|key| find(key)).collect());
    }
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
        found.extend(keys.into_iter().map(|key| find(key)));
    }
    Ok(found)
}

fn shown(value: Option<&toml::Value>) -> String {
    value.map_or_else(|| "not set".to_owned(), |value| plain_text(&value.to_string(), 200))
}

/// The sections, with what differs from its default.
fn show_sections(workspace: &Workspace, printer: &Printer) -> Outcome<Exit> {
    let all = effective(workspace, &load(workspace)?, &[])?;
    let mut sections: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for Effective { key, .. } in &all {
        let (section, name) = key.split_once('.').unwrap_or(("(top)", key));
        sections.entry(section).or_default().push(name);
    }
    let rows = sections.iter().map(|(section, names)| [(*section).to_owned(), names.len().to_string(), names.join(", ")]);
    printer.line(&tabulate(["section", "#settings", "names"], rows))?;
    let changed: Vec<&Effective> = all.iter().filter(|setting| !setting.is_default()).collect();
    if changed.is_empty() {
        printer.line("\nEverything is at its default.")?;
    } else {
        let rows = changed.iter().map(|one| [one.key.clone(), shown(one.value.as_ref()), shown(one.default.as_ref())]);
        printer.line(&format!("\n{}", tabulate(["differs", "value", "default"], rows)))?;
    }
    printer.note("`outerloop settings SECTION` shows a section, `outerloop settings KEY` explains one, KEY=VALUE changes it");
    Ok(Exit::Done)
}

fn show_one(setting: &Effective, printer: &Printer) -> Outcome<Exit> {
    printer.line(&format!("{} = {}", plain_text(&setting.key, 80), shown(setting.value.as_ref())))?;
    if let Some(described) = describe_setting(&setting.key) {
        printer.line(&format!("  {}", described.about))?;
        printer.line(&format!("  may be   {}", described.wanted))?;
    }
    printer.line(&format!("  default  {}", shown(setting.default.as_ref())))?;
    printer.line(&format!("  from     {}", setting.origin()))?;
    Ok(Exit::Done)
}

fn show(settings: &[Effective], as_json: bool, printer: &Printer) -> Outcome<Exit> {
    if as_json {
        let list = settings.iter().map(|setting| {
            let described = describe_setting(&setting.key);
            json!({
                "key": setting.key, "value": setting.value, "default": setting.default,
                "is_default": setting.is_default(), "from": setting.origin(),
                "about": described.as_ref().map(|described| &described.about),
                "may_be": described.as_ref().map(|described| &described.wanted),
            })
        });
        printer.line(&json!({"settings": list.collect::<Vec<_>>()}).to_string())?;
        return Ok(Exit::Done);
    }
    let rows = settings.iter().map(|setting| {
        // An equal default says nothing.
        let default = if setting.is_default() { String::new() } else { shown(setting.default.as_ref()) };
        [plain_text(&setting.key, 80), shown(setting.value.as_ref()), default, setting.origin().to_owned()]
    });
    printer.line(&tabulate(["setting", "value", "default", "from"], rows))?;
    printer.note("`outerloop settings KEY` explains one, `outerloop settings KEY=VALUE` changes it");
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
