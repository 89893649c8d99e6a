//! Artifacts that nobody edited follow what their observation says by now; those that a person changed stay as they are.

use super::reconcile::placed;
use super::work::Work;
use learn::observation::{ObservationScore, Status};
use render::artifact::{Entry, Section, Topic, canonical_hash, essence, find_marker, render_again, render_entry};
use text::day::Day;
use text::diagnostic::Outcome;

impl<'w> Work<'w> {
    /// Writes anew what would read differently today and looks as this program wrote it.
    pub(super) fn refresh(&mut self) {
        for entry in self.manifest.live().cloned().collect::<Vec<_>>() {
            let Some(row) = self.row_to_refresh(&entry) else { continue };
            let refreshed = match entry.topic() {
                Some(topic) => {
                    self.refresh_entry(topic, &entry, row);
                    Ok(())
                }
                None => self.refresh_file(&entry, row),
            };
            if let Err(problem) = refreshed {
                self.report.problems.push(problem);
            }
        }
    }

    /// The observation of an entry that this program may write anew.
    fn row_to_refresh(&self, entry: &Entry) -> Option<&'w ObservationScore> {
        let row = self.row(&entry.observation_id)?;
        let is_in_use = matches!(row.status, Status::Created | Status::Ready) && row.quality_ok && !entry.retired && !entry.linked;
        (is_in_use && entry.is_as_rendered(&entry.content_hash)).then_some(row)
    }

    fn refresh_file(&mut self, entry: &Entry, row: &ObservationScore) -> Outcome<()> {
        let Some(before) = self.tree.read_text(&entry.path)?.filter(|text| canonical_hash(text) == entry.content_hash) else {
            return Ok(());
        };
        let date = Day::of_micros(self.task.now.as_microsecond()).to_string();
        let text = self.text_of(row, &entry.path, &date);
        // How often it was said, and in which words, is no reason to touch a file that people keep.
        if essence(&before) == essence(&text) {
            return Ok(());
        }
        self.tell_difference(&entry.path, &before, &text);
        if !self.task.is_dry {
            self.tree.write(&entry.path, &text)?;
        }
        self.put_refreshed(entry, canonical_hash(&text))
    }

    fn refresh_entry(&mut self, topic: Topic, entry: &Entry, row: &ObservationScore) {
        let document = self.stock.document(topic);
        let Some(section) = own_section(document.sections(), entry).filter(|_| !self.stock.unreadable.contains(&topic)) else {
            return;
        };
        let text = render_again(row, topic, section);
        let is_as_known = document.hash_of(section) == entry.content_hash;
        if !is_as_known || canonical_hash(text.trim()) == entry.content_hash {
            return;
        }
        if let Some(document) = document.with_text(&section.anchor.clone(), &text) {
            self.stock.put(document);
            let anchor = entry.anchor_id.clone().unwrap_or_default();
            self.refreshed.push((topic, anchor, entry.observation_id.clone()));
        }
    }

    /// Writes down the entries that say more in their file by now. Observations that speak through one of them see it change too.
    pub(super) fn settle_refreshed(&mut self, topic: Topic) -> Outcome<()> {
        let (settled, others): (Vec<_>, Vec<_>) = self.refreshed.drain(..).partition(|(of, _, _)| *of == topic);
        self.refreshed = others;
        for (_, anchor, observation) in settled {
            let document = self.stock.document(topic);
            let Some(section) = document.sections().iter().find(|section| section.anchor == anchor) else { continue };
            let hash = document.hash_of(section);
            let entries: Vec<Entry> =
                self.manifest.live().filter(|entry| entry.anchor_id.as_ref() == Some(&anchor)).cloned().collect();
            for entry in entries {
                if entry.observation_id == observation {
                    self.put_refreshed(&entry, hash.clone())?;
                } else {
                    self.manifest.put(Entry { content_hash: hash.clone(), ..entry });
                }
            }
        }
        Ok(())
    }

    /// Writes down that this program wrote something anew.
    pub(super) fn put_refreshed(&mut self, entry: &Entry, hash: String) -> Outcome<()> {
        let placed = placed(entry);
        self.tell("rendered", &placed, Some(&hash), None)?;
        self.manifest.put(Entry { rendered_hash: Some(hash.clone()), content_hash: hash, ..entry.clone() });
        self.report.refreshed.push(placed);
        Ok(())
    }

    /// Whether what stands there is what this program would write today, word for word: a run that was killed wrote it.
    pub(super) fn is_refreshed(&self, entry: &Entry) -> bool {
        let Some(row) = self.row_to_refresh(entry) else { return false };
        match entry.topic() {
            Some(topic) => {
                let document = self.stock.document(topic);
                // With the date and the status that this program wrote: a person may have changed nothing else.
                let date = entry.rendered_at.get(..10).unwrap_or_default();
                own_section(document.sections(), entry).is_some_and(|section| {
                    document.hash_of(section) == canonical_hash(render_entry(row, topic, &section.anchor, date).trim())
                })
            }
            None => self.tree.read_text(&entry.path).ok().flatten().is_some_and(|text| {
                let today = self.text_of(row, &entry.path, "");
                find_marker(&text) == Some(&*row.id) && without_marker(&text) == without_marker(&today)
            }),
        }
    }
}

impl Work<'_> {
    /// Whether an observation speaks through the entry of another one, and what stands there is what this program wrote for that one.
    pub(super) fn speaks_through_refreshed(&self, entry: &Entry, hash: &str) -> bool {
        let of_anchor = |other: &&Entry| !other.linked && other.anchor_id.is_some() && other.anchor_id == entry.anchor_id;
        entry.linked && self.manifest.live().filter(of_anchor).any(|own| own.is_as_rendered(hash) || self.is_refreshed(own))
    }
}

/// A file without the line that says when it was rendered.
fn without_marker(text: &str) -> String {
    let (front, rest) = text.split_once("\n---\n").unwrap_or(("", text));
    let front = front.lines().filter(|line| !line.starts_with("# self-learning: ")).collect::<Vec<_>>().join("\n");
    canonical_hash(&format!("{front}\n---\n{rest}"))
}

fn own_section<'s>(sections: &'s [Section], entry: &Entry) -> Option<&'s Section> {
    sections.iter().find(|section| {
        Some(&section.anchor) == entry.anchor_id.as_ref() && section.observation_id() == Some(&*entry.observation_id)
    })
}
