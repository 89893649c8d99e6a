//! What became of artifacts since the last look: people's changes count, whatever they are.

use std::collections::BTreeSet;

use super::stale::Files;
use super::work::{Placed, Standing, Work};
use event::field::ObservationType;
use learn::observation::{ObservationScore, Status};
use render::artifact::{COMMANDS, Document, Entry, SKILLS, Section, Topic, canonical_hash, find_marker, normalise, title};
use text::diagnostic::Outcome;

/// What a look at an artifact gives.
enum Look {
    Here(Standing),
    Gone,
    /// Nobody can say: the folder or the file that would hold it cannot be looked at.
    Unknown,
}

impl<'w> Work<'w> {
    /// Says that there is nothing to look at.
    pub(super) fn tell_absence(&mut self) {
        let created: Vec<String> = self.rows.iter().filter(|row| row.status == Status::Created).map(|row| row.id.clone()).collect();
        self.report.left_alone += created.len();
        if !created.is_empty() {
            self.report.remarks.push(format!(
                "neither .memory nor .claude exists: {} artifacts are treated as not checked out, not as deleted",
                created.len()
            ));
        }
        self.manifest.elsewhere.extend(created);
    }

    /// Compares what is there with what is known.
    pub(super) fn reconcile(&mut self) {
        let noticed =
            self.settle_entries().and_then(|()| self.heal()).and_then(|()| self.miss_created()).and_then(|()| self.check_files());
        if let Err(problem) = noticed {
            self.report.problems.push(problem);
        }
        for topic in Topic::ALL {
            let document = self.stock.document(topic).clone().summarise();
            self.stock.put(document);
        }
    }

    /// What became of everything that the manifest knows.
    fn settle_entries(&mut self) -> Outcome<()> {
        for entry in self.manifest.entries.clone() {
            match (self.look_at(&entry), entry.deleted_at.is_some()) {
                // What was taken away comes back only under its own name.
                (Look::Here(standing), true) if !standing.is_linked && self.is_own(&entry, &standing) => {
                    self.adopt(&entry, standing)?;
                }
                (_, true) => {}
                (Look::Here(standing), false) => self.settle_standing(&entry, standing)?,
                (Look::Gone, false) => self.bury(&entry)?,
                (Look::Unknown, false) => self.report.left_alone += 1,
            }
        }
        Ok(())
    }

    fn settle_standing(&mut self, entry: &Entry, standing: Standing) -> Outcome<()> {
        if standing.path != entry.path || standing.anchor != entry.anchor_id {
            return self.adopt(entry, standing);
        }
        if standing.hash == entry.content_hash {
            self.report.unchanged += 1;
            return Ok(());
        }
        if let Some(retired) = self.explain_status(entry) {
            // A killed run of ours wrote it.
            self.report.unchanged += 1;
            self.manifest.put(entry.restated(standing.hash, retired));
            return Ok(());
        }
        if self.is_refreshed(entry) {
            // A killed run of ours wrote it.
            self.report.unchanged += 1;
            return self.put_refreshed(entry, standing.hash);
        }
        if self.speaks_through_refreshed(entry, &standing.hash) {
            self.report.unchanged += 1;
            self.manifest.put(Entry { content_hash: standing.hash, ..entry.clone() });
            return Ok(());
        }
        self.report.edits += 1;
        self.tell("edited", &placed(entry), Some(&standing.hash), None)?;
        self.manifest.put(Entry { content_hash: standing.hash, revision: entry.revision + 1, ..entry.clone() });
        Ok(())
    }

    fn bury(&mut self, entry: &Entry) -> Outcome<()> {
        self.report.deletions += 1;
        self.tell("deleted", &placed(entry), None, None)?;
        self.manifest.put(Entry { deleted_at: Some(self.instant()), ..entry.clone() });
        Ok(())
    }

    /// Something stands elsewhere than is known, or again.
    fn adopt(&mut self, entry: &Entry, standing: Standing) -> Outcome<()> {
        let rendered_at = if entry.deleted_at.is_some() { self.instant() } else { entry.rendered_at.clone() };
        let entry = Entry {
            path: standing.path,
            anchor_id: standing.anchor,
            content_hash: standing.hash,
            linked: standing.is_linked,
            rendered_at,
            // Whoever moved it or brought it back made it theirs.
            rendered_hash: None,
            deleted_at: None,
            ..entry.clone()
        };
        self.report.healed += 1;
        self.tell("adopted", &placed(&entry), Some(&entry.content_hash), None)?;
        if entry.revision > 0 {
            // It is still what a person made of it.
            self.tell("edited", &placed(&entry), Some(&entry.content_hash), None)?;
        }
        self.manifest.put(entry);
        Ok(())
    }

    /// Whether what stands there names the observation itself.
    fn is_own(&self, entry: &Entry, standing: &Standing) -> bool {
        match entry.topic() {
            Some(topic) => {
                let mut sections = self.stock.document(topic).sections().iter();
                sections.any(|section| Some(&section.anchor) == standing.anchor.as_ref() && is_of(section, &entry.observation_id))
            }
            None => self.stock.files.iter().any(|file| file.path == standing.path && file.observation_id == entry.observation_id),
        }
    }

