//! Published patterns by the names that agents give them.

use super::fold::fold;
use super::injection::{damaged, open_index};
use render::IndexReader;
use store::workspace::Workspace;
use text::diagnostic::Outcome;

/// A published pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    pub id: String,
    pub text: String,
}

/// What a text that was cut ends with, folded.
const CUT: &str = "...";
/// Less of a text than this many bytes may be the beginning of many.
const LEAST_BEGINNING: usize = 20;

/// Finds published patterns by their ids, or by their texts as they were shown. None for a name that no pattern has.
pub fn find_known(workspace: &Workspace, names: &[&str]) -> Outcome<Vec<Option<Known>>> {
    let mut found = vec![None; names.len()];
    let Some(index) = open_index(workspace)?.filter(|_| !names.is_empty()) else { return Ok(found) };
    let folded: Vec<String> = names.iter().map(|name| fold(name)).collect();
    let read = || {
        let mut reader = IndexReader::open(index)?;
        while let Some(entry) = reader.next_entry()? {
            let mut text = None;
            for (place, name) in names.iter().enumerate().filter(|(place, _)| found[*place].is_none()).collect::<Vec<_>>() {
                let text = text.get_or_insert_with(|| fold(&entry.summary));
                if entry.id.eq_ignore_ascii_case(name) || is_text(&folded[place], text) {
                    found[place] = Some(Known { id: entry.id.clone().into_owned(), text: entry.summary.clone().into_owned() });
                }
            }
        }
        reader.finish("").map(drop)
    };
    read().map_err(|cause| damaged(workspace, cause))?;
    Ok(found)
}

fn is_text(name: &str, text: &str) -> bool {
    let beginning = name.strip_suffix(CUT).filter(|beginning| beginning.len() >= LEAST_BEGINNING);
    name == text || beginning.is_some_and(|beginning| text.starts_with(beginning.trim_end()))
}
