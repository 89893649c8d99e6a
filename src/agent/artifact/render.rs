//! Observations that are ready become artifacts.

use jiff::Timestamp;

use super::reconcile::unplaced;
use super::step::Steps;
use super::work::{Pending, Placed, Work};
use event::field::ObservationType;
use learn::observation::{ObservationScore, Status};
use render::artifact::{
    Capacity, Entry, Topic, anchor, candidates, canonical_hash, duplicate_of, path_of, render_command, render_entry, render_skill,
    skill_name, slug_of, slug_of_path,
};
use text::day::Day;
use text::diagnostic::{Diagnostic, Outcome};

/// The longest id that is written into an artifact.
const ID_CHARACTERS: usize = 80;

impl Work<'_> {
    /// Renders everything that is ready, in the order in which it is published. What cannot be rendered does not keep others from it.
    pub(super) fn render(&mut self) {
        self.restate();
        self.retire_files();
        self.refresh();
        for row in self.rows.clone().into_iter().filter(|row| row.status == Status::Ready) {
            if !row.quality_ok {
                self.report.skipped += 1;
                continue;
            }
            if self.is_settled(row) {
                continue;
            }
            if let Err(problem) = self.render_row(row) {
                self.report.skipped += 1;
                self.report.problems.push(problem);
            }
        }
    }

    /// Whether an observation stands somewhere, or was taken away and has not become ready again since. What is published may be
    /// older than what was rendered or noticed.
    fn is_settled(&self, row: &ObservationScore) -> bool {
        let Some(entry) = self.manifest.find(&row.id) else { return false };
        let instant = |text: Option<&String>| text.and_then(|text| text.parse::<Timestamp>().ok());
        match (instant(entry.deleted_at.as_ref()), instant(row.ready_at.as_ref())) {
            (None, _) => true,
            (Some(deleted), ready) => ready.is_none_or(|ready| ready <= deleted),
        }
    }

    fn render_row(&mut self, row: &ObservationScore) -> Outcome<()> {
        let is_plain = |id: &str| id.chars().all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-'));
        if row.id.is_empty() || row.id.len() > ID_CHARACTERS || !is_plain(&row.id) {
            return Err(Diagnostic::edit(
                format!("the id of the observation `{}` cannot be a file name", row.id.escape_default()),
                "use letters, digits, `_` and `-` in ids",
            ));
        }
        match Topic::of_type(row.observation_type) {
            Some(topic) => self.render_knowledge(row, topic),
            None => self.render_file(row),
        }
    }

    fn render_knowledge(&mut self, row: &ObservationScore, topic: Topic) -> Outcome<()> {
        if self.stock.unreadable.contains(&topic) {
            // That it cannot be read was told already.
            self.report.skipped += 1;
            return Ok(());
        }
        let document = self.stock.document(topic);
        if let Some(section) = duplicate_of(row, document) {
            let anchor = section.anchor.clone();
            self.pending.push(Pending { topic, observation_id: row.id.clone(), anchor, is_linked: true });
            return Ok(());
        }
        if document.active() >= Capacity::of(self.task.settings).ceiling {
            return self.block(row);
        }
        let anchor = anchor(topic, self.highest(topic) + 1);
        let date = Day::of_micros(self.task.now.as_microsecond()).to_string();
        let document = document.append(&render_entry(row, topic, &anchor, &date));
        self.stock.put(document);
        self.pending.push(Pending { topic, observation_id: row.id.clone(), anchor, is_linked: false });
        Ok(())
    }

    /// The highest number that an entry ever had: in the file, as far as is remembered, and as far as is published.
    fn highest(&self, topic: Topic) -> u64 {
        let published = self.rows.iter().filter_map(|row| Topic::of_anchor(row.anchor.as_deref()?));
        let published = published.filter(|(known, _)| *known == topic).map(|(_, number)| number).max();
        let remembered = self.manifest.highest.get(topic.prefix()).copied();
        self.stock.document(topic).highest().max(published.unwrap_or(0)).max(remembered.unwrap_or(0))
    }

    /// There is no room: that is told once, and the observation stays ready.
    fn block(&mut self, row: &ObservationScore) -> Outcome<()> {
        self.report.skipped += 1;
        self.report.blocked += 1;
        let is_told = row.is_blocked || self.manifest.blocked.contains(&row.id);
        self.manifest.blocked.insert(row.id.clone());
        if is_told { Ok(()) } else { self.tell("blocked", &unplaced(row), None, Some("the file is full")) }
    }

    /// Writes down the entries that stand in their file by now.
    pub(super) fn settle_pending(&mut self, pending: Vec<Pending>) -> Outcome<()> {
        for Pending { topic, observation_id, anchor, is_linked } in pending {
            let document = self.stock.document(topic);
            let section = document.sections().iter().find(|section| section.anchor == anchor);
            let hash = section.map(|section| document.hash_of(section)).unwrap_or_default();
            let placed = Placed {
                observation_id,
                observation_type: topic.observation_type().to_string(),
                path: topic.path().to_owned(),
                anchor: Some(anchor),
            };
            self.put_rendered(placed, hash, is_linked)?;
        }
        Ok(())
    }

    fn put_rendered(&mut self, placed: Placed, hash: String, is_linked: bool) -> Outcome<()> {
        self.tell(if is_linked { "adopted" } else { "rendered" }, &placed, Some(&hash), None)?;
        self.manifest.put(Entry {
            observation_id: placed.observation_id.clone(),
            observation_type: placed.observation_type.clone(),
            path: placed.path.clone(),
            rendered_hash: (!is_linked).then(|| hash.clone()),
            content_hash: hash,
            rendered_at: self.instant(),
            anchor_id: placed.anchor.clone(),
            linked: is_linked,
            retired: false,
            revision: 0,
            deleted_at: None,
        });
        if is_linked {
            self.report.linked.push(placed);
        } else {
            self.report.rendered.push(placed);
        }
        Ok(())
    }

    /// Writes a slash command or a skill under the first name that nobody has.
    fn render_file(&mut self, row: &ObservationScore) -> Outcome<()> {
        let date = Day::of_micros(self.task.now.as_microsecond()).to_string();
        let slug = slug_of(row);
        for name in candidates(&slug) {
            let path = path_of(row.observation_type, &name);
            let is_known = self.manifest.live().any(|entry| entry.path == path);
            if is_known || !self.is_free(&path)? {
                continue;
            }
            let text = self.text_of(row, &path, &date);
            self.tell_difference(&path, "", &text);
            if self.task.is_dry || self.tree.create(&path, &text)? {
                let placed = Placed {
                    observation_id: row.id.clone(),
                    observation_type: row.observation_type.to_string(),
                    path,
                    anchor: None,
                };
                return self.put_rendered(placed, canonical_hash(&text), false);
            }
        }
        Err(Diagnostic::edit(format!("every name like `{slug}` is in use"), "rename or remove some of the files of that name")
            .at(&self.tree.path(&path_of(row.observation_type, &slug))))
    }

    /// The file of an observation.
    pub(super) fn text_of(&self, row: &ObservationScore, path: &str, date: &str) -> String {
        let doubts = Steps::of(self.task.root).check(row);
        match row.observation_type {
            ObservationType::Procedural => render_skill(row, &skill_name(slug_of_path(path).unwrap_or_default()), &doubts, date),
            _ => render_command(row, &doubts, date),
        }
    }

    /// Whether nobody has a name. A skill's folder is somebody's as soon as there is anything in it but what a killed run staged.
    fn is_free(&self, path: &str) -> Outcome<bool> {
        let Some(folder) = path.strip_suffix("/SKILL.md") else { return Ok(!self.tree.has(path)?) };
        if !self.tree.has(folder)? {
            return Ok(true);
        }
        let is_folder = std::fs::symlink_metadata(self.tree.path(folder)).is_ok_and(|metadata| metadata.is_dir());
        Ok(is_folder && self.tree.list(folder)?.iter().all(|listed| listed.name == "SKILL.md.tmp"))
    }
}