    fn look_at(&mut self, entry: &Entry) -> Look {
        let found = match entry.topic() {
            Some(topic) if self.stock.unreadable.contains(&topic) => return Look::Unknown,
            Some(topic) => Ok(find_section(self.stock.document(topic), entry)),
            None => self.find_file(entry),
        };
        match found {
            Ok(Some(standing)) => Look::Here(standing),
            Ok(None) if self.stock.is_partial && entry.topic().is_none() => Look::Unknown,
            Ok(None) => {
                let folder = entry.path.split('/').next().unwrap_or_default();
                if self.task.root.join(folder).is_dir() { Look::Gone } else { Look::Unknown }
            }
            Err(problem) => {
                self.report.problems.push(problem);
                Look::Unknown
            }
        }
    }

    /// Finds a file by the observation that it names, where it was or elsewhere; one that names none any more, where it was.
    fn find_file(&self, entry: &Entry) -> Outcome<Option<Standing>> {
        let own = || self.stock.files.iter().filter(|file| file.observation_id == entry.observation_id);
        if let Some(file) = own().find(|file| file.path == entry.path).or_else(|| own().next()) {
            return Ok(Some(Standing { path: file.path.clone(), anchor: None, hash: file.hash.clone(), is_linked: false }));
        }
        let Some(bytes) = self.tree.read(&entry.path)? else { return Ok(None) };
        let text = String::from_utf8_lossy(&bytes);
        let standing = Standing { path: entry.path.clone(), anchor: None, hash: canonical_hash(&text), is_linked: false };
        Ok(find_marker(&text).is_none().then_some(standing))
    }

    /// Finds what stands there and is not known: a run was killed, or the manifest was lost.
    fn heal(&mut self) -> Outcome<()> {
        for topic in Topic::ALL {
            self.heal_sections(topic, |work, _, id| work.row(id))?;
            self.heal_sections(
                topic,
                |work, section, id| if work.row(id).is_some() { None } else { work.find_by_title(topic, section) },
            )?;
        }
        for file in self.stock.files.clone() {
            let row = self.row(&file.observation_id).filter(|row| Topic::of_type(row.observation_type).is_none());
            if let Some(row) = row.filter(|row| self.manifest.find(&row.id).is_none()) {
                self.heal_row(row, Standing { path: file.path, anchor: None, hash: file.hash, is_linked: false })?;
            }
        }
        Ok(())
    }

    /// Finds sections whose observation is found in some way.
    fn heal_sections(&mut self, topic: Topic, find: impl Fn(&Self, &Section, &str) -> Option<&'w ObservationScore>) -> Outcome<()> {
        let document = self.stock.document(topic);
        let found: Vec<(Section, String)> =
            document.sections().iter().map(|section| (section.clone(), document.hash_of(section))).collect();
        for (section, hash) in found {
            let Some(id) = section.observation_id().filter(|id| self.manifest.find(id).is_none()) else { continue };
            let row = find(self, &section, id).filter(|row| self.manifest.find(&row.id).is_none());
            if let Some(row) = row.filter(|row| row.observation_type == topic.observation_type()) {
                let anchor = Some(section.anchor.clone());
                let standing = Standing { path: topic.path().to_owned(), anchor, hash, is_linked: row.id != id };
                self.heal_row(row, standing)?;
            }
        }
        Ok(())
    }

