//! What an agent's text says about artifacts: entries that it goes by, commands and skills that it mentions. Inside of an agent's
//! turn, so it is quick, and says each thing once for a session.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::lock::take_lock;
use super::stock::load_documents;
use super::tree::Tree;
use super::work::{Land, MANIFEST, Task};
use crate::observe::is_possible;
use crate::transcript::Mentions;
use event::Draft;
use render::artifact::{Document, Manifest, slug_of_path};
use store::durable;
use text::diagnostic::{Diagnostic, Outcome};
use text::digest::sha256;
use text::fit;

/// How long others are waited for.
const PATIENCE: Duration = Duration::from_secs(2);
/// What a session said is forgotten after so many seconds: it is over by then.
const MEMORY_SECONDS: i64 = 30 * 86_400;

/// What a text says, as far as it was not said before.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Said {
    /// The anchors that it cites.
    pub cited: Vec<String>,
    /// The commands and skills that it mentions, by their paths.
    pub used: Vec<String>,
}

/// What was said in a session.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Memory {
    landed: Vec<String>,
    /// Events that may not have landed.
    pending: Vec<String>,
}

/// Lands what a text says about artifacts. Each is told once for a session; without one, once for a text.
pub fn cite(task: Task<'_>, text: &str, session: Option<&str>, land: Land<'_>) -> Outcome<Said> {
    let key = session.map_or_else(|| format!("text\0{text}"), key_of_session);
    count(task, &Mentions::of(text), session, &key, land)
}

/// Lands what a whole session says about artifacts.
pub fn cite_session(task: Task<'_>, said: &Mentions, session: &str, land: Land<'_>) -> Outcome<Said> {
    count(task, said, Some(session), &key_of_session(session), land)
}

fn key_of_session(session: &str) -> String {
    format!("session\0{session}")
}

fn count(task: Task<'_>, mentions: &Mentions, session: Option<&str>, key: &str, land: Land<'_>) -> Outcome<Said> {
    if mentions.is_empty() {
        return Ok(Said::default());
    }
    let _lock = take_lock(task.root, PATIENCE)?;
    let tree = Tree::at(task.root);
    let documents = load_documents(tree)?;
    let manifest = tree.read_text(MANIFEST)?.and_then(|text| Manifest::parse(&text).ok()).unwrap_or_default();
    let path = memory_of(task, key);
    let mut memory = load(&path)?;
    let mut said = Said::default();
    let mut teller = Teller { task, session, key, memory: &mut memory };
    for (anchor, time) in mentions.cited.iter().filter(|(anchor, _)| is_known(&documents, anchor)) {
        let observation = observation_of(&documents, &manifest, anchor);
        if teller.tell("cited", observation, Some(anchor), None, *time)? {
            said.cited.push(anchor.clone());
        }
    }
    for entry in manifest.live().filter(|entry| entry.anchor_id.is_none()) {
        let Some(time) = slug_of_path(&entry.path).and_then(|slug| mentions.used.get(slug)) else { continue };
        let observation = Some((&*entry.observation_id, &*entry.observation_type));
        if teller.tell("used", observation, None, Some(&entry.path), *time)? {
            said.used.push(entry.path.clone());
        }
    }
    if !task.is_dry && !memory.pending.is_empty() {
        store(&path, &memory)?;
        land(&memory.pending)?;
        memory.pending.clear();
        store(&path, &memory)?;
    }
    Ok(said)
}

fn is_known(documents: &[Document], anchor: &str) -> bool {
    documents.iter().flat_map(Document::sections).any(|section| section.anchor == anchor)
}

/// The observation that an entry was rendered from, and its type.
fn observation_of<'m>(documents: &'m [Document], manifest: &'m Manifest, anchor: &str) -> Option<(&'m str, &'m str)> {
    let of_manifest = manifest.live().filter(|entry| entry.anchor_id.as_deref() == Some(anchor)).min_by_key(|entry| entry.linked);
    let mut of_file =
        documents.iter().flat_map(|document| document.sections().iter().map(move |section| (document.topic(), section)));
    let own = of_file
        .find(|(_, section)| section.anchor == anchor)
        .and_then(|(topic, section)| Some((section.observation_id()?, topic.observation_type().name())));
    of_manifest.map(|entry| (&*entry.observation_id, &*entry.observation_type)).or(own)
}

/// Notes events, each once.
struct Teller<'t, 'm> {
    task: Task<'t>,
    session: Option<&'t str>,
    key: &'m str,
    memory: &'m mut Memory,
}

impl Teller<'_, '_> {
    /// Notes an event of the moment at which it was said. Says whether it was not told before.
    fn tell(
        &mut self,
        action: &'static str,
        observation: Option<(&str, &str)>,
        anchor: Option<&str>,
        path: Option<&str>,
        said_at: Option<Timestamp>,
    ) -> Outcome<bool> {
        let subject = anchor.or(path).unwrap_or_default();
        let id = format!("artifact-{}", &sha256([self.task.project, action, self.key, subject].join("\0").as_bytes())[..32]);
        if self.memory.landed.contains(&id) {
            return Ok(false);
        }
        let time = said_at.filter(|time| is_possible(*time, self.task.now)).unwrap_or(self.task.now);
        let line = Draft::new("artifact", time, self.task.project)
            .with("id", &*id)
            .with("action", action)
            .with_some("observation_id", observation.map(|(id, _)| id).and_then(fit::name))
            .with_some("type", observation.map(|(_, observation_type)| observation_type))
            .with_some("path", path)
            .with_some("anchor", anchor)
            .with_some("session", self.session.and_then(fit::name))
            .finish();
        self.memory.pending.push(line.map_err(|reason| Diagnostic::bug(format!("an event is invalid: {reason}")))?);
        self.memory.landed.push(id);
        Ok(true)
    }
}

fn memory_of(task: Task<'_>, key: &str) -> PathBuf {
    task.memory.join("said").join(format!("{}.json", &sha256(format!("{}\0{key}", task.project).as_bytes())[..32]))
}

fn load(path: &Path) -> Outcome<Memory> {
    match fs::read(path) {
        Ok(bytes) => Ok(serde_json::from_slice(&bytes).unwrap_or_default()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Memory::default()),
        Err(error) => Err(Diagnostic::io("cannot read the citations of a session", path, &error)),
    }
}

fn store(path: &Path, memory: &Memory) -> Outcome<()> {
    if let Some(folder) = path.parent() {
        durable::create_folder(folder)?;
    }
    let bytes = serde_json::to_vec(memory).map_err(|error| Diagnostic::bug(format!("citations cannot be serialised: {error}")))?;
    durable::replace(path, &bytes)
}

/// Lands what killed scans had noted, and forgets what sessions said that are long over.
pub fn sweep(task: Task<'_>, land: Land<'_>) -> Outcome<()> {
    let Ok(entries) = fs::read_dir(task.memory.join("said")) else { return Ok(()) };
    let _lock = take_lock(task.root, PATIENCE)?;
    for entry in entries.flatten() {
        let path = entry.path();
        let mut memory = load(&path)?;
        if !memory.pending.is_empty() {
            land(&memory.pending)?;
            memory.pending.clear();
            store(&path, &memory)?;
        }
        let changed =
            entry.metadata().ok().and_then(|metadata| metadata.modified().ok()).and_then(|time| Timestamp::try_from(time).ok());
        if changed.is_some_and(|changed| task.now.as_second() - changed.as_second() > MEMORY_SECONDS) {
            // What cannot be removed today is removed tomorrow.
            let _ = fs::remove_file(path);
        }
    }
    Ok(())
}
