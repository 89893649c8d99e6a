//! Artifacts whose observation a person took out of use, or brought back: entries say so in their status, and a command or a skill goes.

use std::collections::BTreeSet;

use jiff::Timestamp;

use super::reconcile::placed;
use super::work::Work;
use learn::observation::{ObservationScore, Status};
use render::artifact::{COMMANDS, Document, Entry, SKILLS, Topic, canonical_hash, find_marker};
use text::diagnostic::Outcome;

/// The status of an entry that is out of use.
const OUT_OF_USE: &str = "Deprecated";
/// Why a command or a skill is gone.
const REMOVED: &str = "its observation was deprecated";

impl Work<'_> {
    /// Gives entries the status that people decided. What else stands in them stays as it is.
    pub(super) fn restate(&mut self) {
        let anchors: BTreeSet<(Topic, String)> =
            self.manifest.live().filter_map(|entry| Some((entry.topic()?, entry.anchor_id.clone()?))).collect();
        for (topic, anchor) in anchors {
            let Some(retired) = self.find_decision(&anchor).filter(|_| !self.stock.unreadable.contains(&topic)) else { continue };
            let (status, before) = if retired { (OUT_OF_USE, topic.first_status()) } else { (topic.first_status(), OUT_OF_USE) };
            // A status that a person wrote is the person's.
            if self.status_of(topic, &anchor).as_deref() != Some(before) {
                continue;
            }
            if let Some(document) = self.stock.document(topic).with_status(&anchor, status) {
                self.stock.put(document);
                self.restated.push((topic, anchor, retired));
            }
        }
    }

    /// Removes commands and skills that are out of use, and says of those that a person changed how to remove them: agents are offered
    /// whatever stands there.
    pub(super) fn retire_files(&mut self) {
        for entry in self.manifest.live().filter(|entry| entry.topic().is_none()).cloned().collect::<Vec<_>>() {
            if !self.row(&entry.observation_id).is_some_and(|row| is_out_of_use(&entry, row)) {
                continue;
            }
            if let Err(problem) = self.retire_file(&entry) {
                self.report.problems.push(problem);
            }
        }
    }

    fn retire_file(&mut self, entry: &Entry) -> Outcome<()> {
        let Some(bytes) = self.tree.read(&entry.path)? else { return Ok(()) };
        let text = String::from_utf8_lossy(&bytes);
        let is_own = find_marker(&text) == Some(&*entry.observation_id) && is_place(&entry.path);
        if !is_own || !entry.is_as_rendered(&canonical_hash(&text)) {
            let (path, id) = (&entry.path, &entry.observation_id);
            self.report.remarks.push(format!(
                "{path} stays although {id} is deprecated: a person changed it; `rm {path}` removes it, \
                 `outerloop learn restore {id}` puts it back into use"
            ));
            return Ok(());
        }
        self.tell_difference(&entry.path, &text, "");
        if !self.task.is_dry {
            self.tree.remove(&entry.path)?;
        }
        let placed = placed(entry);
        self.tell("deleted", &placed, None, Some(REMOVED))?;
        self.manifest.put(Entry { deleted_at: Some(self.instant()), ..entry.clone() });
        self.report.retired.push(placed);
        Ok(())
    }

    fn status_of(&self, topic: Topic, anchor: &str) -> Option<String> {
        self.stock.document(topic).sections().iter().find(|section| section.anchor == anchor)?.status.clone()
    }

    /// What people decided about an entry and is not to be seen in it yet: whether it is out of use. An entry that several
    /// observations speak through is out of use when all of them are.
    fn find_decision(&self, anchor: &str) -> Option<bool> {
        let of_anchor: Vec<&Entry> = self.manifest.live().filter(|entry| entry.anchor_id.as_deref() == Some(anchor)).collect();
        let is_retired = of_anchor.iter().all(|entry| self.row(&entry.observation_id).is_some_and(|row| is_out_of_use(entry, row)));
        let is_back =
            of_anchor.iter().any(|entry| self.row(&entry.observation_id).is_some_and(|row| row.status == Status::Created));
        match of_anchor.iter().any(|entry| entry.retired) {
            false if is_retired => Some(true),
            true if is_back => Some(false),
            _ => None,
        }
    }

    /// Writes down the statuses that stand in their file by now.
    pub(super) fn settle_restated(&mut self, topic: Topic) {
        let (settled, others): (Vec<_>, Vec<_>) = self.restated.drain(..).partition(|(of, _, _)| *of == topic);
        self.restated = others;
        for (_, anchor, retired) in settled {
            let Some(hash) = hash_of(self.stock.document(topic), &anchor) else { continue };
            let entries: Vec<Entry> =
                self.manifest.live().filter(|entry| entry.anchor_id.as_ref() == Some(&anchor)).cloned().collect();
            for entry in entries {
                self.manifest.put(entry.restated(hash.clone(), retired));
            }
            self.report.restated += 1;
        }
    }

    /// Whether an entry differs from what is known by nothing but a status that people decided: whether it is out of use now.
    pub(super) fn explain_status(&self, entry: &Entry) -> Option<bool> {
        let (topic, anchor) = (entry.topic()?, entry.anchor_id.as_deref()?);
        let row = self.row(&entry.observation_id)?;
        let retired = match (entry.retired, row.status) {
            (false, Status::Deprecated) => true,
            (true, Status::Created) => false,
            _ => return None,
        };
        let document = self.stock.document(topic);
        let section = document.sections().iter().find(|section| section.anchor == anchor)?;
        let (is, was) = if retired { (OUT_OF_USE, topic.first_status()) } else { (topic.first_status(), OUT_OF_USE) };
        let before = document.with_status(anchor, was)?;
        (section.status.as_deref() == Some(is) && hash_of(&before, anchor)? == entry.content_hash).then_some(retired)
    }
}

/// Whether commands or skills are written there: a manifest that somebody tampered with must not name other files.
fn is_place(path: &str) -> bool {
    let is_skill =
        || path.strip_prefix(SKILLS).is_some_and(|rest| rest.starts_with("/self-learning") && rest.ends_with("/SKILL.md"));
    path.strip_prefix(COMMANDS).is_some_and(|rest| rest.starts_with('/')) || is_skill()
}

fn hash_of(document: &Document, anchor: &str) -> Option<String> {
    document.sections().iter().find(|section| section.anchor == anchor).map(|section| document.hash_of(section))
}

/// Whether a person took an observation out of use after its artifact was written. What people took away themselves, and brought back,
/// is in use.
fn is_out_of_use(entry: &Entry, row: &ObservationScore) -> bool {
    let instant = |text: &str| text.parse::<Timestamp>().ok();
    let since = row.deprecated_at.as_deref().and_then(instant);
    row.status == Status::Deprecated && since.zip(instant(&entry.rendered_at)).is_some_and(|(since, rendered)| since > rendered)
}
