//! The settings: one definition of each key makes the file with comments, its parsing and its errors.

mod edit;
mod error;
mod file;

use setting::{Settings, known_settings, render_settings};

/// A key of the file that `init` writes.
pub struct Shown {
    /// Its sections and its name.
    pub key: String,
    /// The comment above it, in one line.
    pub comment: String,
    /// Whether it is only shown as an example.
    pub is_example: bool,
    /// The number of its line, from 0.
    pub line: usize,
}

fn template() -> String {
    render_settings(&Settings::default()).expect("a file")
}

/// The keys of the file, in its order.
fn shown() -> Vec<Shown> {
    let known = known_settings();
    let (mut section, mut comment) = (String::new(), String::new());
    let mut keys = Vec::new();
    for (line, text) in template().lines().enumerate() {
        let key = |text: &str| text.split_once(" = ").map(|(name, _)| format!("{section}{name}")).filter(|key| known.contains(key));
        let words = text.strip_prefix("# ");
        if let Some(key) = key(words.unwrap_or(text)) {
            keys.push(Shown { key, comment: std::mem::take(&mut comment), is_example: words.is_some(), line });
        } else if let Some(words) = words {
            comment.push_str(words);
            comment.push(' ');
        } else {
            comment.clear();
            if let Some(name) = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')) {
                section = format!("{name}.");
            }
        }
    }
    keys
}
