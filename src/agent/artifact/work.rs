//! One look at a project's folder, from taking its lock to landing what was found out.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;

use super::journal::{Journal, journal_of, remove};
use super::lock::take_lock;
use super::present::remember;
use super::stock::Stock;
use super::tree::Tree;
use event::Draft;
use learn::observation::ObservationScore;
use render::artifact::{Capacity, Manifest, Notifications, Topic, parse_notifications, render_usage};
use setting::ArtifactSettings;
use text::diagnostic::{Diagnostic, Outcome};
use text::digest::sha256;
use text::time::to_milliseconds;

/// The files that are kept about artifacts, from the project's folder on.
pub(super) const MANIFEST: &str = ".memory/.learning-manifest.json";
const USAGE: &str = ".memory/.knowledge-usage.json";
const NOTIFICATIONS: &str = ".memory/.notifications.json";
/// How long others are waited for.
const PATIENCE: Duration = Duration::from_secs(30);

/// Lands events. When it returns, they survive a power cut.
pub type Land<'l> = &'l mut dyn FnMut(&[String]) -> Outcome<()>;

/// Which folder is looked at, and how.
#[derive(Debug, Clone, Copy)]
pub struct Task<'t> {
    /// The project's folder.
    pub root: &'t Path,
    /// Where the workspace remembers what may not be done yet.
    pub memory: &'t Path,
    /// The project whose observations are meant.
    pub project: &'t str,
    /// The time.
    pub now: Timestamp,
    /// The settings.
    pub settings: &'t ArtifactSettings,
    /// Whether nothing is written and nothing lands.
    pub is_dry: bool,
}

/// An observation and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placed {
    /// The observation.
    pub observation_id: String,
    pub observation_type: String,
    /// The file, from the project's folder on.
    pub path: String,
    /// The entry in it.
    pub anchor: Option<String>,
}

/// What was found and done.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Report {
    /// Artifacts that people took away since the last look.
    pub deletions: usize,
    /// Those that people changed.
    pub edits: usize,
    /// Those that stand as they were.
    pub unchanged: usize,
    /// Artifacts that were found without an entry in the manifest.
    pub healed: usize,
    /// Those of which nobody can say anything here: the folder that they stand in is not there.
    pub left_alone: usize,
    /// Observations that began to speak of a file that does not exist.
    pub stale: usize,
    /// Those that ceased to.
    pub fresh: usize,
    pub rendered: Vec<Placed>,
    /// What nobody edited and says more by now.
    pub refreshed: Vec<Placed>,
    /// What would change, and how: a place and the lines of a difference. Told of dry runs only.
    pub differences: Vec<(String, String)>,
    /// What an entry says already that was rendered from another observation.
    pub linked: Vec<Placed>,
    /// Commands and skills that nobody edited and that were removed, because people took their observations out of use.
    pub retired: Vec<Placed>,
    /// Entries that got another status, because people decided about their observations.
    pub restated: usize,
    /// Observations for which there is no room.
    pub blocked: usize,
    /// Observations that are ready and were not rendered, those without room included.
    pub skipped: usize,
    /// What people may want to know.
    pub remarks: Vec<String>,
    /// What could not be done.
    pub problems: Vec<Diagnostic>,
    /// The events that landed, or would have.
    pub events: Vec<String>,
}

/// Whether a project's folder has any of the folders that artifacts are written to.
#[must_use]
pub fn has_artifacts(root: &Path) -> bool {
    [".memory", ".claude"].iter().any(|folder| root.join(folder).is_dir())
}

/// Notices what people did to artifacts.
pub fn reconcile(task: Task<'_>, rows: &[ObservationScore], land: Land<'_>) -> Outcome<Report> {
    run(task, rows, land, |work| {
        if has_artifacts(task.root) {
            work.reconcile();
        } else {
            work.tell_absence();
        }
    })
}

/// Notices what people did to artifacts, then renders what is ready.
pub fn render(task: Task<'_>, rows: &[ObservationScore], land: Land<'_>) -> Outcome<Report> {
    run(task, rows, land, |work| {
        if has_artifacts(task.root) {
            work.reconcile();
        } else {
            work.tell_absence();
        }
        work.render();
    })
}

