//! What the details of an observation say, field by field: `area: …; issue: …`.

/// The names that fields may have.
const KEYS: [&str; 7] = ["area", "issue", "impact", "resolution", "context", "decision", "rationale"];

/// The fields of details, in their order. A field begins where a part of the text does, at its start, behind a semicolon or on a line of
/// its own; whatever follows belongs to it until the next one begins. What comes before all fields has an empty name.
#[must_use]
pub fn detail_fields(details: &str) -> Vec<(&'static str, String)> {
    let mut fields: Vec<(&'static str, String)> = Vec::new();
    for segment in details.split_inclusive([';', '\n', '\r']) {
        match keyed(segment) {
            Some((key, value)) => fields.push((key, value.to_owned())),
            None => match fields.last_mut() {
                Some((_, value)) => value.push_str(segment),
                None => fields.push(("", segment.to_owned())),
            },
        }
    }
    let plain = |value: &str| value.trim_matches(|letter: char| letter.is_whitespace() || letter == ';').to_owned();
    fields.into_iter().map(|(key, value)| (key, plain(&value))).filter(|(_, value)| !value.is_empty()).collect()
}

/// The first field of a name.
#[must_use]
pub fn find_detail(details: &str, key: &str) -> Option<String> {
    detail_fields(details).into_iter().find(|(known, _)| *known == key).map(|(_, value)| value)
}

/// The name that a part of details begins with, and what follows it. Marks of a list and of emphasis may stand around the name.
fn keyed(segment: &str) -> Option<(&'static str, &str)> {
    let text = segment.trim_start_matches(|letter: char| letter.is_whitespace() || matches!(letter, '-' | '*' | '•' | '_'));
    let (name, value) = text.split_once(':')?;
    let name = name.trim_end_matches(|letter: char| letter.is_whitespace() || matches!(letter, '*' | '_'));
    let key = KEYS.into_iter().find(|key| key.eq_ignore_ascii_case(name))?;
    Some((key, value.trim_start_matches('*')))
}
