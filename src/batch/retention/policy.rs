//! What is kept of a run's folder: the workspace's settings, and over them the `retention.yaml` of the folder.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Read as _};
use std::path::Path;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::workdir::Workdir;
use setting::RetentionSettings;
use store::durable;
use text::diagnostic::{Diagnostic, Exit, Outcome};

/// A file of six numbers has no reason to be longer.
const MOST_BYTES: u64 = 64 << 10;

/// The keys of a retention file.
const KEYS: [&str; 6] =
    ["max_runs", "max_sessions", "max_log_lines", "max_archive_age_days", "lock_stale_hours", "protected_window_minutes"];

/// What is kept of a run's folder.
pub type Policy = RetentionSettings;

/// The policy for a run's folder: the settings, and what its `retention.yaml` says instead, or the file that the settings
/// name, whose path starts at `root`. No such file means the settings; a file that the settings name must be there.
///
/// Nothing may be pruned when this fails: a value that was not understood must not become a limit of 0.
pub fn load_policy(settings: &RetentionSettings, root: &Path, work: &Path) -> Outcome<Policy> {
    let base = settings.clone();
    if let Some(named) = &settings.file {
        let path = root.join(named);
        return parse_policy(&load(&path).map_err(|problem| misnamed(problem, &path))?, &path, base);
    }
    let Some(found) = Workdir::find(work)? else { return Ok(base) };
    let path = found.learnings.join("retention.yaml");
    match path.symlink_metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(base),
        _ => parse_policy(&load(&path)?, &path, base),
    }
}

/// The policy that a retention file gives: each key that it has takes the place of the one in `base`. `place` is named in
/// errors.
pub fn parse_policy(bytes: &[u8], place: &Path, mut policy: Policy) -> Outcome<Policy> {
    if bytes.len() as u64 > MOST_BYTES {
        return Err(refused(place, "the retention file is longer than 64 KiB").because(format!("it has {} bytes", bytes.len())));
    }
    let unreadable = |cause: String| refused(place, "the retention file cannot be read").because(cause);
    let text = std::str::from_utf8(bytes).map_err(|error| unreadable(error.to_string()))?;
    let values: Option<BTreeMap<String, Value>> =
        serde_saphyr::from_str_with_options(text, limits()).map_err(|error| unreadable(error.without_snippet().to_string()))?;
    for (key, value) in values.unwrap_or_default() {
        let whole = || value.whole(&key, place);
        let small = || u32::try_from(whole()?).map_err(|_| unfit(&key, "is too large", place));
        let count = || usize::try_from(whole()?).map_err(|_| unfit(&key, "is too large", place));
        match key.as_str() {
            "max_runs" => policy.max_runs = count()?,
            "max_sessions" => policy.max_sessions = count()?,
            "max_log_lines" => policy.max_log_lines = count()?,
            "max_archive_age_days" => policy.max_archive_age_days = small()?,
            "lock_stale_hours" => policy.lock_stale_hours = small()?,
            "protected_window_minutes" => policy.protected_window_minutes = small()?,
            _ => return Err(unknown(&key, place)),
        }
    }
    Ok(policy)
}

/// Six keys need no aliases, no depth and no second document.
fn limits() -> serde_saphyr::Options {
    serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_events: 1_000,
            max_nodes: 500,
            max_depth: 8,
            max_documents: 1,
            max_anchors: 0,
            max_aliases: 0,
            max_merge_keys: 0,
        },
        merge_keys: serde_saphyr::MergeKeyPolicy::Error,
        with_snippet: false,
    }
}

fn load(path: &Path) -> Outcome<Vec<u8>> {
    let failed = |error: io::Error| Diagnostic::io("cannot read the retention file", path, &error);
    let mut bytes = Vec::new();
    durable::open_regular(path).map_err(failed)?.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
    Ok(bytes)
}

/// What is said of a file that the settings name.
fn misnamed(problem: Diagnostic, path: &Path) -> Diagnostic {
    match path.symlink_metadata() {
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Diagnostic {
            exit: Exit::Edit,
            remedy:
                "correct the setting retention.file, whose path starts at the workspace, or create the file; nothing was pruned"
                    .to_owned(),
            ..problem
        },
        _ => problem,
    }
}

fn refused(place: &Path, what: &str) -> Diagnostic {
    let remedy = "write one `key: integer` per line, or remove the file to use the workspace's settings; nothing was pruned";
    Diagnostic::edit(what, remedy).at(place)
}

fn unfit(key: &str, why: &str, place: &Path) -> Diagnostic {
    let remedy = format!("give `{key}` an integer, or remove the line to use the workspace's setting; nothing was pruned");
    Diagnostic::edit(format!("`{key}` {why}"), remedy).at(place)
}

fn unknown(key: &str, place: &Path) -> Diagnostic {
    let shown: String = key.chars().take(80).collect();
    let remedy = format!("use one of {}; nothing was pruned", KEYS.join(", "));
    Diagnostic::edit(format!("`{}` is not a key of a retention file", shown.escape_debug()), remedy).at(place)
}

/// What stands behind a key: a number that fits, or what is wrong with it.
#[derive(Debug)]
enum Value {
    Whole(u64),
    Unfit(&'static str),
}

impl Value {
    fn whole(&self, key: &str, place: &Path) -> Outcome<u64> {
        match self {
            Self::Whole(number) => Ok(*number),
            Self::Unfit(why) => Err(unfit(key, why, place)),
        }
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ValueVisitor)
    }
}

struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an integer")
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
        Ok(Value::Whole(number))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
        Ok(u64::try_from(number).map_or(Value::Unfit("is negative"), Value::Whole))
    }

    fn visit_i128<E>(self, number: i128) -> Result<Value, E> {
        Ok(Value::Unfit(if number < 0 { "is negative" } else { "is too large" }))
    }

    fn visit_u128<E>(self, _: u128) -> Result<Value, E> {
        Ok(Value::Unfit("is too large"))
    }

    fn visit_f64<E>(self, _: f64) -> Result<Value, E> {
        Ok(Value::Unfit("is not written as an integer"))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Value, E> {
        Ok(Value::Unfit("is not a number"))
    }

    fn visit_str<E>(self, _: &str) -> Result<Value, E> {
        Ok(Value::Unfit("is text, not an integer"))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Unfit("has no value"))
    }

    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Unfit("has no value"))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Value, A::Error> {
        while sequence.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Value::Unfit("is a list, not an integer"))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Value::Unfit("is a mapping, not an integer"))
    }
}
