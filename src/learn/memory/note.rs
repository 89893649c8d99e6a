//! A note as an agent wrote it down: what it says, how old it is, and what it leaves out.

use std::sync::LazyLock;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use regex::Regex;

use text::review::Tokens;

/// Statements of fewer words say nothing by themselves.
const LEAST_WORDS: usize = 3;

/// What a note should say beside its lesson, and how lines begin that do.
const MARKERS: [(&str, &[&str]); 2] = [("why", &["why", "reason", "because"]), ("how to apply", &["how to apply", "how-to-apply"])];

/// The names under which a note may carry its date, the most telling first.
const DATES: [&str; 6] = ["updated", "last_updated", "modified", "date", "created", "created_at"];

#[derive(Debug, Clone, PartialEq)]
pub struct Note {
    /// Its path inside of its folder.
    pub name: String,
    /// What sort of note it says it is.
    pub kind: String,
    /// When it was last changed, in microseconds since 1970.
    pub time_micros: i64,
    pub time_source: String,
    /// The words of each statement.
    pub statements: Vec<Tokens>,
    /// How many statements name something: a path, a command, a number.
    pub concrete: usize,
    pub words: Tokens,
    /// The paths that it names.
    pub paths: Vec<String>,
    /// What it should say and does not.
    pub lacks: Vec<&'static str>,
}

/// Reads a note. Without a date of its own, or one in its name, it is as old as its file.
#[must_use]
pub fn parse_note(name: &str, text: &str, modified_micros: i64) -> Note {
    let (front, body) = split_front(text);
    let fields = fields_of(front);
    let find = |wanted: &str| fields.iter().find(|(name, _)| *name == wanted).map(|(_, value)| *value);
    let dated = DATES.iter().find_map(|date| Some((find(date).and_then(parse_date)?, format!("`{date}` in the note"))));
    let named = || Some((date_in(name)?, "its name".to_owned()));
    let (time_micros, time_source) = dated.or_else(named).unwrap_or_else(|| (modified_micros, "its file".to_owned()));
    let said = statements(body);
    Note {
        name: name.to_owned(),
        kind: find("type").map_or_else(|| "other".to_owned(), str::to_lowercase),
        time_micros,
        time_source,
        concrete: said.iter().filter(|statement| is_concrete(statement)).count(),
        statements: said.iter().map(|statement| Tokens::of(statement)).collect(),
        words: Tokens::of(body),
        paths: paths_in(body),
        lacks: MARKERS.iter().filter(|(_, openings)| !has_line(body, openings)).map(|(name, _)| *name).collect(),
    }
}

/// What a text states: its paragraphs and the items of its lists, without headings and code.
#[must_use]
pub fn statements(text: &str) -> Vec<String> {
    let (mut found, mut current) = (Vec::new(), String::new());
    let mut is_code = false;
    for line in text.lines().map(str::trim) {
        let is_fence = line.starts_with("```") || line.starts_with("~~~");
        let item = ["- ", "* ", "+ "].iter().find_map(|mark| line.strip_prefix(mark));
        if is_fence || is_code || line.is_empty() || line.starts_with('#') || item.is_some() {
            found.push(std::mem::take(&mut current));
        }
        is_code ^= is_fence;
        if !is_fence && !is_code && !line.starts_with('#') {
            current.push_str(item.unwrap_or(line));
            current.push(' ');
        }
    }
    found.push(current);
    found.retain(|statement| Tokens::of(statement).len() >= LEAST_WORDS);
    found
}

/// What stands before a text between two lines of dashes, and the text.
fn split_front(text: &str) -> (&str, &str) {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let inside = text.strip_prefix("---\n").or_else(|| text.strip_prefix("---\r\n"));
    let parted = inside.and_then(|inside| {
        let end = inside.find("\n---")?;
        Some((&inside[..end], inside[end + 4..].trim_start_matches('-')))
    });
    parted.unwrap_or(("", text))
}

/// The names and values of a note's head, one a line.
fn fields_of(front: &str) -> Vec<(&str, &str)> {
    let fields = front.lines().filter_map(|line| line.split_once(':'));
    fields
        .map(|(name, value)| (name.trim(), value.trim().trim_matches(['"', '\''])))
        .filter(|(_, value)| !value.is_empty())
        .collect()
}

fn parse_date(text: &str) -> Option<i64> {
    if let Ok(time) = text.parse::<Timestamp>() {
        return Some(time.as_microsecond());
    }
    let day: Date = text.get(..10)?.parse().ok()?;
    day.to_zoned(TimeZone::UTC).ok().map(|time| time.timestamp().as_microsecond())
}

/// The date in a name, such as 2026-03-14-locks.md.
fn date_in(name: &str) -> Option<i64> {
    static DATE: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"(?:^|[^0-9])([0-9]{4}-[0-9]{2}-[0-9]{2})(?:[^0-9]|$)").ok());
    let file = name.rsplit('/').next().unwrap_or(name);
    parse_date(DATE.as_ref()?.captures(file)?.get(1)?.as_str())
}

fn is_concrete(statement: &str) -> bool {
    statement.matches('`').count() > 1
        || statement.chars().any(|letter| letter.is_ascii_digit())
        || statement.split_whitespace().any(|word| word.starts_with("--") && word.len() > 3)
        || !paths_in(statement).is_empty()
}

/// The paths inside of a work tree that a text names.
fn paths_in(text: &str) -> Vec<String> {
    static PATH: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"[A-Za-z0-9_.@+\-]+(?:/[A-Za-z0-9_.@+\-]+)+|`[A-Za-z0-9_@+\-][A-Za-z0-9_.@+\-]*\.[a-z][a-z0-9]{0,5}`").ok()
    });
    let found = PATH.iter().flat_map(|path| path.find_iter(text));
    let is_relative = |place: usize| !text[..place].ends_with(['/', ':', '~', '\\']);
    let mut paths: Vec<String> = found
        .filter(|path| is_relative(path.start()))
        .map(|path| path.as_str().trim_matches('`').trim_end_matches('.').trim_start_matches("./").to_owned())
        .filter(|path| !path.is_empty() && !path.split('/').any(|part| part == ".."))
        // `and/or` is no path; one that is names a file or more than one folder.
        .filter(|path| path.contains('.') || path.matches('/').count() > 1)
        .collect();
    paths.sort_unstable();
    paths.dedup();
    paths
}

/// Whether a line begins with one of some words, whatever marks stand before them.
fn has_line(text: &str, openings: &[&str]) -> bool {
    text.lines().any(|line| {
        let line = line.trim_start_matches(|sign: char| !sign.is_alphanumeric()).to_lowercase();
        let ends = |rest: &str| !rest.starts_with(|letter: char| letter.is_alphanumeric());
        openings.iter().any(|opening| line.strip_prefix(opening).is_some_and(ends))
    })
}
