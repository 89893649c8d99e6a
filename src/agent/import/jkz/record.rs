//! `state/deliberations/<issue>-<role>-<iteration>.json`: what one role said.

use jiff::Timestamp;
use serde_json::{Map, Value};

use super::row::{Counted, Owner};
use crate::import::imported::decode_file;
use crate::import::imported::{Imported, Notes, Record, Refusal};
use crate::import::member::Members;
use crate::import::value::fit_file_time;
use event::{Kind, Utterance};
use text::review::evidence_level;
use text::{fit, limit};

/// The roles of the original: where a record does not name its role, its file's name ends in one of them.
const ROLES: [&str; 14] = [
    "auditor",
    "judge",
    "sentinel",
    "research-auditor",
    "curator",
    "inspector",
    "lens",
    "research-reviewer",
    "architect",
    "builder",
    "doctor",
    "analyst",
    "librarian",
    "classifier",
];

/// The members that stand first behind what was said, in this order; other fields follow. An event that is imported again must have
/// the same bytes.
const ORDER: [&str; 6] = ["status", "model", "endpoint", "command", "duration_ms", "tokens"];

/// What is read from the text itself, whatever a record says of it.
const FROM_TEXT: [&str; 4] = ["evidence_level", "verdict", "patterns", "prior"];

/// Where records come from.
#[derive(Debug, Clone, Copy)]
pub struct RecordSource<'s> {
    pub owner: Owner<'s>,
    /// Up to when rows of patterns that are imported beside the records count what was said.
    pub counted_through: &'s Counted,
}

/// What became of one record.
#[derive(Debug)]
pub struct ImportedRecord {
    /// Its event, or why there is none.
    pub imported: Imported,
    pub time: Timestamp,
}

/// Imports one record: a `deliberation` event. What it leaves out, its file's name says.
#[must_use]
pub fn import_record(file_name: &str, bytes: &[u8], modified: Timestamp, source: RecordSource<'_>) -> ImportedRecord {
    let mut notes = Notes::default();
    let mut imported = Imported::default();
    let text = decode_file(bytes, &mut notes);
    if text.trim().is_empty() {
        imported.book_blank();
        return ImportedRecord { imported, time: modified };
    }
    let read = read_record(file_name, &text, modified, source, &mut notes);
    let time = read.as_ref().map_or(modified, |(time, _)| *time);
    imported.book(0, &text, notes, read.map(|(_, event)| Record::Events(vec![event])));
    ImportedRecord { imported, time }
}

fn read_record(
    file_name: &str,
    text: &str,
    modified: Timestamp,
    source: RecordSource<'_>,
    notes: &mut Notes,
) -> Result<(Timestamp, String), Refusal> {
    let mut members = Members::parse(Kind::Deliberation, text)?;
    let response = match members.take("text") {
        Some(Value::String(response)) if !response.trim().is_empty() => response,
        None => return Err("holds no `response`".to_owned()),
        Some(Value::String(_)) => return Err("its `response` is empty".to_owned()),
        Some(_) => return Err("its `response` is not a text".to_owned()),
    };
    let told_role = members.name("role", notes);
    let named = parse_name(file_name, told_role.as_deref());
    let role = told_role.or(named.role).ok_or("neither the record nor its file name gives the role")?;
    let time = members.time("ts")?.unwrap_or_else(|| fit_file_time(modified, notes));
    let run = members.name("run_id", notes).or_else(|| members.name("run", notes));
    let (phase, request) = (members.label("phase", notes), members.label("pull_request", notes));
    let issue = members.label("issue", notes).or(named.issue);
    let (labels, files) = (members.labels("labels", notes), members.labels("files", notes));
    let project = source.owner.of(members.name("project", notes));
    let utterance = Utterance {
        project: &project,
        role: &role,
        time,
        run: run.as_deref(),
        iteration: members.count("iteration", notes).or(named.iteration),
        issue: issue.as_deref(),
        pull_request: request.as_deref(),
        phase: phase.as_deref(),
        labels: &labels,
        files: &files,
        level: evidence_level(&response, &files),
        text: &response,
    };
    if response.len() > limit::TEXT_BYTES {
        notes.add(format!("`response` has {} bytes: all of it is read, a part is kept", response.len()));
    }
    // What the rows of patterns count must not count again.
    let is_counted = source.counted_through.get(&project).is_some_and(|through| time <= *through);
    let draft = if is_counted { utterance.draft_with(Vec::new()) } else { utterance.draft() };
    let mut others = members.fields_but(&FROM_TEXT, notes);
    others.extend(members.label("endpoint", notes).map(|endpoint| ("endpoint".to_owned(), endpoint.into())));
    let first: Map<String, Value> = ORDER.into_iter().filter_map(|name| others.shift_remove_entry(name)).collect();
    Ok((time, draft.with_all(first).with_all(others).finish()?))
}

/// What a file's name says.
#[derive(Debug, Default, PartialEq, Eq)]
struct Named {
    issue: Option<String>,
    role: Option<String>,
    iteration: Option<i64>,
}

/// Reads `<issue>-<role>-<iteration>.json`. Issues and roles may hold dashes: a known role, or the one that the record names, parts them.
fn parse_name(file_name: &str, role: Option<&str>) -> Named {
    let name = file_name.rsplit(['/', '\\']).next().unwrap_or(file_name);
    let stem = name.strip_suffix(".json").unwrap_or(name);
    let (rest, iteration) = match stem.rsplit_once('-') {
        Some((rest, digits)) if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) => {
            (rest, digits.parse().ok())
        }
        _ => return Named::default(),
    };
    let known = role.into_iter().chain(ROLES).filter(|known| rest == *known || rest.ends_with(&format!("-{known}")));
    let parted = match known.max_by_key(|known| known.len()) {
        Some(known) => (rest[..rest.len() - known.len()].trim_end_matches('-'), known),
        None => rest.split_once('-').unwrap_or((rest, "")),
    };
    Named { issue: fit::label(parted.0), role: fit::name(parted.1), iteration }
}
