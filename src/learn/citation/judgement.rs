//! Whether a cited place was worked on.

use std::collections::BTreeMap;

use super::place::Place;
use crate::change::{ChangedFile, Changes, Root, Status};

/// What was found out about a citation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    /// Whether it holds.
    pub verified: bool,
    /// Why, in a sentence.
    pub reason: String,
}

/// What must be known of a repository to judge the places of its files.
pub struct Facts<'a> {
    /// The folders under which absolute paths may name its files.
    pub roots: Vec<Root>,
    /// Where in the repository the agent worked: empty for the top, else a path that ends with `/`.
    pub prefix: String,
    /// The path of a file below the top with all links followed, or none if nothing is there.
    pub locate: &'a dyn Fn(&str) -> Option<String>,
}

/// Changed files by their paths, and by their earlier ones.
#[derive(Debug, Default)]
pub struct ChangeIndex<'a> {
    files: BTreeMap<&'a str, Vec<Changed<'a>>>,
}

/// A changed file under one of its names.
#[derive(Debug)]
struct Changed<'a> {
    file: &'a ChangedFile,
    is_earlier_name: bool,
}

impl<'a> ChangeIndex<'a> {
    /// The index of all changed files.
    #[must_use]
    pub fn new(changes: &'a Changes) -> Self {
        let mut files: BTreeMap<&str, Vec<Changed>> = BTreeMap::new();
        for file in &changes.files {
            files.entry(&file.path).or_default().push(Changed { file, is_earlier_name: false });
            if let Some(from) = &file.from {
                files.entry(from).or_default().push(Changed { file, is_earlier_name: true });
            }
        }
        Self { files }
    }

    fn at(&self, path: &str) -> &[Changed<'a>] {
        self.files.get(path).map_or(&[], Vec::as_slice)
    }
}

/// Judges a place: its file must be there, it must have been changed, and a change must lie at most `tolerance` lines away.
///
/// A path counts as written from the top of the repository or from where the agent worked; if one of the two holds, the
/// citation does. A file that was deleted counts as changed in all its lines, and a renamed one is known by both names. Where
/// lines were removed, the lines on both sides of the gap count as changed. None: the place is no citation, for it is a single
/// word that names no file.
#[must_use]
pub fn judge(place: &Place, index: &ChangeIndex, tolerance: u32, facts: &Facts) -> Option<Judgement> {
    let mut best: Option<(u8, Judgement)> = None;
    for path in candidates(&place.path, facts) {
        let found = judge_path(&path, place.line, index, tolerance, facts);
        // Of two failures the one that came further in the order of the tests says more.
        if best.as_ref().is_none_or(|(step, _)| found.0 > *step) {
            best = Some(found);
        }
    }
    let (step, judgement) = best.unwrap_or_else(|| refuted(MISSING, "the path is outside the repository"));
    (step > MISSING || !place.is_bare()).then_some(judgement)
}

/// How far a place came in the order of the tests.
const MISSING: u8 = 0;
const UNCHANGED: u8 = 1;
const DISTANT: u8 = 2;
const HOLDS: u8 = 3;

fn judge_path(path: &str, line: u32, index: &ChangeIndex, tolerance: u32, facts: &Facts) -> (u8, Judgement) {
    let located = (facts.locate)(path);
    let real = located.as_deref().filter(|real| *real != path);
    let changed: Vec<&Changed> = index.at(path).iter().chain(real.into_iter().flat_map(|real| index.at(real))).collect();
    let is_gone = |changed: &&Changed| changed.is_earlier_name || changed.file.status == Status::Deleted;
    if located.is_none() && !changed.iter().any(is_gone) {
        return refuted(MISSING, "the file does not exist");
    }
    let judged = changed.into_iter().map(|changed| judge_line(changed.file, line, tolerance));
    let best = judged.max_by_key(|(step, _)| *step);
    best.unwrap_or_else(|| refuted(UNCHANGED, "the file was not changed"))
}

fn judge_line(file: &ChangedFile, line: u32, tolerance: u32) -> (u8, Judgement) {
    if file.status == Status::Deleted {
        return (HOLDS, Judgement { verified: true, reason: "the file was deleted".to_owned() });
    }
    match nearest_change(file, line) {
        None if file.is_binary => refuted(DISTANT, "the file is binary"),
        None if file.status == Status::Renamed => refuted(DISTANT, "the file was renamed, but no line of it was changed"),
        None => refuted(DISTANT, "no line of the file was changed"),
        Some(0) => (HOLDS, Judgement { verified: true, reason: format!("line {line} was changed") }),
        Some(distance) => {
            let verified = distance <= tolerance;
            let unit = if distance == 1 { "line" } else { "lines" };
            let allowed = if tolerance == 1 { "1 is".to_owned() } else { format!("{tolerance} are") };
            let reason = format!("line {line} is {distance} {unit} from the nearest change; {allowed} allowed");
            (if verified { HOLDS } else { DISTANT }, Judgement { verified, reason })
        }
    }
}

fn refuted(step: u8, reason: &str) -> (u8, Judgement) {
    (step, Judgement { verified: false, reason: reason.to_owned() })
}

/// How many lines lie between a line and the nearest one that changed, that one included.
fn nearest_change(file: &ChangedFile, line: u32) -> Option<u32> {
    let distance = |first: u32, last: u32| first.saturating_sub(line).max(line.saturating_sub(last));
    let added = file.added.iter().map(|lines| distance(lines.first, lines.first.saturating_add(lines.count.saturating_sub(1))));
    let removed = file.deleted_after.iter().map(|before| distance(*before, before.saturating_add(1)));
    added.chain(removed).min()
}

/// The paths below the top that a cited path may mean.
fn candidates(path: &str, facts: &Facts) -> Vec<String> {
    let mut found: Vec<String> = if path.starts_with('/') {
        // Two slashes in front are a common slip, and no root has them.
        let path = format!("/{}", path.trim_start_matches('/'));
        let below = |root: &Root| {
            let rest = path.strip_prefix(root.folder.trim_end_matches('/'))?.strip_prefix('/')?;
            normalise(&format!("{}{rest}", root.prefix))
        };
        facts.roots.iter().filter_map(below).collect()
    } else {
        [normalise(path), normalise(&format!("{}{path}", facts.prefix))].into_iter().flatten().collect()
    };
    found.dedup();
    found
}

/// A path without `.`, `..` and doubled slashes. None if it leads above its start or nowhere.
fn normalise(path: &str) -> Option<String> {
    let mut parts = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            _ => parts.push(part),
        }
    }
    (!parts.is_empty()).then(|| parts.join("/"))
}
