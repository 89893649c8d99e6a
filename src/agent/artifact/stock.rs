//! What a project's folder holds of what was rendered into it.

use std::path::Path;

use super::tree::Tree;
use render::artifact::{Document, SKILLS, Topic, canonical_hash, find_marker};
use text::diagnostic::{Diagnostic, Outcome};

/// Where people may have moved slash commands to.
const COMMAND_FOLDER: &str = ".claude/commands";
/// How deep below that they are looked for.
const MOST_DEPTH: usize = 4;
/// How many files are looked at.
const MOST_FILES: usize = 5000;

/// What a project's folder holds.
#[derive(Debug)]
pub(super) struct Stock {
    documents: [Document; 2],
    /// Knowledge files that cannot be read.
    pub(super) unreadable: Vec<Topic>,
    /// Whether there may be slash commands and skills that were not looked at.
    pub(super) is_partial: bool,
    /// Slash commands and skills that name their observation.
    pub(super) files: Vec<Marked>,
}

/// A slash command or a skill that names its observation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Marked {
    pub(super) path: String,
    pub(super) observation_id: String,
    pub(super) hash: String,
}

impl Stock {
    /// Looks at a folder. What cannot be read is told, and everything else is looked at all the same.
    pub(super) fn load(tree: Tree<'_>, problems: &mut Vec<Diagnostic>) -> Self {
        let mut unreadable = Vec::new();
        let documents = Topic::ALL.map(|topic| {
            let text = tree.read_text(topic.path()).unwrap_or_else(|problem| {
                problems.push(problem);
                unreadable.push(topic);
                None
            });
            Document::parse(topic, text.unwrap_or_default())
        });
        let mut files = Vec::new();
        let listed = [list_commands(tree, &mut files), list_skills(tree, &mut files)];
        let is_partial = listed.iter().any(Result::is_err);
        problems.extend(listed.into_iter().filter_map(Result::err));
        Self { documents, unreadable, is_partial, files }
    }

    pub(super) fn document(&self, topic: Topic) -> &Document {
        &self.documents[usize::from(topic == Topic::Pitfalls)]
    }

    pub(super) fn put(&mut self, document: Document) {
        let place = usize::from(document.topic() == Topic::Pitfalls);
        self.documents[place] = document;
    }
}

/// The knowledge files of a folder; those that are not there are empty.
pub fn load_documents(tree: Tree<'_>) -> Outcome<Vec<Document>> {
    Topic::ALL.into_iter().map(|topic| Ok(Document::parse(topic, tree.read_text(topic.path())?.unwrap_or_default()))).collect()
}

fn list_commands(tree: Tree<'_>, files: &mut Vec<Marked>) -> Outcome<()> {
    let is_text = |name: &str| Path::new(name).extension().is_some_and(|ending| ending == "md");
    let mut folders = vec![(COMMAND_FOLDER.to_owned(), 0)];
    let mut looked_at = 0;
    while let Some((folder, depth)) = folders.pop() {
        for listed in tree.list(&folder)? {
            let path = format!("{folder}/{}", listed.name);
            if listed.is_folder && depth < MOST_DEPTH {
                folders.push((path, depth + 1));
            } else if listed.is_file && is_text(&listed.name) {
                looked_at += 1;
                if looked_at > MOST_FILES {
                    return Err(too_many(tree, COMMAND_FOLDER));
                }
                files.extend(load_marked(tree, path));
            }
        }
    }
    Ok(())
}

fn list_skills(tree: Tree<'_>, files: &mut Vec<Marked>) -> Outcome<()> {
    let folders = tree.list(SKILLS)?;
    if folders.len() > MOST_FILES {
        return Err(too_many(tree, SKILLS));
    }
    for listed in folders.into_iter().filter(|listed| listed.is_folder) {
        files.extend(load_marked(tree, format!("{SKILLS}/{}/SKILL.md", listed.name)));
    }
    Ok(())
}

fn too_many(tree: Tree<'_>, folder: &str) -> Diagnostic {
    Diagnostic::edit(
        format!("the folder holds more than {MOST_FILES} files"),
        "move away files that are neither commands nor skills",
    )
    .at(&tree.path(folder))
}

/// A file that names its observation. Others are somebody else's, and so is what cannot be read.
fn load_marked(tree: Tree<'_>, path: String) -> Option<Marked> {
    let bytes = tree.read(&path).ok()??;
    let text = String::from_utf8_lossy(&bytes);
    let observation_id = find_marker(&text)?.to_owned();
    Some(Marked { observation_id, hash: canonical_hash(&text), path })
}
