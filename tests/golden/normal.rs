//! What is compared of a published file: every figure, and separately the words for people.

use std::io::Write as _;
use std::path::Path;

use arrow::json::writer::{LineDelimited, WriterBuilder};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::Value;

/// Top-level members of JSON documents that name the version, the commit, the queries or the settings that made them. They are
/// meant to change with the program, and no figure is lost: what settings and files say is compared itself.
const VERSIONS: [&str; 10] =
    ["queries", "query", "hash", "settings_hash", "sha256", "version", "commit", "program", "prelude", "changed_since"];

/// Members and columns that hold sentences. Figures that these quote also stand in members of their own.
const WORDS: [&str; 16] = [
    "reason",
    "reasons",
    "flag_reason",
    "stale_reason",
    "why",
    "what",
    "example",
    "passed_over",
    "remedy",
    "remedies",
    "fix",
    "fixSuggestion",
    "recommendations",
    "flags",
    "track_record",
    "void_decisions",
];

/// One file as it is compared: without its sentences, and with them if it has any.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Normal {
    pub figures: Option<String>,
    pub words: Option<String>,
}

/// Removes what depends on the program's version, on the workspace's folder or on the encoding of Parquet.
/// `report.json` is split into its sections, so that a failure names the section that changed.
pub fn normalise(name: &str, bytes: &[u8], folder: &Path) -> Vec<(String, Normal)> {
    let ending = Path::new(name).extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    if ending == "parquet" {
        return vec![(name.to_owned(), in_both_ways(|drop| parquet_rows(bytes, drop)))];
    }
    let text = String::from_utf8(bytes.to_vec()).unwrap_or_else(|error| panic!("{name} is no text: {error}"));
    let text = without_places(&text, folder);
    match ending {
        "md" | "txt" => {
            // The last section of a report names the program and the hash of its SQL.
            let words = text.split_inclusive('\n').filter(|line| !line.starts_with("Program: ") && !line.starts_with("| sql/"));
            vec![(name.to_owned(), Normal { figures: None, words: Some(words.collect()) })]
        }
        "html" => {
            // Style and script are no words, and the end of the page names the program and its SQL. One element a line.
            let main = text.split_once("<main>").and_then(|(_, main)| main.split_once("<footer>")).map_or("", |(main, _)| main);
            vec![(name.to_owned(), Normal { figures: None, words: Some(main.replace("><", ">\n<")) })]
        }
        "json" => {
            let document = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{name} is no JSON: {error}"));
            of_document(name, without_versions(document))
        }
        "jsonl" => {
            vec![(name.to_owned(), in_both_ways(|drop| text.lines().map(|line| row(line, drop)).collect()))]
        }
        "prom" => {
            let (words, figures) = text.split_inclusive('\n').partition::<Vec<&str>, _>(|line| line.starts_with("# HELP"));
            vec![(name.to_owned(), Normal { figures: Some(figures.concat()), words: Some(words.concat()) })]
        }
        _ => vec![(name.to_owned(), Normal { figures: Some(text), words: None })],
    }
}

fn of_document(name: &str, document: Value) -> Vec<(String, Normal)> {
    match document {
        Value::Object(members) if name.ends_with("report.json") => {
            members.into_iter().map(|(member, value)| (format!("{name}/{member}"), of_value(&value))).collect()
        }
        document => vec![(name.to_owned(), of_value(&document))],
    }
}

/// A document on many lines, so that `diff` is useful.
fn of_value(value: &Value) -> Normal {
    in_both_ways(|drop| {
        let mut value = value.clone();
        drop(&mut value);
        format!("{value:#}\n")
    })
}

fn without_versions(mut document: Value) -> Value {
    let Some(members) = document.as_object_mut() else { return document };
    // The number that the store of another system begins with is a part of its format.
    members.retain(|name, member| !VERSIONS.contains(&name.as_str()) || member.is_number());
    // What a file of a generation hashes to follows from its content, which is compared itself.
    for file in members.get_mut("files").and_then(Value::as_array_mut).into_iter().flatten() {
        if let Some(file) = file.as_object_mut().filter(|file| file.contains_key("sha256")) {
            file.retain(|name, _| name == "name");
        }
    }
    document
}

/// Removes sentences.
fn drop_words(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(drop_words),
        Value::Object(members) => {
            members
                .retain(|name, member| !(WORDS.contains(&name.as_str()) && is_said(member) || name == "text" && is_block(member)));
            members.values_mut().for_each(drop_words);
        }
        _ => {}
    }
}

/// Whether a member is a sentence or a list of them, as opposed to a list of records under the same name.
fn is_said(member: &Value) -> bool {
    match member {
        Value::String(_) => true,
        Value::Array(items) => !items.is_empty() && items.iter().all(is_said),
        _ => false,
    }
}

/// Whether a text is a block for an agent's prompt; a pattern's own text stands on one line.
fn is_block(member: &Value) -> bool {
    member.as_str().is_some_and(|text| text.contains('\n'))
}

/// Renders a document or rows twice, with and without sentences.
fn in_both_ways(render: impl Fn(fn(&mut Value)) -> String) -> Normal {
    let (all, plain) = (render(|_| {}), render(drop_words));
    let words = (all != plain).then_some(all);
    Normal { figures: Some(plain), words }
}

/// A Parquet file as its columns with their types, and a line for each row. How it was written does not show.
fn parquet_rows(bytes: &[u8], drop: fn(&mut Value)) -> String {
    let mut file = tempfile::tempfile().expect("a file");
    file.write_all(bytes).expect("a file");
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).expect("a Parquet file");
    let columns = reader.schema().fields().iter().map(|field| format!("{}: {}\n", field.name(), field.data_type()));
    let mut text = columns.collect::<Vec<_>>().concat();
    let mut writer = WriterBuilder::new().with_explicit_nulls(true).build::<_, LineDelimited>(Vec::new());
    for batch in reader.build().expect("rows") {
        writer.write(&batch.expect("rows")).expect("rows");
    }
    writer.finish().expect("rows");
    text.extend(String::from_utf8(writer.into_inner()).expect("text").lines().map(|line| row(line, drop)));
    text
}

fn row(line: &str, drop: fn(&mut Value)) -> String {
    let mut row: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("no JSON: {error}: {line}"));
    drop(&mut row);
    format!("{row}\n")
}

/// Replaces the folder of the workspace, and the hash in the name of a generation (`20250401T000000Z-0123456789ab`), which covers
/// the bytes of all files.
fn without_places(text: &str, folder: &Path) -> String {
    const HASH: usize = 12;
    let text = text.replace(folder.to_str().expect("a path that is text"), "<folder>");
    let mut found = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(at) = rest.find("00Z-") {
        let (before, behind) = rest.split_at(at + 4);
        found.push_str(before);
        let is_hash = behind.len() >= HASH && behind.bytes().take(HASH).all(|byte| byte.is_ascii_hexdigit());
        rest = if is_hash {
            found.push_str("<hash>");
            &behind[HASH..]
        } else {
            behind
        };
    }
    found + rest
}
