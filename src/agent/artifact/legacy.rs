//! Entries of knowledge files that an earlier system wrote, and that no observation stands behind. Whoever wants them gone says so;
//! the files are kept as they were beside it.

use std::time::Duration;

use super::lock::take_lock;
use super::stock::load_documents;
use super::tree::Tree;
use super::work::{MANIFEST, Task};
use render::artifact::{Document, Manifest};
use text::diagnostic::{Diagnostic, Outcome};

/// How long others are waited for.
const PATIENCE: Duration = Duration::from_secs(10);
/// The entries that the earlier system itself shipped.
const SHIPPED: [&str; 4] = ["ADR-002", "PF-001", "PF-003", "PF-005"];
/// The file that it kept before there were entries.
const PATTERNS: &str = ".memory/PROJECT-PATTERNS.md";

/// Which entries go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// The four that the earlier system shipped, and its file of patterns.
    V2,
    /// All that name no observation, those that people wrote by hand included.
    V3,
}

/// What went, or would go.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Purged {
    /// The entries, each with its title.
    pub entries: Vec<(String, String)>,
    /// The files that were changed, and the copies of what they were.
    pub backups: Vec<(String, String)>,
}

/// Removes entries that no observation stands behind. An entry that names one, or that the manifest knows, stays.
pub fn purge_legacy(task: Task<'_>, rule: Rule) -> Outcome<Purged> {
    let _lock = take_lock(task.root, PATIENCE)?;
    let tree = Tree::at(task.root);
    let mut manifest = match tree.read_text(MANIFEST)?.map(|text| Manifest::parse(&text)) {
        Some(Ok(manifest)) => manifest,
        // Without it nobody knows which entries are ours; another system's says nothing about ours.
        Some(Err(_)) | None => Manifest::default(),
    };
    let mut purged = Purged::default();
    let stamp = task.now.strftime("%Y%m%dT%H%M%SZ").to_string();
    for document in load_documents(tree)? {
        let gone = find_legacy(&document, &manifest, rule);
        if gone.is_empty() {
            continue;
        }
        let path = document.topic().path();
        let anchors: Vec<&str> = gone.iter().map(|(anchor, _)| anchor.as_str()).collect();
        if !task.is_dry {
            purged.backups.push((path.to_owned(), back_up(tree, path, document.text(), &stamp)?));
            // A number that was taken once is never given again.
            for anchor in &anchors {
                manifest.raise(anchor);
            }
            let text = manifest.render().map_err(|error| Diagnostic::bug(format!("the manifest cannot be written: {error}")))?;
            tree.write(MANIFEST, &text)?;
            tree.write(path, document.without(&anchors).text())?;
        }
        purged.entries.extend(gone);
    }
    if rule == Rule::V2
        && let Some(text) = tree.read_text(PATTERNS)?
    {
        if !task.is_dry {
            purged.backups.push((PATTERNS.to_owned(), back_up(tree, PATTERNS, &text, &stamp)?));
            let path = tree.path(PATTERNS);
            std::fs::remove_file(&path).map_err(|error| Diagnostic::io("cannot remove the file", &path, &error))?;
        }
        purged.entries.push((PATTERNS.to_owned(), "patterns of the earlier system".to_owned()));
    }
    Ok(purged)
}

fn find_legacy(document: &Document, manifest: &Manifest, rule: Rule) -> Vec<(String, String)> {
    let is_known = |anchor: &str| manifest.live().any(|entry| entry.anchor_id.as_deref() == Some(anchor));
    let sections = document.sections().iter().filter(|section| section.observation_id().is_none() && !is_known(&section.anchor));
    let is_meant = |anchor: &str| rule == Rule::V3 || SHIPPED.contains(&anchor);
    sections.filter(|section| is_meant(&section.anchor)).map(|section| (section.anchor.clone(), section.title.clone())).collect()
}

fn back_up(tree: Tree<'_>, path: &str, text: &str, stamp: &str) -> Outcome<String> {
    for number in 1..100 {
        let copy = if number == 1 { format!("{path}.{stamp}.bak") } else { format!("{path}.{stamp}-{number}.bak") };
        if tree.create(&copy, text)? {
            return Ok(copy);
        }
    }
    Err(Diagnostic::edit("a hundred copies of this second are already there", "remove some of them").at(&tree.path(path)))
}
