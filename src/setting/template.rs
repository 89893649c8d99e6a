//! The commented settings file, made from the definitions.

use text::diagnostic::{Diagnostic, Outcome};
use toml::{Table, Value};

use crate::root::Settings;
use crate::section::{Key, Kind, Limits, Section};

/// The longest line that is not a single value, in characters.
const WIDTH: usize = 120;

/// Settings as a file with a comment for every key. What has no value is shown as an example in a comment.
pub fn render_settings(settings: &Settings) -> Outcome<String> {
    let values = Table::try_from(settings).map_err(|error| Diagnostic::bug("settings cannot be written").because(error))?;
    let mut file = String::new();
    if let Some(section) = Settings::SECTION {
        file.push_str(&comment(section.about, None));
        file.push('\n');
        render_section(section, "", &values, &mut file);
    }
    Ok(file)
}

fn render_section(section: &Section, prefix: &str, values: &Table, file: &mut String) {
    for key in section.keys.iter().filter(|key| key.section.is_none()) {
        file.push_str(&comment(key.about, Some(key)));
        file.push_str(&render_line(key, values.get(key.name)));
    }
    for key in section.keys {
        if let (Some(inside), Some(Value::Table(values))) = (key.section, values.get(key.name)) {
            let name = format!("{prefix}{}", key.name);
            let about = if key.about.is_empty() { inside.about } else { key.about };
            file.extend(["\n", &comment(about, None), &format!("[{name}]\n")]);
            render_section(inside, &format!("{name}."), values, file);
        }
    }
}

fn render_line(key: &Key, value: Option<&Value>) -> String {
    let is_empty = match value {
        None => true,
        Some(Value::Array(items)) => items.is_empty(),
        Some(Value::Table(table)) => table.is_empty(),
        Some(_) => false,
    };
    match (value, key.example) {
        (_, Some(example)) if is_empty => format!("# {} = {example}\n", key.name),
        (Some(value), _) => render_value(key.name, value),
        (None, _) => String::new(),
    }
}

/// A list that is too long for a line is broken.
fn render_value(name: &str, value: &Value) -> String {
    let line = format!("{name} = {value}\n");
    match value {
        Value::Array(items) if line.len() > WIDTH => {
            let items = items.iter().map(|item| format!("{item},"));
            format!("{name} = [\n{}]\n", fill(items, "    "))
        }
        _ => line,
    }
}

/// The lines of a comment, and the range of the values.
fn comment(about: &[&str], key: Option<&Key>) -> String {
    let range = key.and_then(|key| key.limits).map(Limits::sentence);
    let words = about.iter().flat_map(|line| line.split_whitespace()).map(str::to_owned);
    fill(words.chain(range), "# ")
}

/// Words in as few lines as they fit in.
fn fill(words: impl Iterator<Item = String>, start: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for word in words {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= WIDTH => {
                line.push(' ');
                line.push_str(&word);
            }
            _ => lines.push(format!("{start}{word}")),
        }
    }
    lines.into_iter().map(|line| line + "\n").collect()
}