fn run(task: Task<'_>, rows: &[ObservationScore], land: Land<'_>, act: impl FnOnce(&mut Work<'_>)) -> Outcome<Report> {
    let _lock = take_lock(task.root, PATIENCE)?;
    let journal = journal_of(task.memory, task.root);
    if !task.is_dry {
        recover(task, &journal, land)?;
    }
    let mut work = Work::load(task, rows)?;
    act(&mut work);
    work.write_documents();
    work.commit(&journal, land)?;
    // Whoever looks at a file twice finds the same fault twice.
    let mut told = Vec::new();
    work.report.problems.retain(|problem| {
        !told.contains(problem) && {
            told.push(problem.clone());
            true
        }
    });
    Ok(work.report)
}

/// Finishes what a killed run had decided.
fn recover(task: Task<'_>, path: &Path, land: Land<'_>) -> Outcome<()> {
    let Some(journal) = Journal::load(path)? else { return Ok(()) };
    let tree = Tree::at(task.root);
    // Where the whole folder has gone meanwhile, what is missing from it was not taken away one by one.
    if tree.has(".memory")? {
        tree.write(MANIFEST, &text_of(&journal.manifest)?)?;
    }
    land(&journal.lines)?;
    remove(path)
}

fn text_of(manifest: &Manifest) -> Outcome<String> {
    manifest.render().map_err(|error| Diagnostic::bug(format!("the manifest cannot be written: {error}")))
}

/// One look at a project's folder.
pub(super) struct Work<'w> {
    pub(super) task: Task<'w>,
    pub(super) tree: Tree<'w>,
    /// The observations of the project.
    pub(super) rows: Vec<&'w ObservationScore>,
    pub(super) manifest: Manifest,
    pub(super) stock: Stock,
    pub(super) report: Report,
    /// Entries that stand in a document and not in its file yet.
    pub(super) pending: Vec<Pending>,
    /// Entries that have another status in a document than in its file, and whether they are out of use.
    pub(super) restated: Vec<(Topic, String, bool)>,
    /// Entries that say more in a document than in its file, and whose they are.
    pub(super) refreshed: Vec<(Topic, String, String)>,
    /// The manifest as it was read.
    before: Option<String>,
    /// The texts of knowledge files as they were read.
    texts: BTreeMap<Topic, String>,
}

/// An entry that stands in a document and not in its file yet.
#[derive(Debug, Clone)]
pub(super) struct Pending {
    pub(super) topic: Topic,
    pub(super) observation_id: String,
    pub(super) anchor: String,
    pub(super) is_linked: bool,
}

/// Where something stands, and what it looks like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Standing {
    pub(super) path: String,
    pub(super) anchor: Option<String>,
    pub(super) hash: String,
    pub(super) is_linked: bool,
}

impl<'w> Work<'w> {
    fn load(task: Task<'w>, rows: &'w [ObservationScore]) -> Outcome<Self> {
        let tree = Tree::at(task.root);
        let mut report = Report::default();
        let before = tree.read_text(MANIFEST)?;
        let manifest = before.as_deref().map_or(Ok(Manifest::default()), Manifest::parse).unwrap_or_else(|reason| {
            report.remarks.push(format!("{MANIFEST} cannot be read and is rebuilt: {reason}"));
            Manifest::default()
        });
        let stock = Stock::load(tree, &mut report.problems);
        let texts = Topic::ALL.into_iter().map(|topic| (topic, stock.document(topic).text().to_owned())).collect();
        let rows = rows.iter().filter(|row| row.project == task.project).collect();
        Ok(Self {
            task,
            tree,
            rows,
            manifest,
            stock,
            report,
            pending: Vec::new(),
            restated: Vec::new(),
            refreshed: Vec::new(),
            before,
            texts,
        })
    }

