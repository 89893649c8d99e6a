//! What a command answered: the JSON in it, checked entry by entry. A model wrote it, so that nothing of it is trusted.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::meaning::model_terms;
use super::quotation::Sayings;
use super::sighting::{Known, MOST_EVIDENCE, Sighting, add_sighting, as_pattern, laid_out, normal_form, type_of};
use super::source::Source;
use event::field::{Lack, ObservationType};
use render::plain_text;
use text::fit::{is_unprintable, quoted};

/// The most entries of an answer, quotations of an entry, and characters of an id, a pattern, a quotation and the details.
const MOST_ENTRIES: usize = 100;
const MOST_QUOTES: usize = 50;
const ID_CHARACTERS: usize = 64;
const PATTERN_CHARACTERS: usize = 500;
const QUOTE_CHARACTERS: usize = 2000;
const DETAIL_CHARACTERS: usize = 4000;
const FENCE: &str = "```";

/// The usable part of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Answer {
    /// What was seen in each session, in the order of the sessions.
    pub sightings: Vec<Vec<Sighting>>,
    /// Why entries were refused.
    pub faults: Vec<String>,
}

/// Parses the answer about some sessions. Entries are refused one by one; without a list of them, or without a single good one
/// in it, all of it is.
pub fn parse_answer(text: &str, sessions: &[&Source], known: &[&Known]) -> Result<Answer, String> {
    let entries = find_entries(text)?;
    let sayings: Vec<Sayings> = sessions.iter().map(|source| Sayings::new(&source.exchanges)).collect();
    let mut answer = Answer { sightings: vec![Vec::new(); sessions.len()], faults: Vec::new() };
    let count = entries.len();
    for (index, entry) in entries.into_iter().enumerate() {
        let parsed = if index < MOST_ENTRIES { parse_entry(&entry, known, &sayings) } else { Err("too many entries".to_owned()) };
        match parsed {
            // A thing that is named twice was seen once.
            Ok((session, sighting)) => add_sighting(&mut answer.sightings[session], sighting),
            Err(fault) => answer.faults.push(format!("entry {}: {fault}", index + 1)),
        }
    }
    if count > 0 && answer.faults.len() == count {
        return Err(format!("no entry of the answer can be used: {}", answer.faults[0]));
    }
    Ok(answer)
}

/// An entry as it is written. Members beyond these change nothing.
#[derive(Debug, Deserialize)]
struct RawEntry {
    id: String,
    #[serde(rename = "type")]
    kind: String,
    pattern: String,
    evidence: Option<Vec<String>>,
    details: Option<Value>,
    quality_ok: Option<bool>,
    session: Option<usize>,
}

fn parse_entry(entry: &Value, known: &[&Known], sayings: &[Sayings]) -> Result<(usize, Sighting), String> {
    if !entry.is_object() {
        return Err("it is not an object".to_owned());
    }
    let raw = RawEntry::deserialize(entry).map_err(|error| plain_text(&error.to_string(), 200))?;
    let kind = type_of(&raw.kind).ok_or_else(|| format!("`type` is {}", quoted(&raw.kind)))?;
    let id = parse_id(raw.id, kind, known)?;
    let pattern = parse_pattern(&raw.pattern)?;
    let details = raw.details.map_or(Ok(String::new()), |details| parse_details(&details, kind))?;
    let quotes = parse_quotes(&raw.evidence.unwrap_or_default())?;
    let session = place_of(raw.session, &quotes, sayings)?;
    // A quotation that stands in no turn is an invention: it is left out, and supports nothing.
    let evidence: Vec<String> =
        quotes.into_iter().filter(|quote| sayings[session].find(quote).is_some()).take(MOST_EVIDENCE).collect();
    // Whether quotations that were said support the pattern is the command's to judge, in whatever language they are.
    let lacks = match raw.quality_ok {
        Some(true) if evidence.is_empty() => Some(Lack::Quotation),
        Some(true) => None,
        _ => Some(Lack::Judgement),
    };
    let meaning = model_terms(kind, &pattern, &details);
    Ok((session, Sighting { id: Some(id), kind, pattern, evidence, details, lacks, meaning }))
}

/// An id of ours. One that is known keeps its type: the same id for something else would mix the two.
fn parse_id(id: String, kind: ObservationType, known: &[&Known]) -> Result<String, String> {
    let is_plain = |rest: &str| rest.chars().all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-'));
    let rest = id.strip_prefix("obs_").filter(|rest| (1..=ID_CHARACTERS).contains(&rest.len()) && is_plain(rest));
    if rest.is_none() {
        return Err(format!("`id` is {}", quoted(&id)));
    }
    match known.iter().find(|known| known.id == id) {
        Some(known) if known.kind != kind => Err(format!("{} is of type {}, not {kind}", quoted(&id), known.kind)),
        _ => Ok(id),
    }
}

fn parse_pattern(pattern: &str) -> Result<String, String> {
    if pattern.chars().nth(PATTERN_CHARACTERS).is_some() {
        return Err(format!("`pattern` has more than {PATTERN_CHARACTERS} characters"));
    }
    if normal_form(pattern).is_empty() {
        return Err("`pattern` is empty".to_owned());
    }
    Ok(as_pattern(pattern))
}