    /// The only observation that may belong to a section of unknown source.
    fn find_by_title(&self, topic: Topic, section: &Section) -> Option<&'w ObservationScore> {
        let wanted = normalise(&section.title);
        let is_meant = |row: &&&ObservationScore| {
            row.observation_type == topic.observation_type()
                && matches!(row.status, Status::Ready | Status::Created)
                && !wanted.is_empty()
                && normalise(&title(&row.pattern, &row.id)) == wanted
                && self.manifest.find(&row.id).is_none()
        };
        let mut candidates = self.rows.iter().filter(is_meant);
        candidates.next().copied().filter(|_| candidates.next().is_none())
    }

    /// Writes down where an observation stands, and tells what is not known of it yet.
    fn heal_row(&mut self, row: &ObservationScore, standing: Standing) -> Outcome<()> {
        let entry = Entry {
            observation_id: row.id.clone(),
            observation_type: row.observation_type.to_string(),
            path: standing.path,
            content_hash: standing.hash,
            // Who wrote what stands there is not known any more.
            rendered_hash: None,
            rendered_at: self.instant(),
            anchor_id: standing.anchor,
            linked: standing.is_linked,
            retired: false,
            revision: 0,
            deleted_at: None,
        };
        let is_known =
            row.status == Status::Created && row.artifact_path.as_ref() == Some(&entry.path) && row.anchor == entry.anchor_id;
        if is_known && row.content_hash.as_ref().is_some_and(|hash| *hash != entry.content_hash) {
            self.tell("edited", &placed(&entry), Some(&entry.content_hash), None)?;
        } else if !is_known && row.status != Status::Deprecated {
            // What people took out of use is not brought back by being found.
            self.tell("adopted", &placed(&entry), Some(&entry.content_hash), None)?;
        }
        self.report.healed += 1;
        self.manifest.put(entry);
        Ok(())
    }

    /// Looks for what was rendered as far as is published, and of which no manifest tells.
    fn miss_created(&mut self) -> Outcome<()> {
        for row in self.rows.clone() {
            let Some(path) = row.artifact_path.as_ref().filter(|_| row.status == Status::Created) else { continue };
            if self.manifest.find(&row.id).is_some() {
                continue;
            }
            let entry = Entry {
                observation_id: row.id.clone(),
                observation_type: row.observation_type.to_string(),
                path: path.clone(),
                content_hash: row.content_hash.clone().unwrap_or_default(),
                rendered_hash: None,
                rendered_at: self.instant(),
                anchor_id: row.anchor.clone(),
                linked: false,
                retired: false,
                revision: 0,
                deleted_at: None,
            };
            // Another observation's section under this anchor: the two say the same, or people would have two of them.
            let linked = Entry { linked: true, ..entry.clone() };
            match self.look_at(&linked) {
                Look::Here(standing) => self.heal_row(row, standing)?,
                Look::Gone if self.holds_place(&entry)? && !self.manifest.elsewhere.contains(&row.id) => self.bury(&entry)?,
                Look::Gone | Look::Unknown => {
                    self.report.left_alone += 1;
                    self.manifest.elsewhere.insert(row.id.clone());
                }
            }
        }
        Ok(())
    }

    /// Whether there is a place of ours in this folder that the artifact would stand in. In a fresh checkout there is none.
    fn holds_place(&self, entry: &Entry) -> Outcome<bool> {
        match entry.kind() {
            Some(ObservationType::Workflow) => self.tree.has(COMMANDS),
            Some(ObservationType::Procedural) => {
                Ok(self.tree.list(SKILLS)?.iter().any(|listed| listed.name.starts_with("self-learning-")))
            }
            _ => self.tree.has(&entry.path),
        }
    }

    /// Looks for the files that observations speak of.
    fn check_files(&mut self) -> Outcome<()> {
        let mut files = Files::of(self.task.root);
        let known: BTreeSet<&str> = self.rows.iter().map(|row| &*row.id).collect();
        self.manifest.stale.retain(|id, _| known.contains(&**id));
        for row in self.rows.clone().into_iter().filter(|row| row.status != Status::Deprecated && !row.is_faded) {
            let told = self.manifest.stale.get(&row.id).map(|said| Some(said.clone()).filter(|said| !said.is_empty()));
            let missing = files.find_missing(row);
            if missing == told.unwrap_or_else(|| row.stale_reason.clone()) {
                continue;
            }
            let placed = self.manifest.find(&row.id).map_or_else(|| unplaced(row), placed);
            if let Some(path) = &missing {
                self.report.stale += 1;
                self.tell("stale", &placed, None, Some(path))?;
            } else {
                self.report.fresh += 1;
                self.tell("fresh", &placed, None, None)?;
            }
            // What is published tells it only after the next cycle: until then this is remembered, also that all is well again.
            self.manifest.stale.insert(row.id.clone(), missing.unwrap_or_default());
        }
        Ok(())
    }
}

/// Finds an entry: by the observation that it names and its anchor, by the observation alone, or by the anchor of a section that names
/// no observation. A section of another observation is meant only where the two say the same.
fn find_section(document: &Document, entry: &Entry) -> Option<Standing> {
    let has_anchor = |section: &&Section| Some(&section.anchor) == entry.anchor_id.as_ref();
    let is_own = |section: &&Section| is_of(section, &entry.observation_id);
    let sections = || document.sections().iter();
    let section = sections().find(|section| is_own(section) && has_anchor(section)).or_else(|| sections().find(is_own));
    let section = section
        .or_else(|| sections().find(|section| has_anchor(section) && (entry.linked || section.observation_id().is_none())))?;
    let is_linked = section.observation_id().is_some() && !is_of(section, &entry.observation_id);
    Some(Standing {
        path: document.topic().path().to_owned(),
        anchor: Some(section.anchor.clone()),
        hash: document.hash_of(section),
        is_linked: is_linked || (entry.linked && section.observation_id().is_none()),
    })
}

fn is_of(section: &Section, observation: &str) -> bool {
    section.observation_id() == Some(observation)
}

pub(super) fn placed(entry: &Entry) -> Placed {
    Placed {
        observation_id: entry.observation_id.clone(),
        observation_type: entry.observation_type.clone(),
        path: entry.path.clone(),
        anchor: entry.anchor_id.clone(),
    }
}

/// An observation that stands nowhere.
pub(super) fn unplaced(row: &ObservationScore) -> Placed {
    Placed { observation_id: row.id.clone(), observation_type: row.observation_type.to_string(), path: String::new(), anchor: None }
}
