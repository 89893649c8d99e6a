//! The list of all entries, one a line: what an agent reads before it opens one.

use std::fmt::Write as _;

use serde::Serialize;

use super::knowledge::{Document, Section, Topic};
use crate::prompt::prompt_text;

/// How much of a title and of an area is shown, in characters.
const TITLE_CHARACTERS: usize = 60;
const AREA_CHARACTERS: usize = 80;

/// All entries that hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Index {
    /// What was decided.
    pub decisions: Vec<IndexEntry>,
    /// What goes wrong.
    pub pitfalls: Vec<IndexEntry>,
}

/// An entry in the list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct IndexEntry {
    /// Its anchor.
    pub id: String,
    /// Its title, cut.
    pub title: String,
    /// Its status: a word of the vocabulary, else `unknown`.
    pub status: &'static str,
    /// The area it is about, cut.
    pub area: Option<String>,
}

/// Lists the entries that hold.
#[must_use]
pub fn make_index(documents: &[Document]) -> Index {
    let of = |topic: Topic| {
        let documents = documents.iter().filter(move |document| document.topic() == topic);
        documents.flat_map(Document::sections).filter(|section| section.is_active()).map(entry).collect()
    };
    Index { decisions: of(Topic::Decisions), pitfalls: of(Topic::Pitfalls) }
}

fn entry(section: &Section) -> IndexEntry {
    IndexEntry {
        id: section.anchor.clone(),
        title: cut(&section.title, TITLE_CHARACTERS),
        status: section.status_word().unwrap_or("unknown"),
        area: section.area.as_deref().map(|area| cut(area, AREA_CHARACTERS)).filter(|area| !area.is_empty()),
    }
}

fn cut(text: &str, most: usize) -> String {
    let text = prompt_text(text, usize::MAX);
    if text.chars().count() <= most {
        return text;
    }
    text.chars().take(most).collect::<String>() + "…"
}

/// The list as text. `folder` is where the files lie.
#[must_use]
pub fn render_index(index: &Index, folder: &str) -> String {
    let groups = [(Topic::Decisions, "Decisions", &index.decisions), (Topic::Pitfalls, "Pitfalls", &index.pitfalls)];
    let filled: Vec<_> = groups.into_iter().filter(|(_, _, entries)| !entries.is_empty()).collect();
    if filled.is_empty() {
        return "(none)\n".to_owned();
    }
    let mut text = String::new();
    for (_, heading, entries) in &filled {
        let _ = writeln!(text, "{heading} ({}):", entries.len());
        for entry in *entries {
            let _ = write!(text, "  {}  {}  [{}]", entry.id, entry.title, entry.status);
            if let Some(area) = &entry.area {
                let _ = write!(text, "  —  {area}");
            }
            text.push('\n');
        }
        text.push('\n');
    }
    for (topic, _, _) in &filled {
        let anchors = format!("{}-NNN", topic.prefix());
        let _ = writeln!(text, "{anchors:<7} entries are in {folder}/{}", topic.path());
    }
    text.push_str(
        "`outerloop index ADR-NNN` or `outerloop index PF-NNN` prints an entry in full; so does the file, below its heading.\n",
    );
    text
}