/// Details as a text, or as fields that are laid out here, so that none can be forged inside of another.
pub(crate) fn parse_details(details: &Value, kind: ObservationType) -> Result<String, String> {
    let names: &[&str] = match kind {
        ObservationType::Decision => &["context", "decision", "rationale"],
        ObservationType::Pitfall => &["area", "issue", "impact", "resolution"],
        ObservationType::Workflow | ObservationType::Procedural => &[],
    };
    match details {
        Value::String(text) if text.chars().nth(DETAIL_CHARACTERS).is_none() => Ok(lines_of(text, names.is_empty())),
        Value::Object(fields) if !names.is_empty() => {
            let value = |name: &&str| fields.get(*name).and_then(Value::as_str).map(str::to_owned);
            let values: Vec<String> = names.iter().map(|name| value(name).unwrap_or_default()).collect();
            if fields.values().any(|value| !value.is_string()) {
                return Err("`details` contains something that is not text".to_owned());
            }
            let told: Vec<(&str, &str)> = names
                .iter()
                .copied()
                .zip(values.iter().map(String::as_str))
                .filter(|(_, value)| !value.trim().is_empty())
                .collect();
            Ok(laid_out(&told))
        }
        Value::String(_) => Err(format!("`details` has more than {DETAIL_CHARACTERS} characters")),
        _ => Err("`details` is not a text".to_owned()),
    }
}

/// A text without what cannot be printed; on one line where it is not made of lines.
fn lines_of(text: &str, has_lines: bool) -> String {
    if !has_lines {
        return plain_text(text, DETAIL_CHARACTERS);
    }
    let lines = text.lines().map(|line| plain_text(line, DETAIL_CHARACTERS)).filter(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join("\n")
}

fn parse_quotes(quotes: &[String]) -> Result<Vec<String>, String> {
    if quotes.len() > MOST_QUOTES {
        return Err(format!("`evidence` has {} items, more than {MOST_QUOTES}", quotes.len()));
    }
    if quotes.iter().any(|quote| quote.chars().nth(QUOTE_CHARACTERS).is_some()) {
        return Err(format!("an item of `evidence` has more than {QUOTE_CHARACTERS} characters"));
    }
    let quotes = quotes.iter().map(|quote| plain_text(quote, QUOTE_CHARACTERS));
    Ok(quotes.filter(|quote| !quote.is_empty() && !quote.chars().any(is_unprintable)).collect())
}

/// The session that is named; else the first one that holds what is quoted, else the last.
fn place_of(number: Option<usize>, quotes: &[String], sayings: &[Sayings]) -> Result<usize, String> {
    match number {
        Some(number) if (1..=sayings.len()).contains(&number) => Ok(number - 1),
        Some(number) => Err(format!("`session` is {number}, and there are {}", sayings.len())),
        None => {
            let found = sayings.iter().position(|sayings| quotes.iter().any(|quote| sayings.find(quote).is_some()));
            Ok(found.unwrap_or(sayings.len().saturating_sub(1)))
        }
    }
}

/// The entries of an answer: one JSON object by itself, or inside of the only fenced block.
fn find_entries(text: &str) -> Result<Vec<Value>, String> {
    let object = parse_object(text)?;
    if let Some(Value::String(inner)) = object.get("result").filter(|_| !object.contains_key("observations")) {
        // Some commands report on their own work in JSON, with the model's words as a text inside of it.
        return entries_of(parse_object(inner)?);
    }
    entries_of(object)
}

fn parse_object(text: &str) -> Result<Map<String, Value>, String> {
    let parse = |text: &str| serde_json::from_str::<Map<String, Value>>(text.trim().trim_start_matches('\u{feff}'));
    match parse(text) {
        Ok(object) => Ok(object),
        Err(error) => match fenced(text)? {
            Some(block) => parse(&block).map_err(|error| format!("the fenced block of the answer is not a JSON object: {error}")),
            None => Err(format!("the answer is not a JSON object: {error}")),
        },
    }
}

fn entries_of(mut object: Map<String, Value>) -> Result<Vec<Value>, String> {
    match object.remove("observations") {
        Some(Value::Array(entries)) => Ok(entries),
        Some(_) => Err("`observations` of the answer is not a list".to_owned()),
        None => Err("the answer has no list `observations`".to_owned()),
    }
}

/// What stands in the only fenced block of a text; none if there is no fence. With several, nobody could say which is meant.
fn fenced(text: &str) -> Result<Option<String>, String> {
    let fences: Vec<(usize, &str)> = text.lines().map(str::trim).enumerate().filter(|(_, line)| line.starts_with(FENCE)).collect();
    match fences[..] {
        [] => Ok(None),
        [(begin, FENCE | "```json" | "```JSON"), (end, FENCE)] => {
            Ok(Some(text.lines().take(end).skip(begin + 1).collect::<Vec<_>>().join("\n")))
        }
        _ => Err("the answer has fences other than those of one JSON block".to_owned()),
    }
}
