//! Which settings there are, and which one a wrong name means.

use crate::root::Settings;
use crate::section::{Key, Kind, Section};
use text::near::slips;

/// How many letters of a name may differ for it to be meant.
const MOST_SLIPS: usize = 3;

/// Every setting with its section, such as `hook.session`, in the order of the file. What a person names, such as a tag, is not among
/// them.
#[must_use]
pub fn known_settings() -> Vec<String> {
    let mut known = Vec::new();
    if let Some(section) = Settings::SECTION {
        collect(section, "", &mut known);
    }
    known
}

fn collect(section: &Section, prefix: &str, known: &mut Vec<String>) {
    for key in section.keys {
        let name = format!("{prefix}{}", key.name);
        match key.section {
            Some(inside) => collect(inside, &format!("{name}."), known),
            None => known.push(name),
        }
    }
}

/// The setting that a path leads to. What lies inside a value, such as one tag, belongs to its setting.
pub(crate) fn find_key(path: &[String]) -> Option<&'static Key> {
    let mut section = Settings::SECTION?;
    let mut found = None;
    let mut parts = path.iter();
    while let Some(part) = parts.next() {
        let key = section.keys.iter().find(|key| key.name == part)?;
        found = Some(key);
        match (key.section, key.entries) {
            (Some(inside), _) => section = inside,
            // The next part is a name that a person chose.
            (None, Some(inside)) if parts.next().is_some() => section = inside,
            _ => break,
        }
    }
    found
}

/// What a setting means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Described {
    /// Its comment in the file, in one line.
    pub about: String,
    /// What a person may write.
    pub wanted: String,
}

/// What a setting means, by its name with its section.
#[must_use]
pub fn describe_setting(name: &str) -> Option<Described> {
    let path: Vec<String> = name.split('.').map(str::to_owned).collect();
    let key = find_key(&path)?;
    let about: Vec<&str> = key.about.iter().flat_map(|line| line.split_whitespace()).collect();
    let range = key.range().map(|limits| format!(" {limits}")).unwrap_or_default();
    Some(Described { about: about.join(" "), wanted: format!("{}{range}", (key.wanted)()) })
}

/// The setting or section that a wrong name most likely means.
#[must_use]
pub fn nearest_setting(name: &str) -> Option<String> {
    let key_of = |name: &str| name.rsplit('.').next().unwrap_or_default().to_owned();
    let distance = |known: &String| {
        // The right key in the wrong section is as near as a slip of the pen.
        let elsewhere = if key_of(known) == key_of(name) { 1 } else { usize::MAX };
        slips(known, name).min(elsewhere)
    };
    let known = known_settings();
    let sections = known.iter().filter_map(|name| Some(name.rsplit_once('.')?.0.to_owned()));
    let candidates: Vec<String> = known.iter().cloned().chain(sections).collect();
    let nearest = candidates.into_iter().map(|known| (distance(&known), known)).min();
    nearest.filter(|(slips, _)| *slips <= MOST_SLIPS).map(|(_, known)| known)
}
