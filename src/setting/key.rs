//! Which settings there are, as the commented file tells that every workspace gets.

use super::TEMPLATE;

/// How much of a name may differ for it to be meant.
const MOST_SLIPS: usize = 3;

/// Every setting that has a name of its own, with its section: `hook.session`. What a person names, such as a tag, is not among them.
#[must_use]
pub fn known_settings() -> Vec<String> {
    let mut section = Some(String::new());
    let mut known = Vec::new();
    for line in TEMPLATE.lines() {
        let (line, is_comment) = line.strip_prefix("# ").map_or((line, false), |rest| (rest, true));
        if let Some(header) = line.strip_prefix('[') {
            // A section that is only an example has names that people choose.
            section = header.strip_suffix(']').filter(|_| !is_comment && !header.starts_with('[')).map(|name| format!("{name}."));
        } else if let Some((key, _)) = line.split_once(" = ")
            && key.chars().all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_')
        {
            known.extend(section.as_ref().map(|section| format!("{section}{key}")));
        }
    }
    known
}

/// The known setting that a wrong name most likely means.
#[must_use]
pub fn nearest_setting(name: &str) -> Option<String> {
    let key_of = |name: &str| name.rsplit('.').next().unwrap_or_default().to_owned();
    let distance = |known: &String| {
        // The right key in the wrong section is as near as a slip of the pen.
        let elsewhere = if key_of(known) == key_of(name) { 1 } else { usize::MAX };
        slips(known, name).min(elsewhere)
    };
    known_settings()
        .into_iter()
        .map(|known| (distance(&known), known))
        .min()
        .filter(|(slips, _)| *slips <= MOST_SLIPS)
        .map(|(_, known)| known)
}

/// How many letters must be added, left out or changed to get from one text to the other.
fn slips(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (index, letter) in one.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], index + 1);
        for (place, wanted) in other.iter().enumerate() {
            let changed = diagonal + usize::from(letter != *wanted);
            diagonal = row[place + 1];
            row[place + 1] = changed.min(diagonal + 1).min(row[place] + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_known_by_section_and_key() {
        let known = known_settings();
        for name in
            ["project", "compat", "hook.session", "classify.command", "publish.keep", "inject.score.rule", "hook.learning_agents"]
        {
            assert!(known.iter().any(|known| known == name), "{name}");
        }
        assert!(!known.iter().any(|known| known.contains("targets") || known.contains("tags.")), "{known:?}");
    }

    #[test]
    fn a_slip_finds_what_was_meant() {
        assert_eq!(nearest_setting("hook.sesion").as_deref(), Some("hook.session"));
        assert_eq!(nearest_setting("inject.session").as_deref(), Some("hook.session"));
        assert_eq!(nearest_setting("nothing.like_it_at_all"), None);
        assert_eq!(slips("kitten", "sitting"), 3);
    }
}