    pub(super) fn row(&self, id: &str) -> Option<&'w ObservationScore> {
        self.rows.iter().copied().find(|row| row.id == id)
    }

    /// The time as the files about artifacts have it.
    pub(super) fn instant(&self) -> String {
        to_milliseconds(self.task.now.as_microsecond())
    }

    /// Notes an event about an observation.
    pub(super) fn tell(&mut self, action: &'static str, placed: &Placed, hash: Option<&str>, reason: Option<&str>) -> Outcome<()> {
        let now = self.task.now.to_string();
        let anchor = placed.anchor.as_deref();
        let parts =
            [self.task.project, action, &placed.observation_id, &placed.path, anchor.unwrap_or(""), hash.unwrap_or(""), &now];
        let line = Draft::new("artifact", self.task.now, self.task.project)
            .with("id", format!("artifact-{}", &sha256(parts.join("\0").as_bytes())[..32]))
            .with("action", action)
            .with("observation_id", &*placed.observation_id)
            .with("type", &*placed.observation_type)
            .with_some("path", Some(&*placed.path).filter(|path| !path.is_empty()))
            .with_some("anchor", anchor)
            .with_some("content_hash", hash)
            .with_some("reason", reason);
        self.report.events.push(line.finish().map_err(|reason| Diagnostic::bug(format!("an event does not fit: {reason}")))?);
        Ok(())
    }

    /// Puts the knowledge files in their places that were changed. One that cannot be written keeps its entries waiting.
    fn write_documents(&mut self) {
        for topic in Topic::ALL {
            let text = self.stock.document(topic).text().to_owned();
            let known = self.texts.get(&topic).cloned().unwrap_or_default();
            self.tell_difference(topic.path(), &known, &text);
            let written = if text == known || self.task.is_dry { Ok(()) } else { self.write_document(topic, &text, &known) };
            let (pending, others): (Vec<Pending>, Vec<Pending>) =
                self.pending.drain(..).partition(|pending| pending.topic == topic);
            self.pending = others;
            let waiting = pending.len();
            let written = written.map(|()| self.settle_restated(topic)).and_then(|()| self.settle_refreshed(topic));
            if let Err(problem) = written.and_then(|()| self.settle_pending(pending)) {
                self.report.skipped += waiting;
                self.report.problems.push(problem);
            }
        }
    }

    /// A person may have saved the file in the meantime: what they wrote goes before what we would.
    fn write_document(&self, topic: Topic, text: &str, known: &str) -> Outcome<()> {
        if self.tree.read_text(topic.path())?.unwrap_or_default() != known {
            return Err(Diagnostic::new(
                text::diagnostic::Exit::Machine,
                "the file changed while it was read, and is left unchanged",
                "run the command again",
            )
            .at(&self.tree.path(topic.path())));
        }
        self.tree.write(topic.path(), text)
    }

    /// Makes what was decided count, does it, and brings the files about it up to date.
    fn commit(&mut self, journal: &Path, land: Land<'_>) -> Outcome<()> {
        if self.task.is_dry {
            return Ok(());
        }
        let text = text_of(&self.manifest)?;
        let is_changed = match &self.before {
            Some(before) => *before != text,
            // A folder that holds nothing of ours gets nothing either.
            None => !self.manifest.entries.is_empty() || (has_artifacts(self.task.root) && self.manifest != Manifest::default()),
        };
        if is_changed || !self.report.events.is_empty() {
            Journal { manifest: self.manifest.clone(), lines: self.report.events.clone() }.write(journal)?;
            if is_changed {
                self.tree.write(MANIFEST, &text)?;
            }
            remember(self.task.memory, self.task.root)?;
            land(&self.report.events)?;
            remove(journal)?;
        }
        self.write_usage()?;
        self.write_notifications()
    }

    fn write_usage(&self) -> Outcome<()> {
        let rows: Vec<ObservationScore> = self.rows.iter().map(|row| (*row).clone()).collect();
        let has_anchors = self.manifest.live().any(|entry| entry.anchor_id.is_some());
        self.write_changed(USAGE, &render_usage(&self.manifest, &rows), has_anchors)
    }

    fn write_notifications(&self) -> Outcome<()> {
        // Of what cannot be read only dismissals are lost.
        let text = self.tree.read(NOTIFICATIONS)?.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
        let mut notifications: Notifications = parse_notifications(&text);
        for topic in Topic::ALL.into_iter().filter(|topic| !self.stock.unreadable.contains(topic)) {
            let before = notifications.get(topic.notification());
            let active = self.stock.document(topic).active();
            if let Some(told) = Capacity::of(self.task.settings).notify(before, active, &self.instant()) {
                notifications.insert(topic.notification().to_owned(), told);
            }
        }
        let text = serde_json::to_string_pretty(&notifications);
        let text = text.map_err(|error| Diagnostic::bug(format!("the notifications cannot be written: {error}")))? + "\n";
        self.write_changed(NOTIFICATIONS, &text, !notifications.is_empty())
    }

    /// Writes a file whose content differs. One that is not there is made only if there is something to say.
    fn write_changed(&self, path: &str, text: &str, is_worth_it: bool) -> Outcome<()> {
        match self.tree.read(path)? {
            Some(before) if before == text.as_bytes() => Ok(()),
            None if !is_worth_it => Ok(()),
            _ => self.tree.write(path, text),
        }
    }
}

impl Placed {
    /// The file, and the entry in it.
    #[must_use]
    pub fn place(&self) -> String {
        self.anchor.as_ref().map_or_else(|| self.path.clone(), |anchor| format!("{}#{anchor}", self.path))
    }
}

/// Where a workspace's project lies: as the settings say, else around the workspace.
#[must_use]
pub fn find_root(workspace: &Path, settings: &ArtifactSettings) -> PathBuf {
    match &settings.root {
        Some(root) => workspace.join(root),
        None => workspace.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(workspace).to_path_buf(),
    }
}
